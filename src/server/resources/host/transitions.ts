/** Ends of the transitions of hosts: installed, up, rebooted, removed. */
import type { Resource } from '../../../model/resource.ts';
import type { LocatedObject } from '../../core/behavior.ts';
import type { RuleContext } from '../../core/context.ts';
import { erase, forgetReferences } from '../../core/removal.ts';
import type {
  TransitionHandlers,
  TransitionOf,
  TransitionRun,
  TransitionStart,
} from '../../core/transition-handlers.ts';
import { beginTransition, postponeEnd } from '../../core/transitions.ts';
import { switchBricks } from '../../inventory/gluster-layout.ts';
import { listMissingNetworks } from '../../inventory/host-nics.ts';
import { markNonOperational } from '../../inventory/non-operational.ts';
import { omitSavedNetworks, revertNetworks } from '../../inventory/saved-networks.ts';
import { refreshStorage } from '../../inventory/storage-pool-manager.ts';
import type { ObjectOf } from '../../store/transaction.ts';
import {
  createHostCertificate,
  createSshFingerprint,
  installHardware,
  simulateHardware,
  simulateSoftware,
} from './hardware.ts';
import { listRunningVms, migrateAway } from './maintenance.ts';
import { freeVms, settleNonResponsive } from './non-responsive.ts';

type Host = ObjectOf<'host'>;

/** Starts a transition of a host. */
export function startHostTransition(
  ctx: RuleContext,
  target: Pick<LocatedObject<'host'>, 'object'>,
  operation: TransitionOf<'host'>,
  more: Partial<Omit<TransitionStart<'host'>, 'kind'>> = {},
): undefined {
  const { object } = target;
  beginTransition(ctx, { kind: 'host', collection: '/hosts', operation, ...more }, object);
  // Another host may have to become storage pool manager.
  const now = ctx.tx.get('host', object.id ?? '');
  if (now && now.status !== 'up') refreshStorage(ctx, now);
  return undefined;
}

export const hostTransitions: TransitionHandlers<'host'> = {
  describe: (ctx, host) => ({
    subjects: {
      host: host,
      cluster: ctx.tx.get('cluster', host.cluster?.id ?? ''),
    },
    words: { HostStatus: formatStatus(host) },
  }),
  onEnd: {
    add: finishInstallation,
    approve: finishInstallation,
    install: finishInstallation,
    upgrade(ctx, host, run) {
      const rebooted = run.skip?.includes('reboot') ? host : finishReboot(ctx, host);
      const upgraded = { ...rebooted, ...simulateSoftware(true), update_available: false };
      ctx.event('HOST_UPGRADED_REBOOTS', { host: host });
      return host['status'] === 'up' ? comeUp(ctx, upgraded) : upgraded;
    },
    enroll_certificate: (_ctx, host) => ({ ...host, certificate: createHostCertificate(host) }),
    activate: (ctx, host) => comeUp(ctx, host),
    deactivate: finishMaintenance,
    fence_start: finishPowerOn,
    fence_restart: finishPowerOn,
    lose(ctx, host) {
      ctx.tx.update('host', host);
      ctx.event('HOST_NON_RESPONSIVE', { host: host });
      const fenced = settleNonResponsive(ctx, host);
      refreshStorage(ctx, host);
      const now = ctx.tx.get('host', String(host['id']));
      if (fenced && now) restartPower(ctx, now);
      return fenced ? undefined : now;
    },
    remove(ctx, host) {
      erase(ctx, { ref: { kind: 'host', collection: '/hosts' }, object: host });
      forgetReferences(ctx, String(host['id']));
      for (const permission of ctx.tx.list('permission', {
        where: { host_id: String(host['id']) },
      })) {
        if (permission.id) ctx.tx.remove('permission', permission.id);
      }
      refreshStorage(ctx, host);
      return undefined;
    },
  },
};

/** Restarts the power of a host: its VMs are down and restart on other hosts. */
export function restartPower(
  ctx: RuleContext,
  host: Host,
  more: Partial<Omit<TransitionStart<'host'>, 'kind'>> = {},
): void {
  ctx.event('FENCING_STARTED', { host }, { FenceType: 'restart' });
  ctx.tx.update('host', { ...host, status: 'reboot' });
  freeVms(ctx, host);
  ctx.event('HOST_REBOOTING', { host });
  const now = ctx.tx.get('host', host.id ?? '') ?? host;
  startHostTransition(ctx, { object: now }, 'fence_restart', more);
}

/** A rebooted host, with its last committed networks. */
function finishReboot(ctx: RuleContext, host: Host): Host {
  revertNetworks(ctx, String(host['id']));
  return { ...omitSavedNetworks(host), booted_at: ctx.timestamp };
}

function finishInstallation(ctx: RuleContext, given: Host, run: TransitionRun): Host {
  ctx.event('HOST_INSTALLED', { host: given });
  const host = run.skip?.includes('reboot') ? given : finishReboot(ctx, given);
  const id = String(host['id']);
  const known = host.hardware_information?.uuid !== undefined;
  const engine = run.data?.['hosted_engine'];
  const ready: Host = {
    booted_at: ctx.timestamp,
    ...(known ? {} : { ...simulateHardware(id), certificate: createHostCertificate(host) }),
    ...host,
    ...(known ? {} : { memory: simulateHardware(id).memory, os: mergedSystem(id, host) }),
    ...(engine ? { hosted_engine: engine } : {}),
    ssh: { ...host.ssh, fingerprint: createSshFingerprint(id) },
    reinstallation_required: false,
  };
  installHardware(ctx, ready);
  return ready['status'] === 'up' ? comeUp(ctx, ready) : ready;
}

/** The detected operating system, with the requested kernel command line. */
function mergedSystem(id: string, host: Host): NonNullable<Host['os']> {
  return { ...host.os, ...simulateHardware(id).os };
}

function finishPowerOn(ctx: RuleContext, host: Host, run: TransitionRun): Host {
  const type = run.operation === 'fence_start' ? 'start' : 'restart';
  ctx.event('FENCING_SUCCEEDED', { host: host }, { FenceType: type });
  const ready = finishReboot(ctx, host);
  return ready['status'] === 'up' ? comeUp(ctx, ready) : ready;
}

/** Ends the switch to maintenance when the last VM has left the host. */
function finishMaintenance(ctx: RuleContext, host: Host, run: TransitionRun): Host | undefined {
  ctx.tx.update('host', { ...host, status: 'preparing_for_maintenance' });
  migrateAway(ctx, host);
  if (listRunningVms(ctx, host).length > 0) return postponeEnd(ctx, run, host);
  if (run.data?.['stop_gluster_service']) {
    switchBricks(ctx, host, false);
    ctx.event('GLUSTER_SERVICE_STOPPED', { host: host });
  }
  ctx.tx.update('host', host);
  refreshStorage(ctx, host);
  const upgrade = run.data?.['upgrade'];
  if (!upgrade) return ctx.tx.get('host', String(host['id'])) ?? host;
  ctx.event('HOST_IN_MAINTENANCE', { host: host });
  startHostTransition(ctx, { object: host }, 'upgrade', upgrade);
  return undefined;
}

/**
 * Sets a host up, which may become the storage pool manager of its data center. A host without a
 * required network becomes non-operational.
 */
function comeUp(ctx: RuleContext, host: Host): Host {
  const missing = listMissingNetworks(ctx, host);
  if (missing.length > 0) return markNonOperational(ctx, host, missing);
  const { status_detail: _reason, ...ready } = host;
  ctx.tx.update('host', ready);
  const cluster = ctx.tx.get('cluster', host.cluster?.id ?? '');
  adoptFromHost(ctx, cluster);
  refreshStorage(ctx, host);
  if (cluster?.gluster_service) {
    switchBricks(ctx, host, true);
    ctx.event('GLUSTER_SERVICE_STARTED', { host: host });
  }
  return ctx.tx.get('host', String(host['id'])) ?? ready;
}

/** A cluster without a processor type or FIPS mode adopts that of its first host. */
function adoptFromHost(ctx: RuleContext, cluster: Resource<'cluster'> | undefined): void {
  if (!cluster) return;
  const { cpu, fips_mode } = cluster;
  const hasCpu = (cpu?.architecture ?? 'undefined') !== 'undefined';
  const hasMode = fips_mode !== undefined && fips_mode !== 'undefined';
  if (hasCpu && hasMode) return;
  const type = cpu?.type || 'Intel Nehalem Family';
  ctx.tx.update('cluster', {
    ...cluster,
    ...(hasCpu
      ? {}
      : {
          cpu: { ...cpu, type, architecture: 'x86_64' },
          bios_type: cluster.bios_type ?? 'q35_ovmf',
        }),
    ...(hasMode ? {} : { fips_mode: 'disabled' }),
  });
}

function formatStatus(host: Host): string {
  const parts = (host.status ?? '').split('_');
  return parts.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}
