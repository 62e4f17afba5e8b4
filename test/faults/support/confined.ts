/** Runs the built server under limits of the system: descriptors, sizes of files, memory. */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A group of processes that may use so much memory and not more. */
export class MemoryGroup {
  readonly path: string;
  readonly #isOld: boolean;

  /** Makes a group. Throws where that is not possible. */
  constructor(bytes: number) {
    const old = '/sys/fs/cgroup/memory';
    this.#isOld = existsSync(join(old, 'cgroup.procs'));
    this.path = join(this.#isOld ? old : '/sys/fs/cgroup', `vmctl-test-${process.pid}`);
    mkdirSync(this.path);
    try {
      const limit = this.#isOld ? 'memory.limit_in_bytes' : 'memory.max';
      writeFileSync(join(this.path, limit), String(bytes));
    } catch (error) {
      rmdirSync(this.path);
      throw error;
    }
  }

  /** Most that was used at a time, in bytes. */
  get peak(): number {
    const file = join(this.path, this.#isOld ? 'memory.max_usage_in_bytes' : 'memory.peak');
    return existsSync(file) ? Number(readFileSync(file, 'utf8')) : Number.NaN;
  }

  /** Runs what starts a process, which is in the group then from its beginning. */
  around<T>(start: () => T): T {
    const lines = readFileSync('/proc/self/cgroup', 'utf8').split('\n');
    const own = lines.find((line) => (this.#isOld ? /:memory:/ : /^0::/).test(line)) ?? '';
    const home = join(this.path, '..', own.split(':')[2] ?? '/', 'cgroup.procs');
    writeFileSync(join(this.path, 'cgroup.procs'), String(process.pid));
    try {
      return start();
    } finally {
      writeFileSync(home, String(process.pid));
    }
  }

  remove(): void {
    rmdirSync(this.path);
  }
}

/** Why no group can be made here; undefined where one can. */
export function cannotLimitMemory(): string | undefined {
  try {
    new MemoryGroup(2 ** 30).remove();
    return undefined;
  } catch {
    return ' (no control group for memory can be made here)';
  }
}
