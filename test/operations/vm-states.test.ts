/** Machines on their way from state to state: a site where everything takes very long. */
import { describe, expect } from 'vitest';
import { type People, useSite } from './support/site.ts';
import { at } from './support/speaker.ts';
import { newVm } from './support/vms.ts';

const site = useSite(['--speed', '100000']);
const bootsFromDisc = { os: { boot: { devices: { device: ['cdrom'] } } } };

async function fetchState({ admin }: People, id: string) {
  return (await admin.get(`/vms/${id}`)).object['status'];
}

/** Each action is refused with 409 and the words. */
async function refuse(people: People, id: string, refused: Readonly<Record<string, RegExp>>) {
  for (const [action, detail] of Object.entries(refused)) {
    const answer = await people.admin.post(`/vms/${id}/${action}`);
    expect(answer.status, `${action}: ${answer.text}`).toBe(409);
    expect(answer.fault?.detail, action).toMatch(detail);
  }
  const removed = await people.admin.delete(`/vms/${id}`);
  expect(removed.status, 'remove').toBe(409);
}

/** A machine that waits to be launched; it never gets further here. */
async function launching(people: People) {
  const { id } = await newVm(people, bootsFromDisc);
  await people.admin.must(`/vms/${id}/start`);
  expect(await fetchState(people, id)).toBe('wait_for_launch');
  return id;
}

/** One of the machines of the inventory that are up; each test takes another one. */
async function oneThatIsUp({ admin }: People) {
  const { list } = await admin.get('/vms?search=status%3Dup');
  const vm = list.find((one) => String(one['name']).startsWith('vm-'));
  expect(vm, 'a machine of the inventory that is up').toBeDefined();
  return String(vm?.['id']);
}

describe('a machine that is launched', () => {
  site.both('has a host, and is not asked for more', async (people) => {
    const id = await launching(people);
    expect(at((await people.admin.get(`/vms/${id}`)).object, 'host.id')).toBeTruthy();
    await refuse(people, id, {
      start: /VM is running/,
      suspend: /wait_for_launch/,
      reboot: /wait_for_launch/,
      reset: /wait_for_launch/,
      migrate: /not running/,
      ticket: /wait_for_launch/,
      screenshot: /wait_for_launch/,
      freezefilesystems: /wait_for_launch/,
      cancelmigration: /not migrating/,
    });
  });
  site.both('is stopped, also by shutdown, because no guest responds', async (people) => {
    for (const action of ['stop', 'shutdown']) {
      const id = await launching(people);
      await people.admin.must(`/vms/${id}/${action}`);
      expect(await fetchState(people, id)).toBe('powering_down');
      await refuse(people, id, { start: /powering_down/, suspend: /not up/ });
    }
  });
});

describe('machines that are up', () => {
  // In both formats, on VMs of the same inventory: each path restores the initial state.
  site.both('migrate until that is cancelled', async (people) => {
    const { admin } = people;
    const id = await oneThatIsUp(people);
    const host = at((await admin.get(`/vms/${id}`)).object, 'host.id');
    await admin.must(`/vms/${id}/migrate`);
    expect(await fetchState(people, id)).toBe('migrating');
    await refuse(people, id, {
      start: /VM is running/,
      migrate: /is migrating/,
      suspend: /not up/,
      reboot: /migrating/,
      ticket: /migrating/,
    });
    const snapshot = { description: 'not now' };
    expect((await admin.post(`/vms/${id}/snapshots`, { snapshot })).status).toBe(409);
    expect((await admin.post(`/vms/${id}/nics`, { nic: { name: 'x' } })).status).toBe(409);
    await admin.must(`/vms/${id}/cancelmigration`);
    expect(await fetchState(people, id)).toBe('up');
    expect(at((await admin.get(`/vms/${id}`)).object, 'host.id')).toBe(host);
  });
  site.both('reboot and are reset, and save their state', async (people) => {
    const { admin } = people;
    const id = await oneThatIsUp(people);
    await admin.must(`/vms/${id}/reboot`);
    expect(await fetchState(people, id)).toBe('reboot_in_progress');
    await refuse(people, id, { reboot: /reboot_in_progress/, suspend: /not up/, start: /running/ });
    await admin.must(`/vms/${id}/reset`);
    expect(await fetchState(people, id)).toBe('up');
    if (people.format === 'XML') return;
    await admin.must(`/vms/${id}/suspend`);
    expect(await fetchState(people, id)).toBe('saving_state');
    await refuse(people, id, {
      start: /saving_state/,
      stop: /saving or restoring/,
      shutdown: /saving or restoring/,
      suspend: /not up/,
      migrate: /not running/,
      reset: /saving_state/,
    });
  });
});
