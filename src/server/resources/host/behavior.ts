/** Behavior of hosts: create, update, remove, present; migration targets. */

import type { Resource } from '../../../model/resource.ts';
import { hostLifecycle as lifecycle } from '../../../model/resources/host.ts';
import { isRecord } from '../../../records.ts';
import { defineBehavior } from '../../core/behavior.ts';
import type { CollectionRef } from '../../core/collection-ref.ts';
import type { RuleContext } from '../../core/context.ts';
import { entityNotFound } from '../../core/fault.ts';
import { resolveMember } from '../../core/input.ts';
import { requireState } from '../../core/transitions.ts';
import { listAffinitySets } from '../../inventory/affinity.ts';
import { listMigrationTargets } from '../../inventory/choose-host.ts';
import { listHostBricks } from '../../inventory/gluster-layout.ts';
import { refreshStorage } from '../../inventory/storage-pool-manager.ts';
import { allOf, oneOf } from '../../store/conditions.ts';
import type { StoredObject } from '../../store/kinds.ts';
import type { ObjectOf } from '../../store/transaction.ts';
import { changeNetworkCluster, hostNetworkActions } from '../host-network/setup.ts';
import { applyLabels } from '../scheduling/affinity-groups.ts';
import { findMeasure } from '../vm/search-fields.ts';
import { computeHostedEngine, hostActions } from './actions.ts';
import {
  checkAddress,
  checkChange,
  checkLocalStorage,
  checkNumbers,
  checkPeers,
  checkPowerManagement,
  listLocalDomains,
  requireSignIn,
  storedSsh,
} from './checks.ts';
import { showReports } from './hardware.ts';
import { joinObjectNames, listRunningVms } from './maintenance.ts';
import { storageActions } from './storage.ts';
import { hostTransitions, startHostTransition } from './transitions.ts';

/** Stores the providers sent with a new host in the collection of the host. */
function storeProviders(ctx: RuleContext, host: Resource<'host'>, sent: StoredObject): void {
  const list = sent['external_network_provider_configurations'];
  if (!Array.isArray(list)) return;
  for (const { external_network_provider: named } of list) {
    if (!isRecord(named)) continue;
    const id = resolveMember(ctx.tx, 'openstack_network_provider', named);
    const path = `/hosts/${host.id}/externalnetworkproviderconfigurations`;
    ctx.tx.insert('external_network_provider_configuration', path, {
      id: ctx.site.newId(),
      external_network_provider: { id },
      host: { id: host.id ?? '' },
    });
  }
}

type Vm = ObjectOf<'vm'>;

/** All hosts; with `migration_target_of`, the hosts that can run all of these VMs. */
function migrationTargets(ctx: RuleContext, ref: CollectionRef, id?: string): CollectionRef {
  const named = ctx.parameters.text('migration_target_of');
  if (named === undefined || id !== undefined || ref.collection !== '/hosts') return ref;
  const vms = named.split(',').map((text) => {
    const vm = text.trim();
    const found = ctx.filter?.sees('vm', vm) === false ? undefined : ctx.tx.get('vm', vm);
    if (!found) throw entityNotFound(`Vm: id=${vm}`);
    return found;
  });
  const all =
    ctx.parameters.flag('check_vms_in_affinity_closure') === true
      ? expandByAffinity(ctx, vms)
      : vms;
  const [first = new Set<string>(), ...others] = all.map((vm) => listMigrationTargets(ctx, vm));
  const hosts = [...first].filter((host) => others.every((targets) => targets.has(host)));
  const condition = allOf(ref.options.condition, oneOf('id', hosts));
  return { ...ref, options: { ...ref.options, condition } };
}

/** The VMs with all others that affinity requires to run on the same host. */
function expandByAffinity(ctx: RuleContext, vms: readonly Vm[]): Vm[] {
  const ids = new Set(vms.map(({ id }) => id ?? ''));
  for (const cluster of new Set(vms.map((vm) => vm.cluster?.id ?? ''))) {
    for (const { vms: members, vmsRule } of listAffinitySets(ctx, cluster)) {
      if (!vmsRule?.positive || !vmsRule.enforcing) continue;
      if ([...members].some((id) => ids.has(id))) for (const id of members) ids.add(id);
    }
  }
  return [...ids].flatMap((id) => ctx.tx.get('vm', id) ?? []);
}

type Host = ObjectOf<'host'>;

export const hostBehavior = defineBehavior('host', {
  lifecycle,
  measure: (ctx, field) => findMeasure(ctx, 'host', field),
  transitions: hostTransitions,
  events: { update: 'HOST_UPDATED' },

  beforeCreate(ctx, host, _place, sent) {
    requireSignIn(sent);
    host.cluster ??= { id: ctx.tx.byName('cluster', 'Default')?.id ?? '' };
    checkAddress(ctx, host, 'add');
    checkNumbers(ctx, host, 'add');
    checkLocalStorage(ctx, host);
    checkPeers(ctx, host);
    checkPowerManagement(ctx, host, 'add');
    host.port ??= 54321;
    host.protocol = 'stomp';
    host.spm = { priority: 5, ...host.spm, status: 'none' };
    host.power_management = completePowerManagement(host.power_management);
    host.ssh = storedSsh(host.ssh);
    forgetPassword(host);
    applyLabels(ctx, host);
    // Providers are separate objects.
    delete host.external_network_provider_configurations;
    // A host that a provider installs waits for approval.
    host.status = host.external_host_provider?.id ? 'installing_os' : 'installing';
    host.memory = 0;
    host.external_status = 'ok';
  },

  afterCreate(ctx, target, sent) {
    storeProviders(ctx, target.object, sent);
    const flags = ctx.parameters;
    const engine = computeHostedEngine(ctx, 'add', {
      deploy: flags.flag('deploy_hosted_engine'),
      undeploy: flags.flag('undeploy_hosted_engine'),
    });
    if (target.object.status === 'installing_os') {
      ctx.event('HOST_ADDED', { host: target.object });
      return;
    }
    startHostTransition(ctx, target, 'add', {
      ...(flags.flag('activate') === false ? { to: 'maintenance' } : {}),
      ...(flags.flag('reboot') === false ? { skip: ['reboot'] } : {}),
      ...(engine ? { data: { hosted_engine: engine } } : {}),
    });
  },

  beforeUpdate(ctx, before, after) {
    after.power_management = completePowerManagement(after.power_management);
    after.ssh = storedSsh(after.ssh);
    if (after.spm) after.spm = { ...after.spm, status: before.spm?.status ?? 'none' };
    forgetPassword(after);
    after.protocol = 'stomp';
    // An empty address removes the override.
    if (after.display?.address === '') delete after.display;
    const { custom_kernel_cmdline: wanted = '' } = after.os ?? {};
    if (before.os) {
      after.os = { ...readSystem(before), ...(wanted ? { custom_kernel_cmdline: wanted } : {}) };
    }
    if ((before.os?.custom_kernel_cmdline ?? '') !== wanted) {
      after.reinstallation_required = true;
    }
    checkChange(ctx, before, after);
    applyLabels(ctx, after);
  },

  afterUpdate(ctx, before, { object }) {
    if (before.cluster?.id === object.cluster?.id) return;
    changeNetworkCluster(ctx, object);
    refreshStorage(ctx, before);
    refreshStorage(ctx, object);
  },

  locate: migrationTargets,

  beforeDelete(ctx, { object }, parameters) {
    const action = 'remove';
    requireState(ctx, 'host', object, 'remove');
    const vms = listRunningVms(ctx, object);
    if (vms.length > 0) ctx.refuse('HOST_HAS_VMS', { action, names: joinObjectNames(vms) });
    const pinned = ctx.tx
      .list('vm', { where: { cluster_id: object.cluster?.id ?? '' } })
      .filter(({ placement_policy: policy }) => {
        return policy?.affinity === 'pinned' && policy.hosts?.some(({ id }) => id === object.id);
      });
    if (pinned.length > 0)
      ctx.refuse('HOST_HAS_PINNED_VMS', { action, names: joinObjectNames(pinned) });
    const given = ctx.tx.list('host_device', { where: { host_id: object.id ?? '' } });
    if (given.length > 0)
      ctx.refuse('HOST_HAS_ASSIGNED_DEVICES', { action, names: joinObjectNames(given) });
    const local = listLocalDomains(ctx, object);
    if (local.length > 0)
      ctx.refuse('HOST_HAS_LOCAL_STORAGE', { action, names: joinObjectNames(local) });
    const bricks = parameters.flag('force') ? [] : listHostBricks(ctx, object);
    if (bricks.length > 0)
      ctx.refuse('HOST_HAS_BRICKS', { action, names: joinObjectNames(bricks) });
  },

  remove(ctx, target) {
    startHostTransition(ctx, target, 'remove');
  },

  present(ctx, host) {
    const where = { host_id: host.id ?? '' };
    const condition = ctx.filter?.condition('vm');
    const total = ctx.tx.count('vm', { where, condition });
    const moving = { ...where, status: 'migrating' };
    const migrating = ctx.tx.count('vm', { where: moving, condition });
    return {
      ...showReports(host, ctx.site.dialect.engineAnswers),
      summary: { active: total, migrating, total },
    };
  },

  actions: { ...hostActions, ...hostNetworkActions, ...storageActions },
});

function completePowerManagement(
  sent: Host['power_management'],
): NonNullable<Host['power_management']> {
  const { agents: _elsewhere, ...power } = sent ?? {};
  return {
    automatic_pm_enabled: true,
    enabled: false,
    kdump_detection: true,
    pm_proxies: [],
    ...power,
  };
}

/** The operating system without its kernel command line, the only writable part. */
function readSystem(host: Host): Host['os'] {
  const { custom_kernel_cmdline: _chosen, ...found } = host.os ?? {};
  return found;
}

function forgetPassword(host: Host): void {
  delete host['root_password'];
}
