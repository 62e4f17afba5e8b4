/** Flags and folders that `vmctl serve --hypervisor` refuses. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Home, makeHome } from '../../../support/command.ts';

const vm = '11111111-2222-4333-8444-555555555555';

let home: Home;
let folder: string;

beforeEach(() => {
  home = makeHome();
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'vmctl-flags-')));
});
afterEach(() => {
  home.remove();
  rmSync(folder, { recursive: true, force: true });
});

async function expectRefusal(words: readonly string[], message: string): Promise<void> {
  const addresses = ['--listen', '127.0.0.1:0', '--images-listen', '127.0.0.1:0'];
  const { code, stderr } = await home.run(['serve', ...addresses, ...words]);
  expect(stderr).toContain(message);
  expect(code).toBe(2);
}

it.each([
  [['--hypervisor', 'xen'], 'Allowed choices are simulated, qemu.'],
  [['--hypervisor', 'qemu', '--memory'], '--hypervisor qemu and --memory exclude each other'],
  [['--hypervisor', 'qemu', '--store', 'postgres://x/y'], 'exclude each other'],
])('%s is refused', (words, message) => expectRefusal(words, message));

it('a folder with a suspended VM is refused by a server without QEMU', async () => {
  const saved = join(folder, 'vms', '.saved', vm);
  mkdirSync(saved, { recursive: true });
  writeFileSync(join(saved, 'memory'), '');
  await expectRefusal(['--data', folder], '1 of its VMs are suspended by QEMU');
});

it('a folder with a running QEMU process is refused by a server without QEMU', async () => {
  const working = join(folder, 'vms', vm);
  mkdirSync(working, { recursive: true });
  // A process with the working folder and the argument of a VM.
  const script = 'console.log("ready"); setInterval(() => {}, 1000)';
  const child = spawn(process.execPath, ['-e', script, '--', '-uuid', vm], { cwd: working });
  try {
    await once(child.stdout, 'data');
    await expectRefusal(['--data', folder], '1 of its VMs run in QEMU');
  } finally {
    child.kill('SIGKILL');
  }
});
