/** Request bodies: limits on duration and memory. */
import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { defaultBodyLimits, RequestBodies } from '../../../src/server/http/request-body.ts';
import { ClientGone, ClientGoneLog } from '../../../src/server/http/send.ts';

const { silence, grace, slowest, slowPerAddress } = defaultBodyLimits;

class FakeRequest extends EventEmitter {
  readonly headers: Record<string, string> = { 'transfer-encoding': 'chunked' };
  readonly socket: { readonly remoteAddress: string };
  complete = false;

  constructor(remoteAddress = '192.0.2.1') {
    super();
    this.socket = { remoteAddress };
  }

  pause(): void {}

  send(bytes: number): void {
    this.emit('data', Buffer.alloc(bytes));
  }
}

function useBodies(limits = defaultBodyLimits) {
  const clock = { now: 0 };
  const bodies = new RequestBodies(limits, () => clock.now);
  const read = (request = new FakeRequest(), maximum = defaultBodyLimits.perAddress) => {
    const outcome = { is: 'reading' as unknown };
    bodies
      .read(request as unknown as IncomingMessage, {} as ServerResponse, maximum)
      .then(
        (body) => body.length,
        (error: { status?: number }) => error.status ?? error,
      )
      .then((result) => {
        outcome.is = result;
      });
    return { request, outcome };
  };
  /** Advances the time, with a check of all bodies every second. */
  const pass = async (milliseconds: number, each: () => void = () => {}) => {
    for (const end = clock.now + milliseconds; clock.now < end; ) {
      clock.now += 1_000;
      each();
      bodies.sweep();
    }
    await new Promise(setImmediate);
  };
  return { bodies, read, pass };
}

const turn = () => new Promise(setImmediate);

describe('a body', () => {
  it('may take any time while it flows', async () => {
    const { read, pass } = useBodies();
    const { request, outcome } = read();
    await pass(3_600_000, () => request.send(slowest));
    expect(outcome.is).toBe('reading');
    request.emit('end');
    await turn();
    expect(outcome.is).toBe(3_600 * slowest);
  });

  it('with a separate limit, such as a state of a site, does not reduce the memory of others', async () => {
    const { bodies, read } = useBodies();
    const { request, outcome } = read(new FakeRequest(), 2 ** 30);
    for (let piece = 0; piece < 50; piece += 1) request.send(2 ** 21);
    expect([outcome.is, bodies.inMemory]).toEqual(['reading', 0]);
    request.emit('end');
    await turn();
    expect(outcome.is).toBe(50 * 2 ** 21);
  });

  it('is abandoned without any data', async () => {
    const { bodies, read, pass } = useBodies();
    const { request, outcome } = read();
    request.send(1_000_000);
    await pass(silence);
    expect(outcome.is).toBe('reading');
    await pass(1_000);
    expect(outcome.is).toBe(408);
    expect(bodies.inMemory).toBe(0);
  });

  it('is abandoned if its rate is too low', async () => {
    const { read, pass } = useBodies();
    const { request, outcome } = read();
    await pass(grace, () => request.send(1));
    expect(outcome.is).toBe('reading');
    await pass(1_000, () => request.send(1));
    expect(outcome.is).toBe(408);
  });

  it('that breaks off is no server error, and is released', async () => {
    const { bodies, read } = useBodies();
    const { request, outcome } = read();
    request.send(5_000);
    expect(bodies.inMemory).toBe(5_000);
    request.emit('close');
    await turn();
    expect(outcome.is).toBeInstanceOf(ClientGone);
    expect(bodies.inMemory).toBe(0);
  });
});

describe('many request bodies', () => {
  it('of one address that are slow: the slowest are abandoned', async () => {
    const { read, pass } = useBodies();
    const flowing = Array.from({ length: slowPerAddress }, () => read());
    const stuck = Array.from({ length: 100 }, () => read());
    const other = read(new FakeRequest('192.0.2.2'));
    await pass(2_000, () => {
      for (const { request } of flowing) request.send(10_000);
    });
    expect(flowing.filter(({ outcome }) => outcome.is === 'reading')).toHaveLength(slowPerAddress);
    expect(stuck.filter(({ outcome }) => outcome.is === 408)).toHaveLength(100);
    expect(other.outcome.is).toBe('reading');
  });

  it('use bounded memory; short ones and other addresses are accepted', async () => {
    const { total, perAddress, reserve } = defaultBodyLimits;
    const { bodies, read } = useBodies();
    const large = Array.from({ length: 100 }, () => read());
    for (const { request } of large) request.send(4_000_000);
    await turn();
    expect(bodies.inMemory).toBeLessThanOrEqual(perAddress);
    expect(large.filter(({ outcome }) => outcome.is === 503).length).toBeGreaterThan(90);
    const others = Array.from({ length: 9 }, (_, index) =>
      read(new FakeRequest(`192.0.2.1${index}`)),
    );
    for (const { request } of others) request.send(4_000_000);
    await turn();
    expect(others[0]?.outcome.is).toBe('reading');
    expect(bodies.inMemory).toBeLessThanOrEqual(total - reserve);
    const short = read();
    short.request.send(60_000);
    short.request.emit('end');
    await turn();
    expect(short.outcome.is).toBe(60_000);
  });
});

it('logs disconnected clients once a minute, with their number', () => {
  const lines: string[] = [];
  const clock = { now: 0 };
  const log = new ClientGoneLog(
    (line) => lines.push(line),
    () => clock.now,
  );
  for (let turn = 0; turn < 1_000; turn++) log.note(new ClientGone('192.0.2.1'));
  clock.now = 60_001;
  log.note(new ClientGone('192.0.2.2'));
  clock.now = 120_002;
  log.note(new ClientGone(''));
  expect(lines).toEqual([
    'a client at 192.0.2.1 disconnected before its request was complete',
    'a client at 192.0.2.2 disconnected before its request was complete (and 999 more since the last line)',
    'a client disconnected before its request was complete',
  ]);
});
