/** Memory of snapshots of VMs of QEMU: its files, and the hardware that can load it. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Processes } from '../../../src/features/qemu/managed-processes.ts';
import { combineHardware } from '../../../src/features/qemu/snapshot-hardware.ts';
import { restoreMemory } from '../../../src/features/qemu/snapshot-memory.ts';
import { MemoryOfSnapshot, removeOldMemories } from '../../../src/features/qemu/stored-memory.ts';
import {
  HypervisorError,
  type RunDisk,
  type RunNic,
  type VmHardware,
} from '../../../src/server/core/hypervisor.ts';

const id = '11111111-2222-3333-4444-555555555555';
const run = 'run';
const disk: RunDisk = {
  id: 'disk',
  size: 2 ** 20,
  format: 'raw',
  qcowVersion: 3,
  interface: 'virtio',
  readOnly: false,
  shareable: false,
};
const nic: RunNic = { id: 'nic', mac: '02:00:00:00:00:01', model: 'virtio', linked: true };
const hardware: VmHardware = {
  ...{ memory: 2 ** 28, sockets: 1, cores: 1, threads: 1, machine: 'q35', firmware: 'bios' },
  ...{ hasBootMenu: false, disks: [disk], nics: [nic], cdrom: {} },
};

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'vmctl-memory-'));
});
afterEach(() => rmSync(root, { recursive: true }));

/** A complete memory with a record of `program`. */
function createMemory(program: string): MemoryOfSnapshot {
  const memory = new MemoryOfSnapshot(root, id);
  mkdirSync(memory.folder, { recursive: true });
  writeFileSync(memory.path, '');
  const record = { hardware, devices: 'digest', program };
  writeFileSync(join(memory.folder, 'hardware.json'), JSON.stringify(record));
  return memory;
}

/** Processes without any; a launch is not expected. */
function createProcesses(): Processes {
  const unexpected = () => {
    throw new Error('unexpected');
  };
  return {
    ...{ root, program: '7.2 tcg', find: async () => undefined, terminate: async () => {} },
    ...{ findIncoming: unexpected, launch: unexpected, launchIncoming: unexpected },
    replace: unexpected,
  };
}

const restore = (present = hardware) =>
  restoreMemory(createProcesses(), 'vm', run, { id, hardware: present, isPaused: false });

describe('the memory of a snapshot', () => {
  it('has a valid id', () => {
    expect(() => new MemoryOfSnapshot(root, '../other')).toThrow(HypervisorError);
  });

  it('exists when it is complete', async () => {
    const memory = new MemoryOfSnapshot(root, id);
    writeFileSync(memory.prepare(), 'data');
    expect(memory.exists).toBe(false);
    await memory.commit();
    expect(memory.exists).toBe(true);
  });

  it('is removed unless a snapshot contains it', () => {
    createMemory('7.2 tcg');
    mkdirSync(join(root, '.snapshots', 'other'));
    removeOldMemories(root, { listMemories: () => new Set([id]) });
    expect(readdirSync(join(root, '.snapshots'))).toEqual([id]);
    removeOldMemories(root, { listMemories: () => new Set() });
    expect(existsSync(join(root, '.snapshots', id))).toBe(false);
  });

  it('is not loaded again after the guest of the same run has continued', async () => {
    const memory = createMemory('7.2 tcg');
    memory.markUsed(run);
    await expect(restore()).resolves.toBeUndefined();
    memory.unmark();
    await expect(restore()).rejects.toThrow('unexpected');
  });

  it('is not loaded if it is missing, of another version, or of other hardware', async () => {
    const advice = 'restore the snapshot without its memory';
    await expect(restore()).rejects.toThrow(`its saved memory is missing; ${advice}`);
    createMemory('8.0 tcg');
    await expect(restore()).rejects.toThrow('QEMU 8.0 tcg saved the memory, and 7.2 tcg is here');
    createMemory('7.2 tcg');
    await expect(restore({ ...hardware, nics: [] })).rejects.toThrow(
      `its NICs must be as in the snapshot; ${advice}`,
    );
  });
});

describe('the hardware of a snapshot', () => {
  const changes: [string, Partial<VmHardware>][] = [
    ['the size of its memory', { memory: 2 ** 29 }],
    ['its processors', { cores: 2 }],
    ['its firmware', { firmware: 'uefi' }],
    ['its disks', { disks: [] }],
    ['its disks', { disks: [{ ...disk, interface: 'sata' }] }],
    ['its NICs', { nics: [{ ...nic, model: 'e1000' }] }],
    ['the disc in its CD drive', { cdrom: { disc: { file: 'a.iso' } } }],
    ['its watchdog', { watchdog: 'reset' }],
    ['its memory balloon', { hasBalloon: true }],
    ['its sound card', { hasSound: true }],
  ];

  it.each(changes)('must be the same: %s', (part, change) => {
    const expected = `${part} must be as in the snapshot`;
    expect(combineHardware(hardware, { ...hardware, ...change })).toBe(expected);
    expect(combineHardware({ ...hardware, ...change }, hardware)).toBe(expected);
  });

  it('may have other settings for the boot, links and sizes of disks', () => {
    const present: VmHardware = {
      ...{ ...hardware, hasBootMenu: true, cdrom: { bootIndex: 1 } },
      disks: [{ ...disk, size: 2 ** 21, bootIndex: 2 }],
      nics: [{ ...nic, linked: false }],
    };
    expect(combineHardware(hardware, present)).toEqual({
      ...hardware,
      ...{ disks: [{ ...disk, size: 2 ** 21 }], nics: [{ ...nic, linked: false }] },
    });
  });
});
