/** Runs that leave nothing behind: a snapshot before, put back afterwards. */
import type { Resource } from '../../../model/resource.ts';
import type { RuleContext } from '../../core/context.ts';
import type { ImageCopy } from '../../core/transition-handlers.ts';
import { moveVm, snapshotsOf, subjects, type Vm } from '../vm/vm.ts';
import { eraseSnapshot, imagesOf, keep, settleDisk, settleImages } from './images.ts';

type Snapshot = Resource<'snapshot'>;

/** The snapshot that a stateless run goes back to. */
export function statelessSnapshot(ctx: RuleContext, vm: Vm): Snapshot | undefined {
  return snapshotsOf(ctx, vm).find((one) => one.snapshot_type === 'stateless');
}

/** Keeps the disks as they are, then starts. */
export function beginStatelessRun(ctx: RuleContext, vm: Vm, operation: string): void {
  ctx.event('VM_RUN_INITIATED', subjects(ctx, vm));
  const snapshot: Snapshot = {
    id: ctx.site.newId(),
    description: 'Stateless snapshot',
    date: ctx.timestamp,
    snapshot_type: 'stateless',
    snapshot_status: 'locked',
    persist_memorystate: false,
    vm: { id: vm.id ?? '' },
  };
  ctx.tx.insert('snapshot', `/vms/${vm.id}/snapshots`, snapshot);
  const copies = keep(ctx, vm, snapshot);
  const { host, ...waiting } = vm;
  moveVm(ctx, waiting, 'keep_state', { copies, host, operation });
}

/** The disks are kept: the machine starts on the host that was chosen for it. */
export function stateKept(ctx: RuleContext, vm: Vm, host: string, operation: string): Vm {
  const snapshot = statelessSnapshot(ctx, vm);
  if (snapshot) {
    settleImages(ctx, snapshot);
    ctx.tx.update('snapshot', { ...snapshot, snapshot_status: 'ok' });
  }
  return moveVm(ctx, { ...vm, host: { id: host } }, operation) ?? vm;
}

/** After a stateless run: the machine is locked while its disks become what they were. */
export function dropState(ctx: RuleContext, vm: Vm): Vm {
  const snapshot = statelessSnapshot(ctx, vm);
  if (!snapshot) return vm;
  return moveVm(ctx, vm, 'drop_state', { copies: copiesBack(ctx, snapshot) }) ?? vm;
}

/** What is copied to make the disks of a machine what a snapshot has. */
export function copiesBack(
  ctx: RuleContext,
  snapshot: Snapshot,
  only?: ReadonlySet<string>,
): ImageCopy[] {
  return imagesOf(ctx, snapshot.id ?? '').flatMap((image) => {
    const id = image.disk?.id ?? '';
    const disk = ctx.tx.get('disk', id);
    if (!disk || (only && !only.has(id))) return [];
    ctx.tx.update('disk', {
      ...disk,
      status: 'locked',
      provisioned_size: image.provisioned_size ?? 0,
    });
    return [{ from: image.id ?? '', to: id }];
  });
}

/** The disks are what they were. */
export function stateDropped(ctx: RuleContext, vm: Vm): Vm {
  const snapshot = statelessSnapshot(ctx, vm);
  if (!snapshot) return vm;
  for (const image of imagesOf(ctx, snapshot.id ?? '')) settleDisk(ctx, image.disk?.id ?? '');
  eraseSnapshot(ctx, snapshot);
  return vm;
}
