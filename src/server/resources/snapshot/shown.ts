/** What a snapshot shows of its machine. */
import type { Resource } from '../../../model/resource.ts';
import type { RuleContext } from '../../core/context.ts';
import type { StoredObject } from '../../store/document.ts';
import { ovfOfSnapshot } from '../vm/ovf-configuration.ts';
import { shownComputed } from '../vm/shown.ts';
import type { Vm } from '../vm/vm.ts';
import { savedConfiguration } from './images.ts';

type Snapshot = Resource<'snapshot'>;

/**
 * The whole machine as it was saved. The present shows none; where many machines are listed with
 * their snapshots, each snapshot only says whose it is.
 */
export function shownSnapshot(
  ctx: RuleContext,
  snapshot: Snapshot,
  everything: boolean,
  brief: boolean,
): StoredObject {
  if (brief) return {};
  if (snapshot.snapshot_type === 'active') return { vm: undefined };
  const vm = savedVm(ctx, snapshot);
  if (!everything) return { vm, initialization: undefined };
  const data = ovfOfSnapshot(ctx, snapshot, vm);
  return { vm, initialization: { configuration: { type: 'ovf', data } } };
}

/** The machine with the configuration that was saved; what was not saved is as it is now. */
function savedVm(ctx: RuleContext, snapshot: Snapshot): Vm {
  const {
    snapshots: _s,
    disk_attachments: _d,
    ...now
  } = ctx.tx.get('vm', snapshot.vm?.id ?? '') ?? {};
  const saved = savedConfiguration(snapshot);
  const vm: Vm = { ...now, ...saved, initialization: saved.initialization ?? {} };
  return { ...vm, ...shownComputed(vm) };
}
