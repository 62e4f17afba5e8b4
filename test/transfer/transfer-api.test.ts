/** Disks and image transfers in the API: requests, and responses of the service. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ApiObject } from '../../src/client/client.ts';
import {
  ConflictError,
  ConnectionError,
  ForbiddenError,
  NotFoundError,
  ServerError,
} from '../../src/client/errors.ts';
import { diskName, isBetweenServers, TransferApi } from '../../src/transfer/transfer-api.ts';
import { tryCancel, tryPause, tryRemoveDisk } from '../../src/transfer/transfer-error.ts';
import { catchFailure } from './support/collect.ts';
import { FakeDaemon } from './support/fake-daemon.ts';
import { away, FakeService } from './support/fake-service.ts';

let service: FakeService;
let api: TransferApi;
let stop: AbortController;

beforeEach(async () => {
  service = await FakeService.start(await FakeDaemon.start(1));
  stop = new AbortController();
  api = new TransferApi(service.client, stop.signal);
});

afterEach(() => service.close());

const acted = () => service.calls.filter((call) => !call.startsWith('get '));

/** Transfer in a phase, with a locked disk. */
async function transferIn(phase: string, more: ApiObject = {}): Promise<string> {
  const disk = service.addDisk({ name: 'one' });
  const id = await api.begin(String(disk['id']), 'upload', 'raw');
  Object.assign(service.transfer, { phase }, more);
  service.calls.length = 0;
  return id;
}

/** Fails the first calls with this name. */
function failFirst(name: string, error: unknown, count = 1, then: () => void = () => {}): void {
  let left = count;
  service.before = (call) => {
    if (call !== name || left === 0) return;
    left -= 1;
    then();
    throw error;
  };
}

const look = 'get /imagetransfers/{imagetransfer}';
const action = (name: string) => `${name} /imagetransfers/{imagetransfer}/${name}`;
const busy = () => new ServerError('busy', { retryable: true });

describe('a disk', () => {
  it.each([
    [{ alias: 'a', name: 'n', id: 'i' }, 'a'],
    [{ name: 'n', id: 'i' }, 'n'],
    [{ id: 'i' }, 'i'],
  ])('%j is named %s', (disk, name) => {
    expect(diskName(disk)).toBe(name);
  });

  it('is undefined if it is absent, and an error if the service fails', async () => {
    expect(await api.disk('x')).toBeUndefined();
    service.before = () => {
      throw new ForbiddenError('no');
    };
    expect(await catchFailure(api.disk('x'))).toBeInstanceOf(ForbiddenError);
  });

  it('is polled until it is unlocked, also while the service is unavailable', async () => {
    const disk = service.addDisk({ name: 'one' });
    const id = String(disk['id']);
    disk['status'] = 'locked';
    let looks = 0;
    service.before = () => {
      looks += 1;
      if (looks === 2) throw away();
      if (looks === 3) throw busy();
      if (looks === 4) disk['status'] = 'illegal';
    };
    expect(await api.waitForDisk(id)).toMatchObject({ id, status: 'illegal' });
    expect(looks).toBe(4);
  });

  it('that is absent ends the wait', async () => {
    const error = await catchFailure(api.waitForDisk('x'));
    expect(error).toBeInstanceOf(NotFoundError);
    expect(error.message).toBe('disks/x was deleted');
  });

  it('is removed when it is unlocked', async () => {
    const disk = service.addDisk({ name: 'one' });
    expect(await tryRemoveDisk(api, String(disk['id']))).toBe(true);
    expect(service.disks.size).toBe(0);
    // The service has already removed it.
    expect(await tryRemoveDisk(api, String(disk['id']))).toBe(true);
  });

  it('that cannot be removed still exists', async () => {
    const disk = service.addDisk({ name: 'one' });
    failFirst('remove /disks/{disk}', new ConflictError('in use'));
    expect(await tryRemoveDisk(api, String(disk['id']))).toBe(false);
    service.before = () => {
      throw new ForbiddenError('no');
    };
    expect(await tryRemoveDisk(api, String(disk['id']))).toBe(false);
  });

  it('is no longer polled after the transfer was stopped', async () => {
    const disk = service.addDisk({ name: 'one' });
    disk['status'] = 'locked';
    const waiting = catchFailure(api.waitForDisk(String(disk['id'])));
    stop.abort(new Error('enough'));
    expect((await waiting).message).toBe('enough');
    const session = new AbortController();
    const other = new TransferApi(service.client, new AbortController().signal);
    const stopped = catchFailure(other.stoppedBy(session.signal).waitForDisk(String(disk['id'])));
    session.abort(new Error('over'));
    expect((await stopped).message).toBe('over');
  });
});

describe('a transfer', () => {
  it.each([
    ['transferring', 'https://d/x', false],
    ['transferring', undefined, true],
    ['initializing', 'https://d/x', true],
    ['resuming', 'https://d/x', true],
    ['paused_system', undefined, false],
    ['finalizing_success', undefined, false],
  ] as const)('that is %s at %s is between servers: %s', (phase, url, expected) => {
    expect(isBetweenServers({ phase, ...(url === undefined ? {} : { transfer_url: url }) })).toBe(
      expected,
    );
    expect(isBetweenServers(undefined)).toBe(false);
  });

  it('is ready after its initialization', async () => {
    const id = await transferIn('initializing');
    let looks = 0;
    service.before = () => {
      looks += 1;
      if (looks === 2) throw away();
      if (looks === 3) service.transfer['phase'] = 'transferring';
    };
    expect(await api.waitUntilReady(id)).toMatchObject({ id, phase: 'transferring' });
    expect(looks).toBe(3);
  });

  it.each(['paused_system', 'finished_failure', 'deleted'])(
    'does not start if it is %s',
    async (phase) => {
      const id = phase === 'deleted' ? 'x' : await transferIn(phase);
      const error = await catchFailure(api.waitUntilReady(id));
      expect(error).toBeInstanceOf(ConflictError);
      expect(error).toMatchObject({
        message: `transfer ${id} did not start: ${phase}`,
        code: 'transfer_failed',
        hint: 'vmctl events list',
      });
    },
  );

  it('has a phase, or is absent', async () => {
    const id = await transferIn('paused_user');
    failFirst(look, away(), 2);
    expect(await api.phase(id)).toBe('paused_user');
    expect(await api.phase('x')).toBe('gone');
  });

  it.each(['finished_success', 'gone'])('is over if it is %s', async (phase) => {
    const id = await transferIn(phase);
    await api.waitUntilFinished(phase === 'gone' ? 'x' : id);
  });

  it.each([
    'finished_failure',
    'finished_cleanup',
    'cancelled_system',
    'paused_user',
    'finalizing_failure',
  ])('that becomes %s was not accepted', async (phase) => {
    const id = await transferIn('finalizing_success');
    let looks = 0;
    service.before = (call) => {
      if (call !== look) return;
      looks += 1;
      if (looks === 2) service.transfer['phase'] = phase;
    };
    expect(await catchFailure(api.waitUntilFinished(id))).toMatchObject({
      message: `the service refused the image: the transfer is ${phase}`,
      code: 'transfer_failed',
      hint: 'vmctl events list',
    });
    expect(looks).toBe(2);
  });

  it('that failed is reported with the event of its disk', async () => {
    const id = await transferIn('finished_failure');
    service.events = [
      'Image Upload with disk two failed: x.',
      'Image Upload with disk one failed: y.',
    ];
    expect(await catchFailure(api.waitUntilFinished(id))).toMatchObject({
      message: 'the service refused the image: Image Upload with disk one failed: y.',
    });
  });
});

describe('finalizing', () => {
  it('is sent once, and waits for the end', async () => {
    await api.finalize(await transferIn('transferring'));
    expect(acted()).toEqual([action('finalize')]);
    expect(service.transfer['phase']).toBe('finished_success');
  });

  it('is sent again if it was lost', async () => {
    const id = await transferIn('transferring');
    failFirst(action('finalize'), away());
    await api.finalize(id);
    expect(acted()).toEqual([action('finalize'), action('finalize')]);
  });

  it('is not sent again if it was received', async () => {
    const id = await transferIn('transferring');
    failFirst(action('finalize'), new ConnectionError('cut'), 1, () => {
      service.transfer['phase'] = 'finished_success';
    });
    await api.finalize(id);
    expect(acted()).toEqual([action('finalize')]);
  });

  it('is refused permanently by the service', async () => {
    const id = await transferIn('transferring');
    failFirst(action('finalize'), new ConflictError('no'));
    expect((await catchFailure(api.finalize(id))).message).toBe('no');
    failFirst(action('finalize'), new ForbiddenError('never'));
    expect((await catchFailure(api.finalize(id))).message).toBe('never');
    failFirst(action('finalize'), new ServerError('broken'));
    expect((await catchFailure(api.finalize(id))).message).toBe('broken');
    expect(acted()).toHaveLength(3);
  });

  it('is sent again if no server could process it', async () => {
    const id = await transferIn('transferring', { transfer_url: undefined });
    let looks = 0;
    service.before = (call) => {
      if (call === look) looks += 1;
      if (looks === 3) Object.assign(service.transfer, { transfer_url: 'https://d/x' });
      if (call === action('finalize') && looks === 0) throw new ConflictError('without a server');
    };
    await api.finalize(id);
    expect(acted()).toHaveLength(2);
  });
});

describe('resuming', () => {
  it.each([
    ['paused_user', 2],
    ['paused_system', 2],
    ['transferring', 1],
    ['finished_failure', 1],
  ])('is repeated only while the phase requires it: %s, %i times', async (phase, times) => {
    const id = await transferIn(phase);
    failFirst(action('resume'), away());
    await api.resume(id);
    expect(acted()).toHaveLength(times);
  });
});

describe('after a failure', () => {
  it.each([
    ['transferring', [action('pause')]],
    ['paused_system', []],
    ['paused_user', []],
  ])('a transfer that is %s is paused', async (phase, calls) => {
    const id = await transferIn(phase);
    stop.abort(new Error('nobody waits'));
    expect(await tryPause(api, id)).toBe(true);
    expect(acted()).toEqual(calls);
  });

  it.each([
    ['transferring', [action('cancel')]],
    ['paused_user', [action('cancel')]],
    ['cancelled_user', []],
    ['finalizing_success', []],
    ['finished_failure', []],
  ])('a transfer that is %s is cancelled unless it is over', async (phase, calls) => {
    const id = await transferIn(phase);
    expect(await tryCancel(api, id)).toBe(true);
    expect(acted()).toEqual(calls);
    expect(service.calls).not.toContain('get /disks/{disk}');
  });

  it('a deleted transfer needs no action', async () => {
    expect(await tryCancel(api, 'x')).toBe(true);
    expect(acted()).toEqual([]);
  });

  it('its disk is polled, and may be absent', async () => {
    const id = await transferIn('transferring');
    const disk = String((service.transfer['disk'] as ApiObject)['id']);
    expect(await tryCancel(api, id, disk)).toBe(true);
    expect(service.calls.at(-1)).toBe('get /disks/{disk}');
    expect(await tryCancel(api, id, 'x')).toBe(true);
  });

  it('a service that refuses is not notified', async () => {
    const id = await transferIn('transferring');
    service.before = () => {
      throw new ForbiddenError('no');
    };
    expect(await tryPause(api, id)).toBe(false);
    expect(await tryCancel(api, id)).toBe(false);
  });
});
