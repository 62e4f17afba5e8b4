// Backends that only tell what was asked of them.
import type { Backend } from '../../../src/images/backends/backend.ts';

/** A backend that logs changes, and fails as told until it is healed. */
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
