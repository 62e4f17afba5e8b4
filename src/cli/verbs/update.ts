/** Updates that send only the differences to the current object. */

import type { ApiObject } from '../../client/client.ts';
import { AmbiguousError, UsageError, VmctlError } from '../../client/errors.ts';
import { isType, listAttributes, parseKind } from '../../model/index.ts';
import type { Attribute, Kind } from '../../model/notation/attributes.ts';
import { isRecord } from '../../records.ts';
import { findRootCollection } from './collections.ts';
import { findDifferences } from './differences.ts';
import { type Finder, type FoundObject, findOperation, getPlaceholder } from './references.ts';
import type { Run } from './run.ts';

type Body = Readonly<Record<string, unknown>>;

/** Remainder of an update. */
export interface ReducedUpdate {
  /** Attributes that differ, unchanged; undefined if none differs. */
  readonly body: Record<string, unknown> | undefined;
  /** Current object; undefined if it is unknown and all attributes are sent. */
  readonly present: ApiObject | undefined;
}

/**
 * Reduces a body to the attributes that differ from the object. Sends all attributes if the
 * readable object is not the one to change: with query parameters, or with a pending configuration
 * for the next start.
 */
export async function reduceUpdate(
  run: Run,
  target: FoundObject,
  body: Body,
): Promise<ReducedUpdate> {
  const all = { body: { ...body }, present: undefined };
  if (Object.values(run.query).some((value) => value !== undefined)) return all;
  const { type } = run.resolved.candidate.operation;
  const names = listReadableNames(type, body);
  if (names.length === 0) return all;
  const present = await readPresent(run, target, names);
  if (!present || present['next_run_configuration_exists'] === true) return all;
  const wanted = await resolveNames(run.finder, type, body);
  const changed = findDifferences(type, wanted, present, 'update');
  if (changed.size === 0) return { body: undefined, present };
  const sent = Object.entries(body).filter(([name]) => changed.has(name));
  return { body: Object.fromEntries(sent), present };
}

/** Lists the attributes of a body that a service also returns. */
function listReadableNames(type: string, body: Body): readonly string[] {
  const attributes: Readonly<Record<string, Attribute>> = isType(type) ? listAttributes(type) : {};
  return Object.keys(body).filter((name) => {
    const attribute = attributes[name];
    return attribute !== undefined && !attribute.writeOnly && !attribute.secret;
  });
}

/** Returns the object with all compared attributes: as found, or read again. */
async function readPresent(
  { client, resolved, ids }: Run,
  { id, label, item }: FoundObject,
  names: readonly string[],
): Promise<ApiObject | undefined> {
  if (item && names.every((name) => item[name] !== undefined)) return item;
  const { collection } = resolved.candidate;
  const get = collection.object ? findOperation(collection.object, 'get') : undefined;
  if (!get) return undefined;
  const all = { ...ids, [getPlaceholder(collection)]: id };
  try {
    return await client.object({ operation: get, ids: all, what: `get ${label}` });
  } catch (error) {
    // A user with permission to change may lack permission to read: then all attributes are sent.
    if (error instanceof VmctlError && error.status !== undefined) return undefined;
    throw error;
  }
}

/** Replaces names in references by ids. */
export async function resolveNames(finder: Finder, type: string, body: Body): Promise<Body> {
  const attributes: Readonly<Record<string, Attribute>> = isType(type) ? listAttributes(type) : {};
  const members = await Promise.all(
    Object.entries(body).map(async ([name, value]) => {
      const attribute = attributes[name];
      return [
        name,
        attribute ? await resolveNamesIn(finder, attribute.kind, value) : value,
      ] as const;
    }),
  );
  return Object.fromEntries(members);
}

async function resolveNamesIn(finder: Finder, kind: Kind, value: unknown): Promise<unknown> {
  if (Array.isArray(value)) {
    return await Promise.all(value.map((one) => resolveNamesIn(finder, kind, one)));
  }
  const { form, of } = parseKind(kind);
  if (!isRecord(value) || form === 'scalar' || form === 'enum') return value;
  const { id, name, href: _href, ...more } = value;
  if (form === 'struct') return await resolveNames(finder, of, value);
  const home = findRootCollection(of);
  if (id !== undefined || typeof name !== 'string' || !home || Object.keys(more).length > 0) {
    return value;
  }
  try {
    const found = await finder.findIfExists(name, home);
    return found ? { id: found.id } : value;
  } catch (error) {
    // The service decides about ambiguous names.
    if (error instanceof AmbiguousError || error instanceof UsageError) return value;
    if (error instanceof VmctlError && error.status !== undefined) return value;
    throw error;
  }
}
