/** VNC ports of running VMs, which forward to the sockets of QEMU. */
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { createSecureContext, type SecureContext } from 'node:tls';
import { getErrorCode } from '../../caught-errors.ts';
import type { ConsoleSettings } from '../../server/admin/extension.ts';
import { sockets } from './arguments.ts';
import { acceptViewer } from './console-handshake.ts';

/** Ports, from the standard port of VNC. */
const firstPort = 5900;
const portCount = 1000;

/** File with the port in the working folder of a VM. */
const portFile = 'vnc-port';

/** Maximum connections to one VM, and milliseconds until a viewer must have negotiated. */
const maxConnections = 16;
const handshakeMs = 30_000;

interface OpenConsole {
  readonly server: Server;
  readonly port: number;
  readonly viewers: ReadonlySet<Socket>;
}

export class ConsoleServer {
  readonly #settings: ConsoleSettings;
  readonly #context: SecureContext;
  readonly #consoles = new Map<string, OpenConsole>();
  /** VMs whose port is about to open. */
  readonly #opening = new Set<string>();

  constructor(settings: ConsoleSettings) {
    this.#settings = settings;
    const { key, certificate: cert } = settings;
    this.#context = createSecureContext({ key, cert, minVersion: 'TLSv1.2' });
  }

  /**
   * Opens the port of a VM. The port of a run remains, also after a restart of the server: if another
   * program uses it, nothing is opened, and a later call tries again.
   */
  async open(id: string, folder: string): Promise<void> {
    if (this.#consoles.has(id) || this.#opening.has(id)) return;
    this.#opening.add(id);
    try {
      const opened = await this.#listenOnFirst(listPorts(folder), join(folder, sockets.vnc));
      // The run has ended in the meantime.
      if (!this.#opening.has(id)) opened?.server.close();
      else if (opened) {
        this.#consoles.set(id, opened);
        writeFileSync(join(folder, portFile), String(opened.port), { mode: 0o600 });
      }
    } finally {
      this.#opening.delete(id);
    }
  }

  async #listenOnFirst(ports: readonly number[], path: string): Promise<OpenConsole | undefined> {
    const used = new Set(Array.from(this.#consoles.values(), ({ port }) => port));
    for (const port of ports) {
      const opened = used.has(port) ? undefined : await this.#listen(port, path);
      if (opened) return opened;
    }
    return undefined;
  }

  /** Port of a VM; undefined if none is open. */
  port(id: string): number | undefined {
    return this.#consoles.get(id)?.port;
  }

  /** Closes the port of a VM, and its connections. */
  close(id: string): void {
    const found = this.#consoles.get(id);
    this.#opening.delete(id);
    this.#consoles.delete(id);
    found?.server.close();
    for (const viewer of found?.viewers ?? []) viewer.destroy();
  }

  closeAll(): void {
    for (const id of [...this.#consoles.keys(), ...this.#opening]) this.close(id);
  }

  /** Listens on a port; undefined if another program uses it. */
  #listen(port: number, path: string): Promise<OpenConsole | undefined> {
    const viewers = new Set<Socket>();
    const server = createServer((viewer) => {
      viewers.add(viewer);
      viewer.once('close', () => viewers.delete(viewer));
      this.#accept(viewer, path);
    });
    server.maxConnections = maxConnections;
    return new Promise((resolve, reject) => {
      server.once('error', (error) => {
        if (getErrorCode(error) === 'EADDRINUSE') resolve(undefined);
        else reject(error);
      });
      server.listen(port, this.#settings.host, () => resolve({ server, port, viewers }));
    });
  }

  #accept(viewer: Socket, path: string): void {
    viewer.on('error', () => viewer.destroy());
    const timer = setTimeout(() => viewer.destroy(), handshakeMs);
    acceptViewer(viewer, path, this.#context)
      // The viewer reads the reason of a refusal before the connection ends.
      .catch(() => (viewer.writableEnded ? viewer.resume() : viewer.destroy()))
      .finally(() => clearTimeout(timer));
  }
}

/** The port of the run, or the candidates for a new run. */
function listPorts(folder: string): readonly number[] {
  try {
    return [Number(readFileSync(join(folder, portFile), 'utf8'))];
  } catch {
    return Array.from({ length: portCount }, (_, index) => firstPort + index);
  }
}
