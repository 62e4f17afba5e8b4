/** Permissions that apply to an object: its own, those of its parents, and those of the system. */

import type { ApiObject, Client } from '../../client/client.ts';
import { ForbiddenError, NotFoundError } from '../../client/errors.ts';
import { containedIn } from '../../model/derive/permits.ts';
import { getObjectType, listAttributes } from '../../model/index.ts';
import type { Resource } from '../../model/resource.ts';
import { isRecord, toRecord } from '../../records.ts';
import { findRootCollection } from './collections.ts';
import { findOperation, getPlaceholder } from './references.ts';

/** Permission with the object that it is granted on. */
export interface EffectivePermission {
  readonly permission: Resource<'permission'>;
  /** `vms/web01`, `clusters/Default` or `system`. */
  readonly origin: string;
}

export interface EffectivePermissions {
  readonly permissions: readonly EffectivePermission[];
  /** Objects whose permissions the caller may not read. */
  readonly unreadable: readonly string[];
}

interface Level {
  readonly label: string;
  readonly permissions: readonly Resource<'permission'>[] | undefined;
}

/**
 * Reads the permissions of an object and its parents, with users, groups and roles. A service may
 * list inherited permissions with an object: the origin is the outermost object that lists them.
 */
export async function readEffectivePermissions(
  client: Client,
  type: string,
  object: ApiObject | undefined,
): Promise<EffectivePermissions> {
  const ancestors = object ? await listAncestors(client, type, object) : [];
  const levels = await Promise.all([
    ...ancestors.map((one) => readLevel(client, one)),
    readLevel(client, undefined),
  ]);
  const found = new Map<string, EffectivePermission>();
  for (const { label: origin, permissions = [] } of levels) {
    for (const permission of permissions) found.set(String(permission.id), { permission, origin });
  }
  const unreadable = levels.flatMap(({ label, permissions }) => (permissions ? [] : [label]));
  return { permissions: [...found.values()], unreadable };
}

export interface Link {
  readonly type: string;
  readonly object: ApiObject;
}

/** Lists an object and the objects that contain it, innermost first. */
async function listAncestors(
  client: Client,
  type: string,
  object: ApiObject,
): Promise<readonly Link[]> {
  const seen = new Map<string, Link>();
  let current: readonly Link[] = [{ type, object }];
  while (current.length > 0) {
    for (const link of current) seen.set(String(link.object['id']), link);
    const parents = await Promise.all(current.map((link) => readParents(client, link)));
    current = parents.flat().filter((link) => !seen.has(String(link.object['id'])));
  }
  return [...seen.values()];
}

/** Reads the containers of an object; a disk also inherits from the VMs that it is attached to. */
async function readParents(client: Client, link: Link): Promise<readonly Link[]> {
  const paths = [...(containedIn[link.type] ?? []), ...(link.type === 'disk' ? ['vms'] : [])];
  const found = await Promise.all(paths.map((path) => readTargets(client, link, path.split('.'))));
  return found.flat();
}

/** Reads the objects at the end of a path of references. */
export async function readTargets(
  client: Client,
  { type, object }: Link,
  [attribute = '', ...rest]: readonly string[],
): Promise<readonly Link[]> {
  const declared = listAttributes(type)[attribute];
  const target = declared && getObjectType(declared.kind);
  if (target === undefined) return [];
  const value = object[attribute];
  const references = Array.isArray(value) ? value : [value];
  const found = await Promise.all(references.map((one) => readObject(client, target, one)));
  const links = found.flatMap((link) => link ?? []);
  if (rest.length === 0) return links;
  return (await Promise.all(links.map((link) => readTargets(client, link, rest)))).flat();
}

async function readObject(
  client: Client,
  type: string,
  reference: unknown,
): Promise<Link | undefined> {
  const home = findRootCollection(type);
  const operation = home?.object === undefined ? undefined : findOperation(home.object, 'get');
  const id = isRecord(reference) ? reference['id'] : undefined;
  if (!home || !operation || typeof id !== 'string') return undefined;
  const call = { operation, ids: { [getPlaceholder(home)]: id }, what: `get ${home.noun}/${id}` };
  const object = await ifReadable(client.object(call));
  return { type, object: { ...(object ?? toRecord(reference)) } };
}

async function readLevel(client: Client, link: Link | undefined): Promise<Level> {
  const home = link && findRootCollection(link.type);
  if (link && home?.object === undefined) return { label: link.type, permissions: [] };
  const label = link && home ? `${home.noun}/${getObjectName(link.object)}` : 'system';
  const operation = findOperation(
    home?.object ? `${home.object}/permissions` : '/permissions',
    'list',
  );
  if (!operation) return { label, permissions: [] };
  const permissions = await ifReadable(
    client.list({
      operation,
      ids: link && home ? { [getPlaceholder(home)]: String(link.object['id']) } : {},
      query: { follow: 'role.permits,user,group' },
      what: `list the permissions of ${label}`,
    }),
  );
  // The type of the operation is that of permissions.
  return { label, permissions: permissions as readonly Resource<'permission'>[] | undefined };
}

/** Returns the name of an object, or its id. */
export function getObjectName(object: ApiObject): string {
  return String(object['name'] ?? object['alias'] ?? object['id'] ?? '');
}

/** Result of a request; undefined if the caller may not read it. */
export async function ifReadable<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof ForbiddenError || error instanceof NotFoundError) return undefined;
    throw error;
  }
}
