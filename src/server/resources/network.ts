/** Networks and vNIC profiles. */

import { isIP } from 'node:net';
import type { EventName } from '../../model/events.ts';
import type { Resource } from '../../model/resource.ts';
import { everyone } from '../../model/resources/group.ts';
import { isRecord } from '../../records.ts';
import { defineBehavior } from '../core/behavior.ts';
import type { RuleContext } from '../core/context.ts';
import { resolveMember } from '../core/input.ts';
import { erase, refuseInUse } from '../core/removal.ts';
import { addVnicProfile } from '../inventory/data-center.ts';
import { grantRole } from '../inventory/grants.ts';
import { isBridged } from '../inventory/host-nics.ts';
import { isRunning } from '../inventory/vm.ts';
import type { StoredObject } from '../store/kinds.ts';
import { leaveCluster } from './cluster-network.ts';
import { applyToHosts } from './host-network/setup.ts';

type Profile = Resource<'vnic_profile'>;

/** Default filter of a profile. */
const defaultFilter = 'vdsm-no-mac-spoofing';

export const vnicProfileBehavior = defineBehavior('vnic_profile', {
  events: {
    add: 'VNIC_PROFILE_ADDED',
    update: 'VNIC_PROFILE_UPDATED',
    remove: 'VNIC_PROFILE_REMOVED',
  },

  beforeCreate(ctx, profile, _place, sent) {
    const network = ctx.tx.get('network', profile.network?.id ?? '');
    if (network && !isBridged(network)) {
      ctx.refuse('PROFILE_WITHOUT_VMS', { action: 'add', network: network.name });
    }
    profile.pass_through = { mode: 'disabled', ...profile.pass_through };
    if (isEmpty(sent['network_filter'])) delete profile.network_filter;
    else if (!profile.network_filter && !passesThrough(profile)) {
      const filter = ctx.tx.byName('network_filter', defaultFilter);
      if (filter?.id) profile.network_filter = { id: filter.id };
    }
    if (passesThrough(profile)) profile.migratable ??= true;
    checkProfile(ctx, profile, 'add');
    requireDeviceProperties(ctx, profile, 'add');
  },

  afterCreate(ctx, { object }) {
    if (!ctx.site.dialect.engineAnswers) return;
    const user = { id: ctx.caller.userId };
    grantRole(ctx, 'NetworkAdmin', { user }, `/vnicprofiles/${object.id}`);
  },

  beforeUpdate(ctx, before, after, ref, sent) {
    const wanted = sent['network'];
    if (wanted?.['id'] !== undefined || wanted?.['name'] !== undefined) {
      if (resolveMember(ctx.tx, 'network', wanted) !== before.network?.id) {
        ctx.refuse('PROFILE_NETWORK_FIXED', { action: 'edit' });
      }
    }
    if (isEmpty(sent['network_filter'])) delete after.network_filter;
    if (isEmpty(sent['qos'])) delete after.qos;
    if (isEmpty(sent['failover'])) delete after.failover;
    if (passesThrough(before) !== passesThrough(after)) {
      refuseInUse({ ref, object: { ...before } }, listUsers(ctx, before), 'the interfaces');
      if (passesThrough(after)) {
        // Removes the default of a profile without pass-through.
        if (sent['network_filter'] === undefined) delete after.network_filter;
        after.migratable ??= !ctx.site.dialect.engineAnswers;
      } else {
        delete after.migratable;
      }
    }
    checkProfile(ctx, after, 'edit');
    if (sent.custom_properties) requireDeviceProperties(ctx, after, 'edit');
  },

  beforeDelete(ctx, { ref, object }) {
    refuseInUse({ ref, object: { ...object } }, listUsers(ctx, object), 'the interfaces');
  },
});

function passesThrough(profile: Profile): boolean {
  return profile.pass_through?.mode === 'enabled';
}

/** Whether an element was sent without an id or name, which clears the attribute. */
function isEmpty(sent: unknown): boolean {
  return isRecord(sent) && sent['id'] === undefined && sent['name'] === undefined;
}

function listUsers(ctx: RuleContext, profile: Profile): StoredObject[] {
  const where = { vnic_profile_id: profile.id ?? '' };
  return ctx.tx.list('nic', { where, limit: 6 });
}

function checkProfile(ctx: RuleContext, profile: Profile, action: string): void {
  if (!passesThrough(profile)) {
    if (profile.failover?.id) {
      ctx.refuse('PROFILE_NOT_PASS_THROUGH', { action, attribute: 'failover' });
    }
    return;
  }
  const plain = [
    ...(profile.port_mirroring ? ['port_mirroring'] : []),
    ...(profile.qos?.id ? ['qos'] : []),
    ...(profile.network_filter?.id ? ['network_filter'] : []),
  ];
  if (plain.length > 0) {
    ctx.refuse('PROFILE_PASS_THROUGH', { action, attribute: plain.join(', ') });
  }
}

/** Custom properties of profiles that an engine defines by default, with their valid values. */
const deviceProperties: Readonly<Record<string, RegExp>> = {
  SecurityGroups: /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?:, *|$))*$/i,
};

function requireDeviceProperties(ctx: RuleContext, profile: Profile, action: string): void {
  if (!ctx.site.dialect.engineRefusals) return;
  const invalid = profile.custom_properties?.find(
    ({ name = '', value = '' }) => !deviceProperties[name]?.test(value),
  );
  if (invalid) ctx.refuse('PROFILE_PROPERTY_UNKNOWN', { action, name: invalid.name });
}

type Network = Resource<'network'>;

export const networkBehavior = defineBehavior('network', {
  beforeCreate(ctx, network) {
    network.usages ??= ['vm'];
    if (network.vlan && network.vlan.id === undefined) delete network.vlan;
    checkNetwork(ctx, network, 'add');
    network.vdsm_name = formatVdsmName(network);
    // These attributes belong to networks of clusters.
    for (const name of ['required', 'display'] as const) delete network[name];
    delete network['profile_required'];
  },

  afterCreate(ctx, { object }, sent) {
    const id = object.id ?? '';
    const dataCenter = ctx.tx.get('data_center', object.data_center?.id ?? '');
    const messageParams = { NetworkName: object.name };
    ctx.event('NETWORK_ADD_STARTED', { data_center: dataCenter }, messageParams);
    // A new network is in no cluster yet, and therefore on no host.
    ctx.event('NETWORK_ADD_NO_HOST', { data_center: dataCenter }, messageParams);
    ctx.event('NETWORK_ADDED', { data_center: dataCenter }, messageParams);
    const { engineAnswers } = ctx.site.dialect;
    const creator = { user: { id: ctx.caller.userId } };
    if (!ctx.caller.superUser || engineAnswers) {
      grantRole(ctx, 'NetworkAdmin', creator, `/networks/${id}`);
    }
    if (sent['profile_required'] === false || !isBridged(object)) return;
    const profile = ctx.site.newId();
    addVnicProfile(ctx, object.name ?? '', id, profile);
    // Engines grant the profile to the creator; other dialects grant it to everyone.
    const [role, to] = ctx.site.dialect.engineAnswers
      ? (['NetworkAdmin', { user: { id: ctx.caller.userId } }] as const)
      : (['VnicProfileUser', { group: { id: everyone } }] as const);
    grantRole(ctx, role, to, `/vnicprofiles/${profile}`);
  },

  beforeUpdate(ctx, before, after, _place, sent) {
    const dns = sent.dns_resolver_configuration;
    if (dns && !dns.name_servers) delete after.dns_resolver_configuration;
    const elsewhere = sent['data_center'];
    if (elsewhere?.['id'] !== undefined || elsewhere?.['name'] !== undefined) {
      const wanted = resolveMember(ctx.tx, 'data_center', elsewhere);
      if (wanted !== before.data_center?.id) {
        ctx.refuse('NETWORK_DATA_CENTER_FIXED', { action: 'edit' });
      }
    }
    const { port_isolation: isolation } = sent;
    if (ctx.site.dialect.engineRefusals && isolation !== undefined) {
      ctx.refuse('NETWORK_ISOLATION_FIXED', { action: 'edit' });
    }
    const clears = sent['vlan'];
    if (clears !== undefined && clears.id === undefined) delete after.vlan;
    for (const name of ['required', 'display'] as const) delete after[name];
    checkNetwork(ctx, after, 'edit');
    if (before.name !== after.name) after.vdsm_name = formatVdsmName(after);
    if (before.name !== after.name && isManagement(ctx, before)) {
      ctx.refuse('MANAGEMENT_NETWORK', { action: 'rename' });
    }
    if (before.vlan?.id !== after.vlan?.id) {
      const names = runningUsers(ctx, before);
      if (names.length > 0) {
        ctx.refuse('NETWORK_USED_BY_RUNNING_VMS', { action: 'edit', names: names.join(', ') });
      }
    }
  },

  afterUpdate(ctx, before, { object }) {
    const dataCenter = ctx.tx.get('data_center', object.data_center?.id ?? '');
    ctx.event('NETWORK_UPDATED', { data_center: dataCenter }, { NetworkName: object.name });
    for (const one of listClusterNetworks(ctx, object)) {
      const path = `/clusters/${one.cluster?.id}/networks`;
      ctx.tx.update('cluster_network', { ...one, name: object.name ?? '' }, path);
    }
    if (isBridged(before) && !isBridged(object)) forgetProfiles(ctx, object);
    applyToHosts(ctx, object);
  },

  beforeDelete(ctx, { ref, object }) {
    const action = 'remove';
    if (isManagement(ctx, object)) ctx.refuse('MANAGEMENT_NETWORK', { action });
    const bonds = ctx.tx.referring('iscsi_bond', 'networks', object.id ?? '');
    if (bonds.length > 0) {
      const names = bonds.map(({ name }) => name).join(', ');
      ctx.refuse('NETWORK_IN_ISCSI_BOND', { action, names });
    }
    const nics = listProfiles(ctx, object).flatMap((profile) =>
      ctx.tx.list('nic', { where: { vnic_profile_id: profile.id ?? '' }, limit: 6 }),
    );
    refuseInUse({ ref, object: { ...object } }, nics, 'the interfaces');
  },

  remove(ctx, { ref, object }) {
    const dataCenter = ctx.tx.get('data_center', object.data_center?.id ?? '');
    const tell = (event: EventName) =>
      ctx.event(event, { data_center: dataCenter }, { NetworkName: object.name });
    const where = { network_id: object.id ?? '' };
    const onHosts = ctx.tx.count('network_attachment', { where }) > 0;
    tell('NETWORK_REMOVE_STARTED');
    for (const one of listClusterNetworks(ctx, object))
      leaveCluster(ctx, one.cluster?.id ?? '', object);
    forgetProfiles(ctx, object);
    if (!onHosts) tell('NETWORK_REMOVE_NO_HOST');
    tell('NETWORK_REMOVED');
    erase(ctx, { ref, object: { ...object } });
  },
});

function checkNetwork(ctx: RuleContext, network: Network, action: string): void {
  // All other roles are roles in a cluster.
  network.usages = (network.usages ?? []).filter((usage) => usage === 'vm');
  if (/^bond/i.test(network.name ?? '')) ctx.refuse('NETWORK_NAME_LIKE_BOND', { action });
  const range = (attribute: string, value: number, min: number, max: number) => {
    if (value >= min && value <= max) return;
    ctx.refuse('VALUE_OUT_OF_RANGE', { action, type: 'Network', attribute, value, min, max });
  };
  if (network.vlan?.id !== undefined) range('vlan.id', network.vlan.id, 0, 4094);
  if (network.mtu) range('mtu', network.mtu, 68, 2 ** 31 - 1);
  const servers = network.dns_resolver_configuration?.name_servers ?? [];
  const invalid = servers.find((server) => isIP(server) === 0);
  if (invalid !== undefined) {
    ctx.refuse('NETWORK_NAME_SERVER_INVALID', { action, address: invalid });
  }
  if (isBridged(network)) return;
  if (network.stp) ctx.refuse('NETWORK_NOT_FOR_VMS', { action, attribute: 'stp' });
  if (network.port_isolation) {
    ctx.refuse('NETWORK_NOT_FOR_VMS', { action, attribute: 'port_isolation' });
  }
}

/** The network in each of its clusters. */
function listClusterNetworks(ctx: RuleContext, network: Network): Network[] {
  return ctx.tx.list('cluster_network', { where: { id: network.id ?? '' } });
}

function isManagement(ctx: RuleContext, network: Network): boolean {
  return listClusterNetworks(ctx, network).some(({ usages }) => usages?.includes('management'));
}

/** Profiles that connect NICs to a network. */
function listProfiles(ctx: RuleContext, network: Network): Profile[] {
  return ctx.tx.list('vnic_profile', { where: { network_id: network.id ?? '' } });
}

function forgetProfiles(ctx: RuleContext, network: Network): void {
  for (const profile of listProfiles(ctx, network)) {
    const ref = { kind: 'vnic_profile', collection: '/vnicprofiles' } as const;
    erase(ctx, { ref, object: profile });
  }
}

/** Names of running VMs that are plugged into a network. */
function runningUsers(ctx: RuleContext, network: Network): string[] {
  const vms = new Set<string>();
  for (const profile of listProfiles(ctx, network)) {
    for (const nic of ctx.tx.list('nic', { where: { vnic_profile_id: profile.id ?? '' } })) {
      const vm = nic.vm?.id ? ctx.tx.get('vm', nic.vm.id) : undefined;
      if (vm && isRunning(vm) && nic.plugged !== false) vms.add(vm.name ?? '');
    }
  }
  return [...vms];
}

/** Name of the network on hosts: its name if short and simple, else a part of its id. */
function formatVdsmName(network: Network): string {
  const name = network.name ?? '';
  return /^[A-Za-z0-9_]{1,15}$/.test(name)
    ? name
    : `on${(network.id ?? '').replaceAll('-', '').slice(0, 13)}`;
}
