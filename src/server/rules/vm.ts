/** Rules of virtual machines: how they are made, started, stopped, changed and removed. */
import { vm as lifecycle } from '../../model/lifecycles/vm.ts';
import type { Resource } from '../../model/resource.ts';
import { begin, onArrival, requireState } from '../jobs/moves.ts';
import type { StoredObject } from '../store/document.ts';
import type { RuleContext } from './context.ts';
import { eraseDisk } from './disk.ts';
import { erase, forgetReferences } from './generic.ts';
import { type Addressed, rules } from './notation.ts';
import { chooseHost } from './scheduling.ts';

type Vm = Resource<'vm'>;

const blankTemplate = '00000000-0000-0000-0000-000000000000';
const mebibyte = 2 ** 20;

/** Attributes that a virtual machine takes over from its template when they are not sent. */
const fromTemplate = [
  'memory',
  'cpu',
  'os',
  'type',
  'bios',
  'display',
  'high_availability',
  'usb',
  'io',
  'time_zone',
  'small_icon',
  'large_icon',
] as const;

/** Attributes of a running virtual machine that change at once; others wait for it to be down. */
const changeableWhileUp = new Set([
  'name',
  'description',
  'comment',
  'delete_protected',
  'high_availability',
  'small_icon',
  'large_icon',
  'placement_policy',
  'migration',
  'migration_downtime',
  'quota',
  'cpu_profile',
  'initialization',
  'memory',
  'lease',
]);

const offStates = new Set(['down', 'suspended', 'image_locked', 'unassigned']);

/** Whether a virtual machine takes part of a host: it has one, and is not off. */
export function isRunning(vm: Vm): boolean {
  return !offStates.has(vm.status ?? 'down');
}

/** Every virtual machine has exactly one drive, always with this id. */
export const cdromId = blankTemplate;

export const vmRules = rules({
  kind: 'vm',
  lifecycle,
  addsAtOnce: true,
  events: { add: 34, update: 35 },

  prepare(ctx, vm, _place, sent) {
    const cluster = vm.cluster?.id ? ctx.tx.get('cluster', vm.cluster.id) : undefined;
    const template = ctx.tx.get('template', vm.template?.id ?? blankTemplate);
    const dataCenter = cluster?.data_center?.id
      ? ctx.tx.get('data_center', cluster.data_center.id)
      : undefined;
    if (dataCenter?.status !== 'up') {
      ctx.refuse('DATA_CENTER_IS_NOT_UP', {
        action: 'add',
        type: 'VM',
        dataCenter: dataCenter?.name ?? '(none)',
        status: dataCenter?.status ?? 'missing',
      });
    }
    const architecture = cluster?.cpu?.architecture;
    if (!architecture || architecture === 'undefined') {
      ctx.refuse('CLUSTER_WITHOUT_ARCHITECTURE', { action: 'add', cluster: cluster?.name ?? '' });
    }
    for (const name of fromTemplate) {
      if (vm[name] === undefined && template?.[name] !== undefined) {
        Object.assign(vm, { [name]: structuredClone(template[name]) });
      }
    }
    fillConfiguration(ctx, vm, architecture ?? 'undefined', sent);
    checkMemory(ctx, vm, 'add');
    vm.original_template = { id: template?.id ?? blankTemplate };
    vm.template ??= { id: blankTemplate };
    vm.status = 'down';
    vm.creation_time = ctx.timestamp;
    vm.next_run_configuration_exists = false;
    const profile = ctx.tx.find('cpu_profile', { cluster_id: cluster?.id ?? '' });
    if (profile?.id) vm.cpu_profile ??= { id: profile.id };
    const quota = ctx.tx.find('quota', { collection: `/datacenters/${dataCenter?.id}/quotas` });
    if (quota?.id) vm.quota ??= { id: quota.id };
  },

  added(ctx, { object }) {
    ctx.tx.insert('cdrom', `/vms/${object.id}/cdroms`, {
      id: cdromId,
      vm: { id: object.id ?? '' },
    });
  },

  change(ctx, before, after, _place, sent) {
    if (before.status === 'image_locked') ctx.refuse('VM_IS_LOCKED', { action: 'edit' });
    if (isRunning(before)) {
      const frozen = Object.keys(sent).filter(
        (name) =>
          !changeableWhileUp.has(name) &&
          name !== 'id' &&
          name in after &&
          differs(before, after, name),
      );
      if (frozen.length > 0) {
        ctx.refuse('VM_MUST_BE_DOWN_TO_CHANGE', { action: 'edit', attributes: frozen.join(', ') });
      }
    }
    if (after.memory !== before.memory) fitMemoryPolicy(after, sent);
    checkMemory(ctx, after, 'edit');
  },

  removable(ctx, { object }, parameters) {
    if (object.delete_protected) ctx.refuse('VM_DELETE_PROTECTED', { action: 'remove' });
    if (object.status === 'image_locked' && !parameters.flag('force')) {
      ctx.refuse('VM_IS_LOCKED', { action: 'remove' });
    }
    requireState(ctx, 'vm', object as StoredObject, 'remove');
    const locked = disksOf(ctx, object).filter((disk) => disk.status === 'locked');
    if (locked.length > 0 && !parameters.flag('force')) {
      ctx.refuse('DISK_IS_LOCKED', { action: 'remove', type: 'VM', names: namesOf(locked) });
    }
  },

  remove(ctx, target, parameters) {
    const data = { detach_only: parameters.flag('detach_only') ?? false };
    move(ctx, target, 'remove', data);
  },

  actions: {
    start(ctx, target, body) {
      const vm = target.object;
      if (vm.status === 'down') return launch(ctx, target, body);
      requireState(ctx, 'vm', vm as StoredObject, 'start');
      if (vm.status === 'suspended') {
        const host = chooseHost(ctx, vm, 'run');
        return move(ctx, { ...target, object: { ...vm, host } }, 'resume');
      }
      ctx.event(40, subjects(ctx, vm));
      ctx.tx.update('vm', { ...vm, status: 'up' }, '/vms');
      return undefined;
    },
    stop(ctx, target, body) {
      const vm = target.object;
      // Stopping what is down already succeeds: automation may ask twice.
      if (vm.status === 'down') return undefined;
      requireState(ctx, 'vm', vm as StoredObject, 'stop');
      if (vm.status === 'suspended') {
        ctx.event(111, subjects(ctx, vm));
        ctx.tx.update('vm', { ...vm, status: 'down', stop_time: ctx.timestamp }, '/vms');
        return undefined;
      }
      return halt(ctx, target, 'stop', body);
    },
    shutdown(ctx, target, body) {
      requireState(ctx, 'vm', target.object as StoredObject, 'shutdown');
      // A guest that is not up cannot be asked to shut down.
      return halt(ctx, target, target.object.status === 'up' ? 'shutdown' : 'stop', body);
    },
    reboot(ctx, target) {
      requireState(ctx, 'vm', target.object as StoredObject, 'reboot');
      return move(ctx, target, 'reboot');
    },
    suspend(ctx, target) {
      requireState(ctx, 'vm', target.object as StoredObject, 'suspend');
      return move(ctx, target, 'suspend');
    },
  },
});

onArrival('vm', {
  describe: (ctx, vm) => ({
    subjects: subjects(ctx, vm as Vm),
    words: {
      HostName: hostName(ctx, vm as Vm),
      ExitMessage: 'Exit message: it was asked to stop.',
      Reason: '',
    },
  }),
  arrived: {
    start: (ctx, vm, { data }) => ({
      ...vm,
      start_time: ctx.timestamp,
      ...(data?.['pause'] ? { status: 'paused', status_detail: 'none' } : {}),
    }),
    resume: (ctx, vm) => ({ ...vm, start_time: ctx.timestamp }),
    stop: (ctx, vm) => stopped(ctx, vm),
    shutdown: (ctx, vm) => stopped(ctx, vm),
    suspend: (_ctx, vm) => without(vm, ['host', 'start_time']),
    remove(ctx, vm, { data }) {
      for (const disk of disksOf(ctx, vm as Vm)) {
        const shared = disk.shareable || disk.storage_type === 'lun';
        if (!data?.['detach_only'] && !shared) eraseDisk(ctx, disk as StoredObject);
      }
      erase(ctx, { place: { kind: 'vm', collection: '/vms' }, object: vm });
      for (const permission of ctx.tx.list('permission', { where: { vm_id: String(vm['id']) } })) {
        if (permission.id) ctx.tx.remove('permission', permission.id);
      }
      forgetReferences(ctx, String(vm['id']));
      return undefined;
    },
  },
});

function launch(ctx: RuleContext, target: Addressed<'vm'>, body: StoredObject): undefined {
  const overrides = (body['vm'] ?? {}) as Vm;
  const vm: Vm = { ...target.object };
  const effective: Vm = { ...vm, ...overrides, id: vm.id ?? '' };
  checkBootable(ctx, effective);
  const disks = disksOf(ctx, vm);
  const locked = disks.filter((disk) => disk.status === 'locked');
  if (locked.length > 0) {
    ctx.refuse('DISK_IS_LOCKED', { action: 'run', type: 'VM', names: namesOf(locked) });
  }
  const illegal = disks.filter((disk) => disk.status === 'illegal');
  if (illegal.length > 0) {
    ctx.refuse('DISK_IS_ILLEGAL', { action: 'run', type: 'VM', names: namesOf(illegal) });
  }
  const host = chooseHost(ctx, effective, 'run');
  const started: Vm = { ...vm, host };
  if (body['vm'] !== undefined) started.run_once = true;
  delete started.stop_reason;
  const pause = body['pause'] === true || vm.start_paused === true;
  return move(ctx, { ...target, object: started }, 'start', { pause });
}

/** A virtual machine that boots from hard disks alone needs one that it can boot from. */
function checkBootable(ctx: RuleContext, vm: Vm): void {
  const devices = vm.os?.boot?.devices ?? ['hd'];
  if (devices.some((device) => device !== 'hd')) return;
  const attachments = ctx.tx.list('disk_attachment', {
    where: { collection: `/vms/${vm.id}/diskattachments` },
  });
  if (!attachments.some((attachment) => attachment.active && attachment.bootable)) {
    ctx.refuse('VM_WITHOUT_BOOTABLE_DISK', {});
  }
}

function halt(
  ctx: RuleContext,
  target: Addressed<'vm'>,
  how: 'stop' | 'shutdown',
  body: StoredObject,
): undefined {
  const reason = typeof body['reason'] === 'string' ? body['reason'] : undefined;
  const words = { Reason: reason ? ` (Reason: ${reason})` : '' };
  return move(
    ctx,
    { ...target, object: { ...target.object, ...(reason ? { stop_reason: reason } : {}) } },
    how,
    { words },
  );
}

function move(
  ctx: RuleContext,
  target: Addressed<'vm'>,
  operation: string,
  data?: StoredObject,
): undefined {
  const journey = {
    kind: 'vm' as const,
    collection: '/vms',
    id: target.object.id ?? '',
    operation,
    ...(data ? { data } : {}),
  };
  begin(ctx, journey, target.object as StoredObject);
  return undefined;
}

function stopped(ctx: RuleContext, vm: StoredObject): StoredObject {
  return {
    ...without(vm, ['host', 'start_time', 'run_once', 'status_detail', 'fqdn']),
    stop_time: ctx.timestamp,
  };
}

function without(object: StoredObject, names: readonly string[]): StoredObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
}

/** Disks attached to a virtual machine. */
export function disksOf(ctx: RuleContext, vm: Vm): Resource<'disk'>[] {
  return ctx.tx
    .list('disk_attachment', { where: { collection: `/vms/${vm.id}/diskattachments` } })
    .flatMap((attachment) => {
      const disk = attachment.id ? ctx.tx.get('disk', attachment.id) : undefined;
      return disk ? [disk] : [];
    });
}

function namesOf(objects: readonly { name?: string; id?: string }[]): string {
  return objects.map((object) => object.name ?? object.id ?? '').join(', ');
}

/** Objects that an event about a virtual machine refers to. */
export function subjects(ctx: RuleContext, vm: Vm): Record<string, { id?: string; name?: string }> {
  const cluster = vm.cluster?.id ? ctx.tx.get('cluster', vm.cluster.id) : undefined;
  const host = vm.host?.id ? ctx.tx.get('host', vm.host.id) : undefined;
  const dataCenter = cluster?.data_center?.id
    ? ctx.tx.get('data_center', cluster.data_center.id)
    : undefined;
  return {
    vm,
    ...(host ? { host } : {}),
    ...(cluster ? { cluster } : {}),
    ...(dataCenter ? { data_center: dataCenter } : {}),
  };
}

function hostName(ctx: RuleContext, vm: Vm): string {
  return (vm.host?.id && ctx.tx.get('host', vm.host.id)?.name) || '<none>';
}

/** What the service fills in, so that clients find what they compare with. */
function fillConfiguration(
  ctx: RuleContext,
  vm: Vm,
  architecture: string,
  sent: StoredObject,
): void {
  const { topology, ...cpu } = vm.cpu ?? {};
  vm.cpu = {
    ...cpu,
    architecture: architecture as NonNullable<Vm['cpu']>['architecture'] & string,
    topology: { cores: 1, sockets: 1, threads: 1, ...topology },
  };
  vm.os = { type: 'other', ...vm.os, boot: { devices: ['hd'], ...vm.os?.boot } };
  vm.bios = { boot_menu: { enabled: false }, type: 'q35_sea_bios', ...vm.bios };
  vm.type ??= 'server';
  vm.origin ??= ctx.site.dialect.name === 'ovirt' ? 'ovirt' : ctx.site.dialect.origin;
  vm.high_availability = { enabled: false, priority: 0, ...vm.high_availability };
  vm.display = {
    type: 'vnc',
    monitors: 1,
    smartcard_enabled: false,
    allow_override: false,
    disconnect_action: 'LOCK_SCREEN',
    file_transfer_enabled: true,
    copy_paste_enabled: true,
    ...vm.display,
  };
  vm.sso ??= { methods: [{ id: 'guest_agent' }] };
  vm.console ??= { enabled: false };
  vm.usb = { enabled: false, ...vm.usb };
  vm.io = { threads: 1, ...vm.io };
  vm.migration = {
    auto_converge: 'inherit',
    compressed: 'inherit',
    encrypted: 'inherit',
    ...vm.migration,
  };
  vm.placement_policy = { affinity: 'migratable', ...vm.placement_policy };
  vm.time_zone ??= { name: 'Etc/GMT' };
  vm.virtio_scsi ??= { enabled: true };
  vm.soundcard_enabled ??= false;
  vm.rng_device ??= { source: 'urandom' };
  vm.memory ??= 1024 * mebibyte;
  fitMemoryPolicy(vm, sent);
}

/** Guaranteed and maximal memory follow the memory unless they are sent. */
function fitMemoryPolicy(vm: Vm, sent: StoredObject): void {
  const policy = (sent['memory_policy'] ?? {}) as NonNullable<Vm['memory_policy']>;
  const memory = BigInt(vm.memory ?? 0);
  vm.memory_policy = {
    ballooning: true,
    ...vm.memory_policy,
    guaranteed: policy.guaranteed ?? Number(memory),
    max: policy.max ?? Number(memory * 4n),
  };
}

function checkMemory(ctx: RuleContext, vm: Vm, action: string): void {
  const memory = vm.memory ?? 0;
  if (memory <= 0) {
    ctx.refuse('VALUE_OUT_OF_RANGE', {
      action,
      type: 'VM',
      attribute: 'memory',
      value: memory,
      min: mebibyte,
      max: 6 * 2 ** 40,
    });
  }
  if ((vm.memory_policy?.guaranteed ?? 0) > memory) {
    ctx.refuse('VM_MEMORY_BELOW_GUARANTEED', { action });
  }
  if ((vm.memory_policy?.max ?? memory) < memory) {
    ctx.refuse('VM_MAX_MEMORY_TOO_SMALL', { action });
  }
}

function differs(before: Vm, after: Vm, name: string): boolean {
  const a = (before as StoredObject)[name];
  const b = (after as StoredObject)[name];
  return text(a) !== text(b);
}

function text(value: unknown): string | undefined {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'bigint' ? part.toString() : part,
  );
}
