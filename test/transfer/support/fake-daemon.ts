/**
 * Image daemon that follows the specification (4.6), with scripted failures. A crash loses
 * unflushed data, as a power failure does.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { startDigest } from '../../../src/hash/algorithms.ts';
import { loadHash } from '../../../src/hash/wasm-hash.ts';

await Promise.all(['blake2b', 'xxh128'].map(loadHash));

export interface Fault {
  /** Status of the response. Without it the connection is cut. */
  readonly status?: number;
  /** Performs the request before the failure. */
  readonly afterwards?: boolean;
  /** Cuts the connection after this count of response bytes. */
  readonly bytes?: number;
  /** Does not respond, and keeps the connection open. */
  readonly silent?: boolean;
}

export interface Asked {
  readonly method: string;
  readonly what: string;
  /** Content-Range or Range. */
  readonly range: string;
  /** Algorithm of the later checksum of the bytes. */
  readonly algorithm?: string;
}

export class FakeDaemon {
  /** Content for reads. */
  current: Buffer;
  /** Content after a crash. */
  stable: Buffer;
  features = ['extents', 'zero', 'flush', 'checksum'];
  /** Response to a request for checksum algorithms. */
  algorithms = '["sha256"]';
  maxWriters = 8;
  optionsStatus = 200;
  /** Grains that have changed since a checkpoint. `undefined` without a checkpoint. */
  dirty: ReadonlySet<number> | undefined;
  /** Accepted tickets. Every path below `/images/` contains one. */
  readonly tickets = new Set(['ticket']);
  readonly asked: Asked[] = [];
  /** Selects the failure of a request, if any. */
  fault: (asked: Asked, count: number) => Fault | undefined = () => undefined;
  /** Current and maximum bytes of unflushed PUT bodies. */
  unflushed = 0;
  mostUnflushed = 0;
  /** Ranges that differ between reads and a crash. */
  #fresh: [start: number, end: number][] = [];
  /** Path of the local socket, and the count of its requests. */
  unixSocket: string | undefined;
  locally = 0;
  readonly #server: Server;
  #local: Server | undefined;
  readonly #sockets = new Set<Socket>();

  private constructor(size: number) {
    this.current = Buffer.alloc(size);
    this.stable = Buffer.alloc(size);
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch(() => response.destroy());
    });
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => {});
      socket.once('close', () => this.#sockets.delete(socket));
    });
  }

  static async start(size: number): Promise<FakeDaemon> {
    const daemon = new FakeDaemon(size);
    await new Promise<void>((resolve) => daemon.#server.listen(0, '127.0.0.1', resolve));
    return daemon;
  }

  /** Listens on a local socket too, and reports it. */
  async listenOn(path: string): Promise<void> {
    const local = createServer((request, response) => {
      this.locally += 1;
      this.#serve(request, response).catch(() => response.destroy());
    });
    await new Promise<void>((resolve) => local.listen(path, resolve));
    this.#local = local;
    this.unixSocket = path;
  }

  /** Stops listening on the local socket. */
  leaveSocket(): void {
    this.#local?.close();
    this.#local?.closeAllConnections();
    this.#local = undefined;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  getUrl(ticket = 'ticket'): string {
    return `${this.origin}/images/${ticket}`;
  }

  /** Loses unflushed data and all connections. */
  crash(): void {
    for (const [start, end] of this.#fresh) this.stable.copy(this.current, start, start, end);
    this.#fresh = [];
    this.unflushed = 0;
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.leaveSocket();
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Count of requests for the data of the image, by method. */
  count(method: string): number {
    return this.asked.filter((one) => one.method === method && one.what === '').length;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', 'http://daemon');
    const [, , ticket = '', ...rest] = url.pathname.split('/');
    const what = rest.join('/');
    const range = String(request.headers['content-range'] ?? request.headers.range ?? '');
    const algorithm = request.headers['checksum-algorithm'];
    const asked = {
      ...{ method: request.method ?? '', what, range },
      ...(algorithm === undefined ? {} : { algorithm: String(algorithm) }),
    };
    this.asked.push(asked);
    const body = await readBody(request);
    const fault = this.fault(asked, this.asked.length);
    if (fault?.silent) return;
    if (fault && !fault.afterwards && fault.bytes === undefined) {
      fail(response, fault);
      return;
    }
    if (!this.tickets.has(ticket)) {
      response.writeHead(403, { connection: 'close' }).end('No ticket.\n');
      return;
    }
    const [status, headers, answer] = this.#answer(asked, url, body);
    if (fault?.bytes !== undefined) {
      response.writeHead(status, { 'content-length': answer.length, ...headers });
      response.write(answer.subarray(0, fault.bytes), () => response.destroy());
    } else if (fault) fail(response, fault);
    else response.writeHead(status, { 'content-length': answer.length, ...headers }).end(answer);
  }

  #answer(asked: Asked, url: URL, body: Buffer): [number, Record<string, string>, Buffer] {
    const json = (value: unknown): [number, Record<string, string>, Buffer] => [
      200,
      { 'content-type': 'application/json' },
      Buffer.from(JSON.stringify(value)),
    ];
    const nothing = Buffer.alloc(0);
    switch (`${asked.method} ${asked.what}`) {
      case 'OPTIONS ':
        if (this.optionsStatus !== 200) return [this.optionsStatus, {}, nothing];
        return json({
          features: this.features,
          max_readers: 8,
          max_writers: this.maxWriters,
          unix_socket: this.unixSocket,
        });
      case 'PUT ': {
        const start = Number(/^bytes (\d+)-/.exec(asked.range)?.[1] ?? 0);
        if (start + body.length > this.current.length) return [416, {}, Buffer.from('Too far.')];
        body.copy(this.current, start);
        this.#fresh.push([start, start + body.length]);
        if (url.searchParams.get('flush') === 'y') this.#flush();
        else this.unflushed += body.length;
        this.mostUnflushed = Math.max(this.mostUnflushed, this.unflushed);
        return [200, {}, nothing];
      }
      case 'PATCH ': {
        const { op, offset, size } = JSON.parse(body.toString()) as Record<string, number>;
        if (String(op) === 'flush') this.#flush();
        else this.#zero(offset ?? 0, size ?? 0);
        return [200, {}, nothing];
      }
      case 'GET ': {
        const match = /^bytes=(\d+)-(\d*)$/.exec(asked.range);
        if (!match) return [200, {}, this.current];
        const last = match[2] ? Number(match[2]) : this.current.length - 1;
        const part = this.current.subarray(Number(match[1]), last + 1);
        return [206, { 'content-range': `bytes ${match[1]}-${last}/*` }, part];
      }
      case 'GET extents':
        if (url.searchParams.get('context') !== 'dirty') return json(listExtents(this.current));
        if (!this.dirty) return [404, {}, Buffer.from('No changes are known.')];
        return json(listChanges(this.current, this.dirty));
      case 'GET checksum/algorithms':
        return [200, {}, Buffer.from(this.algorithms)];
      case 'GET checksum':
        return json({ checksum: computeChecksum(this.current, url.searchParams) });
      default:
        return [404, {}, Buffer.from('No such thing.')];
    }
  }

  #zero(offset: number, size: number): void {
    this.current.fill(0, offset, offset + size);
    this.#fresh.push([offset, offset + size]);
  }

  #flush(): void {
    for (const [start, end] of this.#fresh) this.current.copy(this.stable, start, start, end);
    this.#fresh = [];
    this.unflushed = 0;
  }
}

function fail(response: ServerResponse, { status }: Fault): void {
  if (status === undefined) response.destroy();
  else response.writeHead(status).end('It failed.\n');
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}

const zeros = Buffer.alloc(65_536);

/** Extents with changes, one for each grain. */
function listChanges(image: Buffer, dirty: ReadonlySet<number>): object[] {
  const grain = 65_536;
  return Array.from({ length: Math.ceil(image.length / grain) }, (_, at) => {
    const part = image.subarray(at * grain, (at + 1) * grain);
    const zero = part.equals(zeros.subarray(0, part.length));
    return { start: at * grain, length: part.length, zero, dirty: dirty.has(at) };
  });
}

/** Extents with a grain of 64 KiB. */
function listExtents(image: Buffer): { start: number; length: number; zero: boolean }[] {
  const grain = 65_536;
  const found: { start: number; length: number; zero: boolean }[] = [];
  for (let start = 0; start < image.length; start += grain) {
    const part = image.subarray(start, start + grain);
    const zero = part.equals(zeros.subarray(0, part.length));
    const last = found.at(-1);
    if (last && last.zero === zero) last.length += part.length;
    else found.push({ start, length: part.length, zero });
  }
  return found;
}

/** Checksum according to the documentation of daemons. */
export function computeChecksum(image: Buffer, parameters: URLSearchParams): string {
  const algorithm = parameters.get('algorithm') ?? '';
  const block = Number(parameters.get('block_size'));
  const start = () => {
    const digest = startDigest(algorithm);
    if (!digest) throw new Error(`Unknown algorithm: ${algorithm}.`);
    return digest;
  };
  const outer = start();
  for (let at = 0; at < image.length; at += block) {
    const inner = start();
    inner.update(image.subarray(at, at + block));
    outer.update(inner.digest());
  }
  return outer.digest().toString('hex');
}
