/** Redaction of what is hidden from the caller: in answers, in faults, and in what is sent. */

import { randomUUID } from 'node:crypto';
import { reachedFrom } from '../../model/derive/permits.ts';
import { attributesOf, type Operation, parseKind, referencedType } from '../../model/index.ts';
import type { Attribute } from '../../model/notation/attributes.ts';
import { actionParameters } from '../../model/notation/parameters.ts';
import { type CollectionRef, isStored, topCollection } from '../core/collection-ref.ts';
import type { RuleContext, VisibilityFilter } from '../core/context.ts';
import { Refusal } from '../core/fault.ts';
import { scopeIn } from '../core/input.ts';
import { isRecord, type KindName, type StoredObject } from '../store/kinds.ts';
import type { Slices } from '../store/slices.ts';
import { nameable } from '../store/visible-kinds.ts';
import type { Answer, Call } from './call.ts';

/** Texts that are the id of an object, by type and attribute. */
const idTexts: Readonly<Record<string, string>> = {
  'logical_unit.disk_id': 'disk',
  'logical_unit.storage_domain_id': 'storage_domain',
  'gluster_brick.server_id': 'host',
};

/** What is done with the value of an attribute; undefined where nothing can be in it. */
export type Redactor = (filter: VisibilityFilter, value: unknown) => unknown;

const looksByType = new Map<string, ReadonlyMap<string, Redactor>>();

/** The object without references to what is not visible; itself where there are none. */
export function redacted(
  filter: VisibilityFilter,
  type: string,
  object: StoredObject,
): StoredObject {
  return looked(filter, looksOf(type), object);
}

/** The same for what an action answers. */
export function redactedAction(filter: VisibilityFilter, action: StoredObject): StoredObject {
  actionLooks ??= looksFor('action', actionParameters);
  return looked(filter, actionLooks, action);
}

let actionLooks: ReadonlyMap<string, Redactor> | undefined;

function looked(
  filter: VisibilityFilter,
  looks: ReadonlyMap<string, Redactor>,
  object: StoredObject,
): StoredObject {
  let left = object;
  for (const [name, look] of looks) {
    const value = object[name];
    if (value === undefined || value === null) continue;
    const seen = look(filter, value);
    if (seen === value) continue;
    if (left === object) left = { ...object };
    if (seen === undefined) delete left[name];
    else left[name] = seen;
  }
  return left;
}

/** What is done with the attributes of a type; those in which nothing can be hidden are missing. */
export function looksOf(type: string): ReadonlyMap<string, Redactor> {
  let looks = looksByType.get(type);
  if (!looks) {
    // Types may hold themselves: an empty map stands in until this one is made.
    looksByType.set(type, new Map());
    looks = looksFor(type, attributesOf(type));
    looksByType.set(type, looks);
  }
  return looks;
}

function looksFor(
  type: string,
  attributes: Readonly<Record<string, Pick<Attribute, 'kind'>>>,
): ReadonlyMap<string, Redactor> {
  const looks = new Map<string, Redactor>();
  for (const [name, { kind }] of Object.entries(attributes)) {
    const look = lookFor(type, name, kind);
    if (look) looks.set(name, look);
  }
  return looks;
}

function lookFor(type: string, name: string, kind: Attribute['kind']): Redactor | undefined {
  const { form, of } = parseKind(kind);
  const text = idTexts[`${type}.${name}`];
  if (text) return (filter, id) => (hides(filter, text, id) ? undefined : id);
  if (form === 'scalar' || form === 'enum') return undefined;
  const target = referencedType(of);
  // What an object leads to is visible with it.
  const isWay =
    reachedFrom[target]?.includes(type) === true && (name === target || form === 'links');
  const one = (filter: VisibilityFilter, value: unknown): unknown => {
    if (!isRecord(value)) return value;
    const isObject = form !== 'struct' || topCollection(target) !== undefined;
    if (isObject && !isWay && hides(filter, target, value['id'])) return undefined;
    return isBare(value) ? value : redacted(filter, target, value);
  };
  return (filter, value) => {
    if (!Array.isArray(value)) return one(filter, value);
    const seen = value.map((item: unknown) => one(filter, item));
    if (seen.every((item, index) => item === value[index])) return value;
    return seen.filter((item) => item !== undefined);
  };
}

/** Whether an id is that of an object that is not shown. */
function hides(filter: VisibilityFilter, type: string, id: unknown): boolean {
  return typeof id === 'string' && isStored(type) && !filter.sees(type, id);
}

function isBare(value: StoredObject): boolean {
  for (const name in value) if (name !== 'id' && name !== 'href' && name !== 'name') return false;
  return true;
}

/** What stands in for the name of a hidden object. */
const placeholder = '(not visible)';

/** Between the names in a sentence. */
const between = /([\s,;:()[\]"']+)/;

/** Performs a call; names of hidden objects in the sentence of a refusal are left out. */
export function* discreetly(
  ctx: RuleContext,
  call: Call,
  perform: (ctx: RuleContext, call: Call) => Slices<Answer>,
): Slices<Answer> {
  try {
    return asSent(ctx, yield* perform(ctx, call));
  } catch (error) {
    if (!(error instanceof Refusal) || !ctx.filter) throw error;
    if (!error.reword && hiddenWords(ctx).length === 0) throw error;
    const redactor = new TextRedactor(ctx, ctx.filter, call);
    const { status, reason, detail, reword, headers } = error;
    const visible = reword ? reword((text) => redactor.redact(text)) : detail;
    throw new Refusal(status, reason, asSent(ctx, visible), { headers });
  }
}

/** Takes the names of hidden objects out of sentences. */
class TextRedactor {
  readonly #ctx: RuleContext;
  readonly #filter: VisibilityFilter;
  /** What the client said itself is no news to it. */
  readonly #sentText: string;

  constructor(ctx: RuleContext, filter: VisibilityFilter, { request, body }: Call) {
    this.#ctx = ctx;
    this.#filter = filter;
    const parameters = [...request.parameters.values(), ...hiddenWords(ctx)];
    this.#sentText = JSON.stringify([request.segments, parameters, body], (_, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    );
  }

  redact(text: string): string {
    if (this.#isHidden(text)) return placeholder;
    return text
      .split(between)
      .map((word) => (this.#isHidden(word) ? placeholder : word))
      .join('');
  }

  /** Whether a word is the name or id of objects of which none is visible. */
  #isHidden(word: string): boolean {
    if (word.length < 2 || this.#sentText.includes(word)) return false;
    const { tx } = this.#ctx;
    const found = nameable.flatMap((kind) =>
      [...tx.ids(kind, { where: { name: word } }), ...tx.ids(kind, { where: { id: word } })].map(
        (id) => this.#filter.sees(kind, id),
      ),
    );
    return found.length > 0 && !found.includes(true);
  }
}

/** What was sent, and what the caller was permitted to do something with. */
interface Sent {
  readonly operation: Operation;
  readonly body: StoredObject | StoredObject[];
  /** `KIND ID` */
  readonly checked: ReadonlySet<string>;
}

/** Puts what nothing has in the place of all that a body names and the caller does not see. */
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
    look.at(operation.type, attributesOf(operation.type), sent);
  }
}

/** What stands in the place of what was sent, by the context of the request. */
const standIns = new WeakMap<RuleContext, Map<string, string>>();

/** What was sent and is hidden. */
function hiddenWords(ctx: RuleContext): string[] {
  return [...(standIns.get(ctx)?.values() ?? [])];
}

/** A value of an answer, or a sentence, with what was sent in it; itself where nothing was hidden. */
export function asSent<T>(ctx: RuleContext, value: T): T {
  const known = standIns.get(ctx);
  if (!known) return value;
  // Texts stay texts and objects keep their members: the copy is of the same type.
  return replaced(value, known) as T;
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

class HiddenReferences {
  readonly #ctx: RuleContext;
  readonly #filter: VisibilityFilter;
  readonly #checked: ReadonlySet<string>;

  constructor(ctx: RuleContext, filter: VisibilityFilter, checked: ReadonlySet<string>) {
    this.#ctx = ctx;
    this.#filter = filter;
    this.#checked = checked;
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
  atMember(ref: CollectionRef, sent: StoredObject): void {
    if (!ref.owner || topCollection(ref.type) === undefined) return;
    const joins = ref.members !== undefined || ref.kind !== ref.type;
    if (sent['id'] !== undefined) this.#byId(ref.type, sent);
    else if (joins) this.#byName(ref.type, sent);
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
    return this.#checked.has(`${type} ${id}`) || this.#filter.sees(type, id);
  }
}
