/** Image daemon for images larger than the memory: stores written data, and counts. */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export class SparseDaemon {
  readonly size: number;
  readonly tickets = new Set<string>();
  /** Written data by offset. Runs never touch. */
  readonly runs = new Map<number, Buffer>();
  /** Count of requests by method and target. */
  readonly counts = new Map<string, number>();
  /** Bytes of the image that were received and sent. */
  received = 0;
  sent = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(size: number) {
    this.size = size;
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch(() => response.destroy());
    });
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => {});
    });
  }

  static async start(size: number): Promise<SparseDaemon> {
    const daemon = new SparseDaemon(size);
    await new Promise<void>((resolve) => daemon.#server.listen(0, '127.0.0.1', resolve));
    return daemon;
  }

  getUrl(ticket: string): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}/images/${ticket}`;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', 'http://daemon');
    const what = `${request.method} ${url.pathname.split('/').slice(3).join('/')}`.trim();
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = Buffer.concat(parts);
    const [head, answer] = this.#answer(what, url, request, body);
    response.writeHead('content-range' in head ? 206 : 200, {
      'content-length': answer.length,
      ...head,
    });
    response.end(answer);
  }

  #answer(
    what: string,
    url: URL,
    { headers }: IncomingMessage,
    body: Buffer,
  ): [Record<string, string>, Buffer] {
    const json = (value: unknown): [Record<string, string>, Buffer] => [
      {},
      Buffer.from(JSON.stringify(value)),
    ];
    if (what === 'OPTIONS') {
      const features = ['extents', 'zero', 'flush', 'checksum'];
      return json({ features, max_readers: 8, max_writers: 8 });
    }
    if (what === 'PUT') {
      const start = Number(/^bytes (\d+)-/.exec(String(headers['content-range']))?.[1]);
      this.runs.set(start, body);
      this.received += body.length;
    }
    if (what === 'GET extents') return json(this.#extents());
    if (what === 'GET checksum/algorithms') return json({ algorithms: ['sha256'] });
    if (what === 'GET checksum') {
      return json({ checksum: this.checksum(Number(url.searchParams.get('block_size'))) });
    }
    if (what !== 'GET') return [{}, Buffer.alloc(0)];
    const [, first = '', last = ''] = /^bytes=(\d+)-(\d+)$/.exec(String(headers.range)) ?? [];
    const bytes = this.#bytes(Number(first), Number(last) + 1);
    this.sent += bytes.length;
    return [{ 'content-range': `bytes ${first}-${last}/*` }, bytes];
  }

  get #sorted(): [number, Buffer][] {
    return [...this.runs].sort(([a], [b]) => a - b);
  }

  #extents(): { start: number; length: number; zero: boolean }[] {
    const found: { start: number; length: number; zero: boolean }[] = [];
    let at = 0;
    for (const [start, { length }] of this.#sorted) {
      if (start > at) found.push({ start: at, length: start - at, zero: true });
      found.push({ start, length, zero: false });
      at = start + length;
    }
    if (at < this.size) found.push({ start: at, length: this.size - at, zero: true });
    return found;
  }

  #bytes(from: number, to: number): Buffer {
    const bytes = Buffer.alloc(to - from);
    for (const [start, run] of this.runs) {
      const [first, last] = [Math.max(from, start), Math.min(to, start + run.length)];
      if (last > first) run.copy(bytes, first - from, first - start, last - start);
    }
    return bytes;
  }

  /** Checksum of the image with blocks of this size. */
  checksum(block: number): string {
    const computeHash = (bytes: Buffer) => createHash('sha256').update(bytes).digest();
    const zeros = computeHash(Buffer.alloc(block));
    const touched = new Set<number>();
    for (const [start, { length }] of this.runs) {
      const last = Math.floor((start + length - 1) / block);
      for (let one = Math.floor(start / block); one <= last; one += 1) touched.add(one);
    }
    const outer = createHash('sha256');
    for (let one = 0; one * block < this.size; one += 1) {
      const [from, to] = [one * block, Math.min((one + 1) * block, this.size)];
      const plain = !touched.has(one) && to - from === block;
      outer.update(plain ? zeros : computeHash(this.#bytes(from, to)));
    }
    return outer.digest('hex');
  }
}
