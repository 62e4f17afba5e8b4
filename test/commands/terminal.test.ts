/** Commands at a terminal: prompts, progress and interruption. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Home, makeHome } from '../support/command.ts';
import { startTestServer, type TestServer, vmctl } from '../support/server.ts';
import { hasTmux, openPane, type Pane } from './support/pane.ts';

let server: TestServer;
let home: Home;
let pane: Pane;

beforeAll(async () => {
  // Work takes as long as in life, so that it can be watched and stopped.
  server = await startTestServer(['--inventory', 'small', '--speed', '1']);
  home = makeHome(server);
  mkdirSync(join(home.folder, 'bin'));
  symlinkSync(vmctl, join(home.folder, 'bin/vmctl'));
});
afterAll(async () => {
  home.remove();
  await server.stop();
});
beforeEach(() => {
  pane = openPane({
    PATH: `${join(home.folder, 'bin')}:${process.env['PATH']}`,
    HOME: home.folder,
    VMCTL_URL: server.ready.base_url,
    VMCTL_USERNAME: server.ready.username,
    VMCTL_PASSWORD: server.password,
    VMCTL_CA_FILE: server.ready.ca_file,
  });
});
afterEach(() => pane.close());

/** Types a command; its exit code is shown after it. */
function run(command: string): void {
  pane.type(`${command}; echo "exit $?"`, 'Enter');
}

describe.skipIf(!hasTmux)('at a terminal', () => {
  it('a question shows what it is about; everything but yes is no', async () => {
    await home.run([
      'vms',
      'create',
      '--name',
      'old',
      '--cluster',
      'Default',
      '--template',
      'Blank',
    ]);
    for (const [answer, end] of [
      ['n', /nothing changed[\s\S]*exit 12/],
      ['y', /exit 0/],
    ] as const) {
      run("clear; vmctl vms delete --search 'name=old*' --all");
      await pane.until(/vms\/old[\s\S]*vms delete: this VM\? \[y\/N\]/);
      pane.type(answer, 'Enter');
      await pane.until(end);
      run('clear');
    }
  });

  it('secrets pasted together answer the prompts in order, without echo', async () => {
    const provider = (name: string) =>
      `  - {name: ${name}, url: 'https://${name}.example.com', username: u, password: {secret: ${name}}}\n`;
    const file = join(home.folder, 'providers.yaml');
    writeFileSync(file, `externalhostproviders:\n${provider('first')}${provider('second')}`);
    run(`clear; vmctl apply ${file} --yes`);
    pane.type('pasted-one\npasted-two\n');
    const screen = await pane.until(/first:[\s\S]*second:[\s\S]*exit \d/);
    expect(screen).toContain('exit 0');
    expect(screen).not.toMatch(/first: *pasted|second: *pasted/);
  });

  it('a password prompt has no echo', async () => {
    run('VMCTL_PASSWORD= XDG_STATE_HOME=/nowhere vmctl whoami');
    await pane.until(/Password of admin@internal at 127\.0\.0\.1:\d+:/);
    pane.type('typed-secret');
    pane.type('C-c');
    const text = await pane.until(/exit 130/);
    expect(text).not.toContain('typed-secret');
  });

  it('login prompts again after a refused password, and keeps the confirmed trust', async () => {
    const { base_url: url } = server.ready;
    const state = mkdtempSync(join(home.folder, 'login-'));
    const env = `VMCTL_URL= VMCTL_CA_FILE= VMCTL_PASSWORD= XDG_CONFIG_HOME=${state} XDG_STATE_HOME=${state}`;
    run(`clear; ${env} vmctl login ${url} --username admin@internal --store none`);
    await pane.until(/\[y\/N\]|trust/i);
    pane.type('y', 'Enter');
    await pane.until(/Password of admin@internal/);
    pane.type('wrong', 'Enter');
    await pane.until(/try again[\s\S]*Password of admin@internal/);
    pane.type(server.password, 'Enter');
    const screen = await pane.until(/exit \d/);
    expect(screen).toContain('exit 0');
    expect(screen.match(/fingerprint/gi)?.length ?? 1).toBeLessThan(3);
  });

  it('--watch draws in place, as wide as the terminal is now, until Ctrl-C', async () => {
    run('clear; vmctl vms list --watch --interval 100ms');
    const wide = await pane.until(/^vm-03 /m);
    expect(wide.match(/^vm-01 /gm)).toHaveLength(1);
    expect(wide).toContain('FQDN');
    pane.resize(36, 60);
    await pane.until(/^name: vm-01$[\s\S]*^fqdn: vm-03\.example\.com$/m);
    pane.type('C-c');
    await pane.until(/exit 130/);
  });

  it('of several objects each has a line, which changes in place and stays', async () => {
    run('clear; vmctl vms stop vm-01 vm-03');
    await pane.until(/^vms\/vm-0\d: \w+\nvms\/vm-0\d: \w+/m);
    const stopped = await pane.until(/exit 0/);
    const lines = stopped.split('\n').filter((line) => line.startsWith('vms/'));
    expect(lines.sort()).toEqual(['vms/vm-01: down', 'vms/vm-03: down']);
    expect(stopped).toMatch(/^vm-03 +down /m);
    pane.type('clear; ACCESSIBLE=1 vmctl vms start vm-01 vm-03; echo "started $?"', 'Enter');
    const started = (await pane.until(/^started 0/m)).split('\n');
    for (const name of ['vm-01', 'vm-03']) {
      const states = started.filter((line) => line.startsWith(`vms/${name}: `));
      expect(states.at(-1)).toBe(`vms/${name}: up`);
    }
  });

  it('top is live', async () => {
    run('clear; vmctl top vms --interval 100ms');
    const screen = await pane.until(/^vm-03/m);
    expect(screen).toMatch(/^NAME +STATUS +CPU +CPU_TREND +MEMORY +MEMORY_TREND +MEMORY_USED/m);
    expect(screen).toMatch(/^vm-03 .* \d+(\.\d)? [MG]iB /m);
    pane.type('C-c');
    await pane.until(/exit 130/);
  });

  it('waiting shows the state with its reason; Ctrl-C says how to wait on', async () => {
    run('clear; vmctl vms start vm-02');
    await pane.until(/vms\/vm-02: (wait_for_launch|powering_up) \(.*VM vm-02/);
    pane.type('C-c');
    const text = await pane.until(/exit 130/);
    expect(text).toContain('vmctl: ended by SIGINT');
    expect(text).toContain('vmctl wait vms/vm-02 --for status=up');
  });

  it('an upload has a bar that moves, and can be stopped and resumed', async () => {
    writeFileSync(join(home.folder, 'big.raw'), randomBytes(192 * 1024 * 1024));
    run(`clear; cd ${home.folder}; vmctl disks upload big.raw --name big --storagedomain data1`);
    await pane.until(/big\.raw.* [1-9]\d ?%/);
    pane.type('C-c');
    const stopped = await pane.until(/exit \d+/);
    if (/exit 0/.test(stopped)) return;
    expect(stopped).toMatch(/exit 130/);
    expect(stopped).toContain('--resume');
    run('clear; vmctl disks upload big.raw --resume');
    await pane.until(/exit 0/);
  });
});
