/** The folder of a machine's backups: which there are, which is under way, and what belongs to the service. */
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { ConflictError, NotFoundError, UsageError, VmctlError } from '../../../client/errors.ts';
import { shellQuote } from '../../../client/shell-quote.ts';
import { type Manifest, manifestName, readManifest } from './manifest.ts';

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

/** The run that is under way, or was. */
interface Run {
  readonly host: string;
  readonly pid: number;
  readonly backup: string;
}

const registerName = 'backups.json';
const runName = 'run.json';
const unfinished = '.unfinished';

export class BackupRepository {
  readonly path: string;
  #register: Register;
  /** Whether what is in the work folder is ours. */
  #isBegun = false;

  private constructor(path: string, register: Register) {
    this.path = path;
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
  ): Promise<BackupRepository> {
    const path = resolve(given);
    const names = await namesIn(path);
    const known = await readJson<Register>(join(path, registerName));
    if (known === undefined) {
      if (names.length > 0) {
        throw new UsageError(`${given} holds something else than backups of vmctl`, {
          code: 'no_backup_folder',
          hint: 'name a folder that is empty, or one that is not there yet',
        });
      }
      const register = {
        format: 'vmctl-backups',
        version: 1,
        server,
        vm,
        checkpoints: [],
      } as const;
      return new BackupRepository(path, register);
    }
    if (known.format !== 'vmctl-backups' || known.version !== 1) {
      throw new UsageError(`${join(given, registerName)} is of another kind or version`, {
        code: 'no_backup_folder',
        hint: 'name another folder',
      });
    }
    if (known.vm.id !== vm.id || known.server !== server) {
      throw new ConflictError(
        `${given} has the backups of another machine: vms/${known.vm.name} of ${known.server}`,
        { code: 'other_machine', hint: `a folder for each machine: ${join(given, vm.name)}` },
      );
    }
    return new BackupRepository(path, { ...known, vm });
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
    return await backupsIn(this.path);
  }

  /**
   * The backup of a run on this machine that was killed, to be ended. Throws where a run is still going
   * on, or may be: on another machine nobody can see that.
   */
  async killedRun(): Promise<string | undefined> {
    const left = await readJson<Run>(join(this.workFolder, runName));
    if (!left) return undefined;
    const { host, pid, backup } = left;
    const isHere = host === hostname();
    if (isHere && !isAlive(pid)) return backup;
    const end = `vmctl backups finalize ${backup} --vm ${shellQuote(this.#register.vm.name)}`;
    throw new ConflictError(
      `${this.path}: another run is under way (process ${pid}${isHere ? '' : ` on ${host}`})`,
      {
        code: 'in_use',
        hint: `wait until it has ended; where there is no such run any more: ${end}, and remove ${this.workFolder}`,
      },
    );
  }

  /** Begins with a backup that the service has made; what an earlier run left is removed. */
  async begin(backup: string, checkpoint: string | undefined): Promise<void> {
    await onDisk(this.path, async () => {
      await rm(this.workFolder, { recursive: true, force: true });
      await mkdir(this.workFolder, { recursive: true });
      this.#isBegun = true;
      const run: Run = { host: hostname(), pid: process.pid, backup };
      await writeDurably(join(this.workFolder, runName), JSON.stringify(run));
    });
    const { checkpoints } = this.#register;
    await this.setCheckpoints(
      checkpoint === undefined ? checkpoints : [...checkpoints, checkpoint],
    );
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
    if (!this.#isBegun) return;
    this.#isBegun = false;
    await rm(this.workFolder, { recursive: true, force: true });
  }

  /** Deletes all but the newest backups; returns the names of those that are gone. */
  async retain(count: number): Promise<readonly string[]> {
    const all = await this.backups();
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

/** The backup that a path names: one, or the newest in a folder of several. Throws where there is none. */
export async function backupAt(given: string): Promise<StoredBackup> {
  const path = resolve(given);
  const own = await readManifest(path);
  if (own) return { folder: path, manifest: own };
  const newest = (await backupsIn(path)).at(-1);
  if (newest) return newest;
  throw new NotFoundError(`${given} holds no backup`, {
    code: 'no_backup',
    hint: 'name the folder that vmctl backups run was given, or one of the folders in it',
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

async function backupsIn(path: string): Promise<readonly StoredBackup[]> {
  const found: StoredBackup[] = [];
  for (const name of await namesIn(path)) {
    if (name.startsWith('.') || name === registerName) continue;
    const folder = join(path, name);
    const manifest = await readManifest(folder);
    if (manifest) found.push({ folder, manifest });
  }
  return found.sort((a, b) => a.manifest.number - b.manifest.number);
}

async function namesIn(path: string): Promise<readonly string[]> {
  try {
    return await readdir(path);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return [];
    throw new UsageError(`${path} cannot be read: ${message}`, { code: 'unreadable_file' });
  }
}

async function readJson<T>(path: string): Promise<T | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch {
    return undefined;
  }
  try {
    return JSON.parse(text) as T;
  } catch (cause) {
    throw new UsageError(`${path} is damaged: it is no JSON`, { code: 'damaged_file', cause });
  }
}

async function writeDurably(path: string, text: string): Promise<void> {
  const next = `${path}.new`;
  const file = await open(next, 'w');
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(next, path);
}

async function flushFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Does something with the folder; says which one it was when the system refuses. */
async function onDisk<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof VmctlError) throw error;
    throw new VmctlError(`${path} cannot be written: ${(error as Error).message}`, {
      code: 'unwritable_file',
      cause: error,
    });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
