/** A second machine like one that there is, with copies of its disks. */
import type { ActionBody } from '../../../model/resource.ts';
import type { Addressed } from '../../core/behavior.ts';
import type { RuleContext } from '../../core/context.ts';
import {
  applyDefaults,
  checkName,
  resolveMember,
  resolveReferences,
  settable,
} from '../../core/input.ts';
import { requireState } from '../../core/transitions.ts';
import type { StoredObject } from '../../store/document.ts';
import { sourcesOf } from '../disk/copies.ts';
import { requireFreeDisks, requireSettledSnapshots } from '../snapshot/checks.ts';
import { addActiveSnapshot, configurationOf } from '../snapshot/images.ts';
import { requireDataCenter } from './checks.ts';
import { inherit } from './configuration.ts';
import { addConsole } from './console.ts';
import { copyDevices } from './copied-devices.ts';
import { fill, settleVm } from './create.ts';
import { blankTemplate, cdromId, type Vm } from './vm.ts';

const unclonable = new Set(['saving_state', 'restoring_state', 'unknown', 'not_responding']);

/** Clones a machine under the name that is sent in `vm`. */
export function cloneVm(
  ctx: RuleContext,
  { object: source }: Addressed<'vm'>,
  body: ActionBody,
): undefined {
  const action = 'clone';
  if (source.status === 'image_locked') ctx.refuse('VM_IS_LOCKED', { action });
  if (unclonable.has(source.status ?? '')) {
    ctx.refuse('VM_STATUS_ILLEGAL', { action, status: source.status });
  }
  if (source.stateless && source.status !== 'down') ctx.refuse('VM_IS_STATELESS', { action });
  if (body['discard_snapshots'] === false && source.status !== 'suspended') {
    requireState(ctx, 'vm', source, 'export', { action });
  }
  requireSettledSnapshots(ctx, source, action);
  requireFreeDisks(ctx, source, action);
  requireDataCenter(ctx, source, action);
  const sent = body['vm'] ?? {};
  const vm = newVm(ctx, source, sent);
  copyDevices(ctx, `/vms/${source.id}`, { kind: 'vm', id: vm.id ?? '' }, vm);
  ctx.tx.insert('cdrom', `/vms/${vm.id}/cdroms`, { id: cdromId, vm: { id: vm.id ?? '' } });
  addConsole(ctx, vm);
  addActiveSnapshot(ctx, vm);
  const domain = body['storage_domain'];
  const target = domain ? { id: resolveMember(ctx.tx, 'storage_domain', domain) } : undefined;
  const sources = sourcesOf(ctx, { kind: 'vm', id: source.id ?? '' });
  fill(ctx, vm, sources, { ...sent, ...(target ? { storage_domain: target } : {}) });
  return undefined;
}

function newVm(ctx: RuleContext, source: Vm, sent: StoredObject): Vm {
  const vm = settable('vm', sent, 'C');
  resolveReferences(ctx.tx, 'vm', vm);
  const configuration = configurationOf(source);
  inherit(vm, configuration, Object.keys(configuration));
  vm.id = ctx.site.newId();
  vm.template = { id: blankTemplate };
  settleVm(ctx, vm, sent['memory'] === undefined ? { memory_policy: vm.memory_policy } : sent);
  applyDefaults('vm', vm);
  checkName(ctx.tx, { kind: 'vm', type: 'vm', collection: '/vms' }, vm, 'add');
  ctx.tx.insert('vm', '/vms', vm);
  return vm;
}
