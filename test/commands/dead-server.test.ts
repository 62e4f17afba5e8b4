/** Waiting while the server disappears: an immediate warning, and an error at the end. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { type ServerProcess, startServerProcess, vmctl } from '../support/server.ts';

const data = mkdtempSync(join(tmpdir(), 'vmctl-dead-'));
const running: ChildProcess[] = [];
afterAll(() => {
  for (const child of running) child.kill('SIGKILL');
  rmSync(data, { recursive: true, force: true });
});

/** Running command with its output and its end. */
function begin({ ready, password }: ServerProcess, words: readonly string[]) {
  const child = spawn(process.execPath, [vmctl, ...words], {
    env: {
      PATH: process.env['PATH'],
      HOME: data,
      VMCTL_URL: ready.base_url,
      VMCTL_USERNAME: ready.username,
      VMCTL_PASSWORD: password,
      VMCTL_CA_FILE: ready.ca_file,
    },
  });
  running.push(child);
  let stderr = '';
  child.stderr.on('data', (piece: Buffer) => {
    stderr += piece.toString();
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const told = async (text: string) => {
    while (!stderr.includes(text)) {
      const code = await Promise.race([ended, new Promise((next) => setTimeout(next, 10, 'on'))]);
      if (code !== 'on') throw new Error(`It exited with ${String(code)}: ${stderr}`);
    }
  };
  return { ended, told, stderr: () => stderr };
}

it('continues until the timeout, and exits with the code of an unreachable server', async () => {
  const server = await startServerProcess(['--speed', '0', '--inventory', 'small']);
  const wait = ['wait', 'vms/vm-02', '--for', 'status=up', '--timeout', '6s'];
  const { ended, told, stderr } = begin(server, wait);
  await told('vms/vm-02: down');
  await server.kill();
  await told(': connection refused; retrying until the timeout');
  expect(await ended).toBe(8);
  expect(stderr().match(/retrying until the timeout/g)).toHaveLength(1);
  expect(stderr()).toContain(
    'timed out after 6 s waiting for status=up of vms/vm-02: cannot connect to ',
  );
  expect(stderr()).toContain('; last state: down');
  expect(stderr()).toContain('once the server responds: vmctl wait vms/vm-02 --for status=up');
});

it('continues with a server that responds again', async () => {
  const kept = ['--data', join(data, 'site'), '--speed', '0', '--inventory', 'small'];
  const server = await startServerProcess(kept);
  const wait = ['wait', 'vms/vm-02', '--for', 'status=up', '--timeout', '60s'];
  const { ended, told } = begin(server, wait);
  await told('vms/vm-02: down');
  await server.kill();
  await told('; retrying until the timeout');
  const { host } = new URL(server.ready.api_url);
  const again = await startServerProcess([...kept, '--listen', host]);
  await told('the server responds again');
  const start = begin(again, ['vms', 'start', 'vm-02']);
  expect(await start.ended, start.stderr()).toBe(0);
  expect(await ended).toBe(0);
  await again.stop();
});
