/** The QEMU driver with a program in place of QEMU. */
import { copyFileSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { QemuHypervisor } from '../../../src/features/qemu/driver.ts';
import { findProcesses } from '../../../src/features/qemu/processes.ts';
import type {
  HypervisorListener,
  PowerChange,
  VmExit,
  VmHardware,
} from '../../../src/server/core/hypervisor.ts';

const vm = '11111111-2222-4333-8444-555555555555';

let folder: string;
let root: string;
let program: string;
let running: Set<string>;
let exits: (VmExit & { readonly id: string })[];
let pauses: string[];
/** Result of the next reports of exits. */
let isRecorded: boolean;
/** Resolves at the next report. */
let reported: () => void;
const drivers: QemuHypervisor[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'vmctl-driver-'));
  root = join(folder, 'vms');
  program = join(folder, 'qemu-system-x86_64');
  copyFileSync(fileURLToPath(new URL('support/fake-qemu.mjs', import.meta.url)), program);
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  running = new Set([vm]);
  exits = [];
  pauses = [];
  isRecorded = true;
  reported = () => {};
});
afterEach(async () => {
  for (const driver of drivers.splice(0)) await driver.end();
  for (const pid of findProcesses(root).values()) process.kill(pid, 'SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

const listener: HypervisorListener = {
  listRunning: () => [...running],
  listMemories: () => new Set(),
  listStates: () => new Map([...running].map((id) => [id, 'up'])),
  async exited(id, exit) {
    exits.push({ id, ...exit });
    if (isRecorded) running.delete(id);
    reported();
    return isRecorded;
  },
  async reported() {},
  async paused(id, detail) {
    pauses.push(`${id} ${detail}`);
    reported();
  },
  async unplugged() {},
  async watchdogActed(id, action) {
    pauses.push(`${id} ${action}`);
    reported();
  },
  report(error) {
    throw error;
  },
};

function nextReport(): Promise<void> {
  return new Promise((resolve) => {
    reported = resolve;
  });
}

function createDriver(): QemuHypervisor {
  const images = {
    path: (id: string) => join(folder, id),
    toRead: async () => {},
    toWrite: async () => {},
    ensureQcow2: async () => {},
    recordWrites: async () => {},
  };
  const driver = new QemuHypervisor(
    { program, version: '0', accelerator: 'tcg', uefi: undefined },
    { folder: root, isoFolder: join(folder, 'iso'), images },
  );
  drivers.push(driver);
  return driver;
}

/** A driver whose server has no VMs yet. */
async function beginDriver(): Promise<QemuHypervisor> {
  const driver = createDriver();
  const before = running;
  running = new Set();
  await driver.begin(listener);
  running = before;
  return driver;
}

const hardware: VmHardware = {
  memory: 2 ** 28,
  ...{ sockets: 1, cores: 1, threads: 1 },
  ...{ machine: 'q35', firmware: 'bios', hasBootMenu: false },
  ...{ disks: [], nics: [], cdrom: {} },
};

function launch(run = 'run1', members: Partial<VmHardware> = {}): PowerChange {
  return { change: 'launch', run, hardware: { ...hardware, ...members }, isPaused: false };
}

function findPid(): number | undefined {
  return findProcesses(root).get(vm);
}

describe('the driver', () => {
  it('launches a process in a private folder, and stops it', async () => {
    const driver = await beginDriver();
    await driver.change(vm, launch());
    expect(findPid()).toBeDefined();
    await driver.change(vm, { change: 'reset' });
    await driver.change(vm, { change: 'stop' });
    expect(findPid()).toBeUndefined();
    expect(readdirSync(root)).toEqual([]);
    expect(exits).toEqual([]);
  });

  it('launches a run once, and ends the process of another run', async () => {
    const driver = await beginDriver();
    await driver.change(vm, launch());
    const first = findPid();
    await driver.change(vm, launch());
    expect(findPid()).toBe(first);
    await driver.change(vm, launch('run2'));
    expect(findPid()).not.toBe(first);
    expect(existsSync(`/proc/${first}`)).toBe(false);
  });

  it('fails with the reason of QEMU, without paths, and leaves no files', async () => {
    writeFileSync(join(folder, 'behavior'), 'fail');
    const driver = await beginDriver();
    await expect(driver.change(vm, launch())).rejects.toThrow(
      /^-blockdev x: Could not open '\.\.\.': denied$/,
    );
    expect(readdirSync(root)).toEqual([]);
  });

  it('refuses a disc that the folder of ISO images does not have', async () => {
    const driver = await beginDriver();
    for (const file of ['missing.iso', '../qemu-system-x86_64']) {
      const cdrom = { disc: { file } };
      await expect(driver.change(vm, launch('run1', { cdrom }))).rejects.toThrow(/has no file/);
    }
  });

  it('refuses UEFI without firmware, and names the package', async () => {
    const driver = await beginDriver();
    const change = driver.change(vm, launch('run1', { firmware: 'uefi' }));
    await expect(change).rejects.toThrow(/package ovmf/);
  });

  it('refuses first boot data without a program that writes discs, and leaves no files', async () => {
    const driver = await beginDriver();
    const firstBoot = {
      kind: 'cloud-init',
      files: [{ path: 'user-data', text: 'secret' }],
    } as const;
    const path = process.env['PATH'];
    process.env['PATH'] = folder;
    try {
      const change = { ...launch(), firstBoot };
      await expect(driver.change(vm, change)).rejects.toThrow(/package xorriso is not installed/);
    } finally {
      process.env['PATH'] = path;
    }
    expect(readdirSync(root)).toEqual([]);
  });

  it('refuses changes of a VM without a process', async () => {
    const driver = await beginDriver();
    await expect(driver.change(vm, { change: 'reset' })).rejects.toThrow(/no QEMU process/);
    await driver.change(vm, { change: 'stop' });
  });

  it('converts the screen to PNG', async () => {
    const driver = await beginDriver();
    await driver.change(vm, launch());
    await driver.captureScreen(vm);
    expect(driver.takeScreen(vm)?.subarray(1, 4).toString()).toBe('PNG');
    expect(driver.takeScreen(vm)).toBeUndefined();
  });

  it('reports a failed write', async () => {
    const driver = await beginDriver();
    await driver.change(vm, launch());
    const report = nextReport();
    process.kill(findPid() ?? 0, 'SIGUSR1');
    await report;
    expect(pauses).toEqual([`${vm} enospc`]);
  });
});

describe('the end of a process', () => {
  it('is reported as a crash if the process was killed', async () => {
    const driver = await beginDriver();
    await driver.change(vm, launch());
    const report = nextReport();
    process.kill(findPid() ?? 0, 'SIGKILL');
    await report;
    expect(exits).toMatchObject([{ id: vm, cause: 'crash' }]);
  });

  it('is reported as a shutdown of the guest', async () => {
    const driver = await beginDriver();
    await driver.change(vm, launch());
    const report = nextReport();
    await driver.change(vm, { change: 'shutdown' });
    await report;
    expect(exits).toMatchObject([{ id: vm, cause: 'guest' }]);
    expect(findPid()).toBeUndefined();
  });

  it('is reported again if the server has not recorded it', async () => {
    const driver = await beginDriver();
    await driver.change(vm, launch());
    isRecorded = false;
    const report = nextReport();
    process.kill(findPid() ?? 0, 'SIGKILL');
    await report;
    isRecorded = true;
    // A VM whose change is not complete is checked the next time.
    while (exits.length < 2) await driver.reconcile();
    expect(exits.map(({ cause }) => cause)).toEqual(['crash', 'crash']);
    expect(readdirSync(root)).toEqual([]);
  });
});

describe('a new server', () => {
  it('finds a running process, and changes it', async () => {
    const before = await beginDriver();
    await before.change(vm, launch());
    const pid = findPid();
    await before.end();
    const driver = createDriver();
    await driver.begin(listener);
    await driver.change(vm, launch());
    expect(findPid()).toBe(pid);
    await driver.change(vm, { change: 'stop' });
    expect(findPid()).toBeUndefined();
    expect(exits).toEqual([]);
  });

  it('ends a process whose VM does not run', async () => {
    const before = await beginDriver();
    await before.change(vm, launch());
    await before.end();
    running.clear();
    await createDriver().begin(listener);
    expect(findPid()).toBeUndefined();
    expect(readdirSync(root)).toEqual([]);
  });

  it('reports a process that ended in the meantime, and a VM that never had one', async () => {
    const other = '22222222-2222-4333-8444-555555555555';
    const before = await beginDriver();
    await before.change(vm, launch());
    await before.end();
    process.kill(findPid() ?? 0, 'SIGKILL');
    running.add(other);
    await createDriver().begin(listener);
    expect(exits).toMatchObject([
      { id: vm, cause: 'crash' },
      { id: other, cause: 'unknown' },
    ]);
  });

  it('reports a guest that shut down in the meantime', async () => {
    const before = await beginDriver();
    await before.change(vm, launch());
    // Without a listener for the event, only the state of QEMU shows the shutdown.
    isRecorded = false;
    await before.end();
    const { QmpConnection } = await import('../../../src/features/qemu/qmp.ts');
    const qmp = await QmpConnection.connect(join(root, vm, 'qmp'), () => {});
    await qmp.execute('system_powerdown');
    qmp.close();
    isRecorded = true;
    const report = nextReport();
    await createDriver().begin(listener);
    await report;
    expect(exits).toMatchObject([{ id: vm, cause: 'guest' }]);
  });
});
