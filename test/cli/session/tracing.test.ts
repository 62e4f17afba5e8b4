/** `--debug`, `--debug-file` and `--timing`: requests and durations, without secrets. */
import {
  chmodSync,
  existsSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { password } from '../../support/stub-server.ts';
import { type Site, startSite } from '../support/site.ts';

let site: Site;
let file: string;

beforeAll(async () => {
  site = await startSite({
    'POST /virt-app/api/vms/*/ticket': { body: { ticket: { value: 'geheim' } } },
  });
  file = join(site.home, 'trace');
});

afterAll(() => site.close());
beforeEach(() => rmSync(file, { force: true }));

/** Signs in anew, so that a password and a token are on the way. */
function run(...argv: string[]) {
  return site.run(argv, { env: { XDG_STATE_HOME: join(site.home, `state-${Math.random()}`) } });
}

describe('--debug', () => {
  it('takes no word that follows it', async () => {
    for (const words of [
      ['--debug', 'vms', 'list'],
      ['vms', 'list', '--debug'],
      ['vms', '--debug', 'list'],
    ]) {
      const { code, stderr } = await run(...words);
      expect(code).toBe(0);
      expect(stderr).toContain('debug: GET ');
      expect(stderr).not.toContain('access_token');
    }
  });

  it('F5 shows bodies on request, without credentials', async () => {
    const { stderr, stdout } = await run(
      'vms',
      'ticket',
      'web01',
      '-o',
      'json',
      '--debug=http,body',
    );
    expect(stderr).toContain('"access_token": "(hidden)"');
    expect(stderr).toContain('password=(hidden)');
    expect(stderr).toContain('authorization: (hidden)');
    expect(stderr).toContain('"value": "(hidden)"');
    for (const secret of ['geheim', 'token-', password, encodeURIComponent(password)]) {
      expect(stderr).not.toContain(secret);
    }
    expect(stdout).toContain('geheim');
  });

  it('refuses an unknown part, and can be switched off', async () => {
    const refused = await run('vms', 'list', '--debug=headers');
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('unknown part "headers"\nhint: use --debug');
    const off = await site.run(['vms', 'list', '-q'], { env: { VMCTL_DEBUG: '0' } });
    expect(off.stderr).toBe('');
  });
});

describe('--debug-file', () => {
  it('takes what would be on stderr, and is for one reader', async () => {
    const { stderr } = await run('vms', 'list', '--debug=body', '--debug-file', file);
    expect(stderr).toBe('');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const text = readFileSync(file, 'utf8');
    expect(text).toMatch(/^\d{4}-\S+Z debug: POST \S+\/token -> 200/);
    expect(text).toContain('"name": "web01"');
    expect(text).not.toContain(encodeURIComponent(password));
    await run('vms', 'list', '--debug-file', file);
    expect(readFileSync(file, 'utf8').startsWith(text)).toBe(true);
  });

  it('F6 refuses a file that other users can read, and a link', async () => {
    writeFileSync(file, '');
    chmodSync(file, 0o644);
    const open = await run('vms', 'list', '--debug-file', file);
    expect(open.code).toBe(2);
    expect(open.stderr).toContain('other users can read this file');
    rmSync(file);
    symlinkSync(join(site.home, 'elsewhere'), file);
    expect((await run('vms', 'list', '--debug-file', file)).code).toBe(2);
    expect(existsSync(join(site.home, 'elsewhere'))).toBe(false);
  });
});

describe('--timing', () => {
  it('shows stages, connections and requests', async () => {
    const { code, stdout, stderr } = await run('vms', 'list', '-o', 'name', '--timing');
    expect(code).toBe(0);
    expect(stdout).toBe('vms/web01\nvms/web02\n');
    const names = stderr.split('\n').map((line) => line.slice(0, 36).trim());
    const request = ['DNS', 'TCP', 'TLS', 'first byte', 'body'];
    for (const name of [
      'start',
      'config',
      'library',
      'token',
      'GET /virt-app/api/vms',
      ...request,
    ]) {
      expect(names).toContain(name);
    }
    expect(names.slice(-4, -1)).toEqual([
      'render',
      'total',
      expect.stringMatching(/^requests: 2, /),
    ]);
    expect(stderr).not.toContain('\u001b');
  });

  it('is one JSON object beside JSON', async () => {
    const { stderr } = await run('vms', 'list', '-o', 'json', '--timing');
    const { timing } = JSON.parse(stderr);
    expect(timing).toMatchObject({ requests: 2, bytes: expect.any(Number) });
    let before = 0;
    for (const { from_ms: from, took_ms: took } of timing.spans) {
      expect(took).toBeGreaterThanOrEqual(0);
      expect(from + took).toBeLessThanOrEqual(timing.total_ms + 0.2);
      before = Math.max(before, from);
    }
    expect(before).toBeGreaterThan(0);
  });

  it('is shown for a command that fails as well', async () => {
    const { code, stderr } = await run('vms', 'get', 'nobody', '--timing');
    expect(code).toBe(3);
    expect(stderr).toContain('first byte');
  });
});

describe('--verbose', () => {
  it('prints each step on stderr: the server and the requests', async () => {
    const { code, stdout, stderr } = await run('vms', 'get', 'web01', '-o', 'name', '-v');
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'vms/web01\n' });
    expect(stderr.split('\n')).toEqual([
      `> server ${site.stub.url}/virt-app as admin@internal`,
      '> find web01',
      '> sign in as admin@internal',
      '> get vms/web01',
      '',
    ]);
    expect(stderr).not.toContain(password);
  });

  it('prints with --quiet as well, and only if set', async () => {
    const quiet = await run('vms', 'get', 'web01', '-q', '--verbose');
    expect(quiet.stderr).toContain('> find web01\n');
    expect((await run('vms', 'get', 'web01')).stderr).toBe('');
  });
});

describe('--api-version', () => {
  async function askedFor(...argv: string[]): Promise<unknown> {
    await site.run(['vms', 'list', ...argv]);
    return site.stub.requests.at(-1)?.headers['version'];
  }

  it('sends the version with each request (default 4)', async () => {
    expect(await askedFor()).toBe('4');
    expect(await askedFor('--api-version', '5')).toBe('5');
    await site.run(['api', 'GET', '/vms', '--api-version', '3']);
    expect(site.stub.requests.at(-1)?.headers['version']).toBe('3');
  });

  it.each(['four', '0', '4.4', ''])('is a major version: %j is refused', async (version) => {
    const { code, stderr } = await run('vms', 'list', '--api-version', version);
    expect(code).toBe(2);
    expect(stderr).toContain('--api-version');
  });
});

describe('--record', () => {
  it.each([
    ['precious\n', 'the file is not a recording'],
    ['{"recording":"vmctl","version":2,"program":"9"}\n', 'recording of version 2'],
  ])('refuses a file with %j', async (text, problem) => {
    writeFileSync(file, text, { mode: 0o600 });
    const refused = await run('vms', 'list', '--record', file);
    expect([refused.code, refused.stderr]).toEqual([
      2,
      `vmctl: --record ${file}: ${problem}\nhint: use a new file; existing files are not overwritten\n`,
    ]);
  });
});
