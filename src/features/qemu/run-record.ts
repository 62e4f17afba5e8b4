/** Hardware of a running process, recorded in its working folder for suspension and migration. */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toRecord } from '../../records.ts';
import { HypervisorError, type VmHardware } from '../../server/core/hypervisor.ts';
import { readJson } from '../../server/store/kinds.ts';
import { isPort } from './device-properties.ts';
import type { Launch } from './launch.ts';
import { listDevices, readBus } from './named-devices.ts';
import type { RunningVm } from './running-vm.ts';

/** Data for another process that continues a run. */
export interface RunRecord {
  readonly hardware: VmHardware;
  /** Digest of the devices and files after the launch. */
  readonly devices: string;
  /** `7.2.22 tcg`: other versions and accelerators may not read the memory. */
  readonly program: string;
  /** Reason why no other process can continue the run. */
  readonly obstacle?: string | undefined;
  /** Whether the guest is not paused, and therefore runs after a transfer of its memory. */
  readonly runs?: boolean;
}

const recordFile = 'hardware.json';

/** Records the hardware of a process that has just been launched. */
export async function recordHardware(
  vm: RunningVm,
  { hardware, firstBoot }: Pick<Launch, 'hardware' | 'firstBoot'>,
  program: string,
): Promise<void> {
  const obstacle = firstBoot && 'the run has a disc with first boot data; restart the VM first';
  const record: RunRecord = { hardware, program, obstacle, devices: await digestDevices(vm) };
  writeRecord(vm.process.folder, record);
}

export function writeRecord(folder: string, record: RunRecord): void {
  writeFileSync(join(folder, recordFile), JSON.stringify(record), { mode: 0o600 });
}

/** The record of a folder; undefined without a valid one. */
export function readRecord(folder: string): RunRecord | undefined {
  try {
    const record = readJson<Partial<RunRecord>>(readFileSync(join(folder, recordFile), 'utf8'));
    const { hardware, devices, program, obstacle, runs = true } = record;
    return hardware && devices !== undefined && program !== undefined
      ? { hardware, devices, program, obstacle, runs }
      : undefined;
  } catch {
    return undefined;
  }
}

/** Records the link of a NIC, which a process that continues the run must have. */
export function recordLink(folder: string, nic: string, linked: boolean): void {
  const record = readRecord(folder);
  if (!record) return;
  const { hardware } = record;
  const nics = hardware.nics.map((one) => (one.id === nic ? { ...one, linked } : one));
  writeRecord(folder, { ...record, hardware: { ...hardware, nics } });
}

/** Reason why no other process can continue a VM; undefined if one can. */
export async function findObstacle(vm: RunningVm): Promise<string | undefined> {
  const record = readRecord(vm.process.folder);
  if (!record) return 'an earlier version of the server started the VM; restart it first';
  if (record.obstacle !== undefined) return record.obstacle;
  const isSame = (await digestDevices(vm)) === record.devices;
  return isSame
    ? undefined
    : 'the devices of the VM have changed since its start; restart it first';
}

/** The record of a running VM. Refuses one whose devices another process cannot have. */
export async function requireRecord(vm: RunningVm): Promise<RunRecord> {
  const obstacle = await findObstacle(vm);
  if (obstacle !== undefined) throw new HypervisorError(obstacle);
  const record = readRecord(vm.process.folder);
  if (!record) throw new HypervisorError('the VM has no record of its hardware');
  return record;
}

/** Digest of the named devices with their buses, of the drives, and of opened files. */
export async function digestDevices(vm: RunningVm): Promise<string> {
  const names = await listDevices(vm);
  const devices: string[][] = [];
  for (const name of names.filter((one) => !isPort(one)).sort()) {
    devices.push([name, await readBus(vm, name)]);
  }
  const drives = await vm.execute('query-block');
  const described = [devices, Array.isArray(drives) ? drives.map(describeDrive) : []];
  return createHash('sha256').update(JSON.stringify(described)).digest('hex');
}

function describeDrive(drive: unknown): unknown[] {
  const { device, qdev, inserted } = toRecord(drive);
  const { file, 'node-name': node } = toRecord(inserted);
  return [device, qdev, file, node];
}
