/** Common functions of virtual machines: parts, event subjects, state of the present run. */

import type { Resource } from '../../model/resource.ts';
import type { CollectionRef } from '../core/collection-ref.ts';
import type { RuleContext } from '../core/context.ts';
import { membersWhere } from '../core/member-selection.ts';
import type { TransitionOf } from '../core/transition-handlers.ts';
import { begin } from '../core/transitions.ts';
import type { StoredObject } from '../store/kinds.ts';
import type { RunState } from '../store/stored-members.ts';
import type { ObjectOf } from '../store/transaction.ts';
import { snapshotOf } from './snapshot-attachment.ts';

/** Name of the member of a stored machine that holds it. */
export const runStateMember = 'run_state';

/** The state of the run; empty where nothing was noted of it. */
export function runStateOf(vm: Vm): RunState {
  return vm.run_state ?? {};
}

/** The machine with something noted of its run. */
export function withRunState(vm: Vm, change: RunState): Vm {
  return { ...vm, run_state: { ...runStateOf(vm), ...change } };
}

/** Notes something of the run of a machine. */
export function noteRunState(ctx: RuleContext, vm: Vm, change: RunState): void {
  ctx.tx.update('vm', withRunState(vm, change));
}

export type Vm = ObjectOf<'vm'>;

/** Id of the template without disks, which every machine has that is made of nothing. */
export const blankTemplate = '00000000-0000-0000-0000-000000000000';

/** Every virtual machine has exactly one drive, always with this id. */
export const cdromId = blankTemplate;

/** Path below which the drives of a run are kept: what is in one then need not stay. */
export function currentDrives(vm: Vm): string {
  return `/vms/${vm.id}/currentcdroms`;
}

export const mebibyte = 2 ** 20;

const offStates = new Set(['down', 'suspended', 'image_locked', 'unassigned']);

/** Whether a virtual machine takes part of a host: it has one, and is not off. */
export function isRunning(vm: Vm): boolean {
  return !offStates.has(vm.status ?? 'down');
}

/** Where a machine keeps how many seconds it ran before its present run. */
export const formerUptime = 'former_uptime';

/** Seconds of the present run; 0 while it is off. */
export function runningSeconds(ctx: RuleContext, vm: Vm): number {
  const { start_time: start } = vm;
  return start && isRunning(vm) ? Math.max(0, (ctx.now.getTime() - Date.parse(start)) / 1_000) : 0;
}

/** Seconds that a machine has run, in all its runs together. */
export function uptimeOf(ctx: RuleContext, vm: Vm): number {
  return (vm.former_uptime ?? 0) + runningSeconds(ctx, vm);
}

/** Attachments of the disks of a virtual machine. */
export function attachmentsOf(ctx: RuleContext, vm: Vm): Resource<'disk_attachment'>[] {
  return ctx.tx.list('disk_attachment', { where: { collection: `/vms/${vm.id}/diskattachments` } });
}

/** Disks attached to a virtual machine. */
export function disksOf(ctx: RuleContext, vm: Vm): Resource<'disk'>[] {
  return attachmentsOf(ctx, vm).flatMap((attachment) => {
    if (snapshotOf(attachment)) return [];
    const disk = attachment.id ? ctx.tx.get('disk', attachment.id) : undefined;
    return disk ? [disk] : [];
  });
}

/** Network interfaces of a virtual machine. */
export function nicsOf(ctx: RuleContext, vm: Vm): Resource<'nic'>[] {
  return ctx.tx.list('nic', { where: { collection: `/vms/${vm.id}/nics` } });
}

/** Snapshots of a virtual machine, the oldest first. */
export function snapshotsOf(ctx: RuleContext, vm: Vm): Resource<'snapshot'>[] {
  return ctx.tx.list('snapshot', { where: { collection: `/vms/${vm.id}/snapshots` } });
}

/** The data center of a cluster. */
export function dataCenterOfCluster(
  ctx: RuleContext,
  clusterId: string | undefined,
): Resource<'data_center'> | undefined {
  const cluster = clusterId ? ctx.tx.get('cluster', clusterId) : undefined;
  return cluster?.data_center?.id ? ctx.tx.get('data_center', cluster.data_center.id) : undefined;
}

/** Names of objects, as sentences list them. */
export function namesOf(objects: readonly { name?: string; id?: string }[]): string {
  return objects.map((object) => object.name ?? object.id ?? '').join(', ');
}

/** Objects that an event about a virtual machine refers to. */
export function subjects(ctx: RuleContext, vm: Vm): Record<string, { id?: string; name?: string }> {
  const cluster = vm.cluster?.id ? ctx.tx.get('cluster', vm.cluster.id) : undefined;
  const host = vm.host?.id ? ctx.tx.get('host', vm.host.id) : undefined;
  const dataCenter = dataCenterOfCluster(ctx, cluster?.id);
  return {
    vm,
    ...(host ? { host } : {}),
    ...(cluster ? { cluster } : {}),
    ...(dataCenter ? { data_center: dataCenter } : {}),
  };
}

/** Name of the host that a virtual machine runs on, for the words of events. */
export function hostName(ctx: RuleContext, vm: Vm): string {
  return (vm.host?.id && ctx.tx.get('host', vm.host.id)?.name) || '<none>';
}

/** Begins a move of a virtual machine, in the form in which it is given. */
export function moveVm(
  ctx: RuleContext,
  vm: Vm,
  operation: TransitionOf<'vm'>,
  data?: StoredObject,
): Vm | undefined {
  return begin(ctx, { kind: 'vm', collection: '/vms', operation, data }, vm);
}

/** The object without some of its members. */
export function without<T extends StoredObject>(object: T, names: readonly string[]): Partial<T> {
  return membersWhere(object, (name) => !names.includes(name));
}

/** A VM that could not be started: without its host and the settings of the run. */
export function notStarted(vm: Vm, status: 'down' | 'suspended'): Vm {
  const { host: _host, run_once: _once, ...rest } = without(vm, [runStateMember]);
  return { ...rest, status };
}

/** The machine that a collection belongs to; nothing where that is a template or an instance type. */
export function vmOf(ctx: RuleContext, ref: CollectionRef): Vm | undefined {
  return ref.owner?.kind === 'vm' ? ctx.tx.get('vm', ref.owner.id) : undefined;
}

/** The same, where nothing else has such a collection. */
export function requireVm(ctx: RuleContext, ref: CollectionRef): Vm {
  const vm = vmOf(ctx, ref);
  if (!vm) throw new Error(`${ref.collection} has no VM.`);
  return vm;
}
