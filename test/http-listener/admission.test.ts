/** Accepted connections, and idle connections closed for others. */
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { Admission } from '../../src/http-listener/admission.ts';

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
/** Counts connections with a clock that advances by one for each. */
function counted() {
  let now = 0;
  return new Admission(limits, () => {
    now += 1;
    return now;
  });
}

/** Admits a connection that is idle since `idleSince`, or busy. */
function admitSince(admission: Admission, socket: FakeSocket, idleSince: number | undefined) {
  const admitted = admission.admit(socket.as);
  if (admitted) admitted.connection = { idleSince };
}

const closed = (sockets: readonly FakeSocket[]) =>
  sockets.flatMap(({ destroyed }, index) => (destroyed ? [index] : []));

describe('limits on connections', () => {
  it('apply to each address, until connections are closed', () => {
    const admission = counted();
    const sockets = many(7, 'a');
    const admitted = sockets.map((one) => admission.admit(one.as) !== undefined);
    expect(admitted).toEqual([...new Array(6).fill(true), false]);
    sockets[0]?.destroy();
    expect(admission.admit(new FakeSocket('a').as)).toBeDefined();
    expect(admission.admit(new FakeSocket('::ffff:127.0.0.1').as)).toBeDefined();
    expect(admission.admit(new FakeSocket('a').as)).toBeUndefined();
  });

  it('do not apply to unix sockets by address', () => {
    const admission = counted();
    expect(many(10).every((one) => admission.admit(one.as))).toBe(true);
  });

  it('close the longest idle connection of the address with the most', () => {
    const admission = counted();
    const [greedy, others] = [many(6, 'a'), many(4, 'b')];
    for (const [index, one] of greedy.entries()) {
      // The first one is busy, the third one idle for the longest time.
      admitSince(admission, one, [undefined, 1, 0, 3, 4, 5][index]);
    }
    for (const one of others) admission.admit(one.as);
    expect(admission.admit(new FakeSocket('c').as)).toBeDefined();
    expect([closed(greedy), closed(others)]).toEqual([[2], []]);
    expect(admission.admit(new FakeSocket('c').as)).toBeDefined();
    expect([closed(greedy), closed(others)]).toEqual([[1, 2], []]);
  });

  it('regard a connection without a request as idle since its acceptance', () => {
    const admission = counted();
    const [greedy, others] = [many(6, 'a'), many(4, 'b')];
    for (const one of [...greedy, ...others]) admission.admit(one.as);
    expect(admission.admit(new FakeSocket('c').as)).toBeDefined();
    expect([closed(greedy), closed(others)]).toEqual([[0], []]);
  });

  it('skip an address whose connections are all busy', () => {
    const admission = counted();
    const [greedy, others] = [many(6, 'a'), many(4, 'b')];
    for (const one of greedy) admitSince(admission, one, undefined);
    for (const one of others) admission.admit(one.as);
    expect(admission.admit(new FakeSocket('c').as)).toBeDefined();
    expect([closed(greedy), closed(others)]).toEqual([[], [0]]);
  });

  it('close no busy connection, nor one of an address with as many', () => {
    const working = counted();
    for (const one of [...many(6, 'a'), ...many(4, 'b')]) admitSince(working, one, undefined);
    expect(working.admit(new FakeSocket('c').as)).toBeUndefined();
    const even = counted();
    for (const one of [...many(5, 'a'), ...many(5, 'b')]) even.admit(one.as);
    expect(even.admit(new FakeSocket('b').as)).toBeUndefined();
  });
});
