/** Rules of hosts: installation, maintenance with migration of virtual machines, removal. */
import { host as lifecycle } from '../../model/lifecycles/host.ts';
import type { Resource } from '../../model/resource.ts';
import { begin, onArrival, requireState } from '../jobs/moves.ts';
import type { StoredObject } from '../store/document.ts';
import type { RuleContext } from './context.ts';
import { electSpm, refreshDataCenter, releaseSpm } from './data-center.ts';
import { erase, forgetReferences } from './generic.ts';
import { type Addressed, rules } from './notation.ts';
import { chooseHost } from './scheduling.ts';
import { isRunning } from './vm.ts';

type Host = Resource<'host'>;
type Vm = Resource<'vm'>;

const gibibyte = 2 ** 30;

export const hostRules = rules({
  kind: 'host',
  lifecycle,
  events: { update: 43 },

  prepare(ctx, host) {
    host.cluster ??= { id: ctx.tx.byName('cluster', 'Default')?.id ?? '' };
    const other = ctx.tx.find('host', { address: host.address ?? '' });
    if (other) {
      ctx.refuse('HOST_ADDRESS_IN_USE', { action: 'add', name: other.name, address: host.address });
    }
    host.port ??= 54321;
    host.protocol = 'stomp';
    host.spm = { priority: 5, ...host.spm, status: 'none' };
    host.power_management = {
      automatic_pm_enabled: true,
      enabled: false,
      kdump_detection: true,
      pm_proxies: [{ type: 'cluster' }, { type: 'dc' }],
      ...host.power_management,
    };
    const { user, ...ssh } = host.ssh ?? {};
    host.ssh = { port: 22, ...ssh, user: { user_name: 'root', ...user } };
    delete host.ssh.authentication_method;
    host.status = 'installing';
    host.memory = 0;
    host.external_status = 'ok';
  },

  added(ctx, target) {
    move(ctx, target, 'add');
  },

  change(ctx, before, after) {
    const apart = new Set(['maintenance', 'install_failed', 'non_operational', 'down']);
    if (before.address !== after.address && !apart.has(before.status ?? '')) {
      ctx.refuse('HOST_STATUS_ILLEGAL', { action: 'edit', status: before.status });
    }
    if (before.cluster?.id !== after.cluster?.id && !apart.has(before.status ?? '')) {
      ctx.refuse('HOST_STATUS_ILLEGAL', { action: 'move', status: before.status });
    }
  },

  removable(ctx, { object }) {
    requireState(ctx, 'host', object as StoredObject, 'remove');
    const vms = runningOn(ctx, object);
    if (vms.length > 0) ctx.refuse('HOST_RUNS_VMS', { action: 'remove', names: namesOf(vms) });
  },

  remove(ctx, target) {
    move(ctx, target, 'remove');
  },

  present(ctx, host) {
    const vms = ctx.tx.list('vm', { where: { host_id: host.id ?? '' } });
    return {
      summary: {
        active: vms.length,
        migrating: vms.filter((vm) => vm.status === 'migrating').length,
        total: vms.length,
      },
    };
  },

  actions: {
    activate(ctx, target) {
      requireState(ctx, 'host', target.object as StoredObject, 'activate');
      const { status_detail: _reason, ...host } = target.object;
      return move(ctx, { ...target, object: host }, 'activate');
    },
    deactivate(ctx, target, body) {
      const host = target.object;
      requireState(ctx, 'host', host as StoredObject, 'deactivate');
      const reason = typeof body['reason'] === 'string' ? body['reason'] : '';
      migrateAway(ctx, host);
      releaseSpm(ctx, host);
      const current = ctx.tx.get('host', host.id ?? '') ?? host;
      return move(
        ctx,
        { ...target, object: reason ? { ...current, status_detail: reason } : current },
        'deactivate',
      );
    },
  },
});

onArrival('host', {
  describe: (ctx, host) => ({
    subjects: {
      host: host as Host,
      cluster: ctx.tx.get('cluster', (host as Host).cluster?.id ?? ''),
    },
    words: { HostStatus: 'Up' },
  }),
  arrived: {
    add(ctx, host) {
      ctx.event(504, { host: host as Host });
      return up(ctx, { ...hardware(ctx), ...host, memory: 64 * gibibyte });
    },
    activate: (ctx, host) => up(ctx, host),
    deactivate: (ctx, host) => {
      refreshOf(ctx, host as Host);
      return host;
    },
    remove(ctx, host) {
      erase(ctx, { place: { kind: 'host', collection: '/hosts' }, object: host });
      forgetReferences(ctx, String(host['id']));
      refreshOf(ctx, host as Host);
      return undefined;
    },
  },
});

/** A host that came up may become the storage pool manager of its data center. */
function up(ctx: RuleContext, host: StoredObject): StoredObject {
  ctx.tx.update('host', host as Host);
  const cluster = ctx.tx.get('cluster', (host as Host).cluster?.id ?? '');
  adoptArchitecture(ctx, cluster);
  if (cluster?.data_center?.id) {
    electSpm(ctx, cluster.data_center.id);
    refreshDataCenter(ctx, cluster.data_center.id);
  }
  return (ctx.tx.get('host', String(host['id'])) ?? host) as StoredObject;
}

/** A cluster without a processor type takes that of its first host. */
function adoptArchitecture(ctx: RuleContext, cluster: Resource<'cluster'> | undefined): void {
  if (!cluster || (cluster.cpu?.architecture ?? 'undefined') !== 'undefined') return;
  ctx.tx.update('cluster', {
    ...cluster,
    cpu: { type: 'Intel Nehalem Family', ...cluster.cpu, architecture: 'x86_64' },
  });
}

function refreshOf(ctx: RuleContext, host: Host): void {
  const cluster = ctx.tx.get('cluster', host.cluster?.id ?? '');
  if (cluster?.data_center?.id) {
    electSpm(ctx, cluster.data_center.id);
    refreshDataCenter(ctx, cluster.data_center.id);
  }
}

/** What a simulated host reports of itself, once it has been up. */
export function hardware(ctx: RuleContext): StoredObject {
  return {
    type: 'rhel',
    memory: 64 * gibibyte,
    max_scheduling_memory: 63 * gibibyte,
    cpu: {
      name: 'Intel Xeon Processor (Simulated)',
      speed: 2400,
      topology: { sockets: 2, cores: 8, threads: 2 },
      type: 'Intel Nehalem Family',
      architecture: 'x86_64',
    },
    os: { type: 'RHEL', version: { full_version: '9.4', major: 9, minor: 4 } },
    version: { full_version: 'vdsm-4.50.5', major: 4, minor: 50, build: 5 },
    libvirt_version: { full_version: 'libvirt-10.0.0', major: 10, minor: 0, build: 0 },
    hardware_information: {
      manufacturer: 'vmctl',
      product_name: 'Simulated host',
      uuid: ctx.site.newId(),
      serial_number: ctx.site.newId().slice(0, 8),
    },
    iscsi: { initiator: `iqn.2026-01.example.vmctl:${ctx.site.newId().slice(0, 12)}` },
    ksm: { enabled: false },
    transparent_hugepages: { enabled: true },
    se_linux: { mode: 'enforcing' },
    kdump_status: 'disabled',
    numa_supported: true,
    auto_numa_status: 'unknown',
    device_passthrough: { enabled: false },
    update_available: false,
  };
}

function runningOn(ctx: RuleContext, host: Host): Vm[] {
  return ctx.tx.list('vm', { where: { host_id: host.id ?? '' } }).filter(isRunning);
}

/** Moves the virtual machines of a host to others of its cluster; refuses where none can take them. */
function migrateAway(ctx: RuleContext, host: Host): void {
  const vms = runningOn(ctx, host);
  if (vms.length === 0) return;
  const others = ctx.tx
    .list('host', { where: { cluster_id: host.cluster?.id ?? '', status: 'up' } })
    .filter((other) => other.id !== host.id);
  if (others.length === 0) {
    ctx.refuse('HOST_RUNS_VMS', { action: 'switch to maintenance', names: namesOf(vms) });
  }
  for (const vm of vms) {
    const target = ctx.tx.get('host', chooseHost(ctx, vm, 'migrate', host.id).id);
    ctx.event(62, { vm, host }, { DestinationHostName: target?.name });
    ctx.tx.update('vm', { ...vm, host: { id: target?.id ?? '' } });
    ctx.event(63, { vm, ...(target ? { host: target } : {}) }, { SourceHostName: host.name });
  }
}

function namesOf(objects: readonly { name?: string; id?: string }[]): string {
  return objects.map((object) => object.name ?? object.id ?? '').join(', ');
}

function move(ctx: RuleContext, target: Addressed<'host'>, operation: string): undefined {
  const journey = {
    kind: 'host' as const,
    collection: '/hosts',
    id: target.object.id ?? '',
    operation,
  };
  begin(ctx, journey, target.object as StoredObject);
  return undefined;
}
