/** Events of the service, and of other systems. */
import { describe, expect } from 'vitest';
import { row } from './support/rows.ts';
import { useSite } from './support/site.ts';
import { at } from './support/speaker.ts';

const site = useSite();
let custom = 0;

function external(): Record<string, unknown> {
  custom += 1;
  return { origin: 'backup', severity: 'warning', custom_id: custom, description: `No ${custom}` };
}

describe(row(154), () => {
  site.both('adds an event of another system', async ({ admin, path }) => {
    const event = { ...external(), vm: { id: path('{vm}') } };
    const { status, object, text } = await admin.post('/events', { event });
    expect(status, text).toBe(201);
    expect(object).toMatchObject({ code: '9802', origin: 'backup', severity: 'warning' });
    expect(at(object, 'vm.id')).toBe(path('{vm}'));
    const twice = await admin.post('/events', { event });
    expect(twice.status).toBe(400);
  });
  site.both('refuses the origin of the service itself', async ({ admin }) => {
    const { list } = await admin.get('/events');
    const own = list.find((one) => one['custom_id'] === '-1')?.['origin'];
    const { status } = await admin.post('/events', { event: { ...external(), origin: own } });
    expect(status).toBe(400);
  });
  for (const missing of ['origin', 'severity', 'custom_id', 'description']) {
    const { [missing]: _, ...event } = external();
    // Deployed clients know this one name in another spelling.
    site.incomplete('POST', '/events', { event }, missing === 'custom_id' ? 'customId' : missing);
  }
  site.forbidden('POST', '/events', { event: external() });
});

describe(row(155), () => {
  site.both('lists the newest first, from an event on', async ({ admin }) => {
    for (let count = 0; count < 3; count++) await admin.add('/events', { event: external() });
    const { list } = await admin.get('/events?max=3');
    const ids = list.map(({ id }) => Number(id));
    expect(ids).toEqual([...ids].sort((a, b) => b - a));
    const from = await admin.get(`/events;from=${ids[1]}`);
    // The dialect counts the named event in (specification 6).
    expect(from.list.map(({ id }) => Number(id)).sort((a, b) => a - b)).toEqual([ids[1], ids[0]]);
    const found = await admin.get('/events?search=severity%3Dwarning&max=2');
    expect(found.list.map(({ severity }) => severity)).toEqual(['warning', 'warning']);
  });
});

describe(row(156), () => {
  site.both('gets an event', async ({ admin }) => {
    const { id } = await admin.add('/events', { event: external() });
    expect((await admin.get(`/events/${id}`)).object['id']).toBe(id);
    expect(id).toMatch(/^\d+$/);
  });
  site.unknown('GET', '/events/999999999');
});

for (const number of [157, 158] as const) {
  describe(row(number), () => {
    site.both('hides an event, and shows it again', async ({ admin, jane }) => {
      const { id } = await admin.add('/events', { event: external() });
      // Objects without permission are invisible to her.
      expect([403, 404]).toContain((await jane.delete(`/events/${id}`)).status);
      expect((await admin.delete(`/events/${id}`)).status).toBe(200);
      expect((await admin.get(`/events/${id}`)).status).toBe(404);
      const ids = async () => (await admin.get('/events?max=20')).list.map((one) => one['id']);
      expect(await ids()).not.toContain(id);
      expect((await jane.post('/events/undelete')).status).toBe(403);
      await admin.must('/events/undelete');
      expect(await ids()).toContain(id);
    });
    site.both('brings back the one that the action names, and no other', async ({ admin }) => {
      const { id: one } = await admin.add('/events', { event: external() });
      const { id: other } = await admin.add('/events', { event: external() });
      for (const id of [one, other]) {
        expect((await admin.delete(`/events/${id}`)).status).toBe(200);
      }
      await admin.must('/events/undelete', { event: { id: one } });
      expect((await admin.get(`/events/${one}`)).status).toBe(200);
      expect((await admin.get(`/events/${other}`)).status).toBe(404);
      const gone = await admin.post('/events/undelete', { action: { event: { id: one } } });
      expect(gone.status, gone.text).toBe(404);
      const nameless = await admin.post('/events/undelete', { action: { event: {} } });
      expect(nameless.status, nameless.text).toBe(400);
      // The other one is the trace that its addition leaves.
      await admin.must('/events/undelete');
    });
    site.unknown('DELETE', '/events/999999999');
  });
}

describe('an event about a host', () => {
  site.both('tells how it is', async ({ admin, path }) => {
    const host = path('/hosts/{host}');
    const is = async () => (await admin.get(host)).object['external_status'];
    for (const external_status of ['warning', 'ok']) {
      const event = { ...external(), host: { id: path('{host}'), external_status } };
      const added = await admin.add('/events', { event });
      expect(added['host']).toMatchObject({ id: path('{host}') });
      expect(await is()).toBe(external_status);
    }
  });
});
