/** What takes a request of the history back, as far as the history and the model say. */

import { collectionAt } from '../../cli/verbs/collections.ts';
import type { Ids } from '../../cli/verbs/references.ts';
import { opposites } from '../../model/derive/opposites.ts';
import { listAttributes, listOperations } from '../../model/index.ts';
import type { Attribute } from '../../model/notation/attributes.ts';
import type { OppositeLimit } from '../../model/notation/resource.ts';
import { isDone } from './entries.ts';
import type { HistoryStep, QueryValues, Values } from './history-file.ts';
import { isValues } from './history-values.ts';
import { divideUpdate, hasHidden, type Irreversible } from './irreversible.ts';

/** Where an operation of the model is called. */
interface Place {
  /** Path template of the service. */
  readonly path: string;
  /** Type of the objects there. */
  readonly type: string;
  /** Ids of everything above the object. */
  readonly ids: Ids;
}

/** The object that a request is to be about. */
interface ObjectPlace extends Place {
  readonly id: string;
}

export type Inverse =
  | (ObjectPlace & {
      readonly kind: 'update';
      /** What is to be set, null where an attribute had no value. */
      readonly values: Values;
      /** What the update has led to: where the object says something else it has changed since. */
      readonly expected: Values;
      readonly query: QueryValues;
      /** Attributes that stay as they are. */
      readonly left: readonly Irreversible[];
    })
  | (ObjectPlace & {
      readonly kind: 'action';
      readonly operation: string;
      /** The operation that is taken back. */
      readonly undoes: string;
    })
  | (ObjectPlace & {
      readonly kind: 'remove';
      /** The object is gone afterwards, instead of being elsewhere. */
      readonly isDeletion: boolean;
      readonly query: QueryValues;
    })
  | (Place & { readonly kind: 'add'; readonly body: Values; readonly isAttached: boolean });

/** A request of the history with what takes it back, or why nothing does. */
export interface Undoing {
  /** As other commands name the object: `vms/web01`. */
  readonly label: string;
  readonly step: HistoryStep;
  readonly inverse?: Inverse;
  readonly why?: string;
}

/** What has to be done, the last request first. What failed has changed nothing, and is left out. */
export function undoingsOf(steps: readonly HistoryStep[]): readonly Undoing[] {
  return [...steps]
    .reverse()
    .filter((step) => step.outcome?.status === undefined || isDone(step))
    .map((step) => {
      const found = inverseOf(step);
      const label = labelOf(step);
      return typeof found === 'string'
        ? { label, step, why: found }
        : { label, step, inverse: found };
    });
}

/** In words, what a request was about: `vms/web01`; its method and path where nobody knows more. */
export function labelOf({ what, method, path, outcome, service }: HistoryStep): string {
  const { made } = outcome ?? {};
  const isKnown = service !== undefined && listOperations(service).length > 0;
  if (made?.name !== undefined && isKnown) return `${collectionAt(service).noun}/${made.name}`;
  const label = what?.slice(what.indexOf(' ') + 1) ?? '';
  if (made && isKnown && !label.includes('/')) return `${label}/${made.id}`;
  return label === '' ? `${method} ${path}` : label;
}

function inverseOf(step: HistoryStep): Inverse | string {
  const { service, operation: name, outcome } = step;
  const operation = listOperations(service ?? '').find((one) => one.name === name);
  if (!operation || service === undefined) {
    return 'a raw request has no known inverse';
  }
  // The object itself says later whether an update was made.
  if (name === 'update') return inverseUpdate(step, service, operation.type);
  if (outcome?.status === undefined) return 'its result is unknown';
  const opposite = opposites[service]?.[operation.name];
  if (name === 'add') {
    const isAttached = opposite !== undefined && isWithin(opposite.where, step);
    return inverseAdd(step, service, isAttached);
  }
  if (!opposite || !isWithin(opposite.where, step)) {
    return name === 'remove'
      ? 'a deletion cannot be reverted'
      : `${operation.name.replaceAll('_', '-')} has no inverse`;
  }
  if (name === 'remove')
    return inverseRemove(step, opposite.service, operation.type, opposite.attaches);
  const { id, above } = divided(service, step.ids);
  const place = { path: service, type: operation.type, ids: above, id };
  return { kind: 'action', ...place, operation: opposite.operation, undoes: operation.name };
}

function isWithin(where: OppositeLimit | undefined, { body, query }: HistoryStep): boolean {
  const { sent, unless } = where ?? {};
  if (sent !== undefined && valueAt(body, sent) === undefined) return false;
  return !unless || query?.[unless[0]] !== unless[1];
}

function inverseUpdate(step: HistoryStep, path: string, type: string): Inverse | string {
  const { before, body = {}, outcome, query = {} } = step;
  if (!before) return 'the previous state is unknown';
  const { values, left } = divideUpdate(type, before, body);
  if (Object.keys(values).length === 0 && left.length > 0) {
    return left.map(({ path: at, why }) => `${at} cannot be reverted: ${why}`).join('; ');
  }
  const { id, above } = divided(path, step.ids);
  const { async: _async, ...more } = query;
  const after = outcome?.after ?? body;
  const expected = Object.fromEntries(
    Object.entries(after).filter(([name]) => values[name] !== undefined),
  );
  return { kind: 'update', path, type, ids: above, id, values, expected, query: more, left };
}

function inverseAdd(step: HistoryStep, service: string, isAttached: boolean): Inverse | string {
  const { body = {}, outcome, ids = {} } = step;
  const collection = collectionAt(service);
  const operation = listOperations(collection.object ?? '').find(({ name }) => name === 'remove');
  const id = outcome?.made?.id ?? body['id'];
  if (!operation) return 'no request removes it';
  if (typeof id !== 'string') return 'the created object is unknown';
  const place = { path: operation.service, type: operation.type, ids, id };
  // What was made along with it goes, too.
  const [parameter, value] = opposites[operation.service]?.['remove']?.where?.unless ?? [];
  const query = isAttached || parameter === undefined ? {} : { [parameter]: value ?? false };
  return { kind: 'remove', ...place, isDeletion: !isAttached, query };
}

function inverseRemove(
  { service = '', ids, before, body }: HistoryStep,
  path: string,
  type: string,
  attaches: readonly string[] | undefined,
): Inverse | string {
  const { id, above } = divided(service, ids);
  if (body && Object.keys(body).length > 0) return 'a deletion cannot be reverted';
  const place = { path, type, ids: above };
  if (attaches) {
    const more = attaches.flatMap((name) =>
      before?.[name] === undefined ? [] : [[name, before[name]] as const],
    );
    const sent = { id, ...Object.fromEntries(more) };
    return { kind: 'add', ...place, body: sent, isAttached: true };
  }
  if (!before) return 'the previous state is unknown';
  const attributes: Readonly<Record<string, Attribute>> = listAttributes(type);
  const said = Object.entries(before).flatMap(([name, value]) =>
    attributes[name]?.mut.startsWith('C') && value !== null && !hasHidden(value)
      ? [[name, isValues(value) && 'id' in value ? { id: value['id'] } : value] as const]
      : [],
  );
  return { kind: 'add', ...place, body: Object.fromEntries(said), isAttached: false };
}

/** The id of the object at the end of a path, and those of what is above it. */
function divided(path: string, ids: Ids = {}): { readonly id: string; readonly above: Ids } {
  const placeholder = path.slice(path.lastIndexOf('{') + 1, -1);
  const { [placeholder]: id = '', ...above } = ids;
  return { id, above };
}

function valueAt(value: Values | undefined, path: string): unknown {
  let at: unknown = value;
  for (const word of path.split('.')) at = isValues(at) ? at[word] : undefined;
  return at;
}
