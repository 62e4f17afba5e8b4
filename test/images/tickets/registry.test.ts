// Tickets: time, counts, removal. The clock is advanced by the test.
import { describe, expect, it } from 'vitest';
import type { Backend } from '../../../src/images/backends/backend.ts';
import { TicketRegistry } from '../../../src/images/tickets/registry.ts';
import type { Ticket } from '../../../src/images/tickets/types.ts';
import { FakeClock } from '../support/fake-clock.ts';

function setUp() {
  const clock = new FakeClock();
  const log: string[] = [];
  const backend: Backend = {
    read: async () => {},
    write: async () => {},
    zero: async () => {},
    flush: async () => {},
    async *extents() {},
    close: async () => void log.push('close'),
  };
  const tickets = new TicketRegistry(clock, async () => {
    log.push('open');
    return backend;
  });
  return { clock, log, tickets };
}

function ticket(changes: Partial<Ticket> = {}): Ticket {
  return {
    id: 't',
    size: 1000,
    ops: ['read', 'write'],
    image: { kind: 'file', path: '/images/t' },
    timeout: 10,
    inactivityTimeout: 60,
    sparse: true,
    ...changes,
  };
}

describe('time', () => {
  it('expires after the timeout, not before', () => {
    const { clock, tickets } = setUp();
    tickets.add(ticket());
    clock.advance(9.999);
    expect(tickets.state('t')).toMatchObject({ expired: false, idle: 9.999 });
    clock.advance(0.001);
    expect(tickets.state('t')?.expired).toBe(true);
    expect(() => tickets.find('t').begin('read')).toThrow('No valid ticket');
  });

  it('restarts when an operation finishes, and never ends during one', () => {
    const { clock, tickets } = setUp();
    tickets.add(ticket());
    const operation = tickets.find('t').begin('read');
    clock.advance(1000);
    expect(tickets.state('t')).toMatchObject({ active: true, idle: 0, expired: false });
    operation.finish();
    clock.advance(9);
    expect(tickets.state('t')).toMatchObject({ active: false, idle: 9, expired: false });
    clock.advance(1);
    expect(tickets.state('t')?.expired).toBe(true);
  });

  it('is set by extend, also for an expired ticket; later uses restart the timeout', () => {
    const { clock, tickets } = setUp();
    tickets.add(ticket());
    clock.advance(50);
    tickets.extend('t', 100);
    clock.advance(99);
    expect(tickets.state('t')?.expired).toBe(false);
    tickets.find('t').begin('read').finish();
    clock.advance(10);
    expect(tickets.state('t')?.expired).toBe(true);
  });

  it('ends immediately when extended by 0', () => {
    const { tickets } = setUp();
    tickets.add(ticket());
    tickets.extend('t', 0);
    expect(tickets.state('t')?.expired).toBe(true);
  });

  it('cannot be extended for an unknown ticket or by an invalid time', () => {
    const { tickets } = setUp();
    tickets.add(ticket());
    expect(() => tickets.extend('other', 1)).toThrow('ticket not found');
    expect(() => tickets.extend('t', -1)).toThrow('number of seconds');
    expect(() => tickets.extend('t', Number.NaN)).toThrow('number of seconds');
  });
});

describe('add', () => {
  it.each<[string, Partial<Ticket>, string]>([
    ['an empty id', { id: '' }, 'id'],
    ['a negative size', { size: -1 }, 'size'],
    ['a broken size', { size: 1.5 }, 'size'],
    ['no operations', { ops: [] }, 'ops'],
    ['an unknown operation', { ops: ['admin' as 'read'] }, 'ops'],
    ['a relative path', { image: { kind: 'file', path: 'disk.raw' } }, 'path'],
    ['a negative timeout', { timeout: -1 }, 'timeout'],
    ['an endless timeout', { timeout: Number.POSITIVE_INFINITY }, 'timeout'],
    ['a negative inactivity timeout', { inactivityTimeout: -1 }, 'inactivityTimeout'],
  ])('refuses a ticket with %s', (_name, changes, word) => {
    const { tickets } = setUp();
    expect(() => tickets.add(ticket(changes))).toThrow(`malformed ticket: ${word}`);
  });

  it('refuses an id in use, and ignores later changes of the given object', () => {
    const { tickets } = setUp();
    const given = ticket({ ops: ['read'] });
    tickets.add(given);
    given.ops.push('write');
    expect(() => tickets.find('t').check('write')).toThrow('No valid ticket');
    expect(() => tickets.add(ticket())).toThrow('a ticket with this id already exists');
  });
});

describe('operations', () => {
  it('permit reads for a write ticket, but no writes for a read ticket', () => {
    const { tickets } = setUp();
    tickets.add(ticket({ id: 'w', ops: ['write'] }));
    tickets.add(ticket({ id: 'r', ops: ['read'] }));
    expect(() => tickets.find('w').check('read')).not.toThrow();
    expect(() => tickets.find('r').check('write')).toThrow('No valid ticket');
  });

  it('share one open image', async () => {
    const { log, tickets } = setUp();
    tickets.add(ticket());
    const one = tickets.find('t').begin('read');
    const two = tickets.find('t').begin('write');
    expect(await one.backend()).toBe(await two.backend());
    expect(log).toEqual(['open']);
  });

  it('count the union of transferred ranges', () => {
    const { tickets } = setUp();
    tickets.add(ticket());
    const one = tickets.find('t').begin('read');
    const two = tickets.find('t').begin('read');
    one.transferred(0, 100);
    two.transferred(50, 150);
    expect(tickets.state('t')?.transferred).toBe(150);
  });
});

describe('remove', () => {
  it('deletes an idle ticket and closes its image', async () => {
    const { log, tickets } = setUp();
    tickets.add(ticket());
    const operation = tickets.find('t').begin('read');
    await operation.backend();
    operation.finish();
    await tickets.remove('t');
    expect(tickets.state('t')).toBeUndefined();
    expect(log).toEqual(['open', 'close']);
    tickets.add(ticket());
  });

  it('accepts an unknown ticket', async () => {
    await setUp().tickets.remove('t');
  });

  it('refuses new operations, stops running ones, and waits for them', async () => {
    const { log, tickets } = setUp();
    tickets.add(ticket());
    const operation = tickets.find('t').begin('write');
    await operation.backend();
    let woken = false;
    operation.onCancel = () => {
      woken = true;
    };
    const removal = tickets.remove('t');
    expect(woken).toBe(true);
    expect(() => operation.check()).toThrow('No valid ticket');
    expect(() => tickets.find('t').begin('read')).toThrow('No valid ticket');
    expect(log).toEqual(['open']);
    operation.finish();
    await removal;
    expect(log).toEqual(['open', 'close']);
  });

  it('fails after a timeout; the ticket remains unusable and can be removed again', async () => {
    const { clock, tickets } = setUp();
    tickets.add(ticket());
    const operation = tickets.find('t').begin('write');
    const removal = tickets.remove('t', 5000);
    clock.advance(5);
    await expect(removal).rejects.toThrow('still run');
    expect(tickets.state('t')?.active).toBe(true);
    expect(() => tickets.find('t').begin('read')).toThrow('No valid ticket');
    operation.finish();
    await tickets.remove('t');
    expect(tickets.state('t')).toBeUndefined();
  });

  it('wakes an operation that starts to wait later', () => {
    const { tickets } = setUp();
    tickets.add(ticket());
    const operation = tickets.find('t').begin('write');
    void tickets.remove('t');
    let woken = false;
    operation.onCancel = () => {
      woken = true;
    };
    expect(woken).toBe(true);
  });
});
