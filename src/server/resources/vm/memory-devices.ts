/** Memory that is plugged into a running machine and taken out again, device by device. */

import type { RuleContext } from '../../core/context.ts';
import type { StoredObject } from '../../store/document.ts';
import { mebibyte, subjects, type Vm } from './vm.ts';

/** A module that was plugged while the machine ran; it is gone when the machine stops. */
interface MemoryDevice {
  readonly id: string;
  /** Bytes. */
  readonly size: number;
}

/** Where a running machine keeps its devices; clients see their sum alone, in `memory`. */
export const memoryDevices = 'memory_devices';

function devicesOf(vm: Vm): readonly MemoryDevice[] {
  return ((vm as StoredObject)[memoryDevices] as MemoryDevice[] | undefined) ?? [];
}

/** What a change of its memory makes of a running machine. */
export interface MemoryChange {
  readonly devices: readonly MemoryDevice[];
  /** What the machine has until it stops, where not all could be taken out that was asked for. */
  readonly running: Partial<Vm>;
}

/**
 * Plugs the memory that is asked for beyond what there is, or takes out devices until what is asked
 * for is left: the largest first, none that is larger than what shall still go. Each is told with an
 * event. Undefined where the memory stays, or is to change at the next start.
 */
export function changeMemory(ctx: RuleContext, before: Vm, after: Vm): MemoryChange | undefined {
  const [had, wanted] = [Number(before.memory ?? 0), Number(after.memory ?? 0)];
  if (had === wanted || ctx.parameters.flag('next_run') === true) return undefined;
  const devices = devicesOf(before);
  if (wanted > had) {
    return { devices: [...devices, { id: ctx.site.newId(), size: wanted - had }], running: {} };
  }
  const left = new Set(devices);
  let memory = had;
  let guaranteed = Number(before.memory_policy?.guaranteed ?? 0);
  for (const device of [...devices].sort((a, b) => b.size - a.size)) {
    if (memory - device.size < wanted) continue;
    left.delete(device);
    memory -= device.size;
    const lower = Math.min(guaranteed, memory);
    ctx.event('VM_MEMORY_UNPLUGGED', subjects(ctx, before), {
      DeviceId: device.id,
      DeviceSizeMb: device.size / mebibyte,
      OldGuaranteedMb: guaranteed / mebibyte,
      NewGuaranteedMb: lower / mebibyte,
    });
    guaranteed = lower;
  }
  const running =
    memory === wanted ? {} : { memory, memory_policy: { ...before.memory_policy, guaranteed } };
  return { devices: [...left], running };
}
