/** Devices of VMs: CD-ROM, watchdog, NUMA nodes, mediated devices. */

import type { Resource } from '../../../model/resource.ts';
import { cdromId } from '../../../model/resources/vm-device.ts';
import { defineBehavior } from '../../core/behavior.ts';
import type { CollectionRef } from '../../core/collection-ref.ts';
import type { RuleContext } from '../../core/context.ts';
import { replaceMembers } from '../../core/member-selection.ts';
import { countVmProcessors } from '../../inventory/choose-host.ts';
import type { CopyOwner } from '../../inventory/disk-transitions.ts';
import { allocateMac } from '../../inventory/mac-addresses.ts';
import {
  describeVmSubjects,
  findClusterDataCenter,
  findOwnerVm,
  formatCurrentDrives,
  isRunning,
  mebibyte,
  type Vm,
} from '../../inventory/vm.ts';
import type { StoredObject } from '../../store/kinds.ts';
import { isReal } from './device-changes.ts';
import { changeRealDisc } from './plugging.ts';

/** Collections of devices that are copied unchanged, unlike NICs. */
const plain = [
  ['watchdog', 'watchdogs'],
  ['graphics_console', 'graphicsconsoles'],
  ['vm_mediated_device', 'mediateddevices'],
  ['virtual_numa_node', 'numanodes'],
] as const;

/**
 * Copies the devices below a path, such as `/templates/123`, to a VM or template. NICs of a VM get
 * new addresses; those of a template have none.
 */
export function copyDevices(
  ctx: RuleContext,
  from: string,
  owner: CopyOwner,
  vm: Vm | undefined,
): void {
  const to = `/${owner.kind}s/${owner.id}`;
  const belongs = { [owner.kind]: { id: owner.id } };
  for (const nic of listNicsBelow(ctx, from)) {
    const { id: _id, mac: _mac, vm: _vm, template: _template, ...rest } = nic;
    const address = vm ? { mac: { address: allocateMac(ctx, vm, 'add') } } : {};
    ctx.tx.insert('nic', `${to}/nics`, { ...rest, ...address, ...belongs, id: ctx.site.newId() });
  }
  for (const [kind, noun] of plain) {
    for (const device of ctx.tx.list(kind, { where: { collection: `${from}/${noun}` } })) {
      const { vm: _vm, template: _template, ...rest }: StoredObject = device;
      const id = kind === 'graphics_console' ? rest['id'] : ctx.site.newId();
      const copy: StoredObject = { ...rest, ...belongs, id };
      ctx.tx.insert(kind, `${to}/${noun}`, copy);
      if (kind === 'virtual_numa_node' && vm) recordNodes(ctx, ctx.tx.get('vm', owner.id), true);
    }
  }
}

function listNicsBelow(ctx: RuleContext, from: string) {
  const where = { collection: `${from}/nics` };
  return from.includes('/snapshots/')
    ? ctx.tx.list('snapshot_nic', { where })
    : ctx.tx.list('nic', { where });
}

type Cdrom = Resource<'cdrom'>;
type Node = Resource<'virtual_numa_node'>;

const consoleOpen = new Set(['up', 'powering_up', 'paused']);

export const cdromBehavior = defineBehavior('cdrom', {
  beforeCreate(ctx) {
    ctx.refuse('CDROM_EXISTS', { action: 'add' });
  },

  beforeUpdate(ctx, before, after, ref, sent) {
    const vm = findOwnerVm(ctx, ref);
    const file = sent['file'];
    if (file !== undefined) insert(ctx, after, file, vm);
    if (!vm) return;
    if (!ctx.parameters.flag('current')) {
      if (isReal(ctx, vm)) keepCurrentDisc(ctx, vm, before);
      ctx.event('VM_UPDATED', describeVmSubjects(ctx, vm));
      return;
    }
    if (!consoleOpen.has(vm.status ?? '')) {
      ctx.refuse('VM_STATUS_ILLEGAL', { action: 'change the disc of', status: vm.status });
    }
    // The disc of this run is stored separately from the configuration.
    const collection = formatCurrentDrives(vm);
    const current: Cdrom = { ...after, id: before.id ?? '' };
    const former = ctx.tx.get('current_cdrom', before.id ?? '', collection);
    if (former) {
      ctx.tx.update('current_cdrom', current, collection);
    } else ctx.tx.insert('current_cdrom', collection, current);
    replaceMembers(after, before);
    const disc = current.file?.name ?? current.file?.id;
    const done =
      disc === undefined
        ? ({ name: 'VM_DISC_EJECTED', words: {} } as const)
        : ({ name: 'VM_DISC_CHANGED', words: { DiskName: disc } } as const);
    const drive = { before: former ?? before, after: current, collection };
    if (changeRealDisc(ctx, vm, drive, done)) return;
    if (disc === undefined) ctx.event('VM_DISC_EJECTED', describeVmSubjects(ctx, vm));
    else ctx.event('VM_DISC_CHANGED', describeVmSubjects(ctx, vm), { DiskName: disc });
  },

  present(ctx, cdrom) {
    const id = cdrom.vm?.id;
    if (!id || !ctx.parameters.flag('current')) return {};
    const current = ctx.tx.get('current_cdrom', cdrom.id ?? '', formatCurrentDrives({ id }));
    return current ? { file: current.file } : {};
  },
});

/** Stores the disc of a running VM, before the configuration gets another one. */
function keepCurrentDisc(ctx: RuleContext, vm: Vm, drive: Cdrom): void {
  const collection = formatCurrentDrives(vm);
  if (ctx.tx.get('current_cdrom', drive.id ?? '', collection)) return;
  ctx.tx.insert('current_cdrom', collection, drive);
}

/** Inserts a disc for one run. The configuration is unchanged. */
export function insertForRun(ctx: RuleContext, vm: Vm, file: NonNullable<Cdrom['file']>): void {
  const drive = { id: cdromId, vm: { id: vm.id ?? '' } };
  insert(ctx, drive, file, vm);
  ctx.tx.removeBelow('current_cdrom', `/vms/${vm.id}`);
  ctx.tx.insert('current_cdrom', formatCurrentDrives(vm), drive);
}

/** Inserts a disc, or ejects it if the id is empty. */
function insert(
  ctx: RuleContext,
  cdrom: Cdrom,
  file: NonNullable<Cdrom['file']>,
  vm: Vm | undefined,
): void {
  const id = file.id || file.name;
  if (!id) {
    delete cdrom.file;
    return;
  }
  const disk = ctx.tx.get('disk', id);
  if (!disk && !/\.iso$/i.test(id)) ctx.refuse('CDROM_FILE_INVALID', { action: 'edit', file: id });
  if (!disk) requireInLibrary(ctx, vm, id);
  const isNamed = disk?.alias && !ctx.site.dialect.engineAnswers;
  cdrom.file = { id, ...(isNamed ? { name: disk.alias } : {}) };
}

/** Requires that an active ISO domain of the data center contains the disc. */
function requireInLibrary(ctx: RuleContext, vm: Vm | undefined, file: string): void {
  const home = findClusterDataCenter(ctx, vm?.cluster?.id)?.id;
  const collection = `/datacenters/${home}/storagedomains`;
  const libraries = ctx.tx
    .list('attached_storage_domain', {
      where: { status: 'active', ...(home ? { collection } : {}) },
    })
    .filter(({ id }) => ctx.tx.get('storage_domain', id ?? '')?.type === 'iso');
  if (libraries.length === 0) ctx.refuse('CDROM_WITHOUT_LIBRARY', { action: 'edit' });
  const isThere = libraries.some(({ id }) =>
    ctx.tx.get('file', file, `/storagedomains/${id}/files`),
  );
  if (!isThere) ctx.refuse('CDROM_FILE_INVALID', { action: 'edit', file });
}

/** Changes of a device are updates of its owner. */
export const deviceEvents = {
  add: { vm: 'VM_UPDATED', template: 'TEMPLATE_UPDATED', instance_type: 'TEMPLATE_UPDATED' },
  update: { vm: 'VM_UPDATED', template: 'TEMPLATE_UPDATED', instance_type: 'TEMPLATE_UPDATED' },
  remove: { vm: 'VM_UPDATED', template: 'TEMPLATE_UPDATED', instance_type: 'TEMPLATE_UPDATED' },
} as const;

export const watchdogBehavior = defineBehavior('watchdog', {
  events: deviceEvents,

  beforeCreate(ctx, watchdog, ref) {
    if (ctx.tx.count('watchdog', { where: { collection: ref.collection } }) > 0) {
      ctx.refuse('WATCHDOG_EXISTS', { action: 'add' });
    }
    checkModel(ctx, watchdog, ref, 'add');
  },

  beforeUpdate(ctx, _before, after, ref) {
    checkModel(ctx, after, ref, 'edit');
  },

  beforeDelete(ctx, { ref }) {
    requireDown(ctx, findOwnerVm(ctx, ref), 'remove the watchdog of');
  },
});

/** Each architecture has a different model. */
function checkModel(
  ctx: RuleContext,
  watchdog: Resource<'watchdog'>,
  ref: CollectionRef,
  action: string,
): void {
  const vm = findOwnerVm(ctx, ref);
  const mainframe = vm?.cpu?.architecture === 's390x';
  if (vm && (watchdog.model === 'diag288') !== mainframe) {
    ctx.refuse('WATCHDOG_MODEL_UNSUPPORTED', { action, model: watchdog.model });
  }
}

function requireDown(ctx: RuleContext, vm: Vm | undefined, action: string): void {
  if (vm && isRunning(vm)) ctx.refuse('VM_IS_NOT_DOWN', { action, status: vm.status });
}

export const numaNodeBehavior = defineBehavior('virtual_numa_node', {
  events: { add: 'NUMA_NODE_ADDED', update: 'NUMA_NODE_UPDATED', remove: 'NUMA_NODE_REMOVED' },
  beforeCreate: (ctx, node, ref) => checkNodes(ctx, node, ref, 'add'),
  afterCreate: (ctx, { ref }) => recordNodes(ctx, findOwnerVm(ctx, ref), true),
  beforeUpdate: (ctx, _before, after, ref) => checkNodes(ctx, after, ref, 'edit'),

  beforeDelete(ctx, { object, ref }) {
    const nodes = ctx.tx.list('virtual_numa_node', { where: { collection: ref.collection } });
    const last = Math.max(...nodes.map(({ index }) => index ?? 0));
    if ((object.index ?? 0) < last) ctx.refuse('NUMA_INDEX_GAP', { action: 'remove' });
    recordNodes(ctx, findOwnerVm(ctx, ref), nodes.length > 1);
  },
});

/** Records whether a VM has NUMA nodes. */
function recordNodes(ctx: RuleContext, vm: Vm | undefined, has_numa_nodes: boolean): void {
  if (vm) ctx.tx.update('vm', { ...vm, has_numa_nodes });
}

function checkNodes(ctx: RuleContext, node: Node, ref: CollectionRef, action: string): void {
  const vm = findOwnerVm(ctx, ref) ?? {};
  requireDown(ctx, vm, 'change the NUMA nodes of');
  const others = ctx.tx
    .list('virtual_numa_node', { where: { collection: ref.collection } })
    .filter(({ id }) => id !== node.id);
  const index = node.index ?? 0;
  if (others.some((other) => other.index === index)) {
    ctx.refuse('NUMA_INDEX_TAKEN', { action, index });
  }
  if (index > others.length) ctx.refuse('NUMA_INDEX_GAP', { action });
  if (others.length + 1 > countVmProcessors(vm)) {
    ctx.refuse('NUMA_MORE_NODES_THAN_CPUS', { action, processors: countVmProcessors(vm) });
  }
  const sum = [...others, node].reduce((total, { memory }) => total + Number(memory ?? 0), 0);
  if (sum * mebibyte > Number(vm.memory ?? 0)) ctx.refuse('NUMA_MEMORY_TOO_BIG', { action });
  const pinned = (node.numa_node_pins ?? []).length > 0;
  if (pinned && (vm.placement_policy?.hosts ?? []).length === 0) {
    ctx.refuse('NUMA_PINNED_WITHOUT_HOST', { action });
  }
}

export const mediatedDeviceBehavior = defineBehavior('vm_mediated_device', {
  events: deviceEvents,
  beforeCreate: (ctx, _device, ref) => requireDown(ctx, findOwnerVm(ctx, ref), 'add a device to'),
  beforeDelete: (ctx, { ref }) => requireDown(ctx, findOwnerVm(ctx, ref), 'remove a device of'),
});
