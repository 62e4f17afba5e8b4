/** `vmctl login --kerberos`: a real realm, and a curl that fails. */
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Home, makeHome } from '../support/command.ts';
import { findObstacle, KerberosRealm } from '../support/kerberos.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

/** Environment without account: the ticket selects the user. */
const noAccount = {
  VMCTL_URL: undefined,
  VMCTL_USERNAME: undefined,
  VMCTL_PASSWORD: undefined,
};
const obstacle = findObstacle();
const note = obstacle === undefined ? '' : ` (skipped: ${obstacle})`;

let home: Home;

describe.skipIf(obstacle !== undefined).each(['standard', 'ovirt'])(
  `login --kerberos, dialect %s${note}`,
  (dialect) => {
    let server: TestServer;
    let realm: KerberosRealm;
    beforeAll(async () => {
      const options = ['--speed', '0', '--inventory', 'small', '--dialect', dialect];
      server = await startTestServer(options);
      realm = await KerberosRealm.start(server);
    });
    afterAll(async () => {
      await realm.stop();
      await server.stop();
    });
    beforeEach(() => {
      home = makeHome(server);
      return () => home.remove();
    });

    const run = (...words: string[]) =>
      home.run(words, { ...noAccount, ...realm.env, VMCTL_CA_FILE: realm.caFile });
    const login = () => run('login', realm.url, '--kerberos');

    /** Replaces the stored token, as if it had expired. */
    function expireToken(): void {
      const folder = join(home.folder, 'state/vmctl/tokens');
      for (const name of readdirSync(folder).filter((one) => !one.endsWith('.lock'))) {
        const stored = JSON.parse(readFileSync(join(folder, name), 'utf8'));
        writeFileSync(join(folder, name), JSON.stringify({ ...stored, token: 'expired' }));
      }
    }

    it('signs in with the ticket, and stores no password', async () => {
      realm.getTicket();
      const { code, stderr } = await login();
      expect(code, stderr).toBe(0);
      expect(stderr).toContain(`signed in as admin@internal-authz at ${realm.url}`);
      const listed = await run('vms', 'list', '-o', 'name');
      expect(listed.stdout, listed.stderr).toContain('vms/vm-01');
      const shown = await run('whoami', '-o', 'json');
      expect(JSON.parse(shown.stdout)).toMatchObject({ password_from: 'kerberos' });
      const config = readFileSync(join(home.folder, 'config/vmctl/config.json'), 'utf8');
      expect(config).not.toContain(server.password);
    });

    it('requests a new token with the ticket when the token has expired', async () => {
      realm.getTicket();
      await login();
      expireToken();
      const { code, stdout, stderr } = await run('vms', 'list', '-o', 'name');
      expect(code, stderr).toBe(0);
      expect(stdout).toContain('vms/vm-01');
    });

    it('reports a missing ticket', async () => {
      realm.getTicket();
      await login();
      realm.destroyTicket();
      expireToken();
      for (const words of [
        ['vms', 'list'],
        ['login', realm.url, '--kerberos'],
      ]) {
        const { code, stderr } = await run(...words);
        expect(code).toBe(4);
        expect(stderr).toContain(`sign in with Kerberos at ${realm.url}`);
        expect(stderr).toContain('hint: check the ticket with klist; get one with kinit');
      }
    });
  },
);

describe('login --kerberos', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(['--speed', '0']);
  });
  afterAll(() => server.stop());
  beforeEach(() => {
    home = makeHome(server);
  });
  afterEach(() => home.remove());

  /** Runs the sign-in with a program in place of curl. */
  async function loginWith(script: string | undefined, ...flags: string[]) {
    const folder = join(home.folder, 'bin');
    mkdirSync(folder);
    if (script !== undefined) {
      writeFileSync(join(folder, 'curl'), `#!/bin/sh\n${script}\n`);
      chmodSync(join(folder, 'curl'), 0o755);
    }
    const words = ['login', server.ready.base_url, '--kerberos', ...flags];
    return await home.runHere(words, { ...noAccount, PATH: folder });
  }

  it.each([
    [undefined, 2, 'needs curl, which is not on the PATH', 'install curl'],
    [
      'echo "curl: option --negotiate: the installed libcurl version does not support this" >&2; exit 2',
      2,
      'this curl has no GSS-API',
      'curl --version',
    ],
    ['echo "curl: (7) Failed to connect" >&2; exit 7', 8, 'Failed to connect', 'network'],
    ['echo "curl: (60) SSL certificate problem" >&2; exit 60', 8, 'SSL certificate', '--ca-file'],
    [String.raw`printf "{}\n401"`, 4, 'does not accept the ticket', 'kinit'],
    [String.raw`printf "page\n404"`, 4, 'HTTP status 404', 'may not support Kerberos'],
    [String.raw`printf "no token\n200"`, 4, 'HTTP status 200', 'may not support Kerberos'],
    [String.raw`printf '{"access_token": "wrong"}\n200'`, 4, 'refuses the new token', ''],
  ])('with curl as "%s" exits with %i', async (script, code, message, hint) => {
    const outcome = await loginWith(script);
    expect(outcome.code, outcome.stderr).toBe(code);
    expect(outcome.stderr).toContain(message);
    expect(outcome.stderr).toContain(hint);
  });

  it('passes no secret and no options of the user to curl', async () => {
    const record = 'echo "$@" > "$HOME/words"; /usr/bin/env > "$HOME/env"; exit 7';
    const folder = join(home.folder, 'bin');
    mkdirSync(folder);
    writeFileSync(join(folder, 'curl'), `#!/bin/sh\n${record}\n`);
    chmodSync(join(folder, 'curl'), 0o755);
    const words = ['login', server.ready.base_url, '--kerberos'];
    const secret = { VMCTL_CLIENT_SECRET: 'swordfish-4711' };
    await home.run(words, { ...noAccount, ...secret, PATH: `${folder}:/usr/bin:/bin` });
    const given = readFileSync(join(home.folder, 'words'), 'utf8');
    expect(given).toMatch(/^--disable .*--negotiate --user : .*\/sso\/oauth\/token-http-auth\n$/s);
    expect(given).not.toContain('--insecure');
    expect(readFileSync(join(home.folder, 'env'), 'utf8')).not.toContain('swordfish');
  });

  it.each([
    [['--web'], '--web and --kerberos exclude each other'],
    [['--username', 'ada@internal'], 'the ticket selects the user'],
    [['--password-stdin'], 'the ticket selects the user'],
    [['--client-id', 'x'], '--client-id has no effect without --web'],
  ])('refuses %j', async (flags, message) => {
    const { code, stderr } = await loginWith('exit 1', ...flags);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});
