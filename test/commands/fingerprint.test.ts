/** Fingerprint of the certificate authority: `vmctl serve` prints it as `vmctl login` does. */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Home, makeHome } from '../support/command.ts';
import { startServerProcess, type TestServer } from '../support/server.ts';

let server: TestServer;
let home: Home;
beforeAll(async () => {
  server = await startServerProcess(['--speed', '0']);
  home = makeHome();
});
afterAll(async () => {
  home.remove();
  await server.stop();
});

it('is the same line in serve and login, and in the ready file', async () => {
  const { fingerprint256 } = new X509Certificate(readFileSync(server.ready.ca_file));
  expect(server.ready).toMatchObject({ ca_fingerprint: fingerprint256 });
  const line = `fingerprint: SHA256 ${fingerprint256}\n`;
  await expect.poll(() => server.stderr()).toContain(line);
  const words = ['login', server.ready.base_url, '--username', server.ready.username];
  const { code, stderr } = await home.runHere(words);
  expect(code).toBe(8);
  expect(stderr).toContain(line);
});
