/** `vmctl auth token`, `VMCTL_TOKEN`, and tokens in the output of `--curl`. */
import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Home, makeHome } from '../support/command.ts';
import { send } from '../support/raw.ts';
import { startTestServer, type TestServer, vmctl } from '../support/server.ts';

let server: TestServer;
let home: Home;

beforeAll(async () => {
  server = await startTestServer(['--speed', '0', '--inventory', 'small']);
});
afterAll(() => server.stop());
beforeEach(() => {
  home = makeHome(server);
  return () => home.remove();
});

/** Status of a request of another program with a token. */
async function requestWith(token: string): Promise<number> {
  const { ca, ready } = server;
  const headers = { Authorization: `Bearer ${token}`, Accept: 'application/json' };
  return (await send(`${ready.api_url}/vms`, { ca, headers })).status;
}

function tokenFile(): string {
  const folder = join(home.folder, 'state/vmctl/tokens');
  return join(folder, readdirSync(folder).find((name) => !name.endsWith('.lock')) ?? '');
}

describe('auth token', () => {
  it('prints a token that other programs can use, and uses it again', async () => {
    const { code, stdout, stderr } = await home.runHere(['auth', 'token']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^[\w-]+\n$/);
    expect(await requestWith(stdout.trim())).toBe(200);
    expect((await home.runHere(['auth', 'token'])).stdout).toBe(stdout);
  });

  it('prints the end of the token and the address with -o json', async () => {
    const { stdout } = await home.runHere(['auth', 'token', '-o', 'json']);
    const item = JSON.parse(stdout);
    expect(item).toMatchObject({ url: server.ready.base_url });
    // The default lifetime is eight hours.
    const left = Date.parse(item.expires) - Date.now();
    expect(left).toBeGreaterThan(7 * 3_600_000);
    expect(left).toBeLessThanOrEqual(8 * 3_600_000 + 60_000);
  });

  it('replaces a token that the service refuses', async () => {
    const first = (await home.runHere(['auth', 'token'])).stdout.trim();
    const stored = JSON.parse(readFileSync(tokenFile(), 'utf8'));
    writeFileSync(tokenFile(), JSON.stringify({ ...stored, token: 'expired' }));
    const second = (await home.runHere(['auth', 'token'])).stdout.trim();
    expect([first, 'expired']).not.toContain(second);
    expect(await requestWith(second)).toBe(200);
  });

  it('fails without a password', async () => {
    const result = await home.runHere(['auth', 'token'], { VMCTL_PASSWORD: undefined });
    expect([result.code, result.stdout]).toEqual([4, '']);
    expect(result.stderr).toContain('hint: run vmctl login');
  });
});

describe('VMCTL_TOKEN', () => {
  const withToken = (token: string) => ({
    VMCTL_TOKEN: token,
    VMCTL_USERNAME: undefined,
    VMCTL_PASSWORD: undefined,
  });

  it('signs in without context and user name, and is printed by auth token', async () => {
    const token = (await home.runHere(['auth', 'token'])).stdout.trim();
    const listed = await home.runHere(['vms', 'list', '-o', 'name'], withToken(token));
    expect(listed, listed.stderr).toMatchObject({ code: 0 });
    expect(listed.stdout).toContain('vms/vm-01');
    expect((await home.runHere(['auth', 'token'], withToken(token))).stdout.trim()).toBe(token);
  });

  it('has priority over a password, and its refusal names it without the value', async () => {
    for (const env of [withToken('refused-token'), { VMCTL_TOKEN: 'refused-token' }]) {
      const words = ['vms', 'list', '--debug=http,body'];
      const { code, stdout, stderr } = await home.runHere(words, env);
      expect([code, stdout]).toEqual([4, '']);
      expect(stderr).toContain('the token in VMCTL_TOKEN is refused');
      expect(stderr).not.toContain('refused-token');
    }
  });

  it.each(['a b', 'a\nb'])('refuses %j without a request', async (token) => {
    const { code, stderr } = await home.runHere(['vms', 'list'], withToken(token));
    expect(code, stderr).toBe(2);
    expect(stderr).toContain('VMCTL_TOKEN');
    expect(stderr).not.toContain(token);
  });
});

describe('--curl', () => {
  const words = ['vms', 'list', '--search', 'name=vm-01', '--curl'];

  it('refers to auth token, and works unchanged in a shell', async () => {
    const { stdout, stderr } = await home.runHere(words);
    expect(stdout).toContain('-H "Authorization: Bearer $(vmctl auth token)"');
    expect(stderr).toBe('nothing sent; the curl command contains no token\n');
    const bin = join(home.folder, 'bin');
    mkdirSync(bin);
    symlinkSync(vmctl, join(bin, 'vmctl'));
    const env = { ...home.env, PATH: `${bin}:${process.env['PATH']}` };
    const output = await promisify(execFile)('sh', ['-ec', stdout], { env });
    expect(JSON.parse(output.stdout).vm).toMatchObject([{ name: 'vm-01' }]);
  });

  it('passes the flags that select the service and the user on', async () => {
    const file = join(home.folder, "jane's ca.pem");
    writeFileSync(file, server.ca);
    const flags = ['--username', server.ready.username, '--ca-file', file];
    const { stdout } = await home.runHere([...words, ...flags]);
    const quoted = `--username admin@internal --ca-file '${home.folder}/jane'\\''s ca.pem'`;
    expect(stdout).toContain(`$(vmctl auth token ${quoted})`);
  });

  it('refers to VMCTL_TOKEN if it is set', async () => {
    const { stdout } = await home.runHere(words, { VMCTL_TOKEN: 'some-token' });
    expect(stdout).toContain('-H "Authorization: Bearer $VMCTL_TOKEN"');
    expect(stdout).not.toContain('some-token');
  });
});
