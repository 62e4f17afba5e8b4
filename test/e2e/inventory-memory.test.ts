/** Memory of the server while it creates a large inventory. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { storeVariable } from '../support/postgres.ts';
import { startServerProcess } from '../support/server.ts';

const isChecked = process.platform === 'linux' && process.env[storeVariable] === undefined;

it.runIf(isChecked)('creates a large inventory in bounded memory', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'vmctl-inventory-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const options = ['--data', join(folder, 'site'), '--inventory', 'hosts=10,vms=20000'];
  const server = await startServerProcess(options);
  try {
    const status = readFileSync(`/proc/${server.process.pid}/status`, 'utf8');
    const peakMiB = Number(/^VmHWM:\s*(\d+) kB$/m.exec(status)?.[1]) / 1024;
    expect(peakMiB).toBeGreaterThan(50);
    expect(peakMiB).toBeLessThan(250);
  } finally {
    await server.stop();
  }
});
