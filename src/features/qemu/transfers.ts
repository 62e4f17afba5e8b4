/** Changes of VMs that transfer their memory: suspend, restore, migrate, cancel a migration. */
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import type { HypervisorParts } from '../../server/admin/extension.ts';
import type { HypervisorListener, PowerChange } from '../../server/core/hypervisor.ts';
import { unlinkNics } from './device-changes.ts';
import { firmwareFolder, removeOldVariables } from './firmware.ts';
import type { Installation } from './installation.ts';
import { type Launch, launchProcess, readRun } from './launch.ts';
import type { Processes } from './managed-processes.ts';
import { continueMigrated, migrateVm, recoverMigration } from './migration.ts';
import { findProcesses, incomingSuffix } from './processes.ts';
import { RunningVm, type VmProcess } from './running-vm.ts';
import { removeUnused, savedFolder } from './saved-memory.ts';
import { restoreMemory } from './snapshot-memory.ts';
import { memoriesFolder, removeOldMemories } from './stored-memory.ts';
import { restoreVm, suspendVm } from './suspension.ts';

/** Changes that transfer the memory of a VM. */
export type TransferChange = Extract<
  PowerChange,
  { change: 'suspend' | 'restore' | 'migrate' | 'cancel_migration' }
>;

const transferChanges: readonly PowerChange['change'][] = [
  ...(['suspend', 'restore', 'migrate', 'cancel_migration'] as const),
];

export function isTransferChange(change: PowerChange): change is TransferChange {
  return transferChanges.includes(change.change);
}

/** Functions of the driver. */
export interface DriverParts {
  readonly installation: Installation;
  readonly parts: HypervisorParts;
  /** Runs the changes of one VM one after the other. */
  readonly inTurn: (id: string, work: () => Promise<void>) => Promise<void>;
  readonly find: (id: string) => Promise<RunningVm | undefined>;
  readonly connect: (process: VmProcess) => Promise<RunningVm>;
  readonly terminate: (name: string) => Promise<void>;
  readonly forget: (id: string) => void;
}

/** Folders with files of all VMs, beside their working folders. */
export const sharedFolders = [savedFolder, firmwareFolder, memoriesFolder] as const;

/** States of VMs with saved memory. */
const statesWithMemory: ReadonlySet<string> = new Set([
  ...['saving_state', 'suspended', 'restoring_state'],
]);

export class VmTransfers {
  readonly #driver: DriverParts;
  readonly #processes: Processes;
  /** Running migrations, with their progress in percent. */
  readonly #migrations = new Map<string, { readonly stop: AbortController; percent: number }>();

  constructor(driver: DriverParts) {
    const { installation, parts, find, terminate, forget } = driver;
    this.#driver = driver;
    this.#processes = {
      ...{ root: parts.folder, find, terminate },
      program: describeProgram(installation),
      findIncoming: (id) => this.#findIncoming(id),
      launch: (id, launch) => this.#launch(id, launch),
      launchIncoming: (id, launch, name) => this.#launchIncoming(id, launch, name),
      replace(id, name) {
        forget(id);
        renameSync(join(parts.folder, name), join(parts.folder, id));
      },
    };
  }

  change(id: string, change: TransferChange): Promise<void> {
    const { inTurn, terminate } = this.#driver;
    if (change.change === 'migrate') return this.#migrate(id, change);
    if (change.change === 'cancel_migration') return this.#cancel(id);
    if (change.change !== 'restore') return inTurn(id, () => suspendVm(this.#processes, id));
    return inTurn(id, async () => {
      try {
        const { run, snapshot } = change;
        if (snapshot) await restoreMemory(this.#processes, id, run, snapshot);
        else await restoreVm(this.#processes, id, run);
      } catch (error) {
        await terminate(id);
        throw error;
      }
    });
  }

  /** Ends a running migration of a VM. */
  abort(id: string): void {
    this.#migrations.get(id)?.stop.abort();
  }

  /** Progress of a migration in percent; undefined without one. */
  getProgress(id: string): number | undefined {
    return this.#migrations.get(id)?.percent;
  }

  /** Leaves one process of a VM whose migration a crash has interrupted. */
  recover(id: string): Promise<void> {
    return recoverMigration(this.#processes, id);
  }

  /**
   * Removes the memory of VMs that are not suspended, that of removed snapshots, and the firmware
   * variables of removed VMs.
   */
  removeUnused(listener: HypervisorListener, isBusy: (id: string) => boolean): void {
    const states = listener.listStates();
    removeOldMemories(this.#processes.root, listener);
    removeUnused(
      this.#processes.root,
      (id) => isBusy(id) || statesWithMemory.has(states.get(id) ?? ''),
    );
    removeOldVariables(this.#processes.root, (id) => isBusy(id) || states.has(id));
  }

  async #migrate(id: string, change: Extract<PowerChange, { change: 'migrate' }>): Promise<void> {
    const migration = { stop: new AbortController(), percent: 0 };
    this.#migrations.set(id, migration);
    const onProgress = (percent: number) => {
      migration.percent = percent;
    };
    const options = { signal: migration.stop.signal, onProgress };
    try {
      await this.#driver.inTurn(id, () => migrateVm(this.#processes, id, change, options));
    } finally {
      if (this.#migrations.get(id) === migration) this.#migrations.delete(id);
    }
  }

  /** Cancels a migration. The VM continues in one process. */
  #cancel(id: string): Promise<void> {
    return this.#driver.inTurn(id, async () => {
      await recoverMigration(this.#processes, id);
      await continueMigrated(this.#processes, id);
    });
  }

  /** Launches a process whose guest does not run yet. */
  async #launch(id: string, launch: Launch): Promise<RunningVm> {
    const { installation, parts, connect } = this.#driver;
    const vm = await connect(await launchProcess(installation, parts, id, launch));
    await unlinkNics(vm, launch.hardware.nics);
    return vm;
  }

  /** Launches a process that continues the guest of another one. */
  async #launchIncoming(id: string, launch: Launch, name: string): Promise<RunningVm> {
    const { installation, parts, connect } = this.#driver;
    const process = await launchProcess(installation, parts, id, launch, { name });
    // The process to which a VM migrates is not its process yet.
    const vm = name === id ? await connect(process) : await RunningVm.connect(process, () => {});
    await unlinkNics(vm, launch.hardware.nics);
    return vm;
  }

  async #findIncoming(id: string): Promise<RunningVm | undefined> {
    const { folder: root } = this.#driver.parts;
    const name = id + incomingSuffix;
    const folder = join(root, name);
    const pid = findProcesses(root).get(name);
    if (pid === undefined) return undefined;
    return RunningVm.connect({ id, run: readRun(folder) ?? '', pid, folder }, () => {});
  }
}

/** Version and accelerator, which determine whether a process can load a memory. */
export function describeProgram({ version, accelerator }: Installation): string {
  return `${version} ${accelerator}`;
}
