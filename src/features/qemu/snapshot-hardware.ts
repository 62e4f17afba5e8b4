/** Comparison of the hardware in a snapshot with that of its VM. */
import type { RunDisk, RunNic, VmHardware } from '../../server/core/hypervisor.ts';

/** Parts of the hardware by their name in messages. A guest with saved memory has them in use. */
const parts: Readonly<Record<string, (hardware: VmHardware) => unknown>> = {
  'the size of its memory': ({ memory }) => memory,
  'its processors': ({ sockets, cores, threads }) => [sockets, cores, threads],
  'its firmware': ({ machine, firmware }) => [machine, firmware],
  'its disks': ({ disks }) => sort(disks.map(describeDisk)),
  'its NICs': ({ nics }) => sort(nics.map(({ id, mac, model }) => [id, mac, model])),
  'the disc in its CD drive': ({ cdrom: { disc } }) => disc && Object.entries(disc),
  'its watchdog': ({ watchdog }) => watchdog,
  'its memory balloon': ({ hasBalloon = false }) => hasBalloon,
  'its sound card': ({ hasSound = false }) => hasSound,
};

function describeDisk({ id, format, interface: bus, readOnly, shareable }: RunDisk): unknown[] {
  return [id, format, bus, readOnly, shareable];
}

function sort(rows: readonly unknown[][]): unknown[][] {
  return rows.toSorted((a, b) => String(a).localeCompare(String(b)));
}

/**
 * The hardware of a process that loads the memory of a snapshot: the recorded one in its order, with
 * the present sizes of disks and links of NICs. A message if the present hardware does not fit.
 */
export function combineHardware(recorded: VmHardware, present: VmHardware): VmHardware | string {
  for (const [part, describe] of Object.entries(parts)) {
    if (JSON.stringify([describe(recorded)]) === JSON.stringify([describe(present)])) continue;
    return `${part} must be as in the snapshot`;
  }
  const find = <T extends RunDisk | RunNic>(list: readonly T[], one: T): T =>
    list.find(({ id }) => id === one.id) ?? one;
  return {
    ...recorded,
    disks: recorded.disks.map((disk) => ({ ...disk, size: find(present.disks, disk).size })),
    nics: recorded.nics.map((nic) => ({ ...nic, linked: find(present.nics, nic).linked })),
  };
}
