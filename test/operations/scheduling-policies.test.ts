/** Parts of a scheduling policy: balances and filters. */
import { describe, expect } from 'vitest';
import { row } from './support/rows.ts';
import { useSite } from './support/site.ts';

const site = useSite();

for (const [number, word, type] of [
  ['G23', 'balances', 'load_balancing'],
  ['G24', 'filters', 'filter'],
] as const) {
  const element = word.slice(0, -1);
  describe(row(number), () => {
    site.both(`adds, lists, gets and removes ${word}`, async ({ admin, jane, name }) => {
      const policy = await admin.add('/schedulingpolicies', {
        scheduling_policy: { name: name('policy') },
      });
      const path = `/schedulingpolicies/${policy.id}/${word}`;
      const units = (await admin.get('/schedulingpolicyunits')).list;
      const unit = units.find((one) => one['type'] === type);
      const body = { [element]: { scheduling_policy_unit: { id: unit?.['id'] } } };
      expect((await jane.post(path, body)).status).toBe(403);
      const added = await admin.post(path, body);
      expect(added.status, added.text).toBe(200);
      const { list } = await admin.get(`${path}?filter=true&max=5`);
      expect(list).toHaveLength(1);
      const id = String(list[0]?.['id']);
      expect((await admin.get(`${path}/${id}`)).object['id']).toBe(id);
      expect((await admin.delete(`${path}/${id}`)).status).toBe(200);
      expect((await admin.get(`${path}/${id}`)).status).toBe(404);
      const incomplete = await admin.post(path, { [element]: {} });
      expect([incomplete.status, incomplete.fault?.reason]).toEqual([400, 'Incomplete parameters']);
    });
    site.both('refuses to change what comes with the service', async ({ admin }) => {
      const locked = await admin.find('/schedulingpolicies', 'none');
      const path = `/schedulingpolicies/${locked.id}/${word}`;
      const units = (await admin.get('/schedulingpolicyunits')).list;
      const unit = units.find((one) => one['type'] === type);
      const body = { [element]: { scheduling_policy_unit: { id: unit?.['id'] } } };
      expect((await admin.post(path, body)).status).toBe(400);
    });
  });
}
