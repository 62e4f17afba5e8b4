/**
 * Folder with the backups of a VM: complete backups, the active run and the register of
 * checkpoints.
 */
import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { ConflictError, NotFoundError, UsageError, VmctlError } from '../../client/errors.ts';
import { shellQuote } from '../../client/shell-quote.ts';
import { flushFolder, listNames, readJson, reportingWriteErrors, writeDurably } from './files.ts';
import { type Manifest, manifestName, readManifest } from './manifest.ts';
import { createRunRecord, isAlive, readRunRecord } from './run-record.ts';

/** A complete backup. */
export interface StoredBackup {
  /** Absolute path of the folder. */
  readonly folder: string;
  readonly manifest: Manifest;
}

/**
 * `backups.json`: the VM that the folder belongs to, and the checkpoints created by its runs,
 * oldest first.
 */
interface Register {
  readonly format: 'vmctl-backups';
  readonly version: 1;
  readonly server: string;
  readonly vm: { readonly id: string; readonly name: string };
  readonly checkpoints: readonly string[];
}

const registerName = 'backups.json';

/** Calls `fail` with the first invalid member if an object is not a register. */
function requireRegister(
  value: Readonly<Record<string, unknown>>,
  fail: (member: string) => never,
): asserts value is Readonly<Record<string, unknown>> & Register {
  const member = findWrongMember(value);
  if (member !== undefined) fail(member);
}

/** First invalid member of a register; undefined if the register is valid. */
function findWrongMember(register: Partial<Register>): string | undefined {
  const { format, version, server, vm, checkpoints } = register;
  if (format !== 'vmctl-backups') return 'format';
  if (version !== 1) return 'version';
  if (typeof server !== 'string') return 'server';
  if (typeof vm?.id !== 'string' || typeof vm.name !== 'string') return 'vm';
  return Array.isArray(checkpoints) ? undefined : 'checkpoints';
}
const runName = 'run.json';
const unfinished = '.unfinished';
/** Entry that some file systems create in their root folder. */
const lostAndFound = 'lost+found';
/**
 * Entries that an otherwise empty folder may have. A run that is killed while it writes the
 * register leaves `.new`.
 */
const ignoredNames: ReadonlySet<string> = new Set([lostAndFound, `${registerName}.new`]);

export class BackupRepository {
  readonly path: string;
  readonly #warn: Warn;
  #register: Register;
  /** Whether this run owns the work folder. */
  #isStarted = false;
  /** Outermost folder that this run created. */
  #createdFolder: string | undefined;

  private constructor(path: string, register: Register, warn: Warn) {
    this.path = path;
    this.#warn = warn;
    this.#register = register;
  }

  /**
   * Opens the folder of a VM without writing to it; the folder need not exist. Throws if the folder
   * belongs to another VM or contains other files.
   */
  static async open(
    given: string,
    server: string,
    vm: { readonly id: string; readonly name: string },
    warn: Warn,
  ): Promise<BackupRepository> {
    const path = resolve(given);
    const names = (await listNames(path)).filter((name) => !ignoredNames.has(name));
    const found = await readJson(join(path, registerName));
    if (!found) {
      if (names.length > 0) {
        throw new UsageError(`${given} is not empty and has no backups of vmctl`, {
          code: 'no_backup_folder',
          hint: 'use an empty or new folder',
        });
      }
      const register = {
        format: 'vmctl-backups',
        version: 1,
        server,
        vm,
        checkpoints: [],
      } as const;
      return new BackupRepository(path, register, warn);
    }
    const { value: known, place } = found;
    requireRegister(known, (member) => {
      throw new UsageError(`${place.at(member).position()}: not a register of backups`, {
        code: 'no_backup_folder',
        hint: 'use another folder',
      });
    });
    if (known.vm.id !== vm.id || known.server !== server) {
      throw new ConflictError(
        `${given} has backups of another VM: vms/${known.vm.name} of ${known.server}`,
        { code: 'other_machine', hint: `use one folder per VM: ${join(given, vm.name)}` },
      );
    }
    return new BackupRepository(path, { ...known, vm }, warn);
  }

  /** Folder for the files of an unfinished backup. */
  get workFolder(): string {
    return join(this.path, unfinished);
  }

  /**
   * Ids of the checkpoints that runs into this folder have created on the service, oldest first.
   */
  get checkpoints(): readonly string[] {
    return this.#register.checkpoints;
  }

  /** Complete backups, oldest first. */
  async list(): Promise<readonly StoredBackup[]> {
    return await listBackups(this.path, this.#warn);
  }

  /**
   * Id of the backup of a killed run on this host; the caller ends that backup. Throws `in_use` if
   * a run is active, or if the run belongs to another host, where its process cannot be checked.
   */
  async findKilledRun(): Promise<string | undefined> {
    const found = await readJson(join(this.workFolder, runName));
    if (!found) return undefined;
    const run = readRunRecord(found.value);
    const { host, pid, backup } = run;
    const isHere = host === hostname();
    if (isHere && !isAlive(run)) return backup;
    const end = `vmctl backups finalize ${backup} --vm ${shellQuote(this.#register.vm.name)}`;
    throw new ConflictError(
      `${this.path}: another run is active (process ${pid}${isHere ? '' : ` on ${host}`})`,
      {
        code: 'in_use',
        hint: `wait for it to end; after a crash: ${end}, and remove ${this.workFolder}`,
      },
    );
  }

  /**
   * Creates the folder if it is missing and checks that it is writable. Runs before the service
   * starts a backup, because a backup locks the VM. Throws `unwritable_file`.
   */
  async prepare(): Promise<void> {
    await reportingWriteErrors(this.path, async () => {
      this.#createdFolder = await mkdir(this.path, { recursive: true });
      const probe = join(this.path, `${registerName}.new`);
      await writeFile(probe, '');
      await rm(probe);
    });
  }

  /** Records a backup that the service has started. Removes the work folder of an earlier run. */
  async startRun(backup: string, checkpoint: string | undefined): Promise<void> {
    // The register is written first: without it, the next run would reject the folder as foreign.
    const { checkpoints } = this.#register;
    await this.setCheckpoints(
      checkpoint === undefined ? checkpoints : [...checkpoints, checkpoint],
    );
    await reportingWriteErrors(this.path, async () => {
      await rm(this.workFolder, { recursive: true, force: true });
      await mkdir(this.workFolder, { recursive: true });
      this.#isStarted = true;
      const run = createRunRecord(backup);
      await writeDurably(join(this.workFolder, runName), JSON.stringify(run));
    });
  }

  /** Stores the checkpoints of this folder in the register. */
  async setCheckpoints(checkpoints: readonly string[]): Promise<void> {
    this.#register = { ...this.#register, checkpoints };
    const text = `${JSON.stringify(this.#register, undefined, 2)}\n`;
    await reportingWriteErrors(this.path, () => writeDurably(join(this.path, registerName), text));
  }

  /** Renames the work folder to its final name, which makes the backup complete in one step. */
  async complete(manifest: Manifest, document: string | undefined): Promise<StoredBackup> {
    const work = this.workFolder;
    return await reportingWriteErrors(this.path, async () => {
      if (document !== undefined) await writeDurably(join(work, 'machine.ovf'), document);
      const text = `${JSON.stringify(manifest, undefined, 2)}\n`;
      await writeDurably(join(work, manifestName), text);
      await rm(join(work, runName), { force: true });
      const taken = new Set(await listNames(this.path));
      const plain = manifest.taken.replace(/\.\d+/, '').replaceAll(':', '-');
      let name = plain;
      for (let number = 2; taken.has(name); number += 1) name = `${plain}-${number}`;
      const folder = join(this.path, name);
      await rename(work, folder);
      this.#isStarted = false;
      await flushFolder(this.path);
      return { folder, manifest };
    });
  }

  /** Removes the files of a failed run, but no files of other runs. */
  async abandon(): Promise<void> {
    if (this.#isStarted) await rm(this.workFolder, { recursive: true, force: true });
    this.#isStarted = false;
    const made = this.#createdFolder;
    this.#createdFolder = undefined;
    // The next run needs the register if the service still has a checkpoint.
    if (made === undefined || this.#register.checkpoints.length > 0) return;
    await rm(join(this.path, registerName), { force: true });
    const isEmpty = (await listNames(this.path)).length === 0;
    if (isEmpty) await rm(made, { recursive: true });
  }

  /** Deletes all but the newest `count` backups; returns the names of the deleted folders. */
  async retain(count: number): Promise<readonly string[]> {
    // Damaged backups were reported when the folder was opened; they are not deleted.
    const all = await listBackups(this.path, () => undefined);
    const old = all.slice(0, Math.max(0, all.length - count));
    for (const { folder } of old) {
      // The manifest is deleted first, so that a partly deleted folder is not listed as a backup.
      await reportingWriteErrors(folder, async () => {
        await rm(join(folder, manifestName));
        await rm(folder, { recursive: true });
      });
    }
    return old.map(({ folder }) => basename(folder));
  }
}

/**
 * Backup at a path: the folder of a backup, or the newest backup in a folder of several. Throws
 * `no_backup` if there is no backup, and `damaged_file` if the named one is damaged.
 */
export async function findBackup(given: string, warn: Warn): Promise<StoredBackup> {
  const path = resolve(given);
  const own = await readManifest(path);
  if (own) return { folder: path, manifest: own };
  const newest = (await listBackups(path, warn)).at(-1);
  if (newest) return newest;
  throw new NotFoundError(`${given} has no backup`, {
    code: 'no_backup',
    hint: 'use the folder of vmctl backups run, or one of its folders',
  });
}

/**
 * Path of the first disk image that is missing or has the wrong size; undefined if all are intact.
 */
export async function findMissingFile({
  folder,
  manifest,
}: StoredBackup): Promise<string | undefined> {
  for (const { file, size } of manifest.disks) {
    const path = join(folder, file);
    const found = await stat(path).catch(() => undefined);
    if (!found?.isFile() || found.size !== size) return path;
  }
  return undefined;
}

/** Reports a damaged backup that is skipped. */
export type Warn = (message: string) => void;

/**
 * Complete backups in a folder, oldest first. Reports damaged ones with `warn` and skips them.
 * Throws if a manifest cannot be read, because that backup may be intact and the newest.
 */
async function listBackups(path: string, warn: Warn): Promise<readonly StoredBackup[]> {
  const found: StoredBackup[] = [];
  for (const name of await listNames(path)) {
    if (name.startsWith('.') || name === registerName || name === lostAndFound) continue;
    const folder = join(path, name);
    try {
      const manifest = await readManifest(folder);
      if (manifest) found.push({ folder, manifest });
    } catch (error) {
      if (!(error instanceof VmctlError) || error.code !== 'damaged_file') throw error;
      warn(`${error.message}; this backup is skipped`);
    }
  }
  return found.sort(
    (a, b) => a.manifest.number - b.manifest.number || (a.folder < b.folder ? -1 : 1),
  );
}
