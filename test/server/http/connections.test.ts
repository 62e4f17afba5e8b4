/** Which connections are let in, and which are closed. */
import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { Connections } from '../../../src/server/http/connections.ts';
import { Admission } from '../../../src/server/http/listener.ts';

class FakeSocket extends EventEmitter {
  readonly remoteAddress: string;
  readonly remotePort: number;
  readonly _writableState = { highWaterMark: 0 };
  destroyed = false;
  writableEnded = false;
  writableLength = 0;
  timeout = 0;

  constructor(remoteAddress: string, remotePort: number) {
    super();
    this.remoteAddress = remoteAddress;
    this.remotePort = remotePort;
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

  get as(): Socket {
    return this as unknown as Socket;
  }
}

let ports = 1_000;
const from = (address: string) => {
  ports += 1;
  return new FakeSocket(address, ports);
};
const many = (number: number, address: string) =>
  Array.from({ length: number }, () => from(address));
const idle = () => true;

describe('admission', () => {
  const limits = { connections: 10, perAddress: 6 };

  it('takes so many of one address, and more when some have gone', () => {
    const admission = new Admission(limits);
    const sockets = many(7, 'a');
    expect(sockets.map((one) => admission.admit(one.as, idle))).toEqual([
      ...new Array(6).fill(true),
      false,
    ]);
    sockets[0]?.destroy();
    expect(admission.admit(from('a').as, idle)).toBe(true);
    expect(admission.admit(from('a').as, idle)).toBe(false);
  });

  it('gives a place of the address that has most of them to one that has few', () => {
    const admission = new Admission(limits);
    const greedy = many(6, 'a');
    const others = many(4, 'b');
    for (const one of [...greedy, ...others]) admission.admit(one.as, idle);
    const busyPort = greedy[0]?.remotePort;
    const isIdle = (_: string, port: number) => port !== busyPort;
    expect(admission.admit(from('c').as, isIdle)).toBe(true);
    expect(greedy.map(({ destroyed }) => destroyed)).toEqual([
      false,
      true,
      ...new Array(4).fill(false),
    ]);
    expect(others.some(({ destroyed }) => destroyed)).toBe(false);
    // Where all of them are at work, nobody is cut off.
    expect(admission.admit(from('d').as, () => false)).toBe(false);
  });

  it('closes what speaks no TLS', () => {
    const admission = new Admission(limits);
    const [secured, silent] = many(2, 'a');
    for (const one of [secured, silent]) if (one) admission.admit(one.as, idle);
    admission.closeUnsecured((_, port) => port === secured?.remotePort);
    expect([secured?.destroyed, silent?.destroyed]).toEqual([false, true]);
  });
});

describe('a connection on which nothing moves', () => {
  const begin = () => {
    const connections = new Connections();
    const socket = from('a');
    connections.accept(socket.as);
    return { connections, socket };
  };
  const ask = (connections: Connections, socket: FakeSocket) => {
    const response = new EventEmitter();
    connections.inTurn(
      { socket } as unknown as IncomingMessage,
      response as unknown as ServerResponse,
      () => {},
    );
    return response;
  };

  it('is closed when the client is to ask, or to read', () => {
    const first = begin();
    first.connections.stalled(first.socket.as, 60_000);
    expect(first.socket.destroyed).toBe(true);
    const second = begin();
    ask(second.connections, second.socket);
    second.socket.writableLength = 1;
    second.connections.stalled(second.socket.as, 60_000);
    expect(second.socket.destroyed).toBe(true);
  });

  it('is left alone while the server works on an answer', () => {
    const { connections, socket } = begin();
    ask(connections, socket);
    connections.stalled(socket.as, 60_000);
    expect([socket.destroyed, socket.timeout]).toEqual([false, 60_000]);
  });

  it('ends with its last answer once the server ends, also one that comes later', () => {
    const { connections, socket } = begin();
    const response = ask(connections, socket);
    connections.finish();
    expect([socket.writableEnded, connections.isLast(socket.as)]).toEqual([false, true]);
    response.emit('close');
    expect(socket.writableEnded).toBe(true);
    const late = from('a');
    connections.accept(late.as);
    expect(late.writableEnded).toBe(true);
  });
});
