/** The dashboard in a real terminal. */
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hasTmux, openPane, type Pane } from '../../../commands/support/pane.ts';
import { type Home, makeHome } from '../../../support/command.ts';
import { startTestServer, type TestServer, vmctl } from '../../../support/server.ts';

let server: TestServer;
let home: Home;
let pane: Pane;

beforeAll(async () => {
  server = await startTestServer(['--inventory', 'small', '--speed', '0']);
  home = makeHome(server);
  const bin = join(home.folder, 'bin');
  mkdirSync(bin);
  symlinkSync(vmctl, join(bin, 'vmctl'));
  writeFileSync(join(bin, 'ssh'), '#!/bin/sh\necho "ssh asks $1"; read answer\nexit "$answer"\n');
  chmodSync(join(bin, 'ssh'), 0o755);
});
afterAll(async () => {
  home.remove();
  await server.stop();
});
beforeEach(() => {
  const { env } = home;
  const path = `${join(home.folder, 'bin')}:${process.env['PATH']}`;
  pane = openPane({ ...env, PATH: path }, 80, 24);
});
afterEach(() => pane.close());

/** Opens the dashboard and waits for its first list. */
async function open(words = '', ready = /^>vms +│.*\n|NAME +STATUS/m): Promise<string> {
  pane.type(`clear; vmctl ui ${words}; echo "exit $?"`, 'Enter');
  return await pane.until(ready);
}

/** Types keys and waits for the text: keys sent together with a text would be part of it. */
async function typed(...keys: string[]): Promise<void> {
  pane.type(...keys);
  await pane.until(new RegExp(`${keys.at(-1)}`));
}

async function readStatus(vm: string): Promise<string> {
  const { stdout } = await home.runHere(['vms', 'get', vm, '-o', 'json']);
  return (JSON.parse(stdout) as { status: string }).status;
}

/** Waits until a condition holds. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 20));
}

describe.skipIf(!hasTmux)('vmctl ui', () => {
  it('shows nouns, a list, and keys in 80 columns and 24 lines, and restores the terminal', async () => {
    pane.type('echo before', 'Enter');
    const screen = await open();
    const lines = screen.split('\n');
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
    expect(lines[0]).toContain(server.ready.base_url);
    expect(screen).toMatch(/^>vms/m);
    expect(screen).toMatch(/^ hosts/m);
    expect(screen).toMatch(/> vm-01 +up/);
    expect(screen).toMatch(/\? help {2}q leave {2}\/ search {2}Enter open/);
    pane.type('q');
    const after = await pane.until(/exit 0/);
    expect(after).not.toContain('hosts');
  });

  it('exits on Ctrl-C', async () => {
    await open();
    pane.type('C-c');
    await pane.until(/exit 0/);
  });

  it('checks a search while it is typed, completes it with Tab, and clears it with Esc', async () => {
    await open();
    await typed('/', 'stat');
    pane.type('Tab');
    await pane.until(/^\/status/m);
    pane.type('=upp');
    await pane.until(/"upp" is not a valid status/);
    pane.type('BSpace', 'Enter');
    const found = await pane.until(/vms {2}\/ status=up/);
    expect(found).toContain('vm-01');
    await pane.until(/^(?![\s\S]*vm-02)[\s\S]*vm-03/);
    pane.type('Escape');
    await pane.until(/vm-02/);
  });

  it('filters lists that are not searchable', async () => {
    await open('macpools', /NAME/);
    await typed('/', 'nothing like it');
    pane.type('Enter');
    await pane.until(/no macpools found matching the filter/);
  });

  it('opens an object: details, events, YAML, and subcollections', async () => {
    await open();
    pane.type('Enter');
    const details = await pane.until(/name:? +vm-01/);
    expect(details).toMatch(/vms › vm-01/);
    expect(details).toContain('[details]');
    pane.type('e');
    await pane.until(/\[events\][\s\S]*(vm-01|none of the last)/);
    pane.type('Tab');
    await pane.until(/\[yaml\][\s\S]*fqdn: vm-01/);
    const tab = () => /\[(\w+)\]/.exec(pane.screen())?.[1];
    for (let before = tab(); before !== 'nics'; before = tab()) {
      pane.type('Tab');
      await until(async () => tab() !== before);
    }
    await pane.until(/\[nics\][\s\S]*nic1/);
    pane.type('Enter');
    await pane.until(/vms › vm-01 › nic1/);
    pane.type('Escape');
    await pane.until(/\[nics\]/);
    pane.type('Escape');
    await pane.until(/> vm-01/);
  });

  it('runs harmless commands directly, confirms harmful ones, and records both in the history', async () => {
    await home.runHere(['vms', 'stop', 'vm-02', '--if-needed']);
    await open();
    pane.type('Down', 's');
    await pane.until(/vmctl vms start vm-02: done/);
    expect(await readStatus('vm-02')).toBe('up');
    pane.type('x');
    await pane.until(/stop vm-02\?[\s\S]*vmctl vms stop vm-02[\s\S]*y yes/);
    pane.type('n');
    await pane.until(/nothing changed/);
    expect(await readStatus('vm-02')).toBe('up');
    pane.type('x');
    await pane.until(/stop vm-02\?/);
    pane.type('y');
    await pane.until(/vmctl vms stop vm-02: done/);
    expect(await readStatus('vm-02')).toBe('down');
    pane.type('v');
    await pane.until(
      /Changes in this session[\s\S]*vms stop vm-02: done[\s\S]*vms start vm-02: done/,
    );
    const { stdout } = await home.runHere(['history', '-o', 'json']);
    const commands = (JSON.parse(stdout) as { command: string }[]).map(({ command }) => command);
    expect(commands).toEqual(
      expect.arrayContaining([
        expect.stringContaining('vms start vm-02'),
        expect.stringContaining('vms stop vm-02'),
      ]),
    );
  });

  it('shows the complete message of a refusal', async () => {
    await home.runHere(['vms', 'stop', 'vm-02', '--if-needed']);
    await open('vms --search name=vm-02', /> vm-02/);
    pane.type('b');
    await pane.until(/y yes/);
    pane.type('y');
    await pane.until(/vmctl vms reboot vm-02: \S/);
    pane.type('v');
    await pane.until(/reboot vm-02: failed/);
  });

  it('runs a command for all marked objects', async () => {
    await home.runHere(['vms', 'start', 'vm-01', 'vm-02', 'vm-03', '--if-needed']);
    await open();
    pane.type('Space', 'Space');
    await pane.until(/2 marked/);
    pane.type('x');
    await pane.until(/stop 2 objects\?[\s\S]*vmctl vms stop vm-01 vm-02/);
    pane.type('y');
    await pane.until(/vms stop vm-01 vm-02: done/);
    expect([
      await readStatus('vm-01'),
      await readStatus('vm-02'),
      await readStatus('vm-03'),
    ]).toEqual(['down', 'down', 'up']);
    await pane.until(/^(?![\s\S]*marked)/);
  });

  it('offers every verb that needs only a name', async () => {
    await home.runHere(['vms', 'stop', 'vm-01', '--if-needed']);
    await open();
    pane.type('a');
    const menu = await pane.until(/Actions/);
    expect(menu).toMatch(/s start .*Start/);
    expect(menu).toMatch(/c console/);
    pane.type('Enter');
    await pane.until(/vms start vm-01: done/);
  });

  it('shows changes by other clients', async () => {
    await home.runHere(['vms', 'stop', 'vm-01', '--if-needed']);
    await open('--interval 1s');
    await pane.until(/vm-01 +down/);
    await home.runHere(['vms', 'start', 'vm-01']);
    await pane.until(/vm-01 +up/);
  });

  it('reports a stopped server, and keeps the last list', async () => {
    const other = await startTestServer(['--inventory', 'small', '--speed', '0']);
    const elsewhere = makeHome(other);
    pane.close();
    pane = openPane({
      ...elsewhere.env,
      PATH: `${join(home.folder, 'bin')}:${process.env['PATH']}`,
    });
    await open('--interval 1s --retries 0');
    await other.stop();
    const screen = await pane.until(/not refreshed: /);
    expect(screen).toContain('vm-01');
    pane.type('q');
    await pane.until(/exit 0/);
    elsewhere.remove();
  });

  it('opens a noun by its name, and from the sidebar', async () => {
    await open();
    pane.type(':', 'even', 'Enter');
    await pane.until(/^>events/m);
    await pane.until(/SEVERITY/);
    pane.type('Tab', 'Home', 'Down', 'Enter');
    await pane.until(/^>hosts[\s\S]*host1 +up/m);
  });

  it('hands the terminal to ssh, and takes it over again', async () => {
    await home.runHere(['vms', 'start', 'vm-01', '--if-needed']);
    await open('vms --search name=vm-01', /> vm-01/);
    pane.type('t');
    await pane.until(/ssh asks \d+/);
    expect(pane.screen()).not.toContain('hosts');
    pane.type('3', 'Enter');
    await pane.until(/vmctl vms ssh vm-01 exited with 3/);
    expect(pane.screen()).toMatch(/> vm-01/);
  });

  it('follows the size of the terminal, and reports a size that is too small', async () => {
    await open();
    pane.resize(130, 40);
    await pane.until(/FQDN +CREATION|macpools/);
    pane.resize(50, 10);
    await pane.until(/too small: at least 60 x 12/);
    pane.resize(80, 24);
    const screen = await pane.until(/> vm-01/);
    for (const line of screen.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });

  it('requires the name of a protected context', async () => {
    const { VMCTL_URL: url = '', VMCTL_CA_FILE: ca = '', VMCTL_USERNAME: user = '' } = home.env;
    const login = ['login', url, '-c', 'lab', '--username', user, '--ca-file', ca];
    expect(await home.runHere(login)).toMatchObject({ code: 0 });
    expect(await home.runHere(['context', 'set', 'lab', '--protected'])).toMatchObject({ code: 0 });
    await home.runHere(['vms', 'start', 'vm-03', '--if-needed']);
    pane.type('unset VMCTL_URL VMCTL_USERNAME VMCTL_CA_FILE', 'Enter');
    await open('vms --context lab --search name=vm-03', /> vm-03/);
    expect(pane.screen()).toContain('protected context lab');
    pane.type('x');
    await pane.until(/Context lab is protected/);
    await typed('prod');
    pane.type('Enter');
    await pane.until(/that is not lab; nothing changed/);
    expect(await readStatus('vm-03')).toBe('up');
    pane.type('x');
    await pane.until(/Context lab is protected/);
    pane.type('lab', 'Enter');
    await until(async () => (await readStatus('vm-03')) === 'down');
    await pane.until(/vms stop vm-03: done/);
  });

  it('refuses changes in read-only mode', async () => {
    pane.type('export VMCTL_READ_ONLY=1', 'Enter');
    await open();
    expect(pane.screen()).toContain('read-only');
    pane.type('s');
    await pane.until(/read-only \(--read-only or the context\)/);
  });

  it('shows a running transfer with its progress', async () => {
    const disk = await home.runHere([
      ...['disks', 'create', '--alias', 'moving', '--provisioned-size', '64MiB'],
      ...['--format', 'raw', '--storage-domain', 'data1', '-o', 'json'],
    ]);
    expect(disk).toMatchObject({ code: 0 });
    const { id } = JSON.parse(disk.stdout) as { id: string };
    // The context of the last test is protected, and an upload overwrites the disk.
    const create = ['imagetransfers', 'create', '--disk', id, '--confirm', 'lab'];
    const begun = await home.runHere(create);
    expect(begun).toMatchObject({ code: 0 });
    await open('--interval 1s');
    await pane.until(/↑ moving ░+ 0 % of 64 MiB/);
  });
});

describe('vmctl ui elsewhere', () => {
  it.each([
    ['off a terminal', ['ui'], /ui needs a terminal/],
    ['for a noun that is none', ['ui', 'vmz'], /needs a terminal/],
  ])('%s exits with a hint', async (_, words, message) => {
    const { code, stderr, stdout } = await home.run(words);
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toMatch(message);
    expect(stderr).toContain('vmctl watch vms');
  });
});
