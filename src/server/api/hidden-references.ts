/**
 * References to hidden objects in requests. They are replaced by unknown ids, and restored in the
 * response.
 */

import { randomUUID } from 'node:crypto';
import { getReferencedType, listAttributes, type Operation, parseKind } from '../../model/index.ts';
import type { Attribute } from '../../model/notation/attributes.ts';
import { actionParameters } from '../../model/notation/parameters.ts';
import { isRecord } from '../../records.ts';
import { type CollectionRef, findTopCollection, isStored } from '../core/collection-ref.ts';
import type { RuleContext, VisibilityFilter } from '../core/context.ts';
import { Refusal } from '../core/fault.ts';
import { createNameScope } from '../core/input.ts';
import type { KindName, StoredObject } from '../store/kinds.ts';

/** Body of a request, and objects with checked permissions. */
interface Sent {
  readonly operation: Operation;
  readonly body: StoredObject | StoredObject[];
  /** `KIND ID` */
  readonly checked: ReadonlySet<string>;
}

/** Replaces references to hidden objects in a body by unknown ids and names. */
export function replaceHidden(
  ctx: RuleContext,
  filter: VisibilityFilter,
  ref: CollectionRef,
  { operation, body, checked }: Sent,
): void {
  const look = new HiddenReferences(ctx, filter, checked);
  for (const sent of Array.isArray(body) ? body : [body]) {
    if (operation.isAction || operation.http === 'DELETE') {
      look.at('action', actionParameters, sent);
      continue;
    }
    if (operation.name === 'add') look.atMember(ref, sent);
    look.at(operation.type, listAttributes(operation.type), sent);
  }
}

/** Replaced texts, by the context of the request. */
const standIns = new WeakMap<RuleContext, Map<string, string>>();

/** Texts of the request that name hidden objects. */
export function hiddenWords(ctx: RuleContext): string[] {
  return [...(standIns.get(ctx)?.values() ?? [])];
}

/** Restores the texts of the request in a response or a text. */
export function asSent<T>(ctx: RuleContext, value: T): T {
  const known = standIns.get(ctx);
  if (!known) return value;
  // The copy has the same type, because only texts change.
  return replaced(value, known) as T;
}

function replaced(value: unknown, known: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') {
    return [...known].reduce((text, [other, sent]) => text.replaceAll(other, sent), value);
  }
  if (Array.isArray(value)) return value.map((one: unknown) => replaced(one, known));
  // Encoded values contain no text of the request.
  if (!isRecord(value) || Symbol.iterator in value) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, replaced(one, known)]),
  );
}

/** References in which a name is the name of a new object. */
const wholeObjects: ReadonlySet<string> = new Set(['disk_attachment.disk']);

type Attributes = Readonly<Record<string, Pick<Attribute, 'kind'>>>;

class HiddenReferences {
  readonly #ctx: RuleContext;
  readonly #filter: VisibilityFilter;
  readonly #checked: ReadonlySet<string>;

  constructor(ctx: RuleContext, filter: VisibilityFilter, checked: ReadonlySet<string>) {
    this.#ctx = ctx;
    this.#filter = filter;
    this.#checked = checked;
  }

  /** Checks all references in an object. */
  at(type: string, attributes: Attributes, sent: StoredObject): void {
    for (const [name, value] of Object.entries(sent)) {
      const attribute = attributes[name];
      if (!attribute) continue;
      const { form, of } = parseKind(attribute.kind);
      if (form === 'scalar' || form === 'enum') continue;
      const target = getReferencedType(of);
      for (const one of Array.isArray(value) ? value : [value]) {
        if (!isRecord(one)) continue;
        // The parent is checked first: a hidden parent has no visible objects.
        this.at(target, listAttributes(target), one);
        if (form === 'struct' || this.#byId(target, one)) continue;
        const refers = form === 'ref' || form === 'links';
        if (refers && !wholeObjects.has(`${type}.${name}`)) this.#byName(target, one);
      }
    }
  }

  /** Checks an independent object that is added to a collection. */
  atMember(ref: CollectionRef, sent: StoredObject): void {
    if (!ref.owner || findTopCollection(ref.type) === undefined) return;
    const joins = ref.members !== undefined || ref.kind !== ref.type;
    if (sent['id'] !== undefined) this.#byId(ref.type, sent);
    else if (joins) this.#byName(ref.type, sent);
  }

  /** Whether a reference contains an id. */
  #byId(type: string, reference: StoredObject): boolean {
    const { id } = reference;
    if (!isStored(type) || typeof id !== 'string' || id === '') return false;
    const hidden = this.#ctx.tx.findCollection(type, id) !== undefined && !this.#sees(type, id);
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
    // The name selects the visible one of several objects.
    if (seen && seen !== found[0]) reference['id'] = seen['id'];
    else if (!seen && found.length > 0) {
      reference['name'] = this.#standIn(name, `absent-${randomUUID()}`);
    }
  }

  /** Conditions of a reference on the parent of its object; undefined for an unknown parent. */
  #scope(type: string, reference: StoredObject): Record<string, string> {
    try {
      return createNameScope(this.#ctx.tx, type, reference);
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
    return this.#checked.has(`${type} ${id}`) || this.#filter.sees(type, id);
  }
}
