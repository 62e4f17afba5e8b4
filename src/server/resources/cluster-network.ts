/** Networks of a cluster: their roles, and whether every host requires them. */
import type { Resource } from '../../model/resource.ts';
import { defineBehavior } from '../core/behavior.ts';
import type { RuleContext } from '../core/context.ts';
import { BareNotFound } from '../core/fault.ts';
import { resolveMember } from '../core/input.ts';
import { isBridged, isMissingSomewhere } from '../inventory/host-nics.ts';
import type { StoredObject } from '../store/kinds.ts';
import { dropLabeled, findNetworkLabel, followLabel } from './host-network/attachments.ts';
import { convertToUnmanaged } from './host-network/setup.ts';

type Network = Resource<'network'>;
type Usage = NonNullable<Network['usages']>[number];

/** Roles that exactly one network of a cluster has. The management network has them by default. */
const single: ReadonlySet<Usage> = new Set([
  'display',
  'migration',
  'default_route',
  'management',
  'gluster',
]);
const always = ['display', 'migration', 'default_route'] as const;

/**
 * Several data centers may have networks of the same name: finds the one in the data center of the
 * cluster.
 */
function findByName(
  ctx: RuleContext,
  cluster: Resource<'cluster'> | undefined,
  { id, name }: StoredObject,
): string | undefined {
  if (id !== undefined || typeof name !== 'string') return undefined;
  return ctx.tx.byName('network', name, { data_center_id: cluster?.data_center?.id ?? '' })?.id;
}

/** Engines search only the networks of the data center. */
function requireInDataCenter(
  ctx: RuleContext,
  cluster: Resource<'cluster'> | undefined,
  { id, name }: Network,
): void {
  const where = { data_center_id: cluster?.data_center?.id ?? '' };
  const found = id
    ? ctx.tx.find('network', { ...where, id })
    : ctx.tx.byName('network', name ?? '', where);
  if (!found) throw new BareNotFound(`The data center has no network ${id ?? name}.`);
}

export const clusterNetworkBehavior = defineBehavior('cluster_network', {
  attach(ctx, ref, sent) {
    const action = 'attach';
    const cluster = ctx.tx.get('cluster', ref.owner?.id ?? '');
    if (ctx.site.dialect.engineRefusals) requireInDataCenter(ctx, cluster, sent);
    const id = findByName(ctx, cluster, sent) ?? resolveMember(ctx.tx, 'network', sent);
    const network = ctx.tx.get('network', id);
    if (ctx.tx.get('cluster_network', id, ref.collection)) {
      ctx.refuse('NETWORK_ALREADY_IN_CLUSTER', { action, network: network?.name });
    }
    if (network?.data_center?.id !== cluster?.data_center?.id) {
      ctx.refuse('NETWORK_OF_OTHER_DATA_CENTER', { action, network: network?.name });
    }
    const attached: Network = {
      id,
      name: network?.name ?? '',
      required: sent['required'] !== false,
      usages: [],
      cluster: { id: cluster?.id ?? '' },
    };
    ctx.tx.insert('cluster_network', ref.collection, attached);
    ctx.event('NETWORK_ATTACHED_TO_CLUSTER', { cluster }, { NetworkName: network?.name });
    const roles = requestedRoles(sent, []);
    const done = roles.length > 0 ? assignRoles(ctx, ref.collection, attached, roles) : attached;
    const label = findNetworkLabel(ctx, id);
    if (label) followLabel(ctx, label, id);
    return done;
  },

  replace(ctx, { object, ref }, sent) {
    const cluster = ctx.tx.get('cluster', object.cluster?.id ?? '');
    const before = (object.usages ?? []).filter((usage) => usage !== 'vm');
    const roles = requestedRoles(sent, before);
    const required = sent.required ?? object.required ?? true;
    if (roles.includes('management') && !required) {
      ctx.refuse('MANAGEMENT_NETWORK_REQUIRED', { action: 'edit' });
    }
    const after = assignRoles(ctx, ref.collection, { ...object, required }, roles);
    ctx.event('CLUSTER_NETWORK_UPDATED', { cluster }, { NetworkName: object.name });
    if (roles.includes('display') && !before.includes('display')) {
      ctx.event('DISPLAY_NETWORK_CHANGED', { cluster }, { NetworkName: object.name });
    }
    return after;
  },

  beforeDelete(ctx, { object }) {
    if (object.usages?.includes('management')) {
      ctx.refuse('MANAGEMENT_NETWORK', { action: 'detach' });
    }
    const names = listUserNames(ctx, object.cluster?.id ?? '', object.id ?? '');
    if (names.length > 0) {
      ctx.refuse('NETWORK_IN_USE_IN_CLUSTER', { action: 'detach', names: names.join(', ') });
    }
  },

  remove(ctx, { object }) {
    leaveCluster(ctx, object.cluster?.id ?? '', object);
  },

  present(ctx, attached) {
    const network = ctx.tx.get('network', attached.id ?? '');
    const roles = attached.usages?.filter((usage) => usage !== 'vm') ?? [];
    const cluster = attached.cluster?.id ?? '';
    const missing =
      attached.required === true && isMissingSomewhere(ctx, cluster, attached.id ?? '');
    return {
      ...network,
      ...attached,
      usages: sortUsages(network && isBridged(network) ? ['vm', ...roles] : roles),
      display: roles.includes('display'),
      status: missing ? 'non_operational' : 'operational',
    };
  },
});

const order: readonly Usage[] = [
  'vm',
  'display',
  'migration',
  'management',
  'default_route',
  'gluster',
];

/** Usages in the order of responses. */
function sortUsages(usages: readonly Usage[]): Usage[] {
  return order.filter((usage) => usages.includes(usage));
}

/** Requested roles: `usages` replaces the list, `display` sets one of them. */
function requestedRoles(sent: Resource<'network'>, before: readonly Usage[]): Usage[] {
  const roles = new Set((sent.usages ?? before).filter((usage) => usage !== 'vm'));
  if (sent['display'] === true) roles.add('display');
  if (sent['display'] === false) roles.delete('display');
  return [...roles];
}

/**
 * Stores a network of a cluster with its roles and removes unique roles from the others. Refuses to
 * remove the role of the management network, and to reassign it if the cluster has hosts.
 */
function assignRoles(
  ctx: RuleContext,
  collection: string,
  network: Network,
  roles: readonly Usage[],
): Network {
  const action = 'edit';
  const manages = network.usages?.includes('management') === true;
  if (manages && !roles.includes('management')) ctx.refuse('MANAGEMENT_NETWORK_UNSET', { action });
  if (!manages && roles.includes('management')) {
    const where = { cluster_id: network.cluster?.id ?? '' };
    if (ctx.tx.count('host', { where }) > 0) ctx.refuse('MANAGEMENT_NETWORK_FIXED', { action });
    if (network.required === false) ctx.refuse('MANAGEMENT_NETWORK_REQUIRED', { action });
  }
  const taken = roles.filter((role) => single.has(role));
  for (const other of ctx.tx.list('cluster_network', { where: { collection } })) {
    if (other.id === network.id) continue;
    const left = other.usages?.filter((usage) => !taken.includes(usage)) ?? [];
    if (left.length !== other.usages?.length) {
      ctx.tx.update('cluster_network', { ...other, usages: left }, collection);
    }
  }
  const after: Network = { ...network, usages: [...roles] };
  ctx.tx.update('cluster_network', after, collection);
  reassignRoles(ctx, collection);
  return ctx.tx.get('cluster_network', network.id ?? '', collection) ?? after;
}

/** Assigns roles without a network to the management network. */
function reassignRoles(ctx: RuleContext, collection: string): void {
  const all = ctx.tx.list('cluster_network', { where: { collection } });
  const management = all.find(({ usages }) => usages?.includes('management'));
  if (!management) return;
  const free = always.filter((role) => !all.some(({ usages }) => usages?.includes(role)));
  if (free.length === 0) return;
  const usages = [...(management.usages ?? []), ...free];
  ctx.tx.update('cluster_network', { ...management, usages }, collection);
}

/** Names of the VMs of a cluster that have NICs in a network. */
function listUserNames(ctx: RuleContext, cluster: string, network: string): string[] {
  const names = new Set<string>();
  for (const profile of ctx.tx.list('vnic_profile', { where: { network_id: network } })) {
    for (const nic of ctx.tx.list('nic', { where: { vnic_profile_id: profile.id ?? '' } })) {
      const vm = nic.vm?.id ? ctx.tx.get('vm', nic.vm.id) : undefined;
      if (vm?.cluster?.id === cluster) names.add(vm.name ?? '');
    }
  }
  return [...names];
}

/**
 * Removes a network from a cluster: its roles pass to the management network, and its hosts detach
 * it.
 */
export function leaveCluster(ctx: RuleContext, clusterId: string, network: Network): void {
  const id = network.id ?? '';
  const collection = `/clusters/${clusterId}/networks`;
  const cluster = ctx.tx.get('cluster', clusterId);
  ctx.tx.remove('cluster_network', id, collection);
  reassignRoles(ctx, collection);
  const label = findNetworkLabel(ctx, id);
  if (label) dropLabeled(ctx, label, id, clusterId);
  for (const one of ctx.tx.list('network_attachment', { where: { network_id: id } })) {
    const host = ctx.tx.get('host', one.host?.id ?? '');
    if (host?.cluster?.id === clusterId) convertToUnmanaged(ctx, one);
  }
  ctx.event('NETWORK_DETACHED_FROM_CLUSTER', { cluster }, { NetworkName: network.name });
}
