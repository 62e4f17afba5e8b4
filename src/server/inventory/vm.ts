/** Common functions of VMs: parts, event subjects, state of the current run. */

import type { Resource } from '../../model/resource.ts';
import type { CollectionRef } from '../core/collection-ref.ts';
import type { RuleContext } from '../core/context.ts';
import { pickMembers } from '../core/member-selection.ts';
import type { TransitionOf } from '../core/transition-handlers.ts';
import { beginTransition } from '../core/transitions.ts';
import type { StoredObject } from '../store/kinds.ts';
import type { RunState } from '../store/stored-members.ts';
import type { ObjectOf } from '../store/transaction.ts';
import { getAttachedSnapshot } from './snapshot-attachment.ts';

/** Name of the stored member with the state of the run. */
export const runStateMember = 'run_state';

/** The state of the run; empty if none is recorded. */
export function getRunState(vm: Vm): RunState {
  return vm.run_state ?? {};
}

/** The VM with a changed state of its run. */
export function withRunState(vm: Vm, change: RunState): Vm {
  return { ...vm, run_state: { ...getRunState(vm), ...change } };
}

/** Records a change of the run state of a VM. */
export function recordRunState(ctx: RuleContext, vm: Vm, change: RunState): void {
  ctx.tx.update('vm', withRunState(vm, change));
}

export type Vm = ObjectOf<'vm'>;

/** Id of the template without disks, from which VMs without another template are created. */
export const blankTemplate = '00000000-0000-0000-0000-000000000000';

/** Collection of the drives of a run: discs in it need not remain after the run. */
export function formatCurrentDrives(vm: Vm): string {
  return `/vms/${vm.id}/currentcdroms`;
}

export const mebibyte = 2 ** 20;

const offStates = new Set(['down', 'suspended', 'image_locked', 'unassigned']);

/** Whether a VM uses resources of a host: it has one, and is not off. */
export function isRunning(vm: Vm): boolean {
  return !offStates.has(vm.status ?? 'down');
}

/** Name of the stored member with the running seconds before the current run. */
export const formerUptime = 'former_uptime';

/** Seconds of the current run; 0 while it is off. */
export function computeRunningSeconds(ctx: RuleContext, vm: Vm): number {
  const { start_time: start } = vm;
  return start && isRunning(vm) ? Math.max(0, (ctx.now.getTime() - Date.parse(start)) / 1_000) : 0;
}

/** Total running seconds of a VM in all its runs. */
export function computeUptime(ctx: RuleContext, vm: Vm): number {
  return (vm.former_uptime ?? 0) + computeRunningSeconds(ctx, vm);
}

/** Attachments of the disks of a VM. */
export function listDiskAttachments(ctx: RuleContext, vm: Vm): Resource<'disk_attachment'>[] {
  return ctx.tx.list('disk_attachment', { where: { collection: `/vms/${vm.id}/diskattachments` } });
}

/** Disks attached to a VM. */
export function listDisks(ctx: RuleContext, vm: Vm): Resource<'disk'>[] {
  return listDiskAttachments(ctx, vm).flatMap((attachment) => {
    if (getAttachedSnapshot(attachment)) return [];
    const disk = attachment.id ? ctx.tx.get('disk', attachment.id) : undefined;
    return disk ? [disk] : [];
  });
}

/** NICs of a VM. */
export function listNics(ctx: RuleContext, vm: Vm): Resource<'nic'>[] {
  return ctx.tx.list('nic', { where: { collection: `/vms/${vm.id}/nics` } });
}

/** Snapshots of a VM, oldest first. */
export function listSnapshots(ctx: RuleContext, vm: Vm): ObjectOf<'snapshot'>[] {
  return ctx.tx.list('snapshot', { where: { collection: `/vms/${vm.id}/snapshots` } });
}

/** The data center of a cluster. */
export function findClusterDataCenter(
  ctx: RuleContext,
  clusterId: string | undefined,
): Resource<'data_center'> | undefined {
  const cluster = clusterId ? ctx.tx.get('cluster', clusterId) : undefined;
  return cluster?.data_center?.id ? ctx.tx.get('data_center', cluster.data_center.id) : undefined;
}

/** Names of objects, separated by commas. */
export function joinNames(objects: readonly { name?: string; id?: string }[]): string {
  return objects.map((object) => object.name ?? object.id ?? '').join(', ');
}

/** Subjects of an event about a VM. */
export function describeVmSubjects(
  ctx: RuleContext,
  vm: Vm,
): Record<string, { id?: string; name?: string }> {
  const cluster = vm.cluster?.id ? ctx.tx.get('cluster', vm.cluster.id) : undefined;
  const host = vm.host?.id ? ctx.tx.get('host', vm.host.id) : undefined;
  const dataCenter = findClusterDataCenter(ctx, cluster?.id);
  return {
    vm,
    ...(host ? { host } : {}),
    ...(cluster ? { cluster } : {}),
    ...(dataCenter ? { data_center: dataCenter } : {}),
  };
}

/** Host name of a VM for message parameters. */
export function getHostName(ctx: RuleContext, vm: Vm): string {
  return (vm.host?.id && ctx.tx.get('host', vm.host.id)?.name) || '<none>';
}

/** Starts a transition of a VM, in its given form. */
export function moveVm(
  ctx: RuleContext,
  vm: Vm,
  operation: TransitionOf<'vm'>,
  data?: StoredObject,
): Vm | undefined {
  return beginTransition(ctx, { kind: 'vm', collection: '/vms', operation, data }, vm);
}

/** The object without some of its members. */
export function omitMembers<T extends StoredObject>(
  object: T,
  names: readonly string[],
): Partial<T> {
  return pickMembers(object, (name) => !names.includes(name));
}

/** A VM that could not be started: without its host and the settings of the run. */
export function resetFailedStart(vm: Vm, status: 'down' | 'suspended'): Vm {
  const { host: _host, run_once: _once, ...rest } = omitMembers(vm, [runStateMember]);
  return { ...rest, status };
}

/** The VM that owns a collection; undefined for a template or an instance type. */
export function findOwnerVm(ctx: RuleContext, ref: CollectionRef): Vm | undefined {
  return ref.owner?.kind === 'vm' ? ctx.tx.get('vm', ref.owner.id) : undefined;
}

/** The same, for collections that only VMs have. */
export function requireVm(ctx: RuleContext, ref: CollectionRef): Vm {
  const vm = findOwnerVm(ctx, ref);
  if (!vm) throw new Error(`${ref.collection} has no VM.`);
  return vm;
}
