/** Password stores: a real Secret Service, a locked one, none, and an encrypted file. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Home, makeHome } from '../support/command.ts';
import { vmctl } from '../support/server.ts';
import { useSignedInCommand } from './support/signed-in-command.ts';

const desk = useSignedInCommand([], true);
const hasService = spawnSync('gnome-keyring-daemon', ['--version']).status === 0;

let home: Home;
beforeEach(() => {
  home = makeHome();
});
afterEach(() => home.remove());

function environment(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  return {
    PATH: process.env['PATH'],
    HOME: home.folder,
    XDG_CONFIG_HOME: join(home.folder, 'config'),
    XDG_STATE_HOME: join(home.folder, 'state'),
    XDG_DATA_HOME: join(home.folder, 'data'),
    XDG_CACHE_HOME: join(home.folder, 'cache'),
    XDG_RUNTIME_DIR: home.folder,
    ...more,
  };
}

const quoted = (words: readonly string[]) => words.map((word) => `'${word}'`).join(' ');
const command = (...words: string[]) => quoted([process.execPath, vmctl, ...words]);

function login(store: string): string {
  const { ready } = desk.server();
  return command(
    ...['login', ready.base_url, '--username', ready.username, '--ca-file', ready.ca_file],
    ...['--password-stdin', '--store', store],
  );
}

/** Runs a shell script in a session with a separate bus. */
function inSession(script: string, env: NodeJS.ProcessEnv = {}) {
  const { status, stdout, stderr } = spawnSync('dbus-run-session', ['--', 'bash', '-c', script], {
    env: environment({ SERVER_PASSWORD: desk.server().password, ...env }),
    encoding: 'utf8',
  });
  return { code: status, stdout, stderr };
}

const unlocked =
  'eval "$(echo -n phrase | gnome-keyring-daemon --unlock --components=secrets)" 2> /dev/null; ';
const forgetTokens = 'rm -r "$XDG_STATE_HOME/vmctl/tokens"; ';

describe.skipIf(!hasService)('the keyring', () => {
  it('keeps the password, and gives it when the token has run out', () => {
    const signIn = `echo "$SERVER_PASSWORD" | ${login('keyring')}; `;
    const result = inSession(
      `${unlocked}${signIn}${forgetTokens}${command('whoami', '-o', 'json')}`,
    );
    expect(result.stderr).toContain('password stored in the keyring');
    expect(JSON.parse(result.stdout)).toMatchObject({ password_from: 'keyring' });
    const config = readFileSync(join(home.folder, 'config/vmctl/config.json'), 'utf8');
    expect(config).not.toContain(desk.server().password);
  });

  it('reports a locked keyring without waiting', () => {
    inSession(`${unlocked}echo "$SERVER_PASSWORD" | ${login('keyring')}`);
    const start = 'eval "$(gnome-keyring-daemon --start --components=secrets)" 2> /dev/null; ';
    const result = inSession(`${start}${forgetTokens}${command('whoami')} < /dev/null`);
    expect(result.code).toBe(4);
    expect(result.stderr).toMatch(
      /the keyring (has no password of .* or is locked|cannot be used)/,
    );
    const again = inSession(`${start}echo "$SERVER_PASSWORD" | ${login('keyring')}`);
    expect([again.code, again.stderr]).toEqual([
      4,
      expect.stringContaining('cannot use the keyring:'),
    ]);
  });

  it('forgets the password of who signs out', () => {
    const script = `${unlocked}echo "$SERVER_PASSWORD" | ${login('keyring')}; ${command('logout')}; ${command('whoami')} < /dev/null`;
    const result = inSession(script);
    expect([result.code, result.stderr]).toEqual([
      4,
      expect.stringContaining(', and no terminal to ask for a password'),
    ]);
  });
});

describe('without a keyring', () => {
  function run(script: string, env: NodeJS.ProcessEnv = {}) {
    const { status, stdout, stderr } = spawnSync('bash', ['-c', script], {
      env: environment({ SERVER_PASSWORD: desk.server().password, ...env }),
      encoding: 'utf8',
    });
    return { code: status, stdout, stderr };
  }

  it('reports a requested but missing keyring, and stores no password', () => {
    const result = run(`echo "$SERVER_PASSWORD" | ${login('keyring')}`);
    expect([result.code, result.stderr]).toEqual([
      4,
      expect.stringMatching(/cannot use the keyring: .*\nhint: use vmctl login --store file/),
    ]);
  });

  it('an encrypted file returns the password for its passphrase only', () => {
    const phrase = { VMCTL_PASSPHRASE: 'correct horse' };
    const kept = run(`echo "$SERVER_PASSWORD" | ${login('file')}`, phrase);
    expect([kept.code, kept.stderr]).toEqual([0, expect.stringContaining('the encrypted file')]);
    const folder = join(home.folder, 'state/vmctl/passwords');
    const [file = ''] = readdirSync(folder);
    expect(readFileSync(join(folder, file), 'utf8')).not.toContain(desk.server().password);
    const tokens = join(home.folder, 'state/vmctl/tokens');
    rmSync(tokens, { recursive: true });
    const wrong = run(command('whoami'), { VMCTL_PASSPHRASE: 'wrong' });
    expect([wrong.code, wrong.stderr]).toEqual([
      4,
      expect.stringContaining(': the passphrase is wrong, or the file is damaged'),
    ]);
    const none = run(`${command('whoami')} < /dev/null`);
    expect([none.code, none.stderr]).toEqual([4, expect.stringContaining('set VMCTL_PASSPHRASE')]);
    const right = run(command('whoami', '-o', 'json'), phrase);
    expect(JSON.parse(right.stdout)).toMatchObject({ password_from: 'encrypted file' });
    run(command('context', 'delete', new URL(desk.server().ready.base_url).host, '--yes'));
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('a protected context', () => {
  it('asks for its name before harm is done; a read-only one sends nothing that changes', async () => {
    const { ready, password } = desk.server();
    const own = (words: string[], input?: string) =>
      home.run(words, { XDG_DATA_HOME: join(home.folder, 'data') }, input);
    const signIn = ['login', ready.base_url, '--username', ready.username, '-c', 'prod'];
    await own([...signIn, '--ca-file', ready.ca_file, '--password-stdin'], `${password}\n`);
    await own(['context', 'set', 'prod', '--protected']);
    await own(['tags', 'create', '--name', 'kept']);
    const refused = await own(['tags', 'delete', 'kept', '--yes']);
    expect([refused.code, refused.stderr]).toEqual([
      12,
      expect.stringContaining('prod is protected: cannot delete tags/kept without confirmation'),
    ]);
    expect((await own(['tags', 'delete', 'kept', '--confirm', 'other'])).code).toBe(12);
    expect((await own(['tags', 'delete', 'kept', '--confirm', 'prod'])).code).toBe(0);
    await own(['context', 'set', '--no-protected', '--read-only']);
    const still = await own(['tags', 'create', '--name', 'never']);
    expect([still.code, still.stderr]).toEqual([
      2,
      expect.stringContaining('VMCTL_READ_ONLY is set, or the context is read-only'),
    ]);
    expect((await own(['context', 'show', '-o', 'json'])).stdout).toContain('"read_only": true');
  });
});
