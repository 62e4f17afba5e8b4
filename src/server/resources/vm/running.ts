/** Members of running VMs: those of a simulated guest, and those that a hypervisor provides. */
import type { RuleContext } from '../../core/context.ts';
import { getRunState, type Vm } from '../../inventory/vm.ts';
import { describeRunDisplay } from './console.ts';

/** Refuses an operation that only simulated VMs support. */
export function requireSimulated(ctx: RuleContext, action: string): void {
  const hypervisor = ctx.site.hypervisor?.name;
  if (!hypervisor) return;
  ctx.refuse('NOT_SUPPORTED_BY_HYPERVISOR', { action, type: 'VM', hypervisor, condition: '' });
}

/** Members of a running VM that the guest reports, and the address of its console. */
export function describeRunning(ctx: RuleContext, vm: Vm): Vm {
  const run = { ...vm, start_time: ctx.timestamp, display: describeRunDisplay(ctx, vm) };
  // A real guest reports through its agent.
  if (ctx.site.hypervisor) return run;
  const reported = getRunState(vm).hostName ?? vm.initialization?.host_name;
  const label = (reported ?? vm.name ?? '').toLowerCase();
  const windows = vm.os?.type?.startsWith('windows') ?? false;
  return {
    ...run,
    fqdn: label.includes('.') ? label : `${label}.example.com`,
    guest_time_zone: { name: windows ? 'GMT Standard Time' : 'UTC', utc_offset: '+00:00' },
    guest_operating_system: guestSystem(vm, windows),
  };
}

function guestSystem(vm: Vm, windows: boolean): NonNullable<Vm['guest_operating_system']> {
  const architecture = vm.cpu?.architecture ?? 'x86_64';
  if (windows) {
    const version = { full_version: '10.0', major: 10, minor: 0 };
    return { architecture, codename: '', family: 'Windows', distribution: '', version };
  }
  return {
    architecture,
    codename: 'Plow',
    family: 'Linux',
    distribution: 'Red Hat Enterprise Linux',
    kernel: { version: { full_version: '5.14.0', major: 5, minor: 14, build: 0, revision: 0 } },
    version: { full_version: '9.4', major: 9, minor: 4 },
  };
}
