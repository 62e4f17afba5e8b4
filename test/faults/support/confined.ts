/** Runs the built server under system limits: descriptors, file sizes, memory. */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Control group with a memory limit. */
export class MemoryGroup {
  readonly path: string;
  readonly #isOld: boolean;

  /** Creates a group. Throws if that is not possible. */
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

  /** Peak memory in bytes. */
  get peak(): number {
    const file = join(this.path, this.#isOld ? 'memory.max_usage_in_bytes' : 'memory.peak');
    return existsSync(file) ? Number(readFileSync(file, 'utf8')) : Number.NaN;
  }

  /** Runs `start`; the process that it starts is in the group from its beginning. */
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

/** Reason why no group can be created; undefined if possible. */
export function cannotLimitMemory(): string | undefined {
  try {
    new MemoryGroup(2 ** 30).remove();
    return undefined;
  } catch {
    return ' (no control group for memory can be made here)';
  }
}
