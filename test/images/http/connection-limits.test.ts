/** Accepted connections, and idle connections closed for others. */
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { type IdleSince, LimitedConnections } from '../../../src/images/http/connection-limits.ts';

class FakeSocket extends EventEmitter {
  destroyed = false;
  readonly remoteAddress: string | undefined;

  constructor(remoteAddress?: string) {
    super();
    this.remoteAddress = remoteAddress;
  }

  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }

  get as(): Socket {
    return this as unknown as Socket;
  }
}

const many = (number: number, address?: string) =>
  Array.from({ length: number }, () => new FakeSocket(address));
const limits = { connections: 10, perAddress: 6 };
/** All connections are idle since their acceptance. */
const idle: IdleSince = (_, accepted) => accepted;

/** Counts connections with a clock that advances by one for each. */
function counted(idleSince: IdleSince = idle) {
  let now = 0;
  return new LimitedConnections(limits, idleSince, () => {
    now += 1;
    return now;
  });
}

const closed = (sockets: readonly FakeSocket[]) =>
  sockets.flatMap(({ destroyed }, index) => (destroyed ? [index] : []));

describe('limits on connections', () => {
  it('apply to each address, until connections are closed', () => {
    const connections = counted();
    const sockets = many(7, 'a');
    const admitted = sockets.map((one) => connections.admit(one.as));
    expect(admitted).toEqual([...new Array(6).fill(true), false]);
    sockets[0]?.destroy();
    expect(connections.admit(new FakeSocket('a').as)).toBe(true);
    expect(connections.admit(new FakeSocket('::ffff:127.0.0.1').as)).toBe(true);
    expect(connections.admit(new FakeSocket('a').as)).toBe(false);
  });

  it('do not apply to unix sockets by address', () => {
    const connections = counted();
    expect(many(10).every((one) => connections.admit(one.as))).toBe(true);
  });

  it('close the longest idle connection of the address with the most', () => {
    let busy: FakeSocket | undefined;
    const connections = counted((socket, accepted) =>
      socket === busy?.as ? undefined : accepted === 3 ? 0 : accepted,
    );
    const [greedy, others] = [many(6, 'a'), many(4, 'b')];
    for (const one of [...greedy, ...others]) connections.admit(one.as);
    busy = greedy[0];
    expect(connections.admit(new FakeSocket('c').as)).toBe(true);
    expect([closed(greedy), closed(others)]).toEqual([[2], []]);
    expect(connections.admit(new FakeSocket('c').as)).toBe(true);
    expect([closed(greedy), closed(others)]).toEqual([[1, 2], []]);
  });

  it('skip an address whose connections are all busy', () => {
    const greedy = many(6, 'a');
    const isGreedy = (socket: Socket) => greedy.some((one) => one.as === socket);
    const connections = counted((socket, accepted) => (isGreedy(socket) ? undefined : accepted));
    const others = many(4, 'b');
    for (const one of [...greedy, ...others]) connections.admit(one.as);
    expect(connections.admit(new FakeSocket('c').as)).toBe(true);
    expect([closed(greedy), closed(others)]).toEqual([[], [0]]);
  });

  it('close no busy connection, nor one of an address with as many', () => {
    const working = counted(() => undefined);
    for (const one of [...many(6, 'a'), ...many(4, 'b')]) working.admit(one.as);
    expect(working.admit(new FakeSocket('c').as)).toBe(false);
    const even = counted();
    for (const one of [...many(5, 'a'), ...many(5, 'b')]) even.admit(one.as);
    expect(even.admit(new FakeSocket('b').as)).toBe(false);
  });

  it('list all counted connections', () => {
    const connections = counted();
    const sockets = many(3, 'a');
    for (const one of sockets) connections.admit(one.as);
    sockets[1]?.destroy();
    expect([...connections.all()]).toEqual([sockets[0]?.as, sockets[2]?.as]);
  });
});
