/** Names with shell syntax, and secrets that must not leak, through the built command. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestServer as InProcess, startServer } from '../../src/testkit/testkit.ts';
import { type Home, makeHome } from '../support/command.ts';
import { type TestServer, vmctl } from '../support/server.ts';
import { recordResult } from './support/catalogue.ts';

const secret = 'c4n4ry-Pa55word';

let server: InProcess;
let home: Home;

beforeAll(async () => {
  server = await startServer({ password: secret });
  // Settings of a home for a server.
  const ready = { base_url: server.url, username: server.username, ca_file: server.caFile };
  home = makeHome({ ready, password: secret } as unknown as TestServer);
});
afterAll(async () => {
  home.remove();
  await server.stop();
});

/** Every regular file below a folder. */
function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
}

describe('F5 secrets', () => {
  const file = () => join(home.folder, 'password');
  const commands: readonly (() => readonly string[])[] = [
    () => ['vms', 'list', '--debug=http,body'],
    () => ['vms', 'list', '--debug=http,body', '--debug-file', join(home.folder, 'debug.log')],
    () => ['vms', 'list', '--timing', '-o', 'json'],
    () => ['vms', 'list', '--curl'],
    () => [
      'vms',
      'create',
      '--name',
      'x',
      '--cluster',
      'Default',
      '--template',
      'Blank',
      '--dry-run',
    ],
    () => ['vms', 'get', 'nowhere', '--debug=http,body', '-o', 'json'],
    () => ['users', 'list', '--search', `name=${'x'.repeat(100)}`, '--debug'],
    () => ['whoami', '-o', 'json', '--debug=http,body'],
    () => ['config', 'list', '-o', 'json'],
    () => ['doctor', '-o', 'json', '--debug=http,body'],
    () => [
      ...['login', server.url, '--username', server.username, '--password-file', file()],
      ...['--ca-file', server.caFile, '-c', 'lab', '--debug=http,body'],
    ],
    () => ['context', 'show', 'lab', '-o', 'json'],
    () => [
      'hosts',
      'create',
      '--name',
      'h',
      '--address',
      'h.example.com',
      '--root-password-file',
      file(),
      '--debug=http,body',
      '--dry-run',
    ],
    () => ['logout', '--debug=http,body'],
  ];

  it('do not appear in any file that a command writes', async () => {
    writeFileSync(file(), `${secret}\n`, { mode: 0o600 });
    const basic = Buffer.from(`${server.username}:${secret}`).toString('base64');
    let searched = 0;
    for (const words of commands) {
      const { stdout, stderr } = await home.run(words());
      for (const text of [stdout, stderr]) {
        for (const one of [secret, encodeURIComponent(secret), basic]) {
          expect(text, words().join(' ')).not.toContain(one);
        }
        expect(text, words().join(' ')).not.toMatch(/Bearer (?!\$|<|\*|\.)[\w-]{16,}/);
        searched += text.length;
      }
    }
    for (const path of filesIn(home.folder)) {
      if (path === file()) continue;
      expect(readFileSync(path, 'latin1'), path).not.toContain(secret);
      searched += statSync(path).size;
    }
    recordResult(
      'F5',
      `0 secrets in ${Math.round(searched / 1024)} KiB of ${commands.length} commands`,
    );
  });

  it('are not passed to child processes of a command', async () => {
    const told = join(home.folder, 'environment');
    const words = [
      ...['login', server.url, '--username', server.username, '--ca-file', server.caFile],
      ...['-c', 'other', '--password-command', `env > ${told}; cat ${file()}`],
    ];
    const ended = await home.run(words);
    expect(ended.code, ended.stderr).toBe(0);
    expect(readFileSync(told, 'utf8')).toContain('PATH=');
    expect(readFileSync(told, 'utf8')).not.toContain(secret);
  });

  it('control: the search finds an existing secret', async () => {
    expect(filesIn(home.folder).some((path) => readFileSync(path, 'latin1').includes(secret))).toBe(
      true,
    );
  });
});

describe('F12 names', () => {
  /** Creates a file if a shell runs it. */
  const names = [
    '$(touch ran)',
    '`touch ran`',
    '; touch ran #',
    "' && touch ran '",
    '-rf',
    '--yes',
    'a b',
    '*',
  ];
  const ran = () => existsSync(join(home.folder, 'ran'));

  function bash(script: string, env: NodeJS.ProcessEnv = {}): string {
    return execFileSync('bash', ['-c', script], {
      ...{ cwd: home.folder, encoding: 'utf8' },
      env: {
        PATH: `${join(home.folder, 'bin')}:${process.env['PATH']}`,
        HOME: home.folder,
        ...env,
      },
    });
  }

  beforeAll(async () => {
    mkdirSync(join(home.folder, 'bin'));
    const curl = join(home.folder, 'bin/curl');
    writeFileSync(curl, '#!/bin/bash\nprintf "%s\\n" "$@" >> "$HOME/arguments"\n');
    chmodSync(curl, 0o755);
    writeFileSync(join(home.folder, 'bin/vmctl'), '#!/bin/bash\necho token\n', { mode: 0o755 });
    for (const name of names) {
      const made = await home.runHere(['bookmarks', 'create', `--name=${name}`, '--value=x']);
      expect(made.code, made.stderr).toBe(0);
    }
  });

  it('are plain arguments of the commands printed by --curl', async () => {
    for (const name of names) {
      const shown = await home.runHere([
        'bookmarks',
        'create',
        `--name=${name}`,
        '--value=y',
        '--curl',
      ]);
      expect(shown.code, shown.stderr).toBe(0);
      bash(shown.stdout);
      expect(readFileSync(join(home.folder, 'arguments'), 'utf8')).toContain(
        JSON.stringify(name).slice(1, -1),
      );
    }
    expect(ran()).toBe(false);
    recordResult('F12', `0 of ${names.length} names executed`);
  });

  it('are completed as single words', async () => {
    expect((await home.run(['bookmarks', 'list'])).code).toBe(0);
    // Replaces the program that prints tokens.
    rmSync(join(home.folder, 'bin/vmctl'));
    symlinkSync(vmctl, join(home.folder, 'bin/vmctl'));
    const completions = fileURLToPath(new URL('../../completions/vmctl.bash', import.meta.url));
    const state = {
      XDG_STATE_HOME: join(home.folder, 'state'),
      XDG_CACHE_HOME: join(home.folder, 'cache'),
    };
    const offered = bash(
      `. '${completions}'; COMP_WORDS=(vmctl bookmarks get ''); COMP_CWORD=3; COMP_LINE='vmctl bookmarks get '; COMP_POINT=20; _vmctl
       eval "set -- \${COMPREPLY[*]}"; printf '%s\\n' "$@"`,
      { ...state, VMCTL_URL: server.url, VMCTL_USERNAME: server.username },
    );
    expect(offered.split('\n')).toEqual(expect.arrayContaining(['$(touch ran)', '; touch ran #']));
    expect(ran()).toBe(false);
  });

  it('control: a shell would run them unquoted', () => {
    bash('eval "echo $(cat <<\'X\'\n$(touch ran)\nX\n)"');
    expect(ran()).toBe(true);
  });
});
