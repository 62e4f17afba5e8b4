/** What a large inventory took in memory while it was made is given back to the system. */
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { storeVariable } from '../support/postgres.ts';
import { startServerProcess } from '../support/server.ts';

const isChecked = process.platform === 'linux' && process.env[storeVariable] === undefined;

it.runIf(isChecked)('a server with a large inventory is as small as after a restart', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'vmctl-inventory-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const data = join(folder, 'site');
  const server = await startServerProcess(['--data', data, '--inventory', 'hosts=10,vms=10000']);
  try {
    const size = statSync(join(data, 'vmctl.db')).size;
    const bytes = (field: string) => {
      const status = readFileSync(`/proc/${server.process.pid}/status`, 'utf8');
      return Number(new RegExp(`^${field}:\\s*(\\d+) kB$`, 'm').exec(status)?.[1]) * 1024;
    };
    // All of the database was in memory.
    expect(bytes('VmHWM')).toBeGreaterThan(size);
    await vi.waitFor(
      () => expect(bytes('VmHWM') - bytes('VmRSS')).toBeGreaterThan(size / 2),
      10_000,
    );
  } finally {
    await server.stop();
  }
});
