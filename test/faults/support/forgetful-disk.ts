/**
 * Simulated disk that loses any part of its unflushed data at a power cut. It records the files of
 * a store at their flushes, and composes a possible state after a cut: each sector as flushed or as
 * last written.
 */
import fs, { copyFileSync, mkdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';

const sector = 512;
const suffixes = ['', '-wal'] as const;

type Settled = (error: NodeJS.ErrnoException | null) => void;

/** Version of a sector after the cut. */
export type Choice = 'flushed' | 'written' | 'either';

export class ForgetfulDisk {
  readonly #database: string;
  readonly #flushed = new Map<string, Buffer>();
  readonly #real = { fsync: fs.fsync, fdatasync: fs.fdatasync, fdatasyncSync: fs.fdatasyncSync };
  /** Number of database flushes (checkpoints) so far; the log is emptied after each. */
  emptied = 0;

  /** Takes the current files as flushed, and intercepts flushes. */
  constructor(database: string) {
    this.#database = database;
    for (const suffix of suffixes) this.#note(`${database}${suffix}`);
    const { fsync, fdatasync, fdatasyncSync } = this.#real;
    const watched = (flush: (file: number, done: Settled) => void) => {
      return (file: number, done: Settled) => {
        // A flush need not include data written during the flush.
        const before = this.#state(file);
        flush(file, (error) => {
          if (!error) this.#keep(before);
          done(error);
        });
      };
    };
    Object.assign(fs, {
      fsync: watched(fsync),
      fdatasync: watched(fdatasync),
      fdatasyncSync: (file: number) => {
        fdatasyncSync(file);
        this.#keep(this.#state(file));
      },
    });
    syncBuiltinESMExports();
  }

  /** Restores the system calls. */
  end(): void {
    Object.assign(fs, this.#real);
    syncBuiltinESMExports();
  }

  /** Writes a possible state after a power cut into a folder. Returns the path of its database. */
  cut(folder: string, choice: Choice, random: () => number): string {
    mkdirSync(folder);
    for (const suffix of suffixes) {
      const path = `${this.#database}${suffix}`;
      const target = join(folder, `cut.db${suffix}`);
      if (choice === 'written') copyFileSync(path, target);
      else writeFileSync(target, this.#left(path, choice, random));
    }
    return join(folder, 'cut.db');
  }

  #left(path: string, choice: Choice, random: () => number): Buffer {
    const flushed = this.#flushed.get(path) ?? Buffer.alloc(0);
    if (choice === 'flushed') return flushed;
    const written = readFileSync(path);
    const length = random() < 0.5 ? written.length : flushed.length;
    const left = Buffer.alloc(length);
    // Runs of one or many sectors, because disks write adjacent sectors together.
    const longest = 2 ** Math.floor(random() * 14);
    for (let at = 0; at < length; ) {
      const end = Math.min(at + sector * Math.ceil(random() * longest), length);
      const from = random() < 0.5 ? written : flushed;
      if (at < from.length) from.copy(left, at, at, end);
      at = end;
    }
    return left;
  }

  #state(file: number): { path: string; bytes: Buffer } | undefined {
    const path = readlinkSync(`/proc/self/fd/${file}`);
    const isOurs = suffixes.some((suffix) => path === `${this.#database}${suffix}`);
    return isOurs ? { path, bytes: readFileSync(path) } : undefined;
  }

  #keep(state: { path: string; bytes: Buffer } | undefined): void {
    if (!state) return;
    if (state.path === this.#database) this.emptied += 1;
    this.#flushed.set(state.path, state.bytes);
  }

  #note(path: string): void {
    this.#flushed.set(path, readFileSync(path));
  }
}
