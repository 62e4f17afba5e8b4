/** Several servers of one site in PostgreSQL, behind HAProxy as configured in docs/scale-out.md. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:https';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type Cluster, createDatabase, startCluster, type TestDatabase } from './postgres.ts';
import { type RawAnswer, type RawOptions, send } from './raw.ts';
import { type ServerProcess, startServerProcess, vmctl } from './server.ts';
import { fastFolder } from './temporary.ts';

export type ProxyName = 'haproxy' | 'nginx';

const streamModule = '/usr/lib/nginx/modules/ngx_stream_module.so';

/** Proxy programs: how to check a configuration and how to run it. */
export const proxies: Readonly<Record<ProxyName, ProxyProgram>> = {
  haproxy: {
    program: '/usr/sbin/haproxy',
    check: (file) => ['-c', '-f', file],
    run: (file) => ['-db', '-f', file],
  },
  nginx: {
    program: '/usr/sbin/nginx',
    check: (file) => ['-t', '-c', file],
    run: (file) => ['-c', file],
  },
};

interface ProxyProgram {
  readonly program: string;
  readonly check: (file: string) => readonly string[];
  readonly run: (file: string) => readonly string[];
}

/** Whether a proxy is installed, with the modules of its configuration. */
export function isInstalled(name: ProxyName): boolean {
  return existsSync(proxies[name].program) && (name === 'haproxy' || existsSync(streamModule));
}

const document = new URL('../../docs/scale-out.md', import.meta.url);

/** Free ports. */
async function freePorts(count: number): Promise<number[]> {
  const probes = await Promise.all(
    Array.from({ length: count }, async () => {
      const probe = createServer();
      await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
      return probe;
    }),
  );
  return probes.map((probe) => {
    const address = probe.address();
    probe.close();
    return typeof address === 'object' ? (address?.port ?? 0) : 0;
  });
}

/** The configuration of docs/scale-out.md with these ports; `folder` is for files of the proxy. */
export function readConfiguration(
  name: ProxyName,
  listen: number,
  servers: readonly number[],
  folder: string,
): string {
  const block = new RegExp(`\`\`\`${name}\n(.*?)\`\`\``, 's').exec(readFileSync(document, 'utf8'));
  if (!block) throw new Error(`docs/scale-out.md has no block of ${name}`);
  const text = String(block[1])
    .replace(/server(\d)\.example\.com:8443/g, (_, number) => `127.0.0.1:${servers[number - 1]}`)
    .replace(/(bind |listen )(?::)?443/, `$1${name === 'haproxy' ? '127.0.0.1:' : ''}${listen}`);
  if (name === 'haproxy') return text;
  const others = `pid ${folder}/nginx.pid; error_log stderr crit; events {}`;
  return `load_module ${streamModule}; daemon off;\n${others}\n${text}`;
}

export class SeveralServers {
  readonly cluster: Cluster;
  readonly folder = mkdtempSync(join(fastFolder, 'vmctl-several-'));
  readonly #database: TestDatabase;
  readonly #ports: readonly number[];
  readonly #imagePorts: readonly number[];
  readonly #program: string;
  readonly servers: (ServerProcess | undefined)[] = [];
  readonly #balancers: ChildProcess[] = [];
  /** `https://127.0.0.1:PORT` of the balancer. */
  url = '';

  private constructor(
    cluster: Cluster,
    database: TestDatabase,
    ports: readonly number[],
    program: string,
  ) {
    this.cluster = cluster;
    this.#database = database;
    this.#ports = ports.slice(0, ports.length / 2);
    this.#imagePorts = ports.slice(ports.length / 2);
    this.#program = program;
  }

  /** Starts `count` servers; `program` is the vmctl of another source tree. */
  static async start(count: number, program = vmctl): Promise<SeveralServers> {
    const cluster = startCluster();
    const database = await createDatabase(cluster.folder);
    const several = new SeveralServers(cluster, database, await freePorts(2 * count), program);
    await Promise.all(several.#ports.map((_, index) => several.startServer(index)));
    await several.balance('haproxy');
    return several;
  }

  async startServer(index: number): Promise<void> {
    this.servers[index] = await startServerProcess(
      [
        ...['--store', this.#database.address, '--data', join(this.folder, `server${index}`)],
        ...['--images', join(this.folder, 'images')],
        ...['--listen', `127.0.0.1:${this.#ports[index]}`],
        ...['--images-listen', `127.0.0.1:${this.#imagePorts[index]}`],
        ...['--inventory', 'small', '--speed', '0'],
      ],
      {},
      this.#program,
    );
  }

  /** Kills a server and starts it again. */
  async restart(index: number): Promise<void> {
    const server = this.servers[index];
    this.servers[index] = undefined;
    await server?.kill();
    await this.startServer(index);
  }

  /** Suspends a server for a time, like a migrated or overloaded computer. */
  async suspend(index: number, milliseconds: number): Promise<void> {
    const pid = this.servers[index]?.ready.pid ?? 0;
    process.kill(pid, 'SIGSTOP');
    await wait(milliseconds);
    process.kill(pid, 'SIGCONT');
  }

  /** Kills PostgreSQL with all of its processes, and starts it again. */
  async restartPostgres(): Promise<void> {
    process.kill(this.cluster.pid(), 'SIGKILL');
    for (;;) {
      try {
        this.cluster.start();
        return;
      } catch {
        // Busy backend processes exit a moment later.
        await wait(50);
      }
    }
  }

  /** Switches to a proxy. */
  async balance(name: ProxyName): Promise<void> {
    const [port = 0] = await freePorts(1);
    const file = join(this.folder, `${name}.conf`);
    writeFileSync(file, readConfiguration(name, port, this.#ports, this.folder));
    const { program, run } = proxies[name];
    this.#balancers.push(spawn(program, run(file), { stdio: 'ignore' }));
    this.url = `https://127.0.0.1:${port}`;
    for (;;) {
      try {
        const headers = { Connection: 'close' };
        if ((await this.send('GET', '/_vmctl/ready', { headers })).status === 200) return;
      } catch {
        // The proxy does not listen yet, or has not checked the servers.
      }
      await wait(50);
    }
  }

  /** API addresses of the running servers. */
  get addresses(): string[] {
    return this.servers.flatMap((server) => (server ? [server.ready.api_url] : []));
  }

  get ca(): string {
    return readFileSync(join(this.folder, 'server0/ca.pem'), 'utf8');
  }

  get password(): string {
    return this.servers.find((server) => server)?.password ?? '';
  }

  readonly #agents = new Map<string, Agent>();

  /** Sends one request through the balancer or to another address. */
  async send(
    method: string,
    path: string,
    { body, headers = {}, to = this.url }: Omit<RawOptions, 'body'> & SendOptions = {},
  ): Promise<RawAnswer> {
    const agent =
      this.#agents.get(to) ?? new Agent({ keepAlive: true, ca: this.ca, timeout: 20_000 });
    this.#agents.set(to, agent);
    const basic = Buffer.from(`admin@internal:${this.password}`).toString('base64');
    return send(`${to}${path}`, {
      method,
      agent,
      headers: {
        Authorization: `Basic ${basic}`,
        Accept: 'application/json',
        'Content-Type': 'application/json',
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  async stop(): Promise<void> {
    for (const balancer of this.#balancers) balancer.kill();
    for (const agent of this.#agents.values()) agent.destroy();
    await Promise.all(this.servers.map((server) => server?.kill()));
    this.cluster.remove();
    if (existsSync(this.folder)) rmSync(this.folder, { recursive: true, force: true });
  }
}

export interface SendOptions {
  readonly body?: unknown;
  /** `https://HOST:PORT`, optionally with a path. */
  readonly to?: string;
}
