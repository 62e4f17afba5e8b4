/** Refusal of operations that the hypervisor of the site does not support. */
import type { Operation } from '../../model/index.ts';
import { getActionLabel } from '../core/action-label.ts';
import type { CollectionRef } from '../core/collection-ref.ts';
import type { RuleContext } from '../core/context.ts';
import { getTypeLabel } from '../core/fault.ts';
import type { UnsupportedOperations } from '../core/hypervisor.ts';
import { listDiskVms } from '../inventory/disk.ts';
import { isRunning, type Vm } from '../inventory/vm.ts';
import { getValueAt, type StoredObject } from '../store/kinds.ts';
import { type ApiRequest, createParameters } from './request.ts';
import { isForbiddenWhileSuspended } from './suspended-vms.ts';

/** A call, without the members that this check does not need. */
interface CheckedCall {
  readonly operation: Operation;
  readonly body: object;
  readonly request: ApiRequest;
}

/** Refuses an operation on a running VM, or on its parts, that the hypervisor does not support. */
export function requireSupported(
  ctx: RuleContext,
  call: CheckedCall,
  ref: CollectionRef,
  object: StoredObject = {},
): void {
  const { hypervisor } = ctx.site;
  if (hypervisor) refuseSuspended(ctx, call, ref, object);
  const found = hypervisor?.unsupported.find((one) => matches(one, call));
  if (!hypervisor || !found) return;
  const { name, type } = call.operation;
  if (!listVms(ctx, ref, object).some(isRunning)) return;
  ctx.refuse('NOT_SUPPORTED_BY_HYPERVISOR', {
    action: getActionLabel(name),
    type: getTypeLabel(type),
    hypervisor: hypervisor.name,
    condition: ' while the VM runs; stop it first',
  });
}

/** Refuses a change of a VM whose memory is saved. */
function refuseSuspended(
  ctx: RuleContext,
  { operation }: CheckedCall,
  ref: CollectionRef,
  object: StoredObject,
): void {
  if (!isForbiddenWhileSuspended(operation)) return;
  if (!listVms(ctx, ref, object).some(({ status }) => status === 'suspended')) return;
  ctx.refuse('NOT_SUPPORTED_BY_HYPERVISOR', {
    action: getActionLabel(operation.name),
    type: getTypeLabel(operation.type),
    hypervisor: ctx.site.hypervisor?.name ?? '',
    condition: ' while the VM is suspended; start or stop it first',
  });
}

function matches(
  { type, operations, sent, parameter }: UnsupportedOperations,
  { operation, body, request }: CheckedCall,
): boolean {
  if (type !== operation.type || !operations.includes(operation.name)) return false;
  if (parameter !== undefined && !createParameters(request).flag(parameter)) return false;
  return sent === undefined || sent.some((path) => getValueAt(body, path.split('.')) !== undefined);
}

/** VMs that the operation concerns: the object, its owner, or the VMs of a disk. */
function listVms(ctx: RuleContext, { kind, owner }: CollectionRef, object: StoredObject): Vm[] {
  const id = String(object['id'] ?? '');
  if (kind === 'vm') return [object];
  if (kind === 'disk') return listDiskVms(ctx, { id }).map(({ vm }) => vm);
  const vm = owner?.kind === 'vm' ? ctx.tx.get('vm', owner.id) : undefined;
  return vm ? [vm] : [];
}
