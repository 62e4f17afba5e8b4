/** Idle times, time limits and the end of a connection. */
import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { Connection } from '../../src/http-listener/connection.ts';

class FakeSocket extends EventEmitter {
  readonly _writableState = { highWaterMark: 0 };
  destroyed = false;
  writableEnded = false;
  writableLength = 0;
  bytesRead = 1;
  timeout = 0;

  get writable(): boolean {
    return !this.destroyed && !this.writableEnded;
  }

  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }

  end(): void {
    this.writableEnded = true;
  }

  setTimeout(milliseconds: number): void {
    this.timeout = milliseconds;
  }
}

const limits = { idleMs: 75_000, stallMs: 60_000 };

function open() {
  const socket = new FakeSocket();
  const connection = new Connection(socket as unknown as Socket, limits, undefined);
  /** Starts a request. The returned function completes its response. */
  const ask = (serve: () => Promise<void> = async () => {}) => {
    const request = { complete: true } as IncomingMessage;
    const response = new EventEmitter();
    connection.enqueue(request, response as unknown as ServerResponse, serve);
    return async () => {
      response.emit('close');
      await new Promise(setImmediate);
    };
  };
  return { socket, connection, ask };
}

describe('a connection', () => {
  it('is idle since its start or its last response', async () => {
    const { socket, connection, ask } = open();
    const start = connection.idleSince ?? Number.NaN;
    expect(socket.timeout).toBe(75_000);
    const respond = ask();
    expect([connection.idleSince, socket.timeout]).toEqual([undefined, 0]);
    await respond();
    expect(connection.idleSince).toBeGreaterThan(start);
    expect(socket.timeout).toBe(75_000);
  });

  it('serves a request after the response to the earlier one', async () => {
    const { ask } = open();
    const served: number[] = [];
    const respond = [1, 2].map((number) =>
      ask(async () => {
        served.push(number);
      }),
    );
    expect(served).toEqual([1]);
    await respond[0]?.();
    await new Promise(setImmediate);
    expect(served).toEqual([1, 2]);
  });

  it('reports its end to each listener, also after the end', async () => {
    const { socket, connection } = open();
    const ended: string[] = [];
    connection.onClose(() => ended.push('listener'));
    connection.onClose(() => ended.push('removed'))();
    socket.destroy();
    connection.onClose(() => ended.push('late'));
    await new Promise(setImmediate);
    expect([connection.isClosed, ended]).toEqual([true, ['listener', 'late']]);
  });
});

describe('a silent connection', () => {
  it('is closed while the client should send or read', () => {
    const idle = open();
    idle.connection.timedOut();
    expect(idle.socket.destroyed).toBe(true);
    const reading = open();
    reading.ask();
    reading.socket.writableLength = 1;
    reading.connection.timedOut();
    expect(reading.socket.destroyed).toBe(true);
  });

  it('remains open while the server works on a response', () => {
    const { socket, connection, ask } = open();
    ask();
    connection.expectClient(true);
    connection.timedOut();
    expect([socket.destroyed, socket.timeout]).toEqual([false, 60_000]);
  });

  it('is handled by the request if it has a listener', () => {
    const { socket, connection, ask } = open();
    let calls = 0;
    ask();
    connection.onSilence = () => {
      calls += 1;
    };
    connection.timedOut();
    expect([socket.destroyed, calls]).toEqual([false, 1]);
  });

  it('without a limit is closed as soon as it may not stay', async () => {
    const { socket, connection, ask } = open();
    let mayStay = true;
    const respond = ask(async () => connection.setIdleLimit(0, () => mayStay));
    await respond();
    connection.timedOut();
    expect(socket.destroyed).toBe(false);
    mayStay = false;
    connection.timedOut();
    expect(socket.destroyed).toBe(true);
  });
});

describe('at shutdown, a connection', () => {
  it('ends immediately if it is idle', () => {
    const { socket, connection } = open();
    connection.finish();
    expect(socket.writableEnded).toBe(true);
  });

  it('ends with the response to its last received request', async () => {
    const { socket, connection, ask } = open();
    const first = ask();
    const second = ask();
    connection.finish();
    let served = false;
    ask(async () => {
      served = true;
    });
    expect([socket.writableEnded, connection.isLast]).toEqual([false, false]);
    await first();
    await new Promise(setImmediate);
    expect([socket.writableEnded, connection.isLast]).toEqual([false, true]);
    await second();
    expect([socket.writableEnded, served]).toEqual([true, false]);
  });
});
