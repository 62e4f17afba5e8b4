// Backends that only count their operations.
import type { Backend } from '../../../src/images/backends/backend.ts';

/** Backend that logs changes, and fails until it is repaired. */
export function countingBackend(errors: { writeError?: string; flushError?: string } = {}) {
  const log: string[] = [];
  let healthy = false;
  const attempt = async (entry: string, code: string | undefined) => {
    log.push(entry);
    if (code && !healthy) throw Object.assign(new Error(code), { code });
  };
  const backend: Backend = {
    read: async (_offset, buffer) => void buffer.fill(0),
    write: (offset, bytes) => attempt(`write ${offset}+${bytes.length}`, errors.writeError),
    zero: (offset, length) => attempt(`zero ${offset}+${length}`, errors.writeError),
    flush: () => attempt('flush', errors.flushError),
    async *extents() {},
    close: async () => {},
  };
  return {
    backend,
    log,
    heal: () => {
      healthy = true;
    },
  };
}
