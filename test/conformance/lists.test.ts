/** Lists: search, order, pages, follow, filter of events (specification 4.2, 4.3, 6). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RawApi } from '../support/raw.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let api: RawApi;

beforeAll(async () => {
  server = await startTestServer(['--speed', '0', '--seed', '7', '--inventory', 'hosts=3,vms=25']);
  api = await RawApi.signIn(server);
});

afterAll(async () => {
  await server.stop();
});

async function names(collection: string, search: string, more = ''): Promise<string[]> {
  const answer = await api.json(
    'GET',
    `/${collection}?search=${encodeURIComponent(search)}${more}`,
  );
  expect(answer.status, `${search}: ${answer.text}`).toBe(200);
  const [list] = Object.values(answer.json<Record<string, { name: string }[]>>());
  return (list ?? []).map(({ name }) => name);
}

describe('search', () => {
  it.each([
    ['vms', 'name=vm-03', ['vm-03']],
    ['vms', 'name=VM-03', ['vm-03']],
    ['vms', 'name=vm-0* and status=down', ['vm-02', 'vm-04', 'vm-06', 'vm-08']],
    ['vms', 'status=up name=vm-1*', ['vm-11', 'vm-13', 'vm-15', 'vm-17', 'vm-19']],
    ['vms', 'name=vm-01 or name=vm-02 and status=up', ['vm-01']],
    ['vms', 'name!=vm-0* and name!=vm-1* and name!=vm-2*', []],
    ['vms', 'name=vm-0* SORTBY name DESC page 1', undefined],
    ['vms', 'cluster=Default and name=vm-05', ['vm-05']],
    ['vms', 'host.name=host1 and name=vm-0*', undefined],
    ['vms', 'memory > 1000 and name=vm-01', ['vm-01']],
    ['vms', 'datacenter=Default and name=vm-09', ['vm-09']],
    ['hosts', 'vms.status=up', ['host1', 'host2', 'host3']],
    ['disks', 'alias=vm-07_Disk1', ['vm-07_Disk1']],
    ['storagedomains', 'status=active', ['data1']],
    ['datacenters', 'status=up', ['Default']],
    ['networks', 'name=mgmt', ['mgmt']],
    ['users', 'usrname=admin', ['admin']],
    ['clusters', 'datacenter.name=Default', ['Default']],
  ] as const)('%s: %s', async (collection, search, expected) => {
    const found = await names(collection, search);
    if (expected) expect(found).toEqual(expected);
    else expect(found.length).toBeGreaterThan(0);
  });

  it('is case-sensitive on request', async () => {
    expect(await names('vms', 'name=VM-03', '&case_sensitive=true')).toEqual([]);
    expect(await names('vms', 'name=vm-03', '&case_sensitive=true')).toEqual(['vm-03']);
    expect(await names('vms', 'name=VM-0*', '&case_sensitive=true')).toEqual([]);
  });

  it('sorts and pages', async () => {
    const all = await names('vms', 'sortby name desc');
    expect(all[0]).toBe('vm-25');
    const pages: string[] = [];
    for (const page of [1, 2, 3])
      pages.push(...(await names('vms', `sortby name page ${page}`, '&max=10')));
    expect(pages).toEqual([...all].reverse());
    expect(await names('vms', 'sortby name asc page 4', '&max=10')).toEqual([]);
  });

  it('reports the problem of a search, with its position', async () => {
    const answer = await api.json('GET', `/vms?search=${encodeURIComponent('colour=red')}`);
    expect(answer.status).toBe(400);
    expect(answer.json()['detail']).toMatch(
      /^Cannot parse the search: unknown field colour \(character 1\); expected name, /,
    );
    const negative = await api.json('GET', '/vms?max=-5');
    expect(negative.status).toBe(400);
  });
});

describe('a repeated list', () => {
  it.each(['json', 'xml'] as const)('is the same, in %s', async (media) => {
    for (const path of ['/vms?search=sortby%20name', '/hosts', '/networks', '/vms?max=0']) {
      const first = await api[media]('GET', path);
      expect(first.status).toBe(200);
      for (let turn = 0; turn < 3; turn++) {
        expect((await api[media]('GET', path)).text).toBe(first.text);
      }
    }
  });

  it('includes changes of its objects and of referenced ones', async () => {
    const described = async () => {
      const { json } = await api.json('GET', '/vms?search=name%3Dvm-1*');
      return json<{ vm: { id: string; description?: string }[] }>().vm;
    };
    for (let turn = 0; turn < 3; turn++) await described();
    const [{ id } = { id: '' }] = await described();
    await api.json('PUT', `/vms/${id}`, { description: 'changed' });
    expect((await described())[0]).toMatchObject({ id, description: 'changed' });

    const active = async () => {
      const { json } = await api.json('GET', '/hosts');
      const { host } = json<{ host: { summary: { active: string } }[] }>();
      return host.reduce((sum, { summary }) => sum + Number(summary.active), 0);
    };
    for (let turn = 0; turn < 3; turn++) await active();
    const before = await active();
    const [down] = await names('vms', 'status=down');
    const found = await api.json('GET', `/vms?search=name%3D${down}`);
    const [vm] = found.json<{ vm: { id: string }[] }>().vm;
    const started = await api.json('POST', `/vms/${vm?.id}/start`, { async: false });
    expect(started.status, started.text).toBe(200);
    expect(await active()).toBe(before + 1);
    await api.json('POST', `/vms/${vm?.id}/stop`, { async: false });
  });

  it('depends on the parameters of each request', async () => {
    const shown = async (path: string) => (await api.json('GET', path)).text;
    for (let turn = 0; turn < 3; turn++) {
      expect(await shown('/vms?all_content=true')).toContain('"rng_device"');
      expect(await shown('/vms')).not.toContain('"rng_device"');
      expect(await shown('/v4/vms')).toContain('/api/v4/vms/');
    }
  });
});

describe('follow', () => {
  it('expands links and references, nested', async () => {
    const answer = await api.json(
      'GET',
      '/vms?search=name%3Dvm-01&follow=nics,disk_attachments.disk,cluster.data_center',
    );
    expect(answer.status, answer.text).toBe(200);
    const [vm] = answer.json<{ vm: Record<string, never>[] }>().vm;
    expect(vm).toMatchObject({
      nics: { nic: [{ name: 'nic1' }] },
      disk_attachments: { disk_attachment: [{ disk: { alias: 'vm-01_Disk1' } }] },
      cluster: { name: 'Default', data_center: { name: 'Default' } },
    });
  });

  it('omits references that an item lacks', async () => {
    const answer = await api.json('GET', '/vms?follow=host&max=2');
    const [up, down] = answer.json<{ vm: Record<string, { name?: string }>[] }>().vm;
    expect(up?.['host']?.name).toBe('host1');
    expect(down?.['host']).toBeUndefined();
  });

  it('refuses words without a link, and too many of them', async () => {
    const answer = await api.json('GET', '/vms?follow=colour&max=1');
    expect(answer.status).toBe(400);
    expect(answer.json()['detail']).toContain('"colour"');
    const deep = Array.from({ length: 10 }, () => 'cluster').join('.');
    expect((await api.json('GET', `/vms?follow=${deep}`)).status).toBe(400);
  });
});

describe('events', () => {
  it('are newest first, and start after an id', async () => {
    for (let number = 1; number <= 5; number++) {
      await api.json('POST', '/bookmarks', { name: `b${number}`, value: 'x' });
    }
    const all = await api.json('GET', '/events');
    const ids = all.json<{ event: { id: string }[] }>().event.map(({ id }) => Number(id));
    expect(ids).toEqual([...ids].sort((a, b) => b - a));
    const from = (ids[2] ?? 0).toString();
    const later = await api.json('GET', `/events?from=${from}`);
    expect(later.json<{ event: { id: string }[] }>().event.map(({ id }) => id)).toContain(from);
    expect(later.json<{ event: unknown[] }>().event).toHaveLength(3);
  });

  it('can be added by clients, and are searched by severity', async () => {
    const vm = (await api.json('GET', '/vms?max=1')).json<{ vm: { id: string }[] }>().vm[0];
    const added = await api.json('POST', '/events', {
      description: 'The disk array is hot',
      severity: 'alert',
      origin: 'monitoring',
      custom_id: 42,
      vm: { id: vm?.id, name: 'ignored' },
    });
    expect(added.status, added.text).toBe(201);
    expect(added.json()).toMatchObject({ code: 9804, vm: { name: 'vm-01' } });
    const found = await api.json('GET', `/events?search=${encodeURIComponent('severity > error')}`);
    expect(found.json<{ event: unknown[] }>().event).toHaveLength(1);
    const twice = await api.json('POST', '/events', {
      description: 'again',
      severity: 'alert',
      origin: 'monitoring',
      custom_id: 42,
    });
    expect(twice.status).toBe(400);
    const id = String(added.json()['id']);
    expect((await api.json('DELETE', `/events/${id}`)).status).toBe(200);
    expect((await api.json('GET', `/events/${id}`)).status).toBe(404);
  });
});

describe('statistics', () => {
  it('are the fixed rows of the type, with the same ids on every object', async () => {
    const vms = await api.json('GET', '/vms?max=2&follow=statistics');
    const [up, down] = vms.json<{
      vm: {
        id: string;
        statistics: {
          statistic: { id: string; name: string; values: { value: { datum: number }[] } }[];
        };
      }[];
    }>().vm;
    const rows = up?.statistics.statistic ?? [];
    expect(rows.map(({ name }) => name).slice(0, 2)).toEqual(['memory.installed', 'memory.used']);
    expect(rows.map(({ id }) => id)).toEqual(down?.statistics.statistic.map(({ id }) => id));
    expect(rows[0]?.values.value[0]?.datum).toBe(1073741824);
    expect(down?.statistics.statistic[1]?.values.value[0]?.datum).toBe(0);
    const one = await api.json('GET', `/vms/${up?.id}/statistics/${rows[1]?.id}`);
    expect(one.json()).toMatchObject({ name: 'memory.used', vm: { id: up?.id } });
  });
});
