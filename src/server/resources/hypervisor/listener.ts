/** Reports of a hypervisor: ended processes, pauses, and data of guest agents. */
import { RuleContext } from '../../core/context.ts';
import type {
  GuestReport,
  HypervisorListener,
  RunDevice,
  VmExit,
  WatchdogAction,
} from '../../core/hypervisor.ts';
import { settleJob } from '../../core/jobs.ts';
import type { Site } from '../../core/ports.ts';
import { endTransition } from '../../core/transitions.ts';
import { describeVmSubjects, isRunning, type Vm, withRunState } from '../../inventory/vm.ts';
import type { Store } from '../../store/store.ts';
import { restart } from '../host/non-responsive.ts';
import { failBackups } from '../vm/backup.ts';

/** Parts of a server that the reports need. */
export interface ListenerParts {
  readonly store: Store;
  readonly site: Site;
  readonly report: (error: unknown) => void;
  /** Runs new tasks after a commit. */
  readonly wake: () => void;
}

/** Creates the listener of the hypervisor of a site. */
export function createHypervisorListener(parts: ListenerParts): HypervisorListener {
  const { store, report } = parts;
  const write = <T>(work: (ctx: RuleContext, vm: Vm) => T, id: string, missing: T) =>
    writeVm(parts, id, work, missing);
  return {
    listRunning: () =>
      store.read((tx) =>
        tx
          .list('vm')
          .filter(isRunning)
          .flatMap(({ id }) => id ?? []),
      ),
    listStates: () => {
      const list = store.read((tx) => tx.list('vm'));
      return new Map(list.map(({ id = '', status = 'down' }) => [id, status]));
    },
    listMemories: () =>
      store.read((tx) => new Set(tx.list('snapshot').flatMap((one) => one.saved_memory ?? []))),
    exited: (id, exit) => write((ctx, vm) => recordExit(ctx, vm, exit), id, true),
    reported: (id, found) => write((ctx, vm) => recordReport(ctx, vm, found), id, undefined),
    paused: (id, detail) => write((ctx, vm) => recordPause(ctx, vm, detail), id, undefined),
    unplugged: (id, device) => write((ctx, vm) => recordUnplugged(ctx, vm, device), id, undefined),
    watchdogActed: (id, action) =>
      write((ctx, vm) => recordWatchdog(ctx, vm, action), id, undefined),
    report,
  };
}

/** Changes a VM in one transaction. Returns `missing` if it does not exist. */
async function writeVm<T>(
  { store, site, wake }: ListenerParts,
  id: string,
  work: (ctx: RuleContext, vm: Vm) => T,
  missing: T,
): Promise<T> {
  const { ctx, result } = await store.write((tx) => {
    const context = RuleContext.system(tx, site);
    const vm = tx.get('vm', id);
    return { ctx: context, result: vm ? work(context, vm) : missing };
  });
  wake();
  for (const effect of ctx.afterCommit) await effect();
  return result;
}

/** Records the end of the process of a VM; false if a pending change decides about the VM. */
function recordExit(ctx: RuleContext, vm: Vm, { cause, message }: VmExit): boolean {
  if (!isRunning(vm)) return true;
  const id = vm.id ?? '';
  const isStopping = vm.status === 'powering_down';
  if (!isStopping && ctx.tx.tasks.findDue(`vm:/vms/${id}`) !== undefined) return false;
  failBackups(ctx, vm);
  const operation = isStopping || cause === 'guest' ? 'shutdown' : 'crash';
  const words = isStopping ? {} : { ExitMessage: message };
  endTransition(ctx, { kind: 'vm', collection: '/vms', id, operation, data: { words } }, vm);
  settleJob(ctx);
  const down = ctx.tx.get('vm', id);
  if (cause === 'crash' && !isStopping && down?.high_availability?.enabled) restart(ctx, down);
  return true;
}

function recordReport(ctx: RuleContext, vm: Vm, { devices, ...members }: GuestReport): void {
  if (vm.status === 'up') ctx.tx.update('vm', { ...withRunState(vm, { devices }), ...members });
}

function recordPause(ctx: RuleContext, vm: Vm, detail: 'enospc' | 'eio'): void {
  if (vm.status !== 'up') return;
  ctx.tx.update('vm', { ...vm, status: 'paused', status_detail: detail });
  const event = detail === 'enospc' ? 'VM_PAUSED_ENOSPC' : 'VM_PAUSED_EIO';
  ctx.event(event, describeVmSubjects(ctx, vm));
}

/** Records a NIC or disk that the guest has released although its change has failed before. */
function recordUnplugged(ctx: RuleContext, vm: Vm, { kind, id }: RunDevice): void {
  if (!isRunning(vm)) return;
  if (kind === 'nic') {
    const collection = `/vms/${vm.id}/nics`;
    const nic = ctx.tx.get('nic', id, collection);
    if (!nic || nic.plugged === false) return;
    ctx.tx.update('nic', { ...nic, plugged: false }, collection);
    ctx.event('NIC_UNPLUGGED', describeVmSubjects(ctx, vm), { NicName: nic.name });
    return;
  }
  const collection = `/vms/${vm.id}/diskattachments`;
  const attachment = ctx.tx.get('disk_attachment', id, collection);
  if (!attachment?.active) return;
  ctx.tx.update('disk_attachment', { ...attachment, active: false }, collection);
  const { alias } = ctx.tx.get('disk', id) ?? {};
  ctx.event('DISK_HOT_UNPLUGGED', describeVmSubjects(ctx, vm), { DiskAlias: alias });
}

function recordWatchdog(ctx: RuleContext, vm: Vm, action: WatchdogAction): void {
  ctx.event('WATCHDOG_ACTED', describeVmSubjects(ctx, vm), { Action: action });
  const isPaused = action === 'pause' && vm.status === 'up';
  if (isPaused) ctx.tx.update('vm', { ...vm, status: 'paused', status_detail: 'none' });
}
