/** Transfers whose server ends or loses them during the transfer: another server takes them over. */
import { createReadStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { InterruptedError } from '../../../src/client/errors.ts';
import { download, downloadToStream, RateLimit, upload } from '../../../src/transfer/index.ts';
import { StreamSource } from '../../../src/transfer/stream-source.ts';
import type { FakeDaemon } from '../support/fake-daemon.ts';
import { away } from '../support/fake-service.ts';
import { type ServiceResponse, startSuccessor, takeOver } from '../support/takeover.ts';
import { size, UploadBench } from '../support/upload-bench.ts';

let bench: UploadBench;
/** The daemons of the servers, in the order of their takeovers. */
let daemons: FakeDaemon[];

beforeEach(async () => {
  bench = await UploadBench.make();
  daemons = [bench.daemon];
});

afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(daemons.slice(1).map((daemon) => daemon.close()));
  await bench.remove();
});

const last = () => daemons.at(-1) as FakeDaemon;

/** Count of reads of the transfer since this call. */
function looks(): () => number {
  const from = bench.service.calls.length;
  return () =>
    bench.service.calls.slice(from).filter((call) => call.startsWith('get /imagetransfers')).length;
}

/** Ends the server of the transfer, which loses data that was not flushed. Another server takes the transfer over. */
async function kill(seen: ServiceResponse[] = [], dies = true): Promise<void> {
  const daemon = last();
  let next: FakeDaemon | undefined;
  takeOver(bench.service, () => next?.getUrl(String(bench.service.transfer['id'])), seen);
  const closing = dies ? daemon.close() : undefined;
  const made = await startSuccessor(daemon);
  next = made;
  daemons.push(made);
  await closing;
}

/** Calls a function at the n-th request of a kind to the current daemon. */
function at(moment: number, method: string, what: string, act: () => unknown): void {
  const daemon = last();
  let count = 0;
  daemon.fault = (asked) => {
    if (asked.method === method && asked.what === what) count += 1;
    if (count !== moment || asked.method !== method || asked.what !== what) return undefined;
    act();
    return {};
  };
}

/** Sum of the bytes that PUT requests to a daemon declared. */
function bytesSentTo(daemon: FakeDaemon): number {
  let sum = 0;
  for (const { method, what, range } of daemon.asked) {
    if (method !== 'PUT' || what !== '') continue;
    const [, first, last] = /^bytes (\d+)-(\d+)/.exec(range) ?? [];
    sum += Number(last) - Number(first) + 1;
  }
  return sum;
}

function expectStored(): void {
  const image = readFileSync(bench.file);
  expect(last().stable.subarray(0, image.length).equals(image)).toBe(true);
  expect(daemons.length).toBeGreaterThan(1);
  expect(bench.service.transfers.size).toBe(1);
}

describe('an upload whose server ends', () => {
  it.each([
    ['is known immediately', []],
    ['is unknown at first', ['as before', 'as before']],
    [
      'is unknown for a while',
      ['unavailable', 'unavailable', 'without a server', 'unavailable', 'without a server'],
    ],
  ] satisfies [string, ServiceResponse[]][])(
    'continues with another server, which %s',
    async (_, seen) => {
      at(7, 'PUT', '', () => kill([...seen]));
      await upload(bench.options());
      expectStored();
      expect(bench.events.at(-1)).toMatchObject({ phase: 'done', transferred: size });
    },
  );

  it('sends flushed data only once', async () => {
    at(2, 'PATCH', '', () => kill());
    await upload(bench.options());
    expectStored();
    // Parts can be smaller after lost connections, so bytes are counted instead of requests.
    expect(bytesSentTo(last())).toBeLessThan(size);
  });

  it('reads the transfer once for all connections', async () => {
    let looked: (() => number) | undefined;
    let seen: number | undefined;
    at(6, 'PUT', '', async () => {
      looked = looks();
      await kill();
      last().fault = () => {
        seen ??= looked?.();
        return undefined;
      };
    });
    await upload(bench.options());
    expectStored();
    expect(seen).toBe(1);
  });

  it('survives any number of takeovers if bytes arrive between them', async () => {
    const die = () => {
      if (daemons.length < 12) at(2, 'PUT', '', () => kill().then(die));
    };
    die();
    await upload(bench.options({ parallel: 1 }));
    expectStored();
    expect(daemons).toHaveLength(12);
  });

  it('continues without retries', async () => {
    at(6, 'PUT', '', () => kill(['without a server']));
    await upload(bench.options({ retries: 0 }));
    expectStored();
  });

  it.each(['PUT', 'PATCH'])('repeats data of a stream that was not stored: %s', async (method) => {
    at(method === 'PUT' ? 7 : 2, method, '', () => kill(['without a server']));
    const { content, identity } = bench.options().source;
    const source = new StreamSource({
      ...{ path: '-', identity, content, size, repeatable: false, signal: bench.stop.signal },
      open: () => createReadStream(bench.file),
    });
    await upload(bench.options({ source }));
    expectStored();
  });

  it('respects the rate limit', async () => {
    at(6, 'PUT', '', () => kill());
    await upload(bench.options({ limit: new RateLimit(2 ** 30) }));
    expectStored();
  });

  it('starts with the other server if the first one never responds', async () => {
    at(1, 'OPTIONS', '', () => kill(['as before', 'unavailable', 'as before', 'without a server']));
    await upload(bench.options());
    expectStored();
  });

  it.each(['checksum', 'extents'])('is verified by the other server: %s', async (what) => {
    at(1, 'GET', what, () => kill(['without a server']));
    await upload(bench.options());
    expectStored();
    expect(last().asked.map((asked) => asked.what)).toContain(what);
    expect(bench.notes).toEqual([]);
  });

  it('is finalized when the service is available again', async () => {
    let failures = 0;
    bench.service.before = (call) => {
      if (failures === 0 ? !call.startsWith('finalize') : failures >= 6) return;
      failures += 1;
      throw away();
    };
    await upload(bench.options());
    bench.expectStored();
    expect(failures).toBe(6);
  });

  it('uses the local socket of the other daemon', async () => {
    await bench.daemon.listenOn(join(bench.folder, 'one'));
    at(6, 'PUT', '', async () => {
      let next: FakeDaemon | undefined;
      takeOver(bench.service, () => next?.getUrl(String(bench.service.transfer['id'])), []);
      const closing = bench.daemon.close();
      const made = await startSuccessor(bench.daemon);
      await made.listenOn(join(bench.folder, 'two'));
      next = made;
      daemons.push(made);
      await closing;
    });
    await upload(bench.options());
    expectStored();
    expect(bench.daemon.locally).toBeGreaterThan(6);
    expect(last().locally).toBeGreaterThan(0);
  });
});

describe('an upload that waits for another server', () => {
  it('stops when the user interrupts it, and can be resumed', async () => {
    at(2, 'PATCH', '', async () => {
      const waiting: ServiceResponse[] = Array.from({ length: 4 }, () => 'without a server');
      await kill(waiting);
      const { before: earlier } = bench.service;
      bench.service.before = (call) => {
        earlier(call);
        if (waiting.length === 1) bench.stop.abort(new InterruptedError('SIGINT'));
      };
    });
    const { cause, remainder } = await bench.failure();
    expect(cause).toBe(bench.stop.signal.reason);
    expect(remainder).toMatchObject({ resumable: true, paused: true });
    bench.service.transfer['transfer_url'] = last().getUrl(String(bench.service.transfer['id']));
    bench.service.before = () => {};
    await bench.resume();
    expectStored();
  });

  it.each(['as before', 'without a server'] satisfies ServiceResponse[])(
    'ends when a user pauses it, and can be resumed (%s)',
    async (seen) => {
      at(6, 'PUT', '', async () => {
        await kill([seen, 'as before', 'as before', 'as before']);
        const { before: earlier } = bench.service;
        let count = 0;
        bench.service.before = (call) => {
          earlier(call);
          count += call.startsWith('get /imagetransfers') ? 1 : 0;
          if (count === 2) bench.service.transfer['phase'] = 'paused_user';
        };
      });
      const { cause, remainder } = await bench.failure();
      expect(cause).toMatchObject({ code: 'transfer_paused' });
      expect(remainder).toMatchObject({ resumable: true, paused: true });
      bench.service.before = () => {};
      bench.service.transfer['transfer_url'] = last().getUrl(String(bench.service.transfer['id']));
      await bench.resume();
      expectStored();
    },
  );

  it('resumes a transfer that the other server paused', async () => {
    at(6, 'PUT', '', async () => {
      await kill(['as before']);
      bench.service.transfer['phase'] = 'paused_system';
    });
    await upload(bench.options());
    expectStored();
  });

  it('ends and can be resumed if no server takes it over', async () => {
    at(10, 'PUT', '', () => bench.daemon.close());
    const { cause, remainder } = await bench.failure({ retries: 2 });
    expect(cause).toMatchObject({ code: 'unreachable' });
    expect(remainder).toMatchObject({ resumable: true, paused: true });
  });
});

describe('an upload whose server lost it', () => {
  it.each([403, 404])('continues with another server after a refusal with %i', async (status) => {
    const daemon = bench.daemon;
    let count = 0;
    daemon.fault = ({ method }) => {
      if (method === 'PUT') count += 1;
      if (count < 7) return undefined;
      if (count === 7 && daemons.length === 1) {
        count += 1;
        void kill(['as before', 'as before', 'without a server'], false);
      }
      return { status };
    };
    await upload(bench.options());
    expectStored();
  });

  it('skips the checksum only if the daemon has none', async () => {
    const daemon = bench.daemon;
    daemon.fault = ({ what }) => {
      if (what === 'checksum' && daemons.length === 1) void kill(['without a server'], false);
      return what === 'checksum' || daemons.length > 1 ? { status: 404 } : undefined;
    };
    // The daemon does not know the ticket of the image.
    daemon.tickets.clear();
    daemon.tickets.add('transfer-2');
    await upload(bench.options());
    expectStored();
    expect(bench.notes).toEqual([]);
    expect(last().asked.map(({ what }) => what)).toContain('checksum');
  });

  it('ends when it is canceled', async () => {
    at(7, 'PUT', '', () => {
      bench.service.pauseBySystem();
      bench.service.transfer['phase'] = 'cancelled_user';
      for (const disk of bench.service.disks.values()) disk['status'] = 'illegal';
    });
    const { cause } = await bench.failure();
    expect(cause).toMatchObject({
      code: 'transfer_failed',
      message: 'the service ended the transfer: cancelled_user',
    });
  });
});

it('stops using a daemon that does not respond', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  let silent = 0;
  const standing = new Promise<void>((resolve) => {
    bench.daemon.fault = ({ method }) => {
      if (method !== 'PUT' || bench.daemon.count('PUT') < 7) return undefined;
      silent += 1;
      if (silent === 4) resolve();
      return { silent: true };
    };
  });
  const uploading = upload(bench.options());
  await standing;
  await kill([], false);
  vi.advanceTimersByTime(60_000);
  await uploading;
  expectStored();
});

describe('a download whose server ends', () => {
  const options = () => {
    bench.daemon.current = readFileSync(bench.file);
    bench.daemon.stable = Buffer.from(bench.daemon.current);
    const disk = bench.service.addDisk({ name: 'one', format: 'raw', provisioned_size: size });
    const { source: _source, into: _into, ...common } = bench.options();
    return { ...common, disk };
  };
  const seen = (): ServiceResponse[] => ['as before', 'unavailable', 'without a server'];

  it.each([2, 9, 17])(
    'to a file continues with another server after %i requests',
    async (moment) => {
      const copy = join(bench.folder, 'copy');
      const given = options();
      at(moment, 'GET', '', () => kill(seen()));
      const done = await download({ ...given, file: copy, force: false, keepPartial: true });
      expect(done).toMatchObject({ transferred: size, verified: true });
      expect(readFileSync(copy).equals(readFileSync(bench.file))).toBe(true);
      expect(bench.service.transfers.size).toBe(1);
    },
  );

  it.each([2, 9])('to a stream continues with another server after %i requests', async (moment) => {
    const received: Buffer[] = [];
    const out = new Writable({
      write: (chunk: Buffer, _, done) => {
        received.push(Buffer.from(chunk));
        done();
      },
    });
    const given = options();
    at(moment, 'GET', '', () => kill(seen()));
    const done = await downloadToStream({ ...given, out });
    expect(done).toMatchObject({ transferred: size, verified: true });
    expect(Buffer.concat(received).equals(readFileSync(bench.file))).toBe(true);
  });

  it('gets the checksum from the other server', async () => {
    const copy = join(bench.folder, 'copy');
    const given = options();
    at(1, 'GET', 'checksum', () => kill(seen()));
    const done = await download({ ...given, file: copy, force: false, keepPartial: true });
    expect(done.verified).toBe(true);
    expect(last().asked.map(({ what }) => what)).toContain('checksum');
  });
});
