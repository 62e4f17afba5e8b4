/**
 * Journal for resuming a transfer in another process: an append-only file of JSON lines. A
 * truncated last line is ignored.
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
import { getErrorCode } from '../caught-errors.ts';
import { ConflictError, UsageError, VmctlError } from '../client/errors.ts';
import { RangeSet } from '../extents/range-set.ts';
import type { DiskFormat } from '../formats/image-head.ts';
import { isRecord, toRecord } from '../records.ts';
import { systemReason } from '../system-errors.ts';
import { BlockHashes } from './checksum.ts';
import { type Algorithm, isAlgorithm } from './checksum-algorithm.ts';
import type { Direction } from './transfer-api.ts';

/** Identity of the local file. A different size, time or inode means different content. */
export interface FileIdentity {
  readonly size: number;
  /** Modification time in nanoseconds since the epoch. Empty if it is not meaningful. */
  readonly modified: string;
  readonly inode: string;
}

/** Properties that all attempts share. */
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
  /** Bytes of the image with these blocks. */
  readonly size: number;
  /** Whether the disk was created for this upload, so that unwritten blocks are zeros. */
  readonly created: boolean;
  /** Whether blocks that are not sent are already zeros. */
  readonly zeroed: boolean;
  /** Whether blocks are hashed during the transfer, which verification requires. */
  readonly hashed: boolean;
}

interface Entry {
  readonly transfer?: string;
  readonly pid?: number;
  /** First and last block of completed ranges. */
  readonly blocks?: readonly (readonly [number, number])[];
  /** Algorithm of all following hashes (default SHA-256). */
  readonly algorithm?: string;
  /** Concatenated hashes of these blocks in base64. Absent for blocks of zeros. */
  readonly hashes?: string;
}

/** Completed block with the hash of its bytes. */
export interface DoneBlock {
  readonly block: number;
  readonly digest: Uint8Array;
}

const extension = '.jsonl';
const noFollow = constants.O_NOFOLLOW ?? 0;

export class Journal {
  readonly path: string;
  readonly header: JournalHeader;
  /** Completed blocks. */
  readonly done = new RangeSet();
  #hashes = new BlockHashes('sha256');
  #transfer: string | undefined;
  #pid: number | undefined;
  #file: number;
  /** Whether a crash truncated the last line, so that the next entry must begin with a line end. */
  #isCutShort = false;
  #isDetached = false;

  private constructor(path: string, header: JournalHeader, file: number) {
    this.path = path;
    this.header = header;
    this.#file = file;
  }

  /** Creates a journal. Replaces an older journal of the same transfer. */
  static create(folder: string, header: JournalHeader): Journal {
    const path = join(folder, formatFileName(header));
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
      // The older journal remains until this one is complete.
      describeWriteErrors(path, () => renameSync(draft, path));
    } catch (error) {
      rmSync(draft, { force: true });
      journal.close();
      throw error;
    }
    return journal;
  }

  /** Creates a journal without a file, for a transfer that cannot be resumed. */
  static inMemory(header: JournalHeader): Journal {
    return new Journal('', header, -1);
  }

  /** Matching journals in a folder. The caller must close each. */
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
    const file = describeWriteErrors(path, () => openExisting(path));
    // Another process completed its transfer.
    if (file === undefined) return undefined;
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
    const [first, ...lines] = text.split('\n').map(parseLine);
    if (!isHeader(first)) {
      closeSync(file);
      return undefined;
    }
    const journal = new Journal(path, first, file);
    for (const line of lines) journal.#take(readEntry(line));
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

  /** Hashes of the completed blocks except for zeros. */
  get hashes(): BlockHashes {
    return this.#hashes;
  }

  /** Sets the hash algorithm, unless blocks have been hashed with another one. */
  hashBy(algorithm: Algorithm): void {
    if (algorithm === this.#hashes.algorithm || !this.#hashes.isEmpty) return;
    this.#hashes = new BlockHashes(algorithm);
    this.#append({ algorithm });
  }

  /** Id of the last image transfer. */
  get transfer(): string | undefined {
    return this.#transfer;
  }

  /** Records the current image transfer and process. */
  begin(transfer: string): void {
    this.#transfer = transfer;
    this.#append({ transfer, pid: process.pid });
  }

  /** Records this process as the user of the journal, before an image transfer exists. */
  claim(): void {
    this.#pid = process.pid;
    this.#append({ pid: process.pid });
  }

  /** Whether the process that wrote the journal is still running. */
  get isInUse(): boolean {
    const pid = this.#pid;
    return pid !== undefined && pid !== process.pid && isRunning(pid);
  }

  /** Throws if the process that wrote the journal is still running. */
  refuseIfInUse(): void {
    if (!this.isInUse) return;
    const pid = this.#pid;
    throw new ConflictError(`another vmctl (process ${pid}) is transferring ${this.header.file}`, {
      code: 'transfer_in_use',
      hint: 'wait for it, or stop it',
    });
  }

  /** Records blocks with data on stable storage. */
  recordBlocks(blocks: readonly DoneBlock[]): void {
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

  /** Records blocks of zeros on stable storage. */
  recordZeros(ranges: readonly (readonly [first: number, last: number])[]): void {
    if (ranges.length === 0) return;
    for (const [first, last] of ranges) this.done.add(first, last + 1);
    this.#append({ blocks: ranges });
  }

  #append(entry: Entry | JournalHeader): void {
    if (this.path === '' || this.#isDetached) return;
    describeWriteErrors(this.path, () => {
      // Writes the complete entry or throws; a single `write` can be partial.
      writeFileSync(this.#file, `${this.#isCutShort ? '\n' : ''}${JSON.stringify(entry)}\n`);
      this.#isCutShort = false;
      fdatasyncSync(this.#file);
    });
  }

  /** Stops writing to the file, for dry runs. */
  detach(): void {
    this.#isDetached = true;
  }

  close(): void {
    if (this.#file >= 0) closeSync(this.#file);
    this.#file = -1;
  }

  /**
   * Removes the journal, so that the transfer cannot be resumed. A failed removal is only reported,
   * because it must not hide the result of the transfer.
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

/** Runs an operation on a journal, and adds its path to system errors. */
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

/** Opens a journal for reading and appending. Undefined if it does not exist anymore. */
function openExisting(path: string): number | undefined {
  try {
    return openSync(path, constants.O_RDWR | constants.O_APPEND | noFollow);
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function formatFileName({ direction, server, disk, file }: JournalHeader): string {
  const key = createHash('sha256').update([direction, server, disk, file].join('\n'));
  return `${key.digest('hex').slice(0, 32)}${extension}`;
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function isHeader(value: unknown): value is JournalHeader {
  if (!isRecord(value) || value['version'] !== 1) return false;
  const { direction, server, disk, name, file, format, identity, size } = value;
  const { created, zeroed, hashed } = value;
  return (
    (direction === 'upload' || direction === 'download') &&
    (format === 'raw' || format === 'cow') &&
    [server, disk, name, file].every((text) => typeof text === 'string') &&
    typeof size === 'number' &&
    isIdentity(identity) &&
    [created, zeroed, hashed].every((flag) => typeof flag === 'boolean')
  );
}

function isIdentity(value: unknown): value is FileIdentity {
  if (!isRecord(value)) return false;
  const { size, modified, inode } = value;
  return typeof size === 'number' && typeof modified === 'string' && typeof inode === 'string';
}

/** Reads an entry. Omits invalid members, so that their blocks are copied again. */
function readEntry(line: unknown): Entry {
  const { transfer, pid, blocks, algorithm, hashes } = toRecord(line);
  return {
    ...(typeof transfer === 'string' ? { transfer } : {}),
    ...(typeof pid === 'number' ? { pid } : {}),
    ...(Array.isArray(blocks) && blocks.every(isBlockRange) ? { blocks } : {}),
    ...(typeof algorithm === 'string' ? { algorithm } : {}),
    ...(typeof hashes === 'string' ? { hashes } : {}),
  };
}

function isBlockRange(value: unknown): value is readonly [number, number] {
  return Array.isArray(value) && value.length === 2 && value.every(Number.isSafeInteger);
}

/**
 * Whether a process with this id is running and belongs to this user, as far as the system reports.
 */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (getErrorCode(error) === 'ESRCH') return false;
  }
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('vmctl');
  } catch {
    return process.platform !== 'linux';
  }
}
