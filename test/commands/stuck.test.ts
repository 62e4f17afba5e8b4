/** Pending work in an empty event loop: a bug that must not exit with success. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeHome } from '../support/command.ts';

const folder = mkdtempSync(join(tmpdir(), 'vmctl-stuck-'));
const preload = join(folder, 'forgetful.cjs');
const home = makeHome();
let silent: Server;

beforeAll(async () => {
  // No connection or timer keeps this process alive.
  writeFileSync(
    preload,
    `const { Socket } = require('node:net');
    const { connect } = Socket.prototype;
    Socket.prototype.connect = function (...given) {
      return connect.apply(this, given).unref();
    };
    const { setTimeout: usual } = global;
    global.setTimeout = (...given) => usual(...given).unref();`,
  );
  silent = createServer();
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  silent.close();
  home.remove();
  rmSync(folder, { recursive: true, force: true });
});

it('is reported as a failure', async () => {
  const { port } = silent.address() as AddressInfo;
  const { code, stderr } = await home.run(['vms', 'list'], {
    NODE_OPTIONS: `--require=${JSON.stringify(preload)}`,
    VMCTL_URL: `https://127.0.0.1:${port}`,
    VMCTL_TOKEN: 'token',
    VMCTL_INSECURE: '1',
  });
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining('internal error: exited with pending work'),
  ]);
});
