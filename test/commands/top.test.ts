/** Keys of `vmctl top` in a terminal. */
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Home, makeHome } from '../support/command.ts';
import { startTestServer, type TestServer, vmctl } from '../support/server.ts';
import { hasTmux, openPane, type Pane } from './support/pane.ts';

let server: TestServer;
let home: Home;
let pane: Pane;

beforeAll(async () => {
  server = await startTestServer(['--inventory', 'small', '--speed', '0']);
  home = makeHome(server);
  mkdirSync(join(home.folder, 'bin'));
  symlinkSync(vmctl, join(home.folder, 'bin/vmctl'));
});
afterAll(async () => {
  home.remove();
  await server.stop();
});

it('prints no keys outside of a terminal', async () => {
  const { code, stdout } = await home.runHere(['top', 'hosts']);
  expect(code).toBe(0);
  expect(stdout).toContain('host1');
  expect(stdout).not.toContain('q quit');
});

describe.skipIf(!hasTmux)('vmctl top in a terminal', () => {
  beforeEach(() => {
    const path = `${join(home.folder, 'bin')}:${process.env['PATH']}`;
    pane = openPane({ ...home.env, PATH: path }, 100, 14);
    pane.type('clear; vmctl top hosts --interval 1h; echo "exit $?"', 'Enter');
  });
  afterEach(() => pane.close());

  it('shows the keys in the last line, and quits on q', async () => {
    const screen = await pane.until(/q quit/);
    expect(screen.trimEnd().split('\n').at(-1)).toBe('q quit  ? help  c [cpu]  m memory  n name');
    pane.type('q');
    await pane.until(/exit 0/);
    pane.type('echo typed', 'Enter');
    await pane.until(/^typed$/m);
  });

  it('shows and hides the help, and sorts without a new poll', async () => {
    await pane.until(/q quit/);
    pane.type('?');
    await pane.until(/m {2}sort by memory/);
    pane.type('?');
    await pane.until(/^(?![\s\S]*sort by memory)[\s\S]*q quit/);
    pane.type('n');
    const screen = await pane.until(/n \[name\]/);
    expect(screen.indexOf('host1')).toBeLessThan(screen.indexOf('host2'));
  });

  it('draws a sparkline that grows with each poll', async () => {
    await pane.until(/q quit/);
    pane.type('q');
    await pane.until(/exit 0/);
    pane.type('clear; vmctl top hosts --interval 100ms', 'Enter');
    await pane.until(/CPU_TREND[\s\S]*host1 +up +[\d.]+ +[▁▂▃▄▅▆▇█]{3,}/);
  });

  it('exits on Ctrl-C with the code of an interruption', async () => {
    await pane.until(/q quit/);
    pane.type('C-c');
    await pane.until(/exit 130/);
  });
});
