/**
 * What a client sends and does not see is to it what is not there: neither an id nor a name tells
 * whether there is something else of that kind. Whatever looks for it finds nothing, because an id or
 * a name that nothing has stands in its place; in the answer it is what was sent again.
 */
import { randomUUID } from 'node:crypto';
import { attributesOf, type Operation, parseKind, referencedType } from '../../model/index.ts';
import type { Attribute } from '../../model/notation/attributes.ts';
import { actionParameters } from '../../model/parameters.ts';
import { isStored, type Place, topCollection } from '../core/collection-ref.ts';
import type { RuleContext, Sight } from '../core/context.ts';
import { Refusal } from '../core/fault.ts';
import { scopeIn } from '../core/input.ts';
import { isRecord, type StoredObject } from '../store/document.ts';
import type { KindName } from '../store/kinds.ts';

/** What was sent, and what the caller was permitted to do something with. */
interface Sent {
  readonly operation: Operation;
  readonly body: StoredObject | StoredObject[];
  /** `KIND ID` */
  readonly asked: ReadonlySet<string>;
}

/** Puts what nothing has in the place of all that a body names and the caller does not see. */
export function replaceHidden(
  ctx: RuleContext,
  sight: Sight,
  place: Place,
  { operation, body, asked }: Sent,
): void {
  const look = new Look(ctx, sight, asked);
  for (const sent of Array.isArray(body) ? body : [body]) {
    if (operation.isAction || operation.http === 'DELETE') {
      look.at('action', actionParameters, sent);
      continue;
    }
    if (operation.name === 'add') look.atMember(place, sent);
    look.at(operation.type, attributesOf(operation.type), sent);
  }
}

/** What stands in the place of what was sent, by the context of the request. */
const standIns = new WeakMap<RuleContext, Map<string, string>>();

/** What was sent and is hidden. */
export function hiddenWords(ctx: RuleContext): string[] {
  return [...(standIns.get(ctx)?.values() ?? [])];
}

/** A value of an answer, or a sentence, with what was sent in it; itself where nothing was hidden. */
export function asSent<T>(ctx: RuleContext, value: T): T {
  const known = standIns.get(ctx);
  return known ? (replaced(value, known) as T) : value;
}

function replaced(value: unknown, known: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') {
    return [...known].reduce((text, [other, sent]) => text.replaceAll(other, sent), value);
  }
  if (Array.isArray(value)) return value.map((one: unknown) => replaced(one, known));
  // What is made when it is written down names nothing that was sent.
  if (!isRecord(value) || Symbol.iterator in value) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, replaced(one, known)]),
  );
}

/** References in which a name is that of a new object. */
const wholeObjects: ReadonlySet<string> = new Set(['disk_attachment.disk']);

type Attributes = Readonly<Record<string, Pick<Attribute, 'kind'>>>;

class Look {
  readonly #ctx: RuleContext;
  readonly #sight: Sight;
  readonly #asked: ReadonlySet<string>;

  constructor(ctx: RuleContext, sight: Sight, asked: ReadonlySet<string>) {
    this.#ctx = ctx;
    this.#sight = sight;
    this.#asked = asked;
  }

  /** Looks at all that an object names. */
  at(type: string, attributes: Attributes, sent: StoredObject): void {
    for (const [name, value] of Object.entries(sent)) {
      const attribute = attributes[name];
      if (!attribute) continue;
      const { form, of } = parseKind(attribute.kind);
      if (form === 'scalar' || form === 'enum') continue;
      const target = referencedType(of);
      for (const one of Array.isArray(value) ? value : [value]) {
        if (!isRecord(one)) continue;
        // First where it is: what is hidden has nothing in it.
        this.at(target, attributesOf(target), one);
        if (form === 'struct' || this.#byId(target, one)) continue;
        const refers = form === 'ref' || form === 'links';
        if (refers && !wholeObjects.has(`${type}.${name}`)) this.#byName(target, one);
      }
    }
  }

  /** Looks at an object that exists by itself and is put into a collection. */
  atMember(place: Place, sent: StoredObject): void {
    if (!place.owner || topCollection(place.type) === undefined) return;
    const joins = place.members !== undefined || place.kind !== place.type;
    if (sent['id'] !== undefined) this.#byId(place.type, sent);
    else if (joins) this.#byName(place.type, sent);
  }

  /** Whether a reference says an id. */
  #byId(type: string, reference: StoredObject): boolean {
    const { id } = reference;
    if (!isStored(type) || typeof id !== 'string' || id === '') return false;
    const hidden = this.#ctx.tx.collectionOf(type, id) !== undefined && !this.#sees(type, id);
    if (hidden) reference['id'] = this.#standIn(id, randomUUID());
    return true;
  }

  #byName(type: string, reference: StoredObject): void {
    const { name } = reference;
    if (!isStored(type) || typeof name !== 'string' || name === '') return;
    const { tx } = this.#ctx;
    const where = { ...this.#scope(type, reference), name };
    const found = tx.list(type, { where }).filter((one) => one['name'] === name);
    const seen = found.find((one) => this.#sees(type, String(one['id'])));
    // Of several with that name the one that is visible is meant.
    if (seen && seen !== found[0]) reference['id'] = seen['id'];
    else if (!seen && found.length > 0) {
      reference['name'] = this.#standIn(name, `absent-${randomUUID()}`);
    }
  }

  /** What a reference says about where its object is; nothing where that is not there. */
  #scope(type: string, reference: StoredObject): Record<string, string> {
    try {
      return scopeIn(this.#ctx.tx, type, reference);
    } catch (error) {
      if (error instanceof Refusal) return {};
      throw error;
    }
  }

  #standIn(sent: string, other: string): string {
    const known = standIns.get(this.#ctx) ?? new Map<string, string>();
    standIns.set(this.#ctx, known);
    known.set(other, sent);
    return other;
  }

  #sees(type: KindName, id: string): boolean {
    return this.#asked.has(`${type} ${id}`) || this.#sight.sees(type, id);
  }
}
