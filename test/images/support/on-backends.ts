// Runs black-box tests on every backend.
import { describe } from 'vitest';
import { type Harness, type Storage, startHarness } from './harness.ts';
import { hasQemuNbd } from './nbd-server.ts';

type Start = (...given: Parameters<typeof startHarness>) => Promise<Harness>;

/** Declares tests twice: with images in files, and with images exported by qemu-nbd. */
export function onEachBackend(declare: (start: Start, storage: Storage) => void): void {
  for (const storage of ['file', 'nbd'] as const) {
    const missing = storage === 'nbd' && !hasQemuNbd;
    const name = `on the backend ${storage}${missing ? ' (qemu-nbd is not installed)' : ''}`;
    describe.skipIf(missing)(name, () => {
      declare((options, parts) => startHarness(options, parts, storage), storage);
    });
  }
}
