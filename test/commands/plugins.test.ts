/** Plug-ins: executables `vmctl-NAME` on the PATH run as commands. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Home, makeHome } from '../support/command.ts';
import { vmctl } from '../support/server.ts';

let home: Home;
let env: NodeJS.ProcessEnv;

const scripts = {
  'vmctl-report': 'printf "%s\\n" "$#" "$@"; echo "context=$VMCTL_CONTEXT" >&2',
  'vmctl-fail': 'exit 37',
  'vmctl-die': 'kill -TERM $$',
  'vmctl-linger':
    'trap "echo terminated; exit 5" TERM; trap "echo interrupted; exit 6" INT; echo ready; while :; do sleep 0.1; done',
  'vmctl-cat': 'exec cat',
  'vmctl-vms': 'echo never',
};

beforeAll(() => {
  home = makeHome();
  const folder = join(home.folder, 'plugins');
  mkdirSync(folder);
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  env = { PATH: `${folder}${delimiter}${process.env['PATH']}` };
});
afterAll(() => home.remove());

const run = (words: readonly string[], input?: string) => home.run(words, env, input);

describe('a plug-in', () => {
  it('gets the remaining arguments unchanged', async () => {
    const { code, stdout, stderr } = await run(['report', 'a b', '--debug', '-o', '--', '']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '5\na b\n--debug\n-o\n--\n\n' });
    expect(stderr).toBe('context=\n');
  });

  it('gets flags before its name as variables', async () => {
    const { code, stdout, stderr } = await run(['-c', 'lab', 'report']);
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '0\n', stderr: 'context=lab\n' });
    const refused = await run(['--sandbox', 'report']);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('--sandbox: not valid before a plug-in');
  });

  it('reads standard input', async () => {
    expect((await run(['cat'], 'text')).stdout).toBe('text');
  });

  it('determines the exit code, also by a signal', async () => {
    expect((await run(['fail'])).code).toBe(37);
    expect((await run(['die'])).code).toBe(128 + constants.signals.SIGTERM);
  });

  it.each([
    ['SIGTERM', 'terminated', 5],
    ['SIGINT', 'interrupted', 6],
  ] as const)('gets %s, and has time to end', async (signal, text, status) => {
    const child = spawn(process.execPath, [vmctl, 'linger'], { env: { ...home.env, ...env } });
    let output = '';
    child.stdout.on('data', (data: Buffer) => {
      output += data.toString();
      if (output === 'ready\n') child.kill(signal);
    });
    const [code] = (await once(child, 'close')) as [number | null];
    expect({ code, output }).toEqual({ code: status, output: `ready\n${text}\n` });
  });

  it('never replaces a command', async () => {
    const { stdout } = await run(['vms', '--help']);
    expect(stdout).toContain('Usage: vmctl vms');
  });
});

describe('plug-ins', () => {
  it('are listed in help', async () => {
    expect((await run([])).stdout).toMatch(/^ {2}Plug-ins +cat, die, fail, linger, report$/m);
    const { stdout } = await run(['help', 'nouns']);
    expect(stdout).toMatch(/^Plug-ins\n {2}cat +\S+\/vmctl-cat$/m);
    expect((await home.run([])).stdout).not.toContain('Plug-ins');
  });

  it('print their own help', async () => {
    expect((await run(['help', 'report'])).stdout).toBe('1\n--help\n');
  });

  it('are offered by completion, and files as their arguments', async () => {
    expect((await run(['__complete', 'repo'])).stdout).toMatch(/^report\t\S+\/vmctl-report$/m);
    expect((await run(['__complete-zsh', 'report', ''])).stdout).toBe('files\n');
  });

  it('leave unknown nouns an error', async () => {
    const { code, stderr } = await run(['reprt']);
    expect(code).toBe(2);
    expect(stderr).toContain('unknown noun "reprt"');
    expect(stderr).toContain('did you mean report?');
  });
});
