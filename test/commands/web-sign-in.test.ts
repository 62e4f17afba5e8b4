/** `vmctl login --web`: the sign-in in a browser, its session, and attacks on the loopback server. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';

import { Browser, hasBrowser } from '../support/browser.ts';
import { type Home, makeHome, type Outcome } from '../support/command.ts';
import { send } from '../support/raw.ts';
import { startTestServer, type TestServer, vmctl } from '../support/server.ts';

/** Environment without account: the browser signs in. */
const noAccount = {
  VMCTL_URL: undefined,
  VMCTL_USERNAME: undefined,
  VMCTL_PASSWORD: undefined,
};

interface Login {
  readonly child: ChildProcess;
  /** URL of the sign-in page. */
  readonly page: URL;
  readonly redirect: URL;
  readonly result: Promise<Outcome>;
}

/** Focuses the first field. The page shows its text before it moves the focus there. */
const focusUserName = (browser: Browser) =>
  browser.value("document.querySelector('[name=username]').focus()");

describe.each(['standard', 'ovirt'])('login --web, dialect %s', (dialect) => {
  let server: TestServer;
  let home: Home;
  beforeAll(async () => {
    server = await startTestServer(['--speed', '0', '--inventory', 'small', '--dialect', dialect]);
  });
  afterAll(() => server.stop());
  beforeEach(() => {
    home = makeHome(server);
    return () => home.remove();
  });

  /** Starts the command, and waits until it prints the URL of the sign-in page. */
  async function startLogin(flags = ['--no-browser'], env: NodeJS.ProcessEnv = {}): Promise<Login> {
    const words = ['login', server.ready.base_url, '--web', ...flags];
    const child = spawn(process.execPath, [vmctl, ...words], {
      env: { ...home.env, ...noAccount, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (piece: Buffer) => {
      stdout += piece.toString();
    });
    const result = new Promise<Outcome>((resolve) => {
      child.once('close', (code) => resolve({ code, stdout, stderr }));
    });
    const page = await new Promise<URL>((resolve, reject) => {
      child.stderr.on('data', (piece: Buffer) => {
        stderr += piece.toString();
        const [found] = /https:\S+authorize\?\S+(?=\n)/.exec(stderr) ?? [];
        if (found !== undefined) resolve(new URL(found));
      });
      void result.then(() => reject(new Error(stderr)));
    });
    const redirect = new URL(page.searchParams.get('redirect_uri') ?? '');
    return { child, page, redirect, result };
  }

  /** Submits the form of the sign-in page; returns the URL of the redirection. */
  async function submit({ page }: Login, password = server.password): Promise<URL> {
    const form = new URLSearchParams(page.searchParams);
    form.set('username', server.ready.username);
    form.set('password', password);
    const { headers } = await send(`${page.origin}${page.pathname}`, {
      ...{ method: 'POST', ca: server.ca, body: form.toString() },
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    });
    return new URL(String(headers['location']));
  }

  /** Sends a request to the loopback server; returns its status. */
  const call = (url: URL, headers: Record<string, string> = {}, method = 'GET') =>
    new Promise<number | undefined>((resolve, reject) => {
      const sent = request(url, { headers, method }, (response) => {
        response.resume().once('end', () => resolve(response.statusCode));
      });
      sent.once('error', reject).end();
    });

  it('saves a context and a token, and no password', async () => {
    const login = await startLogin();
    expect(await call(await submit(login))).toBe(200);
    const { code, stderr } = await login.result;
    expect(code, stderr).toBe(0);
    expect(stderr).toContain(`signed in as admin@internal at ${server.ready.base_url}`);
    const listed = await home.runHere(['vms', 'list', '-o', 'name'], noAccount);
    expect(listed.stdout, listed.stderr).toContain('vms/vm-01');
    const shown = await home.runHere(['whoami', '-o', 'json'], noAccount);
    expect(JSON.parse(shown.stdout)).toMatchObject({ password_from: 'web' });
    const config = readFileSync(join(home.folder, 'config/vmctl/config.json'), 'utf8');
    expect(config).toContain('"clientId": "vmctl"');
    expect(config).not.toContain(server.password);
  });

  it('reports the end of the session with the command for a new one', async () => {
    const login = await startLogin();
    await call(await submit(login));
    await login.result;
    const folder = join(home.folder, 'state/vmctl/tokens');
    for (const name of readdirSync(folder).filter((one) => !one.endsWith('.lock'))) {
      const stored = JSON.parse(readFileSync(join(folder, name), 'utf8'));
      writeFileSync(join(folder, name), JSON.stringify({ ...stored, token: 'expired' }));
    }
    const { code, stderr } = await home.runHere(['vms', 'list'], noAccount);
    expect(code).toBe(4);
    expect(stderr).toContain('the sign-in of admin@internal with the browser');
    expect(stderr).toContain('hint: sign in again: vmctl login --web');
    // The context knows the address and the client.
    const again = await startLogin(['--no-browser']);
    expect(again.page.searchParams.get('client_id')).toBe('vmctl');
  });

  it('ignores requests with another state, host, path or method, and continues', async () => {
    const login = await startLogin();
    const right = await submit(login);
    const changed = (change: (url: URL) => void) => {
      const url = new URL(right);
      change(url);
      return url;
    };
    const wrong = [
      changed(({ searchParams }) => searchParams.set('state', 'other')),
      changed(({ searchParams }) => searchParams.delete('state')),
      changed(({ searchParams }) => searchParams.delete('code')),
      changed((url) => {
        url.pathname = '/other';
      }),
      new URL(`${login.redirect.href}?error=access_denied`),
    ];
    for (const url of wrong) expect(await call(url), url.href).toBe(400);
    expect(await call(right, { Host: 'attacker.example' })).toBe(400);
    expect(await call(right, {}, 'POST')).toBe(400);
    expect(await call(right)).toBe(200);
    expect((await login.result).code).toBe(0);
  });

  it('reports errors of the service', async () => {
    const login = await startLogin();
    const url = new URL(login.redirect);
    url.searchParams.set('state', login.page.searchParams.get('state') ?? '');
    url.searchParams.set('error', 'access_denied');
    url.searchParams.set('error_description', 'The account is locked.');
    expect(await call(url)).toBe(200);
    const { code, stderr } = await login.result;
    expect([code, stderr]).toEqual([
      4,
      expect.stringContaining('the service refused the sign-in: The account is locked.'),
    ]);
  });

  it('fails if the service refuses the code, and saves nothing', async () => {
    const login = await startLogin();
    const url = await submit(login);
    url.searchParams.set('code', 'invented');
    expect(await call(url)).toBe(200);
    const { code, stderr } = await login.result;
    expect([code, stderr]).toEqual([4, expect.stringContaining('The authorization code')]);
    const { stdout } = await home.runHere(['context', 'list', '-o', 'json'], noAccount);
    expect(JSON.parse(stdout)).toEqual([]);
  });

  it('ends with Ctrl-C and with --timeout', async () => {
    const login = await startLogin();
    login.child.kill('SIGINT');
    expect((await login.result).code).toBe(130);
    await expect(call(login.redirect)).rejects.toThrow(/ECONNREFUSED/);
    const limited = await startLogin(['--no-browser', '--timeout', '3s']);
    expect((await limited.result).code).toBe(7);
  });

  it('opens the page with xdg-open, without the secrets of the environment', async () => {
    const bin = join(home.folder, 'bin');
    mkdirSync(bin);
    const opened = join(home.folder, 'opened');
    const script = `#!/bin/sh\necho "$1 [$VMCTL_CLIENT_SECRET]" > '${opened}.new' && mv '${opened}.new' '${opened}'\n`;
    writeFileSync(join(bin, 'xdg-open'), script, { mode: 0o755 });
    const login = await startLogin([], {
      ...{ DISPLAY: ':0', PATH: `${bin}:${process.env['PATH']}`, VMCTL_CLIENT_SECRET: 'secret' },
    });
    await expect.poll(() => readdirSync(home.folder)).toContain('opened');
    expect(readFileSync(opened, 'utf8')).toBe(`${login.page.href} []\n`);
  });

  it.skipIf(!hasBrowser)('works in a real browser', async () => {
    const browser = await Browser.start();
    onTestFinished(() => browser.stop());
    const login = await startLogin();
    await browser.open(login.page.href);
    await browser.until(/Continue only if you started it/);
    await focusUserName(browser);
    await browser.type(server.ready.username);
    await browser.press('Tab');
    await browser.type('wrong');
    await browser.press('Enter');
    await browser.until(/credentials|password/i);
    await browser.until(/[Ww]rong|not|invalid|Cannot/);
    expect(browser.complaints.filter((one) => !one.includes('403'))).toEqual([]);
    await focusUserName(browser);
    await browser.type(server.ready.username);
    await browser.press('Tab');
    await browser.type(server.password);
    await browser.press('Enter');
    await browser.until(/Signed in\. You can close this page\./);
    const { code, stderr } = await login.result;
    expect(code, stderr).toBe(0);
  });
});

describe('login --web', () => {
  let home: Home;
  beforeEach(() => {
    home = makeHome();
    return () => home.remove();
  });

  it.each([
    [['--web', '--username', 'admin@internal'], 'the browser selects the user'],
    [['--web', '--password-stdin'], 'the browser selects the user'],
    [['--web', '--store', 'file'], 'the browser selects the user'],
    [['--no-browser'], '--no-browser has no effect without --web'],
    [['--client-id', 'x'], '--client-id has no effect without --web'],
  ])('refuses %j', async (flags, message) => {
    const { code, stderr } = await home.runHere(['login', 'https://127.0.0.1:9', ...flags]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});
