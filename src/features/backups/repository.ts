/** The folder of a machine's backups: which there are, which is under way, and what belongs to the service. */
import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { ConflictError, NotFoundError, UsageError, VmctlError } from '../../client/errors.ts';
import { shellQuote } from '../../client/shell-quote.ts';
import { flushFolder, namesIn, onDisk, readJson, writeDurably } from './files.ts';
import { type Manifest, manifestName, readManifest } from './manifest.ts';
import { isAlive, ownRecord, type RunRecord } from './run-record.ts';

/** A backup that is complete. */
export interface StoredBackup {
  /** Absolute path of its folder. */
  readonly folder: string;
  readonly manifest: Manifest;
}

/** Whose backups a folder has, and the checkpoints that its runs have made, the oldest first. */
interface Register {
  readonly format: 'vmctl-backups';
  readonly version: 1;
  readonly server: string;
  readonly vm: { readonly id: string; readonly name: string };
  readonly checkpoints: readonly string[];
}

const registerName = 'backups.json';

/** The first member that keeps an object from being a register; undefined if readers can rely on it. */
function wrongMember(register: Partial<Register>): string | undefined {
  const { format, version, server, vm, checkpoints } = register;
  if (format !== 'vmctl-backups') return 'format';
  if (version !== 1) return 'version';
  if (typeof server !== 'string') return 'server';
  if (typeof vm?.id !== 'string' || typeof vm.name !== 'string') return 'vm';
  return Array.isArray(checkpoints) ? undefined : 'checkpoints';
}
const runName = 'run.json';
const unfinished = '.unfinished';
/** What the root of a file system has. */
const ofFileSystem = 'lost+found';
/** What a folder without a register may have: a kill while it is written leaves the beginning of one. */
const ignored: ReadonlySet<string> = new Set([ofFileSystem, `${registerName}.new`]);

export class BackupRepository {
  readonly path: string;
  readonly #warn: Warn;
  #register: Register;
  /** Whether what is in the work folder is ours. */
  #isBegun = false;
  /** The outermost folder that this run created. */
  #madeFolder: string | undefined;

  private constructor(path: string, register: Register, warn: Warn) {
    this.path = path;
    this.#warn = warn;
    this.#register = register;
  }

  /**
   * Looks at the folder of a machine, which need not be there; nothing is written. Throws where it is
   * another machine's, or holds something else.
   */
  static async of(
    given: string,
    server: string,
    vm: { readonly id: string; readonly name: string },
    warn: Warn,
  ): Promise<BackupRepository> {
    const path = resolve(given);
    const names = (await namesIn(path)).filter((name) => !ignored.has(name));
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
    const wrong = wrongMember(found.value);
    const known = found.value as unknown as Register;
    if (wrong !== undefined) {
      throw new UsageError(`${found.place.at(wrong).position()}: not a register of backups`, {
        code: 'no_backup_folder',
        hint: 'use another folder',
      });
    }
    if (known.vm.id !== vm.id || known.server !== server) {
      throw new ConflictError(
        `${given} has backups of another VM: vms/${known.vm.name} of ${known.server}`,
        { code: 'other_machine', hint: `use one folder per VM: ${join(given, vm.name)}` },
      );
    }
    return new BackupRepository(path, { ...known, vm }, warn);
  }

  /** Where what is not complete yet is put. */
  get workFolder(): string {
    return join(this.path, unfinished);
  }

  /** Checkpoints of the service that runs into this folder have made, the oldest first. */
  get checkpoints(): readonly string[] {
    return this.#register.checkpoints;
  }

  /** The complete backups, the oldest first. */
  async backups(): Promise<readonly StoredBackup[]> {
    return await backupsIn(this.path, this.#warn);
  }

  /**
   * The backup of a run on this machine that was killed, to be ended. Throws where a run is still going
   * on, or may be: on another machine nobody can see that.
   */
  async killedRun(): Promise<string | undefined> {
    const found = await readJson(join(this.workFolder, runName));
    if (!found) return undefined;
    const left = found.value as unknown as RunRecord;
    const { host, pid, backup } = left;
    const isHere = host === hostname();
    if (isHere && !isAlive(left)) return backup;
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
   * Creates the folder where it is missing, and checks that files can be written in it: before the
   * service begins a backup, which locks the VM. Throws `unwritable_file`.
   */
  async prepare(): Promise<void> {
    await onDisk(this.path, async () => {
      this.#madeFolder = await mkdir(this.path, { recursive: true });
      const probe = join(this.path, `${registerName}.new`);
      await writeFile(probe, '');
      await rm(probe);
    });
  }

  /** Begins with a backup that the service has made; what an earlier run left is removed. */
  async begin(backup: string, checkpoint: string | undefined): Promise<void> {
    // The register comes first: without it, the folder would be taken for one of something else.
    const { checkpoints } = this.#register;
    await this.setCheckpoints(
      checkpoint === undefined ? checkpoints : [...checkpoints, checkpoint],
    );
    await onDisk(this.path, async () => {
      await rm(this.workFolder, { recursive: true, force: true });
      await mkdir(this.workFolder, { recursive: true });
      this.#isBegun = true;
      const run = ownRecord(backup);
      await writeDurably(join(this.workFolder, runName), JSON.stringify(run));
    });
  }

  /** Notes which checkpoints are there, those of this folder. */
  async setCheckpoints(checkpoints: readonly string[]): Promise<void> {
    this.#register = { ...this.#register, checkpoints };
    const text = `${JSON.stringify(this.#register, undefined, 2)}\n`;
    await onDisk(this.path, () => writeDurably(join(this.path, registerName), text));
  }

  /** Puts what the run has written in its place, in one step. */
  async complete(manifest: Manifest, document: string | undefined): Promise<StoredBackup> {
    const work = this.workFolder;
    return await onDisk(this.path, async () => {
      if (document !== undefined) await writeDurably(join(work, 'machine.ovf'), document);
      const text = `${JSON.stringify(manifest, undefined, 2)}\n`;
      await writeDurably(join(work, manifestName), text);
      await rm(join(work, runName), { force: true });
      const taken = new Set(await namesIn(this.path));
      const plain = manifest.taken.replace(/\.\d+/, '').replaceAll(':', '-');
      let name = plain;
      for (let number = 2; taken.has(name); number += 1) name = `${plain}-${number}`;
      const folder = join(this.path, name);
      await rename(work, folder);
      this.#isBegun = false;
      await flushFolder(this.path);
      return { folder, manifest };
    });
  }

  /** Removes what this run has written, which came to nothing; what others write stays. */
  async abandon(): Promise<void> {
    if (this.#isBegun) await rm(this.workFolder, { recursive: true, force: true });
    this.#isBegun = false;
    const made = this.#madeFolder;
    this.#madeFolder = undefined;
    // The register of a checkpoint that the service keeps is needed by the next run.
    if (made === undefined || this.#register.checkpoints.length > 0) return;
    await rm(join(this.path, registerName), { force: true });
    const isEmpty = (await namesIn(this.path)).length === 0;
    if (isEmpty) await rm(made, { recursive: true });
  }

  /** Deletes all but the newest backups; returns the names of those that are gone. */
  async retain(count: number): Promise<readonly string[]> {
    // Those that are passed over were named at the beginning; they are not deleted.
    const all = await backupsIn(this.path, () => undefined);
    const old = all.slice(0, Math.max(0, all.length - count));
    for (const { folder } of old) {
      // One that is half deleted must not look like a backup.
      await onDisk(folder, async () => {
        await rm(join(folder, manifestName));
        await rm(folder, { recursive: true });
      });
    }
    return old.map(({ folder }) => basename(folder));
  }
}

/**
 * The backup that a path names: one, or the newest in a folder of several. Throws where there is none, and
 * where the one that is named is damaged.
 */
export async function backupAt(given: string, warn: Warn): Promise<StoredBackup> {
  const path = resolve(given);
  const own = await readManifest(path);
  if (own) return { folder: path, manifest: own };
  const newest = (await backupsIn(path, warn)).at(-1);
  if (newest) return newest;
  throw new NotFoundError(`${given} has no backup`, {
    code: 'no_backup',
    hint: 'use the folder of vmctl backups run, or one of its folders',
  });
}

/** A file that a backup should have, and has not as it was written; nothing where all are there. */
export async function missingFile({ folder, manifest }: StoredBackup): Promise<string | undefined> {
  for (const { file, size } of manifest.disks) {
    const path = join(folder, file);
    const found = await stat(path).catch(() => undefined);
    if (!found?.isFile() || found.size !== size) return path;
  }
  return undefined;
}

/** Told of a backup that is passed over. */
export type Warn = (message: string) => void;

/**
 * The complete backups in a folder, the oldest first; those that are damaged are passed over. Throws where
 * one cannot be read: it may be whole, and the newest.
 */
async function backupsIn(path: string, warn: Warn): Promise<readonly StoredBackup[]> {
  const found: StoredBackup[] = [];
  for (const name of await namesIn(path)) {
    if (name.startsWith('.') || name === registerName || name === ofFileSystem) continue;
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
