/** What a start asks of this one run: how the guest begins, its tools, and how long overrides hold. */
import type { ActionBody } from '../../../model/resource.ts';
import type { RuleContext } from '../../core/context.ts';
import type { StoredObject } from '../../store/document.ts';
import type { RunState } from './run-state.ts';
import { cdromId, currentDrives, type Vm } from './vm.ts';

/** Only one of them can be told to the guest; the last one is whichever suits its system. */
const ways = ['use_cloud_init', 'use_sysprep', 'use_ignition'] as const;

/** Refuses a start that asks for two ways of initialization. */
export function requireOneInitialization(ctx: RuleContext, body: ActionBody): void {
  const asked = ways.filter((one) => body[one] === true);
  if (asked.length > 1) ctx.refuse('VM_TWO_INITIALIZATIONS', { action: 'run' });
}

/** What is noted of a run that begins. `effective` is the machine with the overrides of the run. */
export function runStateAsked(effective: Vm, body: ActionBody): RunState {
  const initializes = body['use_initialization'] === true || ways.some((one) => body[one] === true);
  const hostName = effective.initialization?.host_name;
  const overrides = body['vm'] as StoredObject | undefined;
  return {
    ...(initializes && hostName ? { hostName } : {}),
    ...(overrides ? { overrides, volatile: body['volatile'] === true } : {}),
  };
}

/** Names of discs with the tools for guests that run Windows. */
const toolsDisc = /(virtio-win|guest-tools|tools-?setup).*\.iso$/i;

/** Puts the disc with the guest tools into the drive, for this run only, where that is asked for. */
export function attachTools(ctx: RuleContext, vm: Vm, body: ActionBody): void {
  if (body['attach_wgt'] !== true) return;
  const names = ctx.tx.list('file').map(({ name }) => name ?? '');
  const [newest] = names.filter((name) => toolsDisc.test(name)).sort((a, b) => (a < b ? 1 : -1));
  if (!newest) ctx.refuse('VM_TOOLS_MISSING', { action: 'run' });
  const collection = currentDrives(vm);
  ctx.tx.removeBelow('current_cdrom', `/vms/${vm.id}`);
  ctx.tx.insert('current_cdrom', collection, {
    id: cdromId,
    file: { id: newest },
    vm: { id: vm.id ?? '' },
  });
}
