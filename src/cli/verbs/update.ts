/** Updates that send only what differs from the object as it is. */
import type { ApiObject } from '../../client/client.ts';
import { AmbiguousError, UsageError, VmctlError } from '../../client/errors.ts';
import { isType, listAttributes, parseKind } from '../../model/index.ts';
import type { Attribute, Kind } from '../../model/notation/attributes.ts';
import { homeOf } from './collections.ts';
import { differences } from './differences.ts';
import { type Finder, type Found, operationNamed, placeholderOf } from './references.ts';
import type { Run } from './run.ts';

type Body = Readonly<Record<string, unknown>>;

/** What is left to be sent of an update. */
export interface Reduced {
  /** The attributes that differ, as they were given; undefined where none does. */
  readonly body: Record<string, unknown> | undefined;
  /** The object as it is; undefined where nobody could tell, and all is sent. */
  readonly present: ApiObject | undefined;
}

/**
 * The attributes of a body that differ from the object. All are sent where what is shown is not what
 * the update is about: with query parameters, and where another configuration waits for the next start.
 */
export async function reduced(run: Run, target: Found, body: Body): Promise<Reduced> {
  const all = { body: { ...body }, present: undefined };
  if (Object.values(run.query).some((value) => value !== undefined)) return all;
  const { type } = run.resolved.candidate.operation;
  const names = shownNames(type, body);
  if (names.length === 0) return all;
  const present = await presentObject(run, target, names);
  if (!present || present['next_run_configuration_exists'] === true) return all;
  const wanted = await withIds(run.finder, type, body);
  const changed = differences(type, wanted, present, 'update');
  if (changed.size === 0) return { body: undefined, present };
  const sent = Object.entries(body).filter(([name]) => changed.has(name));
  return { body: Object.fromEntries(sent), present };
}

/** The attributes of a body that a service shows, too. */
function shownNames(type: string, body: Body): readonly string[] {
  const attributes: Readonly<Record<string, Attribute>> = isType(type) ? listAttributes(type) : {};
  return Object.keys(body).filter((name) => {
    const attribute = attributes[name];
    return attribute !== undefined && !attribute.writeOnly && !attribute.secret;
  });
}

/** The object with all that has to be compared: as it was found, or else read once more. */
async function presentObject(
  { client, resolved, ids }: Run,
  { id, label, item }: Found,
  names: readonly string[],
): Promise<ApiObject | undefined> {
  if (item && names.every((name) => item[name] !== undefined)) return item;
  const { collection } = resolved.candidate;
  const get = collection.object ? operationNamed(collection.object, 'get') : undefined;
  if (!get) return undefined;
  const all = { ...ids, [placeholderOf(collection)]: id };
  try {
    return await client.object({ operation: get, ids: all, what: `get ${label}` });
  } catch (error) {
    // Who may change an object may be refused to read it: then everything is sent.
    if (error instanceof VmctlError && error.status !== undefined) return undefined;
    throw error;
  }
}

/** The body with ids where references are given by name: a document may have them so. */
async function withIds(finder: Finder, type: string, body: Body): Promise<Body> {
  const attributes: Readonly<Record<string, Attribute>> = isType(type) ? listAttributes(type) : {};
  const members = await Promise.all(
    Object.entries(body).map(async ([name, value]) => {
      const attribute = attributes[name];
      return [name, attribute ? await valueWithIds(finder, attribute.kind, value) : value] as const;
    }),
  );
  return Object.fromEntries(members);
}

async function valueWithIds(finder: Finder, kind: Kind, value: unknown): Promise<unknown> {
  if (Array.isArray(value)) {
    return await Promise.all(value.map((one) => valueWithIds(finder, kind, one)));
  }
  const { form, of } = parseKind(kind);
  if (!isBody(value) || form === 'scalar' || form === 'enum') return value;
  const { id, name, href: _href, ...more } = value;
  if (form === 'struct') return await withIds(finder, of, value);
  const home = homeOf(of);
  if (id !== undefined || typeof name !== 'string' || !home || Object.keys(more).length > 0) {
    return value;
  }
  try {
    const found = await finder.look(name, home);
    return found ? { id: found.id } : value;
  } catch (error) {
    // A name of several objects is for the service to judge.
    if (error instanceof AmbiguousError || error instanceof UsageError) return value;
    if (error instanceof VmctlError && error.status !== undefined) return value;
    throw error;
  }
}

function isBody(value: unknown): value is Body {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
