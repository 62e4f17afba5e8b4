/** Rules of hosts: how they are added, changed, removed, and what can be asked of them. */

import type { Resource } from '../../../model/resource.ts';
import { hostLifecycle as lifecycle } from '../../../model/resources/host.ts';
import { define } from '../../core/behavior.ts';
import { requireState } from '../../core/transitions.ts';
import type { StoredObject } from '../../store/document.ts';
import { wearLabels } from '../cluster/affinity-label.ts';
import { bricksOn } from '../gluster/servers.ts';
import { hostNetworkActions } from '../host-network/actions.ts';
import { changeNetworkCluster } from '../host-network/cluster-change.ts';
import { hostActions } from './actions.ts';
import {
  checkAddress,
  checkChange,
  checkLocalStorage,
  checkNumbers,
  checkPeers,
  checkPowerManagement,
  localDomains,
  requireSignIn,
  sshOf,
} from './check.ts';
import { engineOf } from './engine.ts';
import { hostTransitions, move } from './life.ts';
import { namesOf, runningOn } from './maintenance.ts';
import { keepProviders } from './providers.ts';
import { shownReports } from './shown.ts';
import { refreshStorage } from './spm.ts';
import { storageActions } from './storage.ts';
import { migrationTargets } from './targets.ts';

type Host = Resource<'host'>;

export const hostRules = define('host', {
  lifecycle,
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
    host.power_management = powerManagementOf(host.power_management);
    host.ssh = sshOf(host.ssh);
    forgetPassword(host);
    wearLabels(ctx, host);
    // They are objects of their own.
    delete host.external_network_provider_configurations;
    // A host that a provider sets up is there once somebody approves it.
    host.status = host.external_host_provider?.id ? 'installing_os' : 'installing';
    host.memory = 0;
    host.external_status = 'ok';
  },

  afterCreate(ctx, target, sent) {
    keepProviders(ctx, target.object, sent);
    const flags = ctx.parameters;
    const engine = engineOf(ctx, 'add', {
      deploy: flags.flag('deploy_hosted_engine'),
      undeploy: flags.flag('undeploy_hosted_engine'),
    });
    if (target.object.status === 'installing_os') {
      ctx.event('HOST_ADDED', { host: target.object });
      return;
    }
    move(ctx, target, 'add', {
      ...(flags.flag('activate') === false ? { to: 'maintenance' } : {}),
      ...(flags.flag('reboot') === false ? { skip: ['reboot'] } : {}),
      ...(engine ? { data: { hosted_engine: engine } } : {}),
    });
  },

  beforeUpdate(ctx, before, after) {
    after.power_management = powerManagementOf(after.power_management);
    after.ssh = sshOf(after.ssh);
    if (after.spm) after.spm = { ...after.spm, status: before.spm?.status ?? 'none' };
    forgetPassword(after);
    after.protocol = 'stomp';
    const { custom_kernel_cmdline: wanted = '' } = after.os ?? {};
    if (before.os) {
      after.os = { ...systemOf(before), ...(wanted ? { custom_kernel_cmdline: wanted } : {}) };
    }
    if ((before.os?.custom_kernel_cmdline ?? '') !== wanted) {
      after.reinstallation_required = true;
    }
    checkChange(ctx, before, after);
    wearLabels(ctx, after);
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
    requireState(ctx, 'host', object as StoredObject, 'remove');
    const vms = runningOn(ctx, object);
    if (vms.length > 0) ctx.refuse('HOST_HAS_VMS', { action, names: namesOf(vms) });
    const pinned = ctx.tx
      .list('vm', { where: { cluster_id: object.cluster?.id ?? '' } })
      .filter(({ placement_policy: policy }) => {
        return policy?.affinity === 'pinned' && policy.hosts?.some(({ id }) => id === object.id);
      });
    if (pinned.length > 0) ctx.refuse('HOST_HAS_PINNED_VMS', { action, names: namesOf(pinned) });
    const given = ctx.tx.list('host_device', { where: { host_id: object.id ?? '' } });
    if (given.length > 0)
      ctx.refuse('HOST_HAS_ASSIGNED_DEVICES', { action, names: namesOf(given) });
    const local = localDomains(ctx, object);
    if (local.length > 0) ctx.refuse('HOST_HAS_LOCAL_STORAGE', { action, names: namesOf(local) });
    const bricks = parameters.flag('force') ? [] : bricksOn(ctx, object);
    if (bricks.length > 0) ctx.refuse('HOST_HAS_BRICKS', { action, names: namesOf(bricks) });
  },

  remove(ctx, target) {
    move(ctx, target, 'remove');
  },

  presentsStored: true,
  present(ctx, host) {
    const where = { host_id: host.id ?? '' };
    const condition = ctx.sight?.condition('vm');
    const total = ctx.tx.count('vm', { where, condition });
    const moving = { ...where, status: 'migrating' };
    const migrating = ctx.tx.count('vm', { where: moving, condition });
    return { ...shownReports(host), summary: { active: total, migrating, total } };
  },

  actions: { ...hostActions, ...hostNetworkActions, ...storageActions },
});

function powerManagementOf(sent: Host['power_management']): NonNullable<Host['power_management']> {
  const { agents: _elsewhere, ...power } = sent ?? {};
  return {
    automatic_pm_enabled: true,
    enabled: false,
    kdump_detection: true,
    pm_proxies: [{ type: 'cluster' }, { type: 'dc' }],
    ...power,
  };
}

/** Only the kernel command line of a host's system is anybody's choice. */
function systemOf(host: Host): Host['os'] {
  const { custom_kernel_cmdline: _chosen, ...found } = host.os ?? {};
  return found;
}

function forgetPassword(host: Host): void {
  delete host['root_password'];
}
