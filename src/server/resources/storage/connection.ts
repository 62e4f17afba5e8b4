/** Storage connections and iSCSI bonds. */

import type { Requirement } from '../../../model/notation/collections.ts';
import type { Resource } from '../../../model/resource.ts';
import { defineBehavior } from '../../core/behavior.ts';
import type { RuleContext } from '../../core/context.ts';
import { requireAll } from '../../core/input.ts';
import { listLogicalUnits } from '../../inventory/logical-unit.ts';
import {
  findSameConnection,
  listUsingDisks,
  listUsingDomains,
  readConnectionStorage,
  splitPath,
} from '../../inventory/storage-connections.ts';
import { listedCondition } from '../../store/conditions.ts';

type Bond = Resource<'iscsi_bond'>;

export const iscsiBondBehavior = defineBehavior('iscsi_bond', {
  events: { add: 'ISCSI_BOND_ADDED', update: 'ISCSI_BOND_UPDATED', remove: 'ISCSI_BOND_REMOVED' },

  beforeCreate(ctx, bond, ref) {
    bond.data_center = { id: ref.owner?.id ?? '' };
    bond.networks ??= [];
    bond.storage_connections ??= [];
    check(ctx, bond, 'add');
  },

  onMembershipChange(ctx, _before, after) {
    check(ctx, after, 'edit');
    ctx.event('ISCSI_BOND_UPDATED', { data_center: after.data_center }, { ObjectName: after.name });
  },

  /** Engines show both lists, and also link to them. */
  present: (ctx) =>
    ctx.site.dialect.engineAnswers ? {} : { networks: undefined, storage_connections: undefined },
});

/** Refuses networks of other data centers, and connections that are not iSCSI. */
function check(ctx: RuleContext, bond: Bond, action: string): void {
  const { networks = [], storage_connections: connections = [] } = bond;
  for (const { id = '' } of networks) {
    const network = ctx.tx.get('network', id);
    if (network?.data_center?.id !== bond.data_center?.id) {
      ctx.refuse('BOND_MEMBER_ILLEGAL', {
        action,
        member: `network ${network?.name ?? id}`,
        reason: 'it belongs to another data center',
      });
    }
  }
  for (const { id = '' } of connections) {
    const connection = ctx.tx.get('storage_connection', id);
    if (connection?.type !== 'iscsi') {
      ctx.refuse('BOND_MEMBER_ILLEGAL', {
        action,
        member: `storage connection ${id}`,
        reason: `it is of type ${connection?.type}, not iscsi`,
      });
    }
  }
}

type Connection = Resource<'storage_connection'>;
type Domain = Resource<'storage_domain'>;
type Storage = NonNullable<Domain['storage']>;

/** Required address members of each storage type. */
const requiredByType: Readonly<Record<string, readonly Requirement[]>> = {
  nfs: ['address', 'path'],
  localfs: ['path'],
  posixfs: ['path', 'vfs_type'],
  glusterfs: [['path', 'gluster_volume.id']],
  iscsi: ['address', 'port', 'target'],
};

/** Mount options that only the service sets. */
const managedOptions = ['vers', 'nfsvers', 'timeo', 'retrans', 'protocol_version', 'vfs_type'];

const ranges = [
  ['nfs_retrans', 0, 32_767],
  ['nfs_timeo', 1, 6_000],
] as const;

export const storageConnectionBehavior = defineBehavior('storage_connection', {
  locate(_ctx, ref) {
    const { owner } = ref;
    if (owner?.kind !== 'storage_domain' && owner?.kind !== 'iscsi_bond') return ref;
    return {
      ...ref,
      collection: '/storageconnections',
      options: { condition: listedCondition(owner.kind, 'storage_connections', owner.id) },
      members: { listedBy: 'owner', attribute: 'storage_connections', answers: 'object' },
    };
  },

  beforeCreate(ctx, connection, _place, sent) {
    if (sent['id'] !== undefined) ctx.refuse('CONNECTION_ID_GIVEN', { action: 'add' });
    splitPath(connection);
    requireConnection(connection);
    checkConnection(ctx, connection, 'add');
    requireHostUp(ctx, connection.host?.id);
    delete connection.host;
    if (findSameConnection(ctx, connection)) ctx.refuse('CONNECTION_IN_USE', { action: 'add' });
  },

  beforeUpdate(ctx, before, after, _place, sent) {
    if (sent['type'] !== undefined && sent['type'] !== before.type) {
      ctx.refuse('CONNECTION_TYPE_FIXED', { action: 'edit', type: before.type });
    }
    requireConnection(after);
    checkConnection(ctx, after, 'edit');
    const same = findSameConnection(ctx, after);
    if (same && same.id !== before.id) ctx.refuse('CONNECTION_IN_USE', { action: 'edit' });
    requireIdle(ctx, before, 'edit');
  },

  afterUpdate(ctx, _before, { object }) {
    for (const domain of listUsingDomains(ctx, object.id ?? '')) {
      ctx.event('STORAGE_DOMAIN_UPDATED', { storage_domain: domain });
      if (listLogicalUnits(domain.storage).length > 0) continue;
      ctx.tx.update('storage_domain', { ...domain, storage: readConnectionStorage(object) });
    }
  },

  beforeDelete(ctx, { object }) {
    const users = [
      ...listUsingDomains(ctx, object.id ?? ''),
      ...listUsingDisks(ctx, object).map((disk) => ({ name: disk.alias ?? disk.id })),
    ];
    if (users.length > 0) {
      ctx.refuse('CONNECTION_HAS_USERS', {
        action: 'remove',
        users: users.map(({ name }) => name).join(', '),
      });
    }
  },
});

/** Refuses to attach or detach a connection if the domain does not permit it. */
export function checkRelisted(
  ctx: RuleContext,
  domain: Domain,
  { id, added }: { readonly id: string; readonly added: boolean },
): void {
  if (!added) {
    requireDetached(ctx, domain, 'detach');
    return;
  }
  const connection = ctx.tx.get('storage_connection', id);
  if (domain.storage_connections?.some((one) => one.id === id)) {
    ctx.refuse('CONNECTION_ATTACHED_ALREADY', { action: 'attach', name: domain.name });
  }
  if (connection?.type !== domain.storage?.type) {
    ctx.refuse('CONNECTION_TYPE_DIFFERS', {
      action: 'attach',
      type: connection?.type,
      domainType: domain.storage?.type,
    });
  }
  requireDetached(ctx, domain, 'attach');
}

/** Refuses with 400 if members are missing that the storage type requires. */
function requireConnection(connection: Connection): void {
  const required = requiredByType[connection.type ?? ''] ?? [];
  requireAll('StorageConnection', required, connection, 'add');
}

/** Refuses invalid connection settings. */
export function checkConnection(
  ctx: RuleContext,
  connection: Connection | Storage,
  action: string,
): void {
  const { path, type, mount_options: options = '' } = connection;
  if (type === 'nfs' && path !== undefined && !/^\/[^\s]*$/.test(path)) {
    ctx.refuse('CONNECTION_INVALID', { action, path });
  }
  for (const [name, min, max] of ranges) {
    const value = connection[name];
    if (value !== undefined && (value < min || value > max)) {
      ctx.refuse('VALUE_OUT_OF_RANGE', {
        ...{ action, type: 'Storage Connection', attribute: name, value, min, max },
      });
    }
  }
  const taken = options
    .split(',')
    .map((option) => option.split('=')[0]?.trim() ?? '')
    .filter((option) => managedOptions.includes(option));
  if (taken.length > 0) {
    ctx.refuse('CONNECTION_OPTIONS_MANAGED', { action, options: taken.join(', ') });
  }
}

/** Refuses a host that cannot test the connection. */
function requireHostUp(ctx: RuleContext, id: string | undefined): void {
  const host = id ? ctx.tx.get('host', id) : undefined;
  if (host && host.status !== 'up') {
    ctx.refuse('HOST_STATUS_ILLEGAL', { action: 'use', status: host.status });
  }
}

/** Refuses to change a connection that is in use. */
function requireIdle(ctx: RuleContext, connection: Connection, action: string): void {
  const domains = listUsingDomains(ctx, connection.id ?? '');
  const disks = listUsingDisks(ctx, connection);
  const users = [...domains.map(({ name }) => name), ...disks.map(({ alias }) => alias)].join(', ');
  if (domains.length + disks.length > 1) ctx.refuse('CONNECTION_HAS_USERS', { action, users });
  for (const domain of domains) requireDetached(ctx, domain, action);
  const running = disks.some((disk) =>
    ctx.tx
      .list('disk_attachment', { where: { disk_id: disk.id ?? '' } })
      .some(({ vm }) => (ctx.tx.get('vm', vm?.id ?? '')?.status ?? 'down') !== 'down'),
  );
  if (running) ctx.refuse('CONNECTION_HAS_RUNNING_VMS', { action, users });
}

/** Refuses unless a domain is in maintenance or unattached. */
function requireDetached(ctx: RuleContext, domain: Domain, action: string): void {
  const attached = ctx.tx.list('attached_storage_domain', { where: { id: domain.id ?? '' } });
  const busy = attached.find(({ status }) => status !== 'maintenance');
  if (busy) ctx.refuse('DOMAIN_NOT_IN_MAINTENANCE', { action, name: domain.name });
}
