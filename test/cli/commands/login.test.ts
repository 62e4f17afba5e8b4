/** Sign-in, contexts and trusted authorities, against a stub with a self-signed authority. */
import { X509Certificate } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  identity,
  password,
  type Stub,
  serviceRoutes,
  startStub,
} from '../../support/stub-server.ts';
import { type Result, type RunOptions, temporaryHome, vmctl } from '../support/run.ts';

let stub: Stub;
let home: ReturnType<typeof temporaryHome>;

beforeEach(async () => {
  stub = await startStub(serviceRoutes());
  home = temporaryHome();
});

afterEach(async () => {
  await stub.close();
  home.remove();
});

function run(argv: readonly string[], options: RunOptions = {}): Promise<Result> {
  return vmctl(argv, { ...options, env: { HOME: home.path, ...options.env } });
}

function fingerprint(label = 'first'): string {
  return new X509Certificate(identity(label).ca).fingerprint256;
}

function login(...more: string[]): Promise<Result> {
  return run(['login', stub.url, '--username', 'admin@internal', '--password-stdin', ...more], {
    stdin: `${password}\n`,
  });
}

const configFile = () => join(home.path, '.config/vmctl/config.json');

describe('login', () => {
  it('F9 pins the authority with the given fingerprint, and saves the server', async () => {
    const result = await login('--ca-fingerprint', fingerprint());
    expect(result).toEqual({
      code: 0,
      stdout: '',
      stderr: `signed in as admin@internal at ${stub.url}/virt-app (Stub 4.5.1), context localhost:${stub.port}\n`,
    });
    const config = JSON.parse(readFileSync(configFile(), 'utf8'));
    expect(config.contexts[`localhost:${stub.port}`]).toEqual({
      url: `${stub.url}/virt-app`,
      site: { origin: stub.url, appRoot: '/virt-app', dialect: 'standard' },
      username: 'admin@internal',
      ca: { pem: identity().ca, fingerprint: fingerprint() },
      credentials: { source: 'prompt' },
    });
    const whoami = await run(['whoami', '-o', 'json']);
    expect(JSON.parse(whoami.stdout)).toMatchObject({ username: 'admin@internal' });
    expect(stub.log().filter((line) => line.includes('token'))).toHaveLength(1);
  });

  it('F6 writes files that only their owner may read', async () => {
    await login('--ca-fingerprint', fingerprint());
    const tokens = join(home.path, '.local/state/vmctl/tokens');
    const [token = ''] = readdirSync(tokens);
    expect(getMode(configFile())).toBe('600');
    expect(getMode(join(home.path, '.config/vmctl'))).toBe('700');
    expect(getMode(tokens)).toBe('700');
    expect(getMode(join(tokens, token))).toBe('600');
    expect(readFileSync(configFile(), 'utf8')).not.toContain('token-1');
    expect(readFileSync(configFile(), 'utf8')).not.toContain(password);
  });

  it('F9 asks about an unknown authority; without a terminal it fails with the fingerprint', async () => {
    for (const flags of [[], ['--yes']]) {
      const result = await login(...flags);
      expect(result.code).toBe(8);
      expect(result.stderr).toContain('subject:     O=Test, CN=Authority first');
      expect(result.stderr).toContain(`fingerprint: SHA256 ${fingerprint()}`);
      expect(result.stderr).toContain(
        `hint: compare the fingerprint with that of the service, then: vmctl login ${stub.url} --ca-fingerprint`,
      );
    }
    expect(stub.requests).toEqual([]);
    expect(existsSync(configFile())).toBe(false);
  });

  it('F9 refuses another authority than the expected one', async () => {
    const result = await login('--ca-fingerprint', fingerprint('second'));
    expect(result.code).toBe(8);
    expect(result.stderr).toContain('presents an unexpected certificate authority');
    expect(stub.requests).toEqual([]);
  });

  it('refuses an invalid fingerprint', async () => {
    const result = await login('--ca-fingerprint', 'AB:CD');
    expect(result.code).toBe(2);
    expect(result.stderr).toBe(
      'vmctl: --ca-fingerprint AB:CD: not a SHA-256 fingerprint\nhint: use 64 hexadecimal digits, with or without colons\n',
    );
  });

  it('takes the authority from a file', async () => {
    const file = join(home.path, 'ca.pem');
    writeFileSync(file, identity().ca);
    expect((await login('--ca-file', file)).code).toBe(0);
  });

  it('says what the service says about a wrong password', async () => {
    const result = await run(
      ['login', stub.url, '--username', 'admin@internal', '--password-stdin', '-o', 'json'].concat([
        '--ca-fingerprint',
        fingerprint(),
      ]),
      { stdin: 'wrong\n' },
    );
    expect(result.code).toBe(4);
    expect(result.stdout).toBe('');
    expect(JSON.parse(result.stderr)).toMatchObject({
      code: 'access_denied',
      exit_code: 4,
      status: 400,
      message: `sign in as admin@internal at ${stub.url}/virt-app: No such user.`,
    });
  });

  it('detects the other dialect', async () => {
    const other = await startStub(serviceRoutes('/ovirt-engine'));
    try {
      const result = await run(
        ['login', other.url, '--username', 'admin@internal', '--password-stdin'].concat([
          '--ca-fingerprint',
          fingerprint(),
        ]),
        { stdin: password },
      );
      expect(result.code).toBe(0);
      const [, token] = other.requests;
      expect(token?.body).toContain('scope=ovirt-app-api');
      const config = JSON.parse(readFileSync(configFile(), 'utf8'));
      expect(config.contexts[config.current].site.dialect).toBe('ovirt');
    } finally {
      await other.close();
    }
  });

  it.each(['/api', '/virt-app', '/virt-app/api', '/virt-app/api/v4/', '/'])(
    'accepts the address with the suffix %s',
    async (path) => {
      const result = await run(
        ['login', `${stub.url}${path}`, '--username', 'a@b', '--password-stdin'].concat([
          '--ca-fingerprint',
          fingerprint().replaceAll(':', '').toLowerCase(),
        ]),
        { stdin: password },
      );
      expect(result.stderr).toContain(`at ${stub.url}/virt-app (`);
    },
  );

  it('F8 takes no unencrypted address and no credentials in it', async () => {
    const plain = await run(['login', 'http://localhost', '--username', 'a@b']);
    expect(plain.code).toBe(2);
    expect(plain.stderr).toContain(
      'http://localhost is not a valid address: http is not encrypted; use https',
    );
    const leaking = await run(['login', 'https://admin:secret@localhost', '--username', 'a@b']);
    expect(leaking.code).toBe(2);
    expect(leaking.stderr).not.toContain('secret');
  });

  it('F8 is not stored insecure, and warns', async () => {
    const result = await login('--insecure');
    expect(result.code).toBe(0);
    expect(result.stderr).toContain('warning: --insecure: the identity of localhost');
    expect(readFileSync(configFile(), 'utf8')).not.toContain('insecure');
    const next = await run(['whoami']);
    expect(next.code).toBe(8);
    expect(next.stderr).toContain('its certificate authority is not trusted');
  });
});

describe('a pinned authority', () => {
  it('F9 that changes is a hard error', async () => {
    await login('--ca-fingerprint', fingerprint());
    const { port } = stub;
    await stub.close();
    const config = readFileSync(configFile(), 'utf8');
    stub = await startStub(serviceRoutes(), identity('second'));
    writeFileSync(configFile(), config.replaceAll(String(port), String(stub.port)), {
      mode: 0o600,
    });
    // The token of the old port does not belong to this one, so that a sign-in would be next.
    const result = await run(['whoami'], { env: { VMCTL_PASSWORD: password } });
    expect(result.code).toBe(8);
    expect(result.stderr).toContain(`pinned:    ${fingerprint()}`);
    expect(result.stderr).toContain(`presented: ${fingerprint('second')}`);
    expect(stub.requests).toEqual([]);
    const again = await login();
    expect(again.code).toBe(8);
    expect((await login('--ca-fingerprint', fingerprint('second'))).code).toBe(0);
  });

  it('may be the certificate of the server, where its chain shows no authority', async () => {
    const bare = identity('bare');
    const [leaf = ''] = bare.certificate.split(bare.ca);
    const other = await startStub(serviceRoutes(), { ...bare, certificate: leaf });
    try {
      const print = new X509Certificate(leaf).fingerprint256;
      const flags = ['--username', 'a@b', '--password-stdin', '--ca-fingerprint', print];
      expect((await run(['login', other.url, ...flags], { stdin: password })).code).toBe(0);
      expect((await run(['whoami'])).code).toBe(0);
    } finally {
      await other.close();
    }
  });

  it('F8 does not make a certificate for another host acceptable', async () => {
    const wrong = identity('elsewhere', { names: 'DNS:elsewhere.example' });
    const other = await startStub(serviceRoutes(), wrong);
    try {
      const result = await run(
        ['login', other.url, '--username', 'a@b', '--password-stdin'].concat([
          '--ca-fingerprint',
          fingerprint('elsewhere'),
        ]),
        { stdin: password },
      );
      expect(result.code).toBe(8);
      expect(result.stderr).toContain(
        'its certificate is for another host (it is for elsewhere.example)',
      );
    } finally {
      await other.close();
    }
  });

  it('F8 does not make an expired certificate acceptable', async () => {
    const old = identity('expired', { days: 0 });
    const other = await startStub(serviceRoutes(), old);
    try {
      await new Promise((resolve) => setTimeout(resolve, 1_100));
      const result = await run(
        ['login', other.url, '--username', 'a@b', '--password-stdin'].concat([
          '--ca-fingerprint',
          fingerprint('expired'),
        ]),
        { stdin: password },
      );
      expect(result.code).toBe(8);
      expect(result.stderr).toContain('its certificate has expired');
    } finally {
      await other.close();
    }
  });
});

describe('the environment alone', () => {
  const env = () => {
    const file = join(home.path, 'ca.pem');
    writeFileSync(file, identity().ca);
    return {
      VMCTL_URL: stub.url,
      VMCTL_USERNAME: 'admin@internal',
      VMCTL_PASSWORD: password,
      VMCTL_CA_FILE: file,
    };
  };

  it('is enough to work', async () => {
    const first = await run(['whoami', '-o', 'json'], { env: env() });
    expect(first.code).toBe(0);
    expect(JSON.parse(first.stdout)).toMatchObject({
      username: 'admin@internal',
      dialect: 'standard',
    });
    await run(['whoami'], { env: env() });
    expect(stub.log().filter((line) => line.includes('token'))).toHaveLength(1);
    expect(existsSync(configFile())).toBe(false);
  });

  it('signs in again after the token has expired, and only once', async () => {
    let refused = 0;
    const api = stub.routes['GET /virt-app/api'];
    stub.routes['GET /virt-app/api'] = (request) => {
      if (request.headers.authorization !== 'Bearer token-2') {
        refused += 1;
        return { status: 401, body: 'Unauthorized' };
      }
      return api as object;
    };
    expect((await run(['whoami'], { env: env() })).code).toBe(0);
    expect(refused).toBe(1);
    stub.routes['GET /virt-app/api'] = { status: 401, body: 'Unauthorized' };
    const result = await run(['whoami'], { env: env() });
    expect(result.code).toBe(4);
    expect(stub.log().filter((line) => line.includes('token'))).toHaveLength(3);
  });

  it('takes a token from elsewhere and never replaces it', async () => {
    const { VMCTL_PASSWORD: _, ...rest } = env();
    stub.routes['HEAD /virt-app/api'] = { status: 401, body: '' };
    const result = await run(['whoami'], { env: { ...rest, VMCTL_TOKEN: 'given' } });
    expect(result.code).toBe(0);
    expect(stub.requests.at(-1)?.headers.authorization).toBe('Bearer given');
    stub.routes['GET /virt-app/api'] = { status: 401, body: '' };
    const refused = await run(['whoami'], { env: { ...rest, VMCTL_TOKEN: 'given' } });
    expect(refused.code).toBe(4);
    expect(refused.stderr).toContain(
      'the token in VMCTL_TOKEN is refused: expired, or for another service',
    );
  });

  it('reads a password file', async () => {
    const { VMCTL_PASSWORD: _, ...rest } = env();
    const file = join(home.path, 'password');
    writeFileSync(file, `${password}\n`, { mode: 0o600 });
    const result = await run(['whoami'], { env: { ...rest, VMCTL_PASSWORD_FILE: file } });
    expect(result.code).toBe(0);
    expect(result.stderr).toBe('');
  });

  it('says what is missing', async () => {
    const none = await run(['whoami']);
    expect(none.code).toBe(4);
    expect(none.stderr).toBe(
      'vmctl: no service given\nhint: sign in with vmctl login https://host, or set VMCTL_URL, VMCTL_USERNAME and VMCTL_PASSWORD\n',
    );
    const nobody = await run(['whoami'], { env: { VMCTL_URL: stub.url } });
    expect(nobody.code).toBe(4);
    expect(nobody.stderr).toContain(`no user name for ${stub.url}`);
  });

  it('never leaks the password to another server of the same user', async () => {
    await login('--ca-fingerprint', fingerprint());
    const other = await startStub(serviceRoutes());
    try {
      const result = await run(['whoami', '--url', other.url]);
      expect(result.code).toBe(4);
      expect(other.requests).toEqual([]);
    } finally {
      await other.close();
    }
  });
});

describe('contexts', () => {
  it('are listed, chosen, shown and forgotten', async () => {
    await login('--ca-fingerprint', fingerprint(), '-c', 'lab');
    await login('--ca-fingerprint', fingerprint(), '--context', 'other');
    const list = await run(['context', 'list']);
    expect(list.stdout).toBe(
      `CURRENT  NAME   URL                               USERNAME        SOURCE
false    lab    ${stub.url}/virt-app  admin@internal  -
true     other  ${stub.url}/virt-app  admin@internal  configuration
`,
    );
    expect((await run(['context', 'use', 'lab'])).stderr).toBe('current context: lab\n');
    expect((await run(['context', 'show', '-o', 'name'])).stdout).toBe('contexts/lab\n');
    const typo = await run(['context', 'use', 'labb']);
    expect(typo.code).toBe(3);
    expect(typo.stderr).toContain('hint: did you mean lab?');
    expect((await run(['context', 'delete', 'lab'])).code).toBe(12);
    expect((await run(['context', 'delete', 'lab', '--yes'])).code).toBe(0);
    expect((await run(['context', 'list', '-o', 'name'])).stdout).toBe('contexts/other\n');
    expect((await run(['whoami'])).code).toBe(4);
  });

  it('are in the hints that suggest a sign-in', async () => {
    const flags = ['--context', 'the lab', '--username', 'jane@internal'];
    const unknown = await run(['login', stub.url, ...flags, '--password-stdin'], { stdin: 'x\n' });
    expect(unknown.stderr).toContain(
      `vmctl login ${stub.url} --ca-fingerprint ${fingerprint()} --context 'the lab' --username jane@internal\n`,
    );
    await login('--ca-fingerprint', fingerprint(), '-c', 'the lab');
    await login('--ca-fingerprint', fingerprint(), '-c', 'other');
    await run(['logout', '-c', 'the lab']);
    const { code, stderr } = await run(['whoami', '-c', 'the lab']);
    expect(code).toBe(4);
    expect(stderr).toContain("hint: run vmctl login --context 'the lab', or use --password-file");
    const again = await run(['login', '-c', 'the lab']);
    expect(again.stderr).toContain('hint: use --password-stdin, --password-file');
  });

  it('share the token of their server and user until the last one is deleted', async () => {
    const tokens = () => readdirSync(join(home.path, '.local/state/vmctl/tokens'));
    await login('--ca-fingerprint', fingerprint(), '-c', 'lab');
    await login('--ca-fingerprint', fingerprint(), '-c', 'other');
    await run(['context', 'delete', 'lab', '--yes']);
    expect((await run(['whoami', '-c', 'other'])).code).toBe(0);
    expect(tokens()).toHaveLength(1);
    await run(['context', 'delete', 'other', '--yes']);
    expect(tokens()).toEqual([]);
  });

  it('can have the name of a member of all objects', async () => {
    expect(await login('--ca-fingerprint', fingerprint(), '-c', 'toString')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('context toString'),
    });
    expect((await run(['context', 'set', '--name', 'valueOf'])).code).toBe(0);
    expect((await run(['whoami'])).code).toBe(0);
  });

  it.each([
    ['a control character', 'a\u001bb', 'use a name without control characters'],
    ['a name that the file cannot contain', 'constructor', 'cannot save the configuration'],
  ])('cannot have %s in the name', async (_, name, message) => {
    const { code, stderr } = await login('--ca-fingerprint', fingerprint(), '-c', name);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('signed in');
    expect((await run(['context', 'list'])).code).toBe(0);
  });

  it('G5 survive many changes at the same time', async () => {
    await login('--ca-fingerprint', fingerprint(), '-c', 'lab');
    const names = Array.from({ length: 8 }, (_, index) => `c${index}`);
    await Promise.all(names.map((name) => login('--ca-fingerprint', fingerprint(), '-c', name)));
    const list = await run(['context', 'list', '-o', 'id']);
    expect(list.stdout.trim().split('\n').sort()).toEqual([...names, 'lab']);
  });

  it('F6 are not read from a file that others may change', async () => {
    await login('--ca-fingerprint', fingerprint());
    const { chmodSync } = await import('node:fs');
    chmodSync(configFile(), 0o666);
    const result = await run(['whoami']);
    expect(result.code).toBe(2);
    expect(result.stderr).toContain(`hint: chmod 600 ${configFile()}`);
  });

  it('end with logout, at the server and here', async () => {
    await login('--ca-fingerprint', fingerprint());
    const result = await run(['logout']);
    expect(result.stderr).toBe(`signed out admin@internal at ${stub.url}/virt-app\n`);
    expect(stub.requests.at(-1)?.body).toContain('token=token-1');
    expect(readdirSync(join(home.path, '.local/state/vmctl/tokens'))).toEqual([]);
    expect((await run(['logout'])).stderr).toContain('is not signed in');
  });
});

function getMode(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}
