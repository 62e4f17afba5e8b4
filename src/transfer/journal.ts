/**
 * Journal of a transfer, from which another process can resume it: a file of JSON lines that is only
 * ever appended to. A line that a crash cut short is ignored.
 */

import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  fdatasyncSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { ConflictError, UsageError, VmctlError } from '../client/errors.ts';
import { RangeSet } from '../extents/range-set.ts';
import type { DiskFormat } from '../formats/image-head.ts';
import { systemReason } from '../system-errors.ts';
import { BlockHashes } from './checksum.ts';
import { type Algorithm, isAlgorithm } from './checksum-algorithm.ts';
import type { Direction } from './transfer-api.ts';

/** The local file as it was: another size, time or inode means other content. */
export interface FileIdentity {
  readonly size: number;
  /** Nanoseconds since the epoch; empty where the time says nothing. */
  readonly modified: string;
  readonly inode: string;
}

/** What stays the same over all attempts. */
export interface JournalHeader {
  readonly version: 1;
  readonly direction: Direction;
  /** Address of the service. */
  readonly server: string;
  readonly disk: string;
  /** Name of the disk, for messages. */
  readonly name: string;
  /** Absolute path of the local file. */
  readonly file: string;
  readonly identity: FileIdentity;
  readonly format: DiskFormat;
  /** Bytes of the image that the blocks belong to. */
  readonly size: number;
  /** The disk was made for this upload: it reads as zeros where nothing was sent. */
  readonly created: boolean;
  /** Everything that is not sent reads as zeros already. */
  readonly zeroed: boolean;
  /** Blocks were hashed on their way; without that the image cannot be verified at the end. */
  readonly hashed: boolean;
}

interface Entry {
  readonly transfer?: string;
  readonly pid?: number;
  /** First and last block of runs that are done. */
  readonly blocks?: readonly (readonly [number, number])[];
  /** Of all hashes that follow; SHA-256 where nothing is said. */
  readonly algorithm?: string;
  /** Hashes of those blocks one after the other in base64; without them the blocks are zeros. */
  readonly hashes?: string;
}

/** A block that is done, with the hash of its bytes. */
export interface DoneBlock {
  readonly block: number;
  readonly digest: Uint8Array;
}

const extension = '.jsonl';
const noFollow = constants.O_NOFOLLOW ?? 0;

export class Journal {
  readonly path: string;
  readonly header: JournalHeader;
  /** Blocks that need not be done again. */
  readonly done = new RangeSet();
  #hashes = new BlockHashes('sha256');
  #transfer: string | undefined;
  #pid: number | undefined;
  #file: number;
  /** A crash has cut the last line short: the next one begins on a line of its own. */
  #isCutShort = false;
  #isDetached = false;

  private constructor(path: string, header: JournalHeader, file: number) {
    this.path = path;
    this.header = header;
    this.#file = file;
  }

  /** Begins a journal; one about the same transfer of earlier times is replaced. */
  static create(folder: string, header: JournalHeader): Journal {
    const path = join(folder, nameOf(header));
    const draft = `${path}.${process.pid}`;
    const file = describeWriteErrors(path, () => {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      rmSync(draft, { force: true });
      const { O_RDWR, O_APPEND, O_CREAT, O_EXCL } = constants;
      return openSync(draft, O_RDWR | O_APPEND | O_CREAT | O_EXCL | noFollow, 0o600);
    });
    const journal = new Journal(path, header, file);
    try {
      journal.#append(header);
      // An earlier journal stays until this one is complete.
      describeWriteErrors(path, () => renameSync(draft, path));
    } catch (error) {
      rmSync(draft, { force: true });
      journal.close();
      throw error;
    }
    return journal;
  }

  /** A journal that is not written down: nobody could go on with the transfer. */
  static inMemory(header: JournalHeader): Journal {
    return new Journal('', header, -1);
  }

  /** The journals in a folder that fit; each has to be closed. */
  static find(folder: string, fits: (header: JournalHeader) => boolean): Journal[] {
    let names: string[];
    try {
      names = readdirSync(folder).filter((name) => name.endsWith(extension));
    } catch {
      return [];
    }
    return names.flatMap((name) => {
      const journal = Journal.#open(join(folder, name));
      if (journal && fits(journal.header)) return [journal];
      journal?.close();
      return [];
    });
  }

  static #open(path: string): Journal | undefined {
    const file = describeWriteErrors(path, () =>
      openSync(path, constants.O_RDWR | constants.O_APPEND | noFollow),
    );
    const { uid, mode } = fstatSync(file);
    const self = process.getuid?.();
    if (self !== undefined && (uid !== self || (mode & 0o022) !== 0)) {
      closeSync(file);
      throw new UsageError(`other users can change ${path}`, {
        code: 'unsafe_file',
        hint: `check its contents, then remove it`,
      });
    }
    const text = describeWriteErrors(path, () => readFileSync(file, 'utf8'));
    const [first, ...lines] = text.split('\n').map(parsed);
    if (first?.['version'] !== 1) {
      closeSync(file);
      return undefined;
    }
    const journal = new Journal(path, first as unknown as JournalHeader, file);
    for (const line of lines) if (line) journal.#take(line as Entry);
    journal.#isCutShort = !text.endsWith('\n');
    return journal;
  }

  #take({ transfer, pid, blocks, algorithm, hashes }: Entry): void {
    if (isAlgorithm(algorithm)) this.#hashes = new BlockHashes(algorithm);
    this.#transfer = transfer ?? this.#transfer;
    this.#pid = pid ?? this.#pid;
    const digests = hashes === undefined ? undefined : Buffer.from(hashes, 'base64');
    let at = 0;
    for (const [first, last] of blocks ?? []) {
      this.done.add(first, last + 1);
      if (digests) at += this.hashes.setAll(first, last, digests.subarray(at));
    }
  }

  /** Hashes of the blocks that are done, without those of zeros. */
  get hashes(): BlockHashes {
    return this.#hashes;
  }

  /** Has blocks hashed by this algorithm, unless some are hashed by another one already: those are kept. */
  hashBy(algorithm: Algorithm): void {
    if (algorithm === this.#hashes.algorithm || !this.#hashes.isEmpty) return;
    this.#hashes = new BlockHashes(algorithm);
    this.#append({ algorithm });
  }

  /** Id of the image transfer that was used last. */
  get transfer(): string | undefined {
    return this.#transfer;
  }

  /** Notes the transfer that is used from here on, and who uses it. */
  begin(transfer: string): void {
    this.#transfer = transfer;
    this.#append({ transfer, pid: process.pid });
  }

  /** Notes that this process uses the journal, before there is a transfer. */
  claim(): void {
    this.#pid = process.pid;
    this.#append({ pid: process.pid });
  }

  /** Whether the process that wrote the journal is still at it. */
  get isInUse(): boolean {
    const pid = this.#pid;
    return pid !== undefined && pid !== process.pid && isRunning(pid);
  }

  /** Throws when the process that wrote the journal is still at it. */
  refuseIfInUse(): void {
    if (!this.isInUse) return;
    const pid = this.#pid;
    throw new ConflictError(`another vmctl (process ${pid}) is transferring ${this.header.file}`, {
      code: 'transfer_in_use',
      hint: 'wait for it, or stop it',
    });
  }

  /** Notes blocks with data that are on stable storage. */
  note(blocks: readonly DoneBlock[]): void {
    if (blocks.length === 0) return;
    const sorted = [...blocks].sort((a, b) => a.block - b.block);
    const set = new RangeSet();
    for (const { block, digest } of sorted) {
      set.add(block);
      this.done.add(block);
      this.hashes.set(block, digest);
    }
    const hashes = Buffer.concat(sorted.map(({ digest }) => digest)).toString('base64');
    const written = [...set].map(({ start, end }) => [start, end - 1] as const);
    this.#append({ blocks: written, hashes });
  }

  /** Notes blocks that read as zeros, on stable storage as well. */
  noteZeros(ranges: readonly (readonly [first: number, last: number])[]): void {
    if (ranges.length === 0) return;
    for (const [first, last] of ranges) this.done.add(first, last + 1);
    this.#append({ blocks: ranges });
  }

  #append(entry: Entry | JournalHeader): void {
    if (this.path === '' || this.#isDetached) return;
    describeWriteErrors(this.path, () => {
      // All of it, or an error: one call may write less.
      writeFileSync(this.#file, `${this.#isCutShort ? '\n' : ''}${JSON.stringify(entry)}\n`);
      this.#isCutShort = false;
      fdatasyncSync(this.#file);
    });
  }

  /** Leaves the file unchanged from here on, as a dry run has to. */
  detach(): void {
    this.#isDetached = true;
  }

  close(): void {
    if (this.#file >= 0) closeSync(this.#file);
    this.#file = -1;
  }

  /**
   * Forgets the transfer: nothing is left to go on with. That the file cannot be removed is no failure
   * of a transfer that has come to its end, and must not hide why another one has not; it is noted.
   */
  remove(onNote?: (note: string) => void): void {
    this.close();
    if (this.path === '' || this.#isDetached) return;
    try {
      rmSync(this.path, { force: true });
    } catch (error) {
      onNote?.(`cannot remove the journal ${this.path}: ${systemReason(error)}`);
    }
  }
}

/** Does something with a journal; says what it was about when the system refuses. */
function describeWriteErrors<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new VmctlError(`cannot write "${path}": ${systemReason(error)}`, {
      code: 'unwritable_journal',
      hint: 'it is the journal of the transfer; free some space, or set XDG_STATE_HOME to another folder',
      cause: error,
    });
  }
}

function nameOf({ direction, server, disk, file }: JournalHeader): string {
  const key = createHash('sha256').update([direction, server, disk, file].join('\n'));
  return `${key.digest('hex').slice(0, 32)}${extension}`;
}

function parsed(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a process of that number runs and is one of ours, as far as the system tells. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('vmctl');
  } catch {
    return process.platform !== 'linux';
  }
}
