/** Migrations of VMs that a hypervisor runs: their changes, and the VM after a failure. */
import type { RuleContext } from '../../core/context.ts';
import type { PowerChange } from '../../core/hypervisor.ts';
import type {
  TransitionData,
  TransitionHandlers,
  TransitionRun,
} from '../../core/transition-handlers.ts';
import type { Vm } from '../../inventory/vm.ts';

/** Changes of the hypervisor by transition. */
export const migrationChanges: NonNullable<TransitionHandlers<'vm'>['power']> = {
  migrate,
  leave_host: migrate,
  cancel_migration: () => ({ change: 'cancel_migration' }),
};

function migrate(ctx: RuleContext, vm: Vm, { data }: TransitionRun): PowerChange {
  const { migration_downtime: downtime = -1 } = vm;
  return {
    change: 'migrate',
    run: ctx.site.newId(),
    isPaused: wasPaused(data),
    ...(downtime > 0 ? { downtime } : {}),
    throttles: isThrottling(ctx, vm),
  };
}

/** Whether migrations converge by throttling: as in the VM, the cluster, or by default. */
function isThrottling(ctx: RuleContext, vm: Vm): boolean {
  const cluster = ctx.tx.get('cluster', vm.cluster?.id ?? '');
  const choices = [vm, cluster].map((one) => one?.migration?.auto_converge);
  return choices.find((one) => one !== undefined && one !== 'inherit') !== 'false';
}

function wasPaused(data: TransitionData | undefined): boolean {
  return data?.['before'] === 'paused';
}

/** A VM whose migration has failed remains on its host. */
export function failMigration(vm: Vm, data: TransitionData | undefined): Vm {
  return { ...vm, status: wasPaused(data) ? 'paused' : 'up' };
}

/** State after a cancelled migration: only a paused VM has a detail of its state. */
export function findStateAfterCancel({ status_detail: detail }: Vm): 'up' | 'paused' {
  return detail === undefined ? 'up' : 'paused';
}
