/** Addresses, fingerprints, faults, cursors of events, goals of waits. */
import { describe, expect, it } from 'vitest';
import { candidates, parseAddress } from '../../src/client/address.ts';
import { NotFoundError, ServerError, WaitTimeoutError } from '../../src/client/errors.ts';
import { EventCursor } from '../../src/client/follow-events.ts';
import { errorFromResponse, faultMessage } from '../../src/client/response-errors.ts';
import { normalizeFingerprint } from '../../src/client/trust.ts';
import { conditionFor, stateAttribute, waitFor } from '../../src/client/wait-for-condition.ts';

describe('addresses', () => {
  it.each([
    ['https://a.test', { origin: 'https://a.test' }],
    ['a.test:8443', { origin: 'https://a.test:8443' }],
    ['https://a.test/', { origin: 'https://a.test' }],
    ['https://a.test/api', { origin: 'https://a.test' }],
    ['https://a.test:443/virt-app/api/v4/', { origin: 'https://a.test', appRoot: '/virt-app' }],
    ['https://[::1]:8443/x/y', { origin: 'https://[::1]:8443', appRoot: '/x/y' }],
  ])('parses %s', (text, address) => {
    expect(parseAddress(text)).toEqual(address);
  });

  it.each(['', 'http://a.test', 'ftp://a.test', 'https://', 'https://u:p@a.test'])(
    'refuses %s',
    (text) => {
      expect(() => parseAddress(text)).toThrow();
    },
  );

  it('determine the dialect by the path, otherwise both are candidates', () => {
    const dialects = (text: string) => candidates(parseAddress(text)).map(({ dialect }) => dialect);
    expect(dialects('https://a.test/ovirt-engine')).toEqual(['ovirt']);
    expect(dialects('https://a.test')).toEqual(['standard', 'ovirt']);
    expect(candidates(parseAddress('https://a.test/other')).map(({ appRoot }) => appRoot)).toEqual([
      '/other',
      '/other',
    ]);
  });
});

describe('fingerprints', () => {
  const digits = 'ab'.repeat(32);
  const shown = Array.from({ length: 32 }, () => 'AB').join(':');

  it.each([digits, digits.toUpperCase(), shown, `SHA256:${digits}`, `sha256 Fingerprint=${shown}`])(
    'accepts %s',
    (text) => {
      expect(normalizeFingerprint(text)).toBe(shown);
    },
  );

  it.each(['', 'ab', `${digits}ab`, 'zz'.repeat(32)])('refuses %s', (text) => {
    expect(normalizeFingerprint(text)).toBeUndefined();
  });
});

describe('faults', () => {
  it.each([
    [{ detail: '[Cannot run VM.]' }, 'Cannot run VM.'],
    [{ reason: 'Operation Failed', detail: 'x' }, 'x'],
    [{ reason: 'Not Found' }, 'Not Found'],
    [{}, undefined],
    [undefined, undefined],
  ])('%j', (fault, text) => {
    expect(faultMessage(fault)).toBe(text);
  });

  it('reports the status if the body is not a fault', () => {
    const attempt = { request: { method: 'GET', origin: '', path: '/vms/1' }, what: 'get vms/1' };
    const answer = (status: number, text = '') => ({
      status,
      headers: {},
      body: new TextEncoder().encode(text),
    });
    expect(errorFromResponse(answer(404), attempt)).toBeInstanceOf(NotFoundError);
    expect(errorFromResponse(answer(404), attempt).message).toBe('get vms/1: not found');
    expect(errorFromResponse(answer(404, '<html/>'), attempt).message).toBe('get vms/1: not found');
    expect(errorFromResponse(answer(418), attempt).message).toBe(
      'get vms/1: unexpected HTTP status 418',
    );
    expect(errorFromResponse(answer(503), attempt)).toMatchObject({ retryable: true, status: 503 });
  });
});

describe('the cursor of events', () => {
  const events = (...ids: number[]) => ids.map((id) => ({ id: String(id) }));
  const listIds = (list: readonly object[]) =>
    list.map((one) => Number((one as { id: string }).id));

  it('reports each new event once, the oldest first', () => {
    const cursor = new EventCursor(3);
    expect(listIds(cursor.accept(events(5, 4, 3), 0))).toEqual([4, 5]);
    expect(cursor.floor).toBe(5);
    expect(listIds(cursor.accept(events(6, 5), 1))).toEqual([6]);
  });

  it('polls gaps for some time, and reports late events', () => {
    const cursor = new EventCursor(0);
    expect(listIds(cursor.accept(events(3, 1), 0))).toEqual([1, 3]);
    expect(cursor.floor).toBe(1);
    expect(listIds(cursor.accept(events(3, 2), 1_000))).toEqual([2]);
    expect(cursor.floor).toBe(3);
  });

  it('accepts a gap after the timeout', () => {
    const cursor = new EventCursor(0);
    cursor.accept(events(10), 0);
    expect(cursor.floor).toBe(0);
    expect(cursor.accept(events(10), 31_000)).toEqual([]);
    expect(cursor.floor).toBe(10);
  });
});

describe('goals', () => {
  it.each([
    ['vm', 'status'],
    ['image_transfer', 'phase'],
    ['snapshot', 'snapshot_status'],
    ['backup', 'phase'],
    ['bookmark', undefined],
  ])('finds the state of %s in its %s', (type, attribute) => {
    expect(stateAttribute(type)).toBe(attribute);
  });

  it.each([
    ['vm', ['start'], 'status=up'],
    ['vm', ['remove'], 'gone'],
    ['vm', ['add'], 'status=down'],
    ['vm', ['clone'], 'settled'],
    ['image_transfer', ['finalize'], 'phase=finished_success'],
    ['storage_domain', ['detach', 'remove'], 'gone'],
    ['snapshot', ['add'], 'snapshot_status=ok'],
    ['host', ['install'], 'status=maintenance'],
    ['host', ['refresh'], 'settled'],
    ['gluster_volume', ['stop'], 'status=down'],
  ])('of %s after %j: %s', (type, operations, text) => {
    expect(conditionFor(type, operations, 'x').text).toBe(text);
  });

  it.each([
    ['install', 'up'],
    ['add', 'maintenance'],
    ['upgrade', 'maintenance'],
  ])('are met too if %s leads to %s on request', (operation, status) => {
    expect(conditionFor('host', [operation], 'x').isMet({ status })).toBe(true);
  });

  const patience = { timeout: 2_000 };
  const watched = (looks: (object | undefined | Error)[]) => ({
    label: 'vms/x',
    resume: 'vmctl wait vms/x',
    fetch: () => {
      const next = looks.length > 1 ? looks.shift() : looks[0];
      return next instanceof Error
        ? Promise.reject(next)
        : Promise.resolve(next as Record<string, unknown> | undefined);
    },
  });

  it('are reached while the server is temporarily unavailable', async () => {
    const states: string[] = [];
    await waitFor(
      watched([
        { status: 'powering_up' },
        new ServerError('busy', { retryable: true }),
        { status: 'up' },
      ]),
      conditionFor('vm', ['start'], 'vms/x'),
      { ...patience, onChange: (state) => states.push(state) },
    );
    expect(states).toEqual(['powering_up', 'up']);
  });

  it('are reported with the last state after a timeout', async () => {
    const failure = waitFor(
      watched([{ status: 'powering_up' }]),
      conditionFor('vm', ['start'], 'vms/x'),
      { timeout: 50 },
    );
    await expect(failure).rejects.toThrow(WaitTimeoutError);
    await expect(failure).rejects.toThrow(
      'timed out after 0 s waiting for status=up of vms/x; state: powering_up',
    );
  });
});
