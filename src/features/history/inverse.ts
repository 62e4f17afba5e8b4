/** Inverse requests of recorded requests, derived from the history and the model. */

import { getCollection } from '../../cli/verbs/collections.ts';
import type { Ids } from '../../cli/verbs/references.ts';
import { opposites } from '../../model/derive/opposites.ts';
import { listAttributes, listOperations } from '../../model/index.ts';
import type { Attribute } from '../../model/notation/attributes.ts';
import type { OppositeLimit } from '../../model/notation/resource.ts';
import { isRecord } from '../../records.ts';
import { isDone } from './entries.ts';
import type { HistoryStep, QueryValues, Values } from './history-file.ts';
import { divideUpdate, hasHidden, type Irreversible } from './irreversible.ts';

/** Service of an operation. */
interface ServicePosition {
  /** Path template of the service. */
  readonly path: string;
  /** Type of its objects. */
  readonly type: string;
  /** Ids of the parents of the object. */
  readonly ids: Ids;
}

/** Object of a request. */
interface ObjectPosition extends ServicePosition {
  readonly id: string;
}

export type Inverse =
  | (ObjectPosition & {
      readonly kind: 'update';
      /** Values to set, null for an attribute that had no value. */
      readonly values: Values;
      /** Values after the update. Other current values indicate a later change. */
      readonly expected: Values;
      readonly query: QueryValues;
      /** Attributes that cannot be restored. */
      readonly irreversible: readonly Irreversible[];
    })
  | (ObjectPosition & {
      readonly kind: 'action';
      readonly operation: string;
      /** The operation that is undone. */
      readonly undoes: string;
    })
  | (ObjectPosition & {
      readonly kind: 'remove';
      /** Whether the object is deleted, instead of only detached. */
      readonly isDeletion: boolean;
      readonly query: QueryValues;
    })
  | (ServicePosition & {
      readonly kind: 'add';
      readonly body: Values;
      readonly isAttached: boolean;
    });

/** A recorded request with its inverse, or with the reason why it has none. */
export interface UndoStep {
  /** Label of the object: `vms/web01`. */
  readonly label: string;
  readonly step: HistoryStep;
  readonly inverse?: Inverse;
  readonly why?: string;
}

/** Steps that upload images to disks of the same command. The deletion of the disk reverts them. */
function findUploadsToCreated(steps: readonly HistoryStep[]): ReadonlySet<HistoryStep> {
  const created = new Set(
    steps.flatMap(({ service, outcome }) =>
      service === '/disks' ? (outcome?.made?.id ?? []) : [],
    ),
  );
  const transfers = steps.filter(({ service, operation, body }) => {
    const id = getValue(body, 'disk.id') ?? getValue(body, 'image.id');
    return service === '/imagetransfers' && operation === 'add' && created.has(String(id));
  });
  const ids = new Set(transfers.map(({ outcome }) => outcome?.made?.id));
  const actions = steps.filter(
    ({ service, ids: of }) =>
      service === '/imagetransfers/{imagetransfer}' && ids.has(of?.['imagetransfer']),
  );
  return new Set([...transfers, ...actions]);
}

/**
 * Inverse requests in reverse order. Omits failed requests, which changed nothing, and uploads to
 * new disks.
 */
export function listUndoSteps(steps: readonly HistoryStep[]): readonly UndoStep[] {
  const uploads = findUploadsToCreated(steps);
  return [...steps]
    .reverse()
    .filter((step) => step.outcome?.status === undefined || isDone(step))
    .filter((step) => !uploads.has(step))
    .map((step) => {
      const found = findInverse(step);
      const label = getObjectLabel(step);
      return typeof found === 'string'
        ? { label, step, why: found }
        : { label, step, inverse: found };
    });
}

/** Label of the object of a request, `vms/web01`; method and path if the object is unknown. */
export function getObjectLabel({ what, method, path, outcome, service }: HistoryStep): string {
  const { made } = outcome ?? {};
  const isKnown = service !== undefined && listOperations(service).length > 0;
  if (made?.name !== undefined && isKnown) return `${getCollection(service).noun}/${made.name}`;
  const label = what?.slice(what.indexOf(' ') + 1) ?? '';
  if (made && isKnown && !label.includes('/')) return `${label}/${made.id}`;
  return label === '' ? `${method} ${path}` : label;
}

function findInverse(step: HistoryStep): Inverse | string {
  const { service, operation: name, outcome } = step;
  const operation = listOperations(service ?? '').find((one) => one.name === name);
  if (!operation || service === undefined) {
    return 'a raw request has no known inverse';
  }
  // The current object shows whether the update was made, so its result is not needed.
  if (name === 'update') return invertUpdate(step, service, operation.type);
  if (outcome?.status === undefined) return 'its result is unknown';
  const opposite = opposites[service]?.[operation.name];
  if (name === 'add') {
    const isAttached = opposite !== undefined && isApplicable(opposite.where, step);
    return invertAdd(step, service, isAttached);
  }
  if (!opposite || !isApplicable(opposite.where, step)) {
    return name === 'remove'
      ? 'a deletion cannot be reverted'
      : `${operation.name.replaceAll('_', '-')} has no inverse`;
  }
  if (name === 'remove')
    return invertRemove(step, opposite.service, operation.type, opposite.attaches);
  const { id, above } = divideIds(service, step.ids);
  const place = { path: service, type: operation.type, ids: above, id };
  return { kind: 'action', ...place, operation: opposite.operation, undoes: operation.name };
}

function isApplicable(where: OppositeLimit | undefined, { body, query }: HistoryStep): boolean {
  const { sent, unless } = where ?? {};
  if (sent !== undefined && getValue(body, sent) === undefined) return false;
  return !unless || query?.[unless[0]] !== unless[1];
}

function invertUpdate(step: HistoryStep, path: string, type: string): Inverse | string {
  const { before, body = {}, outcome, query = {} } = step;
  if (!before) return 'the previous state is unknown';
  const { values, irreversible } = divideUpdate(type, before, body);
  if (Object.keys(values).length === 0 && irreversible.length > 0) {
    return irreversible.map(({ path: at, why }) => `${at} cannot be reverted: ${why}`).join('; ');
  }
  const { id, above } = divideIds(path, step.ids);
  const { async: _async, ...more } = query;
  const after = outcome?.after ?? body;
  const expected = Object.fromEntries(
    Object.entries(after).filter(([name]) => values[name] !== undefined),
  );
  return {
    kind: 'update',
    path,
    type,
    ids: above,
    id,
    values,
    expected,
    query: more,
    irreversible: irreversible,
  };
}

function invertAdd(step: HistoryStep, service: string, isAttached: boolean): Inverse | string {
  const { body = {}, outcome, ids = {} } = step;
  const collection = getCollection(service);
  const operation = listOperations(collection.object ?? '').find(({ name }) => name === 'remove');
  const id = outcome?.made?.id ?? body['id'];
  if (!operation) return 'no request removes it';
  if (typeof id !== 'string') return 'the created object is unknown';
  const place = { path: operation.service, type: operation.type, ids, id };
  // Deletes the objects that were created with it.
  const [parameter, value] = opposites[operation.service]?.['remove']?.where?.unless ?? [];
  const query = isAttached || parameter === undefined ? {} : { [parameter]: value ?? false };
  return { kind: 'remove', ...place, isDeletion: !isAttached, query };
}

function invertRemove(
  { service = '', ids, before, body }: HistoryStep,
  path: string,
  type: string,
  attaches: readonly string[] | undefined,
): Inverse | string {
  const { id, above } = divideIds(service, ids);
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
      ? [[name, isRecord(value) && 'id' in value ? { id: value['id'] } : value] as const]
      : [],
  );
  return { kind: 'add', ...place, body: Object.fromEntries(said), isAttached: false };
}

/** Id of the object at the end of a path, and the ids of its parents. */
function divideIds(path: string, ids: Ids = {}): { readonly id: string; readonly above: Ids } {
  const placeholder = path.slice(path.lastIndexOf('{') + 1, -1);
  const { [placeholder]: id = '', ...above } = ids;
  return { id, above };
}

function getValue(value: Values | undefined, path: string): unknown {
  let at: unknown = value;
  for (const word of path.split('.')) at = isRecord(at) ? at[word] : undefined;
  return at;
}
