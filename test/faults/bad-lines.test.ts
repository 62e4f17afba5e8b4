/**
 * A proxy that disturbs the connection between the command and the server: delays, fragments,
 * corruption, truncation, resets, silence. The command prints the right response or a clear error,
 * and makes a change only once.
 */
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { startServer, type TestServer } from '../../src/testkit/testkit.ts';
import { vmctl } from '../cli/support/run.ts';
import { isFullRun, recordResult } from './support/catalogue.ts';

let server: TestServer;
let right: string;

beforeAll(async () => {
  server = await startServer();
  right = (await vmctl(['vms', 'list', '-o', 'json'], { env: { ...server.env } })).stdout;
});
afterAll(() => server.stop());

/** Effect of the proxy on a chunk from the server; `at` is the number of preceding bytes. */
type Spoiler = (piece: Buffer, at: number, sockets: { client: Socket; upstream: Socket }) => void;

let proxy: Server;
const open = new Set<Socket>();

afterEach(() => {
  for (const socket of open) socket.destroy();
  open.clear();
  proxy.close();
});

/** Starts the proxy; returns the environment of a command that uses it. */
async function through(spoil: Spoiler): Promise<Record<string, string>> {
  const { hostname, port } = new URL(server.url);
  proxy = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    let at = 0;
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        for (const one of [client, upstream]) one.destroy();
      });
    }
    client.pipe(upstream);
    upstream.on('data', (piece: Buffer) => {
      spoil(piece, at, { client, upstream });
      at += piece.length;
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const url = new URL(server.url);
  url.port = String((proxy.address() as AddressInfo).port);
  return { ...server.env, VMCTL_URL: url.href.replace(/\/$/, '') };
}

/** Sends each byte in a separate packet. */
async function dribble(client: Socket, piece: Buffer): Promise<void> {
  client.setNoDelay(true);
  for (const byte of piece) {
    await new Promise((resolve) => client.write(Buffer.of(byte), resolve));
  }
}

/** Offsets of the disturbance: in the handshake, in the head, in the body. */
const places = isFullRun ? [100, 1_000, 2_000, 3_000, 4_000, 6_000, 9_000, 12_000] : [1_000, 6_000];

const spoilers: readonly (readonly [string, (place: number) => Spoiler])[] = [
  [
    'late',
    () =>
      (piece, _, { client }) => {
        setTimeout(() => client.write(piece), 20);
      },
  ],
  [
    'garbled',
    (place) =>
      (piece, at, { client }) => {
        const spoilt = Buffer.from(piece);
        const index = place - at;
        if (index >= 0 && index < spoilt.length) spoilt[index] = (spoilt[index] ?? 0) ^ 0x41;
        client.write(spoilt);
      },
  ],
  [
    'cut short',
    (place) =>
      (piece, at, { client }) => {
        if (at + piece.length <= place) client.write(piece);
        else client.end(piece.subarray(0, Math.max(0, place - at)));
      },
  ],
  [
    'reset',
    (place) =>
      (piece, at, { client }) => {
        if (at + piece.length <= place) client.write(piece);
        else client.resetAndDestroy();
      },
  ],
  [
    'silent',
    (place) =>
      (piece, at, { client }) => {
        if (at + piece.length <= place) client.write(piece);
      },
  ],
];

let survived = 0;
let failed = 0;

it.each(spoilers)('C4 a connection that is %s', async (name, at) => {
  // A silent handshake times out after ten seconds.
  for (const place of name === 'silent' && !isFullRun ? places.slice(-1) : places) {
    const env = await through(at(place));
    const words = ['vms', 'list', '-o', 'json', '--idle-timeout', '1s', '--retries', '0'];
    const { code, stdout, stderr } = await vmctl(words, { env });
    if (code === 0) {
      expect(stdout).toBe(right);
      survived += 1;
    } else {
      expect([code, JSON.parse(stderr)]).toEqual([8, expect.objectContaining({ exit_code: 8 })]);
      failed += 1;
    }
    for (const socket of open) socket.destroy();
    proxy.close();
  }
  if (name === 'silent') {
    recordResult('C4', `${survived} correct responses, ${failed} clear errors, 0 wrong, 0 hangs`);
  }
});

it('C4 a connection that sends single bytes', async () => {
  let last = Promise.resolve();
  const env = await through((piece, _, { client }) => {
    last = last.then(() => dribble(client, piece));
  });
  const { code, stdout } = await vmctl(['tags', 'list', '-o', 'json'], { env });
  expect([code, stdout]).toEqual([0, expect.stringContaining('root')]);
});

it('C6 a lost response to a change does not create a second object', async () => {
  const list = async () => {
    const { stdout } = await vmctl(['bookmarks', 'list', '-o', 'json'], { env: { ...server.env } });
    return (JSON.parse(stdout) as { name: string }[]).filter(({ name }) => name === 'once');
  };
  // Each chunk from the server waits until its content is known.
  let last = Promise.resolve();
  const env = await through((piece, _, { client }) => {
    last = last.then(async () => {
      if ((await list()).length > 0) client.destroy();
      else client.write(piece);
    });
  });
  const words = ['bookmarks', 'create', '--name', 'once', '--value', 'x'];
  const { code, stderr } = await vmctl([...words, '--retries', '5'], { env });
  expect([code, stderr]).toEqual([8, expect.stringMatching(/closed|cut|reached/)]);
  const again = await vmctl(words, { env: { ...server.env } });
  expect(again.code).toBe(6);
  expect(await list()).toHaveLength(1);
  recordResult('C6', 'one object, 409 for the second attempt');
});

it('C4 control: a disturbance without effect would be detected', async () => {
  const env = await through((piece, _, { client }) => client.write(piece));
  const { code, stdout } = await vmctl(['vms', 'list', '-o', 'json'], { env });
  expect([code, stdout]).toEqual([0, right]);
  expect(failed).toBeGreaterThanOrEqual(places.length);
});
