/** Actions of hosts: activate, deactivate, install, upgrade, commit. */

import type { ActionBody } from '../../../model/resource.ts';
import { upgradeCheckDuration } from '../../../model/resources/host.ts';
import type { Action, LocatedObject } from '../../core/behavior.ts';
import type { RuleContext } from '../../core/context.ts';
import { defineDeadline } from '../../core/declared-tasks.ts';
import { resolveMember } from '../../core/input.ts';
import { scheduleDeadline } from '../../core/tasks.ts';
import type { TransitionStart } from '../../core/transition-handlers.ts';
import { requireState } from '../../core/transitions.ts';
import { releaseSpm } from '../../inventory/data-center.ts';
import { listMissingNetworks, refreshNics } from '../../inventory/host-nics.ts';
import { markNonOperational } from '../../inventory/non-operational.ts';
import { forceSpm } from '../../inventory/storage-pool-manager.ts';
import type { StoredObject } from '../../store/kinds.ts';
import { getSentObject, requireSignInAgain } from './checks.ts';
import { fence } from './fence.ts';
import { isOutdated, simulateSoftware } from './hardware.ts';
import { migrateAway, refuseMaintenance } from './maintenance.ts';
import { startHostTransition } from './transitions.ts';

/**
 * The state of the self-hosted engine on a host after its deployment or removal; undefined without
 * either.
 */
export function computeHostedEngine(
  ctx: RuleContext,
  action: string,
  { deploy, undeploy }: { deploy: boolean | undefined; undeploy: boolean | undefined },
): StoredObject | undefined {
  if (deploy && undeploy) ctx.refuse('HOST_ENGINE_BOTH', { action });
  if (!deploy && !undeploy) return undefined;
  const on = deploy === true;
  return {
    configured: on,
    active: on,
    score: on ? 3400 : 0,
    global_maintenance: false,
    local_maintenance: false,
  };
}

const deadline = 'upgrade check';

/** Starts the check for updates of a host (`upgradecheck`). */
function checkForUpgrade(ctx: RuleContext, { object: host }: LocatedObject<'host'>): undefined {
  requireState(ctx, 'host', host, 'upgrade_check', {
    action: 'check for upgrades of',
  });
  ctx.event('HOST_UPDATE_CHECK_STARTED', { host });
  const id = host.id ?? '';
  scheduleDeadline(
    ctx,
    deadline,
    id,
    upgradeCheckDuration * ctx.site.speed,
    { host: id },
    { ofJob: true },
  );
  return undefined;
}

export const upgradeCheckDeadline = defineDeadline(deadline, (ctx, { host: id }) => {
  const host = ctx.tx.get('host', String(id));
  if (!host) return;
  const available = isOutdated(host);
  ctx.tx.update('host', { ...host, update_available: available });
  if (available) ctx.event('HOST_UPDATES_AVAILABLE', { host });
  ctx.event(
    'HOST_UPDATES_CHECKED',
    { host },
    { Message: available ? foundUpdates() : 'no updates found' },
  );
});

function foundUpdates(): string {
  const { version } = simulateSoftware(true);
  return `found updates for packages ${version?.full_version}`;
}

type HostTarget = LocatedObject<'host'>;

/** A boolean in the action body, which some clients send as a query parameter. */
function flag(ctx: RuleContext, body: ActionBody, name: keyof ActionBody): boolean | undefined {
  const sent = body[name];
  return typeof sent === 'boolean' ? sent : ctx.parameters.flag(name);
}

export const hostActions = {
  activate(ctx, target) {
    requireState(ctx, 'host', target.object, 'activate');
    if (!target.object.hardware_information?.uuid) {
      ctx.refuse('HOST_NEVER_REACHED', { action: 'activate' });
    }
    const { status_detail: _reason, ...host } = target.object;
    return startHostTransition(ctx, { object: host }, 'activate');
  },

  deactivate(ctx, target, body) {
    const stops = flag(ctx, body, 'stop_gluster_service') === true;
    const reason = typeof body['reason'] === 'string' ? body['reason'] : '';
    requireState(ctx, 'host', target.object, 'deactivate');
    refuseMaintenance(ctx, target.object, stops);
    if (reason === '') ctx.event('HOST_TO_MAINTENANCE', { host: target.object });
    else
      ctx.event(
        'HOST_TO_MAINTENANCE_WITH_REASON',
        { host: target.object },
        { Reason: ` (Reason: ${reason})` },
      );
    return evacuate(ctx, target, { reason, data: { stop_gluster_service: stops } });
  },

  approve(ctx, target, body) {
    const wanted = getSentObject(body, 'cluster');
    requireState(ctx, 'host', target.object, 'approve');
    const named = wanted['id'] !== undefined || wanted['name'] !== undefined;
    const host = named
      ? { ...target.object, cluster: { id: resolveMember(ctx.tx, 'cluster', wanted) } }
      : target.object;
    return startHostTransition(ctx, { object: host }, 'approve', {
      ...(flag(ctx, body, 'activate') === false ? { to: 'maintenance' } : {}),
      ...(flag(ctx, body, 'reboot') === false ? { skip: ['reboot'] } : {}),
    });
  },

  install(ctx, target, body) {
    requireState(ctx, 'host', target.object, 'install');
    requireSignInAgain(ctx, body);
    const engine = computeHostedEngine(ctx, 'install', {
      deploy: flag(ctx, body, 'deploy_hosted_engine'),
      undeploy: flag(ctx, body, 'undeploy_hosted_engine'),
    });
    const { status_detail: _reason, ...host } = target.object;
    return startHostTransition(ctx, { object: host }, 'install', {
      ...(flag(ctx, body, 'activate') === true ? { to: 'up' } : {}),
      ...(flag(ctx, body, 'reboot') === false ? { skip: ['reboot'] } : {}),
      ...(engine ? { data: { hosted_engine: engine } } : {}),
    });
  },

  upgrade_check: checkForUpgrade,

  upgrade(ctx, target, body) {
    const host = target.object;
    requireState(ctx, 'host', host, 'upgrade');
    if (!host.update_available) ctx.refuse('HOST_HAS_NO_UPDATES', { action: 'upgrade' });
    const how: Pick<TransitionStart<'host'>, 'to' | 'skip'> = {
      to: host.status === 'up' ? 'up' : 'maintenance',
      ...(flag(ctx, body, 'reboot') === false ? { skip: ['reboot'] } : {}),
    };
    if (host.status === 'up') refuseMaintenance(ctx, host, false);
    ctx.event('HOST_UPGRADE_STARTED', { host });
    if (host.status !== 'up') return startHostTransition(ctx, target, 'upgrade', how);
    return evacuate(ctx, target, { reason: '', data: { upgrade: how } });
  },

  enroll_certificate(ctx, target) {
    requireState(ctx, 'host', target.object, 'enroll_certificate');
    return startHostTransition(ctx, target, 'enroll_certificate', {
      to: target.object.status ?? 'maintenance',
    });
  },

  refresh(ctx, { object }) {
    requireState(ctx, 'host', object, 'refresh');
    ctx.event('HOST_REFRESHED', { host: object });
    refreshNics(ctx, object.id ?? '');
    if (object.status !== 'up') return undefined;
    const missing = listMissingNetworks(ctx, object);
    if (missing.length > 0) markNonOperational(ctx, object, missing);
    return undefined;
  },

  force_select_spm(ctx, { object }) {
    forceSpm(ctx, object);
    return undefined;
  },

  fence,
} satisfies Readonly<Record<string, Action<'host'>>>;

/** Starts the evacuation of a host. It releases the storage pool manager role immediately. */
function evacuate(
  ctx: RuleContext,
  target: HostTarget,
  { reason, data }: { reason: string; data: StoredObject },
): undefined {
  const stuck = migrateAway(ctx, target.object);
  for (const [name, why] of stuck) {
    ctx.event('HOST_MAINTENANCE_FAILED', { host: target.object }, { Reason: `VM ${name}: ${why}` });
  }
  releaseSpm(ctx, target.object);
  const { status_detail: _old, ...current } =
    ctx.tx.get('host', target.object.id ?? '') ?? target.object;
  const host = reason ? { ...current, status_detail: reason } : current;
  return startHostTransition(ctx, { object: host }, 'deactivate', { data });
}
