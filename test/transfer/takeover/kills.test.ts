/**
 * Real daemons of two servers with shared storage: the first one is killed at any point of a
 * transfer.
 */
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Ticket } from '../../../src/images/index.ts';
import { BLOCK } from '../../../src/transfer/blocks.ts';
import { download, FileSource, type TransferEvent, upload } from '../../../src/transfer/index.ts';
import { identity } from '../../support/stub-server.ts';
import { type DaemonProcess, DaemonProgram } from '../support/daemon-process.ts';
import { FakeService } from '../support/fake-service.ts';
import { makeImage } from '../support/images.ts';
import { type ServiceResponse, takeOver } from '../support/takeover.ts';
import { newDisk } from '../support/upload-bench.ts';

const blocks = 10;
const size = blocks * BLOCK - 512;
const kills = 24;
/** First transfer, of the first disk. */
const transfer = 'transfer-2';

let program: DaemonProgram;
let image: Buffer;
let folder: string;
let file: string;
let stored: string;
let stop: AbortController;
let service: FakeService | undefined;
let daemons: DaemonProcess[];
/** Replacement of the first daemon, after it has begun. */
let killing: Promise<void> | undefined;

beforeAll(async () => {
  program = await DaemonProgram.build();
});

afterAll(() => program.remove());

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'vmctl-takeover-'));
  file = join(folder, 'image');
  stored = join(folder, 'stored');
  makeImage(file, size);
  image = readFileSync(file);
  writeFileSync(stored, '');
  truncateSync(stored, size);
  stop = new AbortController();
  daemons = [];
});

afterEach(async () => {
  await Promise.all(daemons.map((daemon) => daemon.kill()));
  await service?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function startDaemon(direction: 'upload' | 'download', isSafe: boolean): Promise<void> {
  const ticket: Ticket = {
    id: transfer,
    size,
    ops: [direction === 'upload' ? 'write' : 'read'],
    image: { kind: 'file', path: stored },
    ...{ timeout: 600, inactivityTimeout: 600, sparse: true },
  };
  const { certificate: cert, key } = identity();
  daemons.push(await program.start(ticket, isSafe ? { cert, key } : undefined));
}

/** Starts the first server, and the service that reports the address of its daemon. */
async function prepare(direction: 'upload' | 'download', isSafe: boolean) {
  await startDaemon(direction, isSafe);
  const first = daemons[0]?.url.replace('127.0.0.1', isSafe ? 'localhost' : '127.0.0.1');
  const daemon = {
    tickets: new Set<string>(),
    getUrl: (id: string) => `${first}/images/${id}`,
    close: async () => {},
  };
  const started = await FakeService.start(daemon, isSafe ? { ca: identity().ca } : {});
  service = started;
  const at = { moment: 1 + Math.floor(Math.random() * blocks), told: 0 };
  killing = undefined;
  const seen: ServiceResponse[] = (
    ['as before', 'unavailable', 'without a server'] as const
  ).filter(() => Math.random() < 0.5);
  const kill = async () => {
    const killed = daemons[0]?.kill();
    let url: string | undefined;
    takeOver(started, () => url, seen);
    await startDaemon(direction, isSafe);
    await killed;
    const origin = daemons.at(-1)?.url.replace('127.0.0.1', isSafe ? 'localhost' : '127.0.0.1');
    url = `${origin}/images/${transfer}`;
  };
  return {
    client: started.client,
    server: 'https://service',
    journals: join(folder, 'journals'),
    ...{ parallel: 4, verify: true, retries: 8, signal: stop.signal },
    onEvent: ({ phase, transferred }: TransferEvent) => {
      if (phase !== 'copying' || transferred === 0) return;
      at.told += 1;
      if (at.told === at.moment) killing = kill();
    },
  };
}

it.each(Array.from({ length: kills }, (_, kill) => kill))(
  'an upload continues with the daemon of another server (%i)',
  async (kill) => {
    const source = await FileSource.open(file);
    try {
      await upload({ ...(await prepare('upload', kill % 2 === 1)), source, into: newDisk });
    } finally {
      await source.close();
    }
    // The last piece can be complete before the other daemon starts.
    await killing;
    expect(daemons).toHaveLength(2);
    expect(service?.transfers.size).toBe(1);
    expect(readFileSync(stored).equals(image)).toBe(true);
  },
);

it.each(Array.from({ length: 6 }, (_, kill) => kill))(
  'a download continues with the daemon of another server (%i)',
  async (kill) => {
    writeFileSync(stored, image);
    const options = await prepare('download', kill % 2 === 1);
    const disk = service?.addDisk({ name: 'one', format: 'raw', provisioned_size: size }) ?? {};
    const copy = join(folder, 'copy');
    const done = await download({
      ...options,
      ...{ disk, file: copy, force: false, keepPartial: true },
    });
    // The last piece can be complete before the other daemon starts.
    await killing;
    expect(daemons).toHaveLength(2);
    expect(done).toMatchObject({ transferred: size, verified: true });
    expect(readFileSync(copy).equals(image)).toBe(true);
  },
);
