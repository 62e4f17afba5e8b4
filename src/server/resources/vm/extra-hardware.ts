/** Hardware of VMs beside disks and NICs: watchdog, memory balloon, sound card, firmware. */
import type { RuleContext } from '../../core/context.ts';
import type { VmHardware, WatchdogAction } from '../../core/hypervisor.ts';
import type { Vm } from '../../inventory/vm.ts';

type Extras = Pick<VmHardware, 'watchdog' | 'hasBalloon' | 'hasSound'>;

const watchdogActions: readonly WatchdogAction[] = ['none', 'reset', 'poweroff', 'pause'];

/** The devices of a VM. `refuse` refuses the start for a device that the hypervisor lacks. */
export function describeExtras(
  ctx: RuleContext,
  vm: Vm,
  refuse: (detail: string) => never,
): Extras {
  if (vm.tpm_enabled) refuse('a TPM');
  const watchdog = findWatchdog(ctx, vm, refuse);
  return {
    ...(watchdog === undefined ? {} : { watchdog }),
    hasBalloon: vm.memory_policy?.ballooning !== false,
    hasSound: vm.soundcard_enabled === true,
  };
}

function findWatchdog(
  ctx: RuleContext,
  vm: Vm,
  refuse: (detail: string) => never,
): WatchdogAction | undefined {
  const [watchdog] = ctx.tx.list('watchdog', { where: { collection: `/vms/${vm.id}/watchdogs` } });
  if (!watchdog) return undefined;
  const { action = 'none' } = watchdog;
  return watchdogActions.find((one) => one === action) ?? refuse(`the watchdog action ${action}`);
}

/** The firmware of a VM. Refuses secure boot if the hypervisor lacks it. */
export function describeFirmware(
  ctx: RuleContext,
  { bios }: Vm,
  refuse: (detail: string) => never,
): VmHardware['firmware'] {
  if (bios?.type === 'q35_secure_boot') {
    return ctx.site.hypervisor?.hasSecureBoot ? 'secure_uefi' : refuse('secure boot');
  }
  return bios?.type === 'q35_ovmf' ? 'uefi' : 'bios';
}
