/** Reference daemon and its client `ovirt-imageio`, a Python program, if installed. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Way } from './image-site.ts';
import { isThere } from './run.ts';

/** Image to read, and file to write. */
export interface ReferenceFiles {
  readonly source: string;
  readonly target: string;
  readonly size: number;
}

interface Keys {
  readonly key: string;
  readonly cert: string;
  readonly ca: string;
}

const program = 'ovirt-imageio';
/** Connections of the client, as many as those of vmctl. */
const workers = 4;

const client = `
import sys
from ovirt_imageio import client
what, url, file, ca = sys.argv[1:]
if what == "download":
    client.download(url, file, ca, fmt="raw", max_workers=${workers})
else:
    client.upload(file, url, ca, max_workers=${workers}, disk_is_zero=True)
`;

/** One daemon for each connection type, because its client prefers the unix socket. */
interface Daemon {
  readonly pid: number;
  readonly url: string;
  readonly socket: string;
  readonly stop: () => Promise<void>;
}

export class Reference {
  readonly #daemons: Readonly<Record<Way, Daemon>>;
  readonly #files: ReferenceFiles;
  readonly #ca: string;
  readonly #python: string;

  private constructor(
    daemons: Readonly<Record<Way, Daemon>>,
    files: ReferenceFiles,
    ca: string,
    python: string,
  ) {
    this.#daemons = daemons;
    this.#files = files;
    this.#ca = ca;
    this.#python = python;
  }

  /** Starts the daemons. `undefined` if they or their client are not installed. */
  static async start(
    folder: string,
    keys: Keys,
    files: ReferenceFiles,
  ): Promise<Reference | undefined> {
    if (![program, 'qemu-nbd', 'qemu-img'].every(isThere)) return undefined;
    const python = findInterpreter(program);
    if (spawnSync(python, ['-c', 'import ovirt_imageio.client']).status !== 0) return undefined;
    const tls = await startDaemon(join(folder, 'reference-tls'), keys, files, false);
    try {
      const unix = await startDaemon(join(folder, 'reference-unix'), keys, files, true);
      return new Reference({ TLS: tls, unix }, files, keys.ca, python);
    } catch (error) {
      await tls.stop();
      throw error;
    }
  }

  pid(way: Way): number {
    return this.#daemons[way].pid;
  }

  /** Command of curl that downloads the image or uploads a file. */
  curl(way: Way, what: 'GET' | 'PUT'): string[] {
    const { url, socket } = this.#daemons[way];
    const path = what === 'GET' ? '/images/source' : '/images/target';
    const place =
      way === 'TLS'
        ? ['--cacert', this.#ca, `${url}${path}`]
        : ['--unix-socket', socket, `http://localhost${path}`];
    const { source } = this.#files;
    if (what === 'PUT') this.#emptyTarget();
    return ['curl', '-sSf', ...place, ...(what === 'GET' ? ['-o', '/dev/null'] : ['-T', source])];
  }

  /** Command of the client that downloads to the target or uploads from the source. */
  client(way: Way, what: 'download' | 'upload', file: string): string[] {
    const path = what === 'download' ? '/images/source' : '/images/target';
    if (what === 'upload') this.#emptyTarget();
    const url = `${this.#daemons[way].url}${path}`;
    return [this.#python, '-c', client, what, url, file, this.#ca];
  }

  async stop(): Promise<void> {
    await Promise.all(Object.values(this.#daemons).map((daemon) => daemon.stop()));
  }

  /** A new disk is an empty file of its size. */
  #emptyTarget(): void {
    const { target, size } = this.#files;
    writeFileSync(target, '');
    truncateSync(target, size);
  }
}

/** Python interpreter of a program. */
function findInterpreter(name: string): string {
  const path = spawnSync('which', [name], { encoding: 'utf8' }).stdout.trim();
  const [line = ''] = readFileSync(path, 'utf8').split('\n', 1);
  return /^#!\s*(\S*python\S*)/.exec(line)?.[1] ?? 'python3';
}

async function startDaemon(
  folder: string,
  { key, cert, ca }: Keys,
  files: ReferenceFiles,
  hasSocket: boolean,
): Promise<Daemon> {
  mkdirSync(join(folder, 'conf.d'), { recursive: true });
  const [socket, control] = [join(folder, 'images.sock'), join(folder, 'control.sock')];
  const port = await freePort();
  const settings = {
    daemon: { systemd_enable: false, drop_privileges: false, run_dir: folder },
    tls: { enable: true, key_file: key, cert_file: cert, ca_file: ca },
    remote: { host: '127.0.0.1', port },
    local: { enable: hasSocket, socket },
    control: { transport: 'unix', socket: control },
    profile: { filename: join(folder, 'profile') },
    handlers: { keys: 'stderr' },
    logger_root: { level: 'ERROR', handlers: 'stderr', propagate: 0 },
  };
  const text = Object.entries(settings).map(([section, values]) => {
    const lines = Object.entries(values).map(([name, value]) => `${name} = ${value}`);
    return `[${section}]\n${lines.join('\n')}\n`;
  });
  writeFileSync(join(folder, 'conf.d/bench.conf'), text.join('\n'));
  const child = spawn(program, ['-c', folder], { stdio: ['ignore', 'ignore', 'inherit'] });
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill();
    await ended;
  };
  try {
    const ticket = { size: files.size, timeout: 86_400, inactivity_timeout: 3_600, sparse: true };
    const tickets = { source: ['read'], target: ['read', 'write'] } as const;
    for (const [uuid, ops] of Object.entries(tickets)) {
      const url = `file://${uuid === 'source' ? files.source : files.target}`;
      const body = JSON.stringify({ ...ticket, uuid, url, ops });
      await putTicket(control, uuid, body, () => child.exitCode);
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return { pid: child.pid ?? 0, url: `https://127.0.0.1:${port}`, socket, stop };
}

/** Adds a ticket when the daemon responds. Throws if it exits or refuses. */
async function putTicket(
  control: string,
  id: string,
  body: string,
  exitCode: () => number | null,
): Promise<void> {
  for (;;) {
    if (exitCode() !== null) throw new Error(`${program} ended with ${exitCode()}`);
    const status = await new Promise<number | undefined>((resolve) => {
      const headers = { 'Content-Length': Buffer.byteLength(body) };
      request({ socketPath: control, path: `/tickets/${id}`, method: 'PUT', headers }, (answer) => {
        answer.resume().on('end', () => resolve(answer.statusCode));
      })
        .on('error', () => resolve(undefined))
        .end(body);
    });
    if (status !== undefined && status < 300) return;
    if (status !== undefined) throw new Error(`${program} refused a ticket: ${status}`);
    await pause(20);
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
