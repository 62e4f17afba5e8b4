/**
 * Uploads through a proxy that cuts connections after a number of bytes, and daemons that reject a
 * stalled body.
 */
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BLOCK } from '../../src/transfer/blocks.ts';
import { upload } from '../../src/transfer/index.ts';
import { size, UploadBench } from './support/upload-bench.ts';

let bench: UploadBench;
let proxy: CuttingProxy | undefined;

beforeEach(async () => {
  bench = await UploadBench.make();
});
afterEach(async () => {
  proxy?.close();
  proxy = undefined;
  await bench.remove();
});

/** Forwards connections to the daemon, and cuts them after a number of bytes from the client. */
class CuttingProxy {
  /** Bytes from the client. */
  bytes = 0;
  cuts = 0;
  readonly #server: Server;
  readonly #open = new Set<Socket>();

  private constructor(target: number, limit: number, cutsAll: boolean) {
    let sinceCut = 0;
    this.#server = createServer((client) => {
      const server = connect(target, '127.0.0.1');
      const end = () => {
        client.destroy();
        server.destroy();
      };
      let own = 0;
      for (const socket of [client, server]) {
        this.#open.add(socket);
        socket.on('error', end);
        socket.on('close', end);
      }
      server.pipe(client);
      client.on('data', (piece: Buffer) => {
        this.bytes += piece.length;
        own += piece.length;
        sinceCut += piece.length;
        if ((cutsAll ? sinceCut : own) <= limit) {
          server.write(piece);
          return;
        }
        this.cuts += 1;
        sinceCut = 0;
        if (!cutsAll) end();
        else for (const socket of this.#open) socket.destroy();
      });
      client.once('close', () => this.#open.delete(client));
      server.once('close', () => this.#open.delete(server));
    });
  }

  static async start(target: number, limit: number, cutsAll: boolean): Promise<CuttingProxy> {
    const made = new CuttingProxy(target, limit, cutsAll);
    await new Promise<void>((resolve) => made.#server.listen(0, '127.0.0.1', resolve));
    return made;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#open) socket.destroy();
  }
}

describe('connections that are cut every 6 MB', () => {
  it.each([
    ['each separately', false],
    ['all together', true],
  ])('%s: the upload succeeds, and sends each byte only a few times', async (_how, cutsAll) => {
    const direct = new URL(bench.daemon.getUrl('transfer-2'));
    proxy = await CuttingProxy.start(Number(direct.port), 6_000_000, cutsAll);
    direct.port = String(proxy.port);
    bench.service.directUrl = direct.href;
    await upload(bench.options());
    bench.expectStored();
    expect(proxy.cuts).toBeGreaterThan(size / 6_000_000);
    expect(proxy.bytes).toBeLessThan(6 * size);
    expect(bench.events.at(-1)?.transferred).toBe(size);
  });
});

describe('connections that are cut before a block has arrived', () => {
  const whole: [number, number][] = [[0, 3 * BLOCK]];
  const sparse = Array.from({ length: 6 }, (_, at): [number, number] => [
    at * 2 ** 21,
    1.5 * 2 ** 20,
  ]);

  it.each([
    { limit: 1_000_000, cutsAll: false, runs: whole, most: 3 },
    { limit: 1_000_000, cutsAll: true, runs: whole, most: 3 },
    { limit: 1_000_000, cutsAll: false, runs: sparse, most: 3 },
    { limit: 1_000_000, cutsAll: true, runs: sparse, most: 3 },
    // Parts of the minimum size: two of them fit in a connection.
    { limit: 150_000, cutsAll: true, runs: [[0, 2 ** 20]] as [number, number][], most: 5 },
  ])(
    'after $limit bytes, all together: $cutsAll ($runs.length runs): parts that arrived are not sent again',
    async ({ limit, cutsAll, runs, most }) => {
      await bench.image(size, runs);
      const length = runs.reduce((sum, [, bytes]) => sum + bytes, 0);
      const direct = new URL(bench.daemon.getUrl('transfer-2'));
      proxy = await CuttingProxy.start(Number(direct.port), limit, cutsAll);
      direct.port = String(proxy.port);
      bench.service.directUrl = direct.href;
      await upload(bench.options());
      bench.expectStored();
      expect(proxy.cuts).toBeGreaterThanOrEqual(Math.floor(length / limit));
      expect(proxy.bytes).toBeLessThan(most * length);
      expect(bench.events.at(-1)?.transferred).toBe(length);
    },
    240_000,
  );
});

describe('a daemon that rejects a stalled body (408)', () => {
  it('receives it again, and the transfer continues', async () => {
    let refusals = 0;
    bench.daemon.fault = ({ method }) => {
      if (method !== 'PUT' || refusals >= 3) return undefined;
      refusals += 1;
      return { status: 408 };
    };
    await upload(bench.options());
    expect(refusals).toBe(3);
    bench.expectStored();
    expect(bench.service.calls.filter((call) => call.startsWith('cancel'))).toEqual([]);
  });

  it('permanently leaves a paused transfer, not a cancelled one', async () => {
    bench.daemon.fault = ({ method }) => (method === 'PUT' ? { status: 408 } : undefined);
    const { remainder } = await bench.failure({ retries: 1 });
    expect(remainder).toMatchObject({ resumable: true, paused: true });
    await bench.resume();
    bench.expectStored();
  });
});
