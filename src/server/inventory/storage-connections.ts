/** Storage connections: their storage and their users. */
import type { Resource } from '../../model/resource.ts';
import type { RuleContext } from '../core/context.ts';
import { type LogicalUnit, listLogicalUnits } from './logical-unit.ts';

type Connection = Resource<'storage_connection'>;
type Domain = Resource<'storage_domain'>;
type Storage = NonNullable<Domain['storage']>;

/** Members that identify a connection. */
const identity = ['type', 'address', 'path', 'target', 'port', 'portal'] as const;
/** Members that a storage adopts from its connection. */
const details = [
  ...identity,
  'mount_options',
  'vfs_type',
  'username',
  'nfs_version',
  'nfs_timeo',
  'nfs_retrans',
] as const;

/** The stored connection to the same storage. */
export function findSameConnection(
  ctx: RuleContext,
  wanted: Connection | Storage,
): Connection | undefined {
  return ctx.tx
    .list('storage_connection')
    .find((one) => identity.every((name) => text(one[name]) === text(wanted[name])));
}

function text(value: string | number | undefined): string {
  return value === undefined ? '' : String(value).replace(/\/+$/, '');
}

/** The storage of a connection. */
export function readConnectionStorage(connection: Connection): Storage {
  const storage: Storage = {};
  for (const name of details) {
    if (connection[name] !== undefined) Object.assign(storage, { [name]: connection[name] });
  }
  return storage;
}

/**
 * Creates or finds the connections to a storage: one to a file system, one to each target of its
 * logical units.
 */
export function connect(ctx: RuleContext, storage: Storage): { id: string }[] {
  const units = listLogicalUnits(storage);
  const wanted: Connection[] =
    units.length > 0
      ? units.flatMap((unit) => createTarget(unit))
      : [readConnectionStorage(storage)];
  const ids = wanted.map((connection) => {
    const known = findSameConnection(ctx, connection);
    if (known?.id) return known.id;
    const id = ctx.site.newId();
    ctx.tx.insert('storage_connection', '/storageconnections', { ...connection, id });
    return id;
  });
  return [...new Set(ids)].map((id) => ({ id }));
}

function createTarget(unit: LogicalUnit): Connection[] {
  const { address, target, portal, username } = unit;
  if (!address || !target) return [];
  return [
    {
      type: 'iscsi',
      address,
      target,
      port: unit.port ?? 3260,
      ...(portal ? { portal } : {}),
      ...(username ? { username } : {}),
    },
  ];
}

/** Removes unused connections. */
export function disconnect(ctx: RuleContext, connections: readonly { id?: string }[]): void {
  for (const { id = '' } of connections) {
    const connection = ctx.tx.get('storage_connection', id);
    if (!connection || listUsingDomains(ctx, id).length > 0) continue;
    if (listUsingDisks(ctx, connection).length > 0) continue;
    ctx.tx.remove('storage_connection', id);
  }
}

/** Storage domains that use a connection. */
export function listUsingDomains(ctx: RuleContext, id: string): Domain[] {
  return ctx.tx.referring('storage_domain', 'storage_connections', id);
}

/** Disks on logical units of the target of a connection. */
export function listUsingDisks(ctx: RuleContext, connection: Connection): Resource<'disk'>[] {
  if (connection.type !== 'iscsi') return [];
  return ctx.tx
    .list('disk', { where: { storage_type: 'lun' } })
    .filter((disk) =>
      listLogicalUnits(disk.lun_storage).some(
        ({ address, target }) => address === connection.address && target === connection.target,
      ),
    );
}

/** POSIX storage may be sent as `address:/path` in one member; it is stored and shown in two. */
export function splitPath(storage: { type?: string; address?: string; path?: string }): void {
  const parts = /^([^/:]+):(\/.*)$/.exec(storage.path ?? '');
  if (storage.type !== 'posixfs' || storage.address || !parts) return;
  storage.address = parts[1] ?? '';
  storage.path = parts[2] ?? '';
}
