/** Which connections are closed, and since when they are idle. */
import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { Connections } from '../../../src/server/http/connections.ts';

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

describe('a connection', () => {
  it('is idle from its last answer on, and from its beginning before the first one', () => {
    const connections = new Connections();
    const socket = from('a');
    expect(connections.idleSince(socket.as, 1)).toBe(1);
    expect(connections.isSecured(socket.as)).toBe(false);
    connections.accept(socket.as);
    expect(connections.isSecured(socket.as)).toBe(true);
    expect(connections.idleSince(socket.as, 1)).toBe(1);
    const response = new EventEmitter();
    connections.inTurn(
      { socket } as unknown as IncomingMessage,
      response as unknown as ServerResponse,
      () => {},
    );
    expect(connections.idleSince(socket.as, 1)).toBeUndefined();
    response.emit('close');
    expect(connections.idleSince(socket.as, 1)).toBeGreaterThan(1);
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
