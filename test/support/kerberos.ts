/**
 * Kerberos realm for tests: a key distribution center, and Apache as the proxy of a server, which
 * accepts tickets and signs in as the administrator.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestServer } from './server.ts';

const realm = 'TEST.EXAMPLE.COM';
const modules = '/usr/lib/apache2/modules';
const programs = ['krb5kdc', 'kdb5_util', 'kadmin.local', 'kinit', 'apache2', 'curl', 'openssl'];

/** The reason why the tests cannot run here; undefined if they can. */
export function findObstacle(): string | undefined {
  const missing = programs.filter((name) => spawnSync(name, ['--help']).error !== undefined);
  if (missing.length > 0) return `not installed: ${missing.join(', ')}`;
  const module = join(modules, 'mod_auth_gssapi.so');
  return existsSync(module) ? undefined : 'mod_auth_gssapi is not installed';
}

export class KerberosRealm {
  readonly #folder = mkdtempSync(join(tmpdir(), 'vmctl-kerberos-'));
  readonly #children: ChildProcess[] = [];
  /** Address of the server behind Apache. */
  url = '';
  /** Authority of the proxy. */
  readonly caFile = join(this.#folder, 'proxy.pem');
  /** Variables of programs that use tickets. */
  readonly env = {
    KRB5_CONFIG: join(this.#folder, 'krb5.conf'),
    KRB5_KDC_PROFILE: join(this.#folder, 'kdc.conf'),
    KRB5CCNAME: `FILE:${join(this.#folder, 'tickets')}`,
  };

  /** Starts the realm, with the user `ada` and the password `ada`, and the proxy of a server. */
  static async start(server: TestServer): Promise<KerberosRealm> {
    const started = new KerberosRealm();
    // Apache runs as another user if the tests run as root.
    chmodSync(started.#folder, 0o755);
    const [kdc = 0, proxy = 0] = await findFreePorts(2);
    started.#startCenter(kdc);
    started.#startProxy(proxy, server);
    started.url = `https://localhost:${proxy}${new URL(server.ready.base_url).pathname}`;
    await waitForPort(kdc);
    await waitForPort(proxy);
    return started;
  }

  /** Gets a ticket for `ada`. */
  getTicket(): void {
    this.#run('kinit', ['ada'], 'ada\n');
  }

  destroyTicket(): void {
    this.#run('kdestroy', []);
  }

  async stop(): Promise<void> {
    for (const child of this.#children) {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await ended;
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #run(program: string, words: readonly string[], input = ''): void {
    const env = { ...process.env, ...this.env };
    execFileSync(program, words, { env, input, stdio: ['pipe', 'ignore', 'pipe'] });
  }

  #startCenter(port: number): void {
    writeFileSync(
      this.env.KRB5_CONFIG,
      `[libdefaults]
default_realm = ${realm}
dns_lookup_kdc = false
dns_canonicalize_hostname = false
rdns = false
udp_preference_limit = 1
[realms]
${realm} = {
  kdc = 127.0.0.1:${port}
}
[domain_realm]
localhost = ${realm}
`,
    );
    writeFileSync(
      this.env.KRB5_KDC_PROFILE,
      `[realms]
${realm} = {
  database_name = ${this.#folder}/principals
  key_stash_file = ${this.#folder}/stash
  kdc_listen = ""
  kdc_tcp_listen = 127.0.0.1:${port}
}
`,
    );
    this.#run('kdb5_util', ['create', '-s', '-r', realm, '-P', 'master']);
    const keytab = join(this.#folder, 'keytab');
    for (const query of [
      'addprinc -pw ada ada',
      'addprinc -randkey HTTP/localhost',
      `ktadd -k ${keytab} HTTP/localhost`,
    ]) {
      this.#run('kadmin.local', ['-r', realm, '-q', query]);
    }
    chmodSync(keytab, 0o644);
    this.#start('krb5kdc', ['-n', '-r', realm]);
  }

  #startProxy(port: number, { ready, password }: TestServer): void {
    const key = join(this.#folder, 'proxy.key');
    execFileSync(
      'openssl',
      [
        ...[
          'req',
          '-x509',
          '-newkey',
          'rsa:2048',
          '-nodes',
          '-days',
          '2',
          '-subj',
          '/CN=localhost',
        ],
        ...['-addext', 'subjectAltName=DNS:localhost', '-keyout', key, '-out', this.caFile],
      ],
      { stdio: 'ignore' },
    );
    const target = new URL(ready.base_url);
    const account = Buffer.from(`${ready.username}:${password}`).toString('base64');
    mkdirSync(join(this.#folder, 'run'), { mode: 0o777 });
    const names = ['mpm_event', 'authn_core', 'authz_core', 'authz_user', 'auth_gssapi'];
    const more = ['headers', 'proxy', 'proxy_http', 'ssl'];
    const load = [...names, ...more].map(
      (name) => `LoadModule ${name}_module ${modules}/mod_${name}.so`,
    );
    const path = join(this.#folder, 'apache.conf');
    writeFileSync(
      path,
      `${load.join('\n')}
ServerRoot ${this.#folder}
ServerName localhost
DefaultRuntimeDir ${this.#folder}/run
PidFile ${this.#folder}/run/pid
ErrorLog ${this.#folder}/run/log
User www-data
Group www-data
Listen 127.0.0.1:${port}
SSLEngine on
SSLCertificateFile ${this.caFile}
SSLCertificateKeyFile ${key}
SSLProxyEngine on
SSLProxyVerify none
SSLProxyCheckPeerName off
ProxyPass / ${target.origin}/
<Location ${target.pathname}/sso/oauth/token-http-auth>
  AuthType GSSAPI
  AuthName Kerberos
  GssapiCredStore keytab:${this.#folder}/keytab
  Require user ada@${realm}
  RequestHeader set Authorization "Basic ${account}"
</Location>
`,
    );
    this.#start('apache2', ['-DFOREGROUND', '-f', path]);
  }

  #start(program: string, words: readonly string[]): void {
    const env = { ...process.env, ...this.env };
    this.#children.push(spawn(program, words, { env, stdio: 'ignore' }));
  }
}

async function findFreePorts(count: number): Promise<readonly number[]> {
  const probes = Array.from({ length: count }, () => createServer());
  const ports: number[] = [];
  for (const probe of probes) {
    await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
    const address = probe.address();
    ports.push(typeof address === 'object' && address !== null ? address.port : 0);
  }
  for (const probe of probes) probe.close();
  return ports;
}

async function waitForPort(port: number): Promise<void> {
  for (;;) {
    const { status } = spawnSync(
      'curl',
      ['--silent', '--max-time', '1', `telnet://127.0.0.1:${port}`],
      {
        stdio: 'ignore',
        input: '',
      },
    );
    // curl cannot connect.
    if (status !== 7) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
