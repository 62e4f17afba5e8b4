/** Links that are expanded inside a response: lists, references, nested paths, and limits. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { services } from '../../src/model/derive/services.ts';
import { listSubCollections } from '../../src/model/index.ts';
import { listLinks } from '../../src/model/links.ts';
import { readFirstIds } from '../support/firsts.ts';
import { RawApi } from '../support/raw.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

type Thing = Record<string, unknown>;

let server: TestServer;
let api: RawApi;

beforeAll(async () => {
  server = await startTestServer(['--speed', '0', '--inventory', 'small']);
  api = await RawApi.signIn(server);
});

afterAll(async () => {
  await server.stop();
});

async function listed(path: string): Promise<Thing[]> {
  const answer = await api.json('GET', path);
  expect(answer.status, `${path}: ${answer.text}`).toBe(200);
  return Object.values(answer.json<Record<string, Thing[]>>()).find(Array.isArray) ?? [];
}

async function first(path: string): Promise<Thing> {
  return (await listed(path))[0] ?? {};
}

describe('a link', () => {
  it('includes the complete list, by the name of the link or of the member', async () => {
    for (const word of ['diskattachments', 'disk_attachments', 'Disk_Attachments']) {
      const vm = await first(`/vms?max=1&follow=${word}`);
      expect(vm).toMatchObject({ disk_attachments: { disk_attachment: [{ bootable: true }] } });
    }
  });

  it('remains in addition to its target', async () => {
    const vm = await first('/vms?max=1&follow=nics');
    expect(vm).toMatchObject({ nics: { nic: [{ name: 'nic1' }] } });
    expect((vm['link'] as { rel: string }[]).map(({ rel }) => rel)).toContain('nics');
  });

  it('is not limited by the max of the surrounding list', async () => {
    const center = await first('/datacenters?max=1&follow=networks');
    const { network } = center['networks'] as { network: unknown[] };
    expect(network.length).toBeGreaterThan(1);
  });

  it('is also followed from a single object, and in XML', async () => {
    const { id } = await first('/vms?max=1');
    const one = await api.json('GET', `/vms/${id}?follow=nics,cluster`);
    expect(one.json()).toMatchObject({ cluster: { name: 'Default' } });
    const xml = await api.call('GET', `/vms/${id}?follow=nics,cluster`, {
      headers: { Accept: 'application/xml' },
    });
    expect(xml.text).toMatch(/<nics>\s*<nic /);
  });
});

describe('a path', () => {
  it('continues from every object that it reaches', async () => {
    const vm = await first(
      '/vms?max=1&follow=disk_attachments.disk.storage_domains,disk_attachments.disk.statistics',
    );
    expect(vm).toMatchObject({
      disk_attachments: {
        disk_attachment: [
          {
            disk: {
              storage_domains: { storage_domain: [{ name: expect.stringMatching(/^data/) }] },
              statistics: { statistic: expect.arrayContaining([expect.anything()]) },
            },
          },
        ],
      },
    });
  });

  it('ends without an error at an object without the reference', async () => {
    const [up, down] = await Promise.all(
      ['vm-01', 'vm-02'].map((name) => first(`/vms?search=name%3D${name}&follow=host.cluster`)),
    );
    expect(up).toMatchObject({ host: { name: 'host1', cluster: { name: 'Default' } } });
    expect(down?.['name']).toBe('vm-02');
    expect(down?.['host']).toBeUndefined();
  });
});

describe('refuses', () => {
  it.each([
    ['colour', '"colour"'],
    ['nics.colour', '"colour"'],
    ['nics,,moons', '"moons"'],
    ['cluster.data_center.moons', '"moons"'],
    ['name', '"name"'],
    ['disks', '"disks"'],
  ])('the unknown word of %s', async (follow, named) => {
    const answer = await api.json('GET', `/vms?follow=${follow}`);
    expect(answer.status, answer.text).toBe(400);
    expect(answer.json()['detail']).toContain(named);
  });

  it('an unknown word on an empty list', async () => {
    const answer = await api.json('GET', '/vmpools?follow=moons');
    expect(answer.status, answer.text).toBe(400);
  });

  it('too many and too deep paths', async () => {
    const many = Array.from({ length: 21 }, () => 'nics').join(',');
    const deep = Array.from({ length: 7 }, () => 'cluster').join('.');
    for (const follow of [many, deep]) {
      const answer = await api.json('GET', `/vms?follow=${follow}`);
      expect(answer.status, answer.text).toBe(400);
      expect(answer.json()['detail']).toMatch(/at most \d+/);
    }
  });
});

describe('every link of every type', () => {
  const paths = Object.keys(services).filter((path) => path.endsWith('}'));
  let ids: Record<string, string> = {};

  beforeAll(async () => {
    ids = await readFirstIds(api);
  });

  it.each(paths)('of %s', async (path) => {
    const collection = path.slice(0, path.lastIndexOf('/'));
    if (services[collection]?.operations['list'] === undefined) return;
    const list = collection.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? 'nothing');
    // On a storage domain, objects in the inventory have their address at the top level.
    const only = /^\/storagedomains\/.*(vms|templates)$/.test(list) ? '&unregistered=true' : '';
    const there = (await api.json('GET', list)).status === 200;
    const type = services[path]?.type ?? '';
    for (const rel of listSubCollections(path)) {
      const answer = await api.json('GET', `${list}?follow=${rel}${only}`);
      // Without an object in the collection, no link can be followed.
      expect(answer.status, `${list} ${rel}: ${answer.text}`).toBe(there ? 200 : 404);
      if (!there) continue;
      const [items] = Object.values(answer.json<Record<string, Thing[]>>()).filter(Array.isArray);
      for (const item of items ?? []) {
        const links = ((item['link'] ?? []) as { rel: string }[]).map((link) => link.rel);
        const has = listLinks(path, type, item).includes(rel);
        expect(links.includes(rel), `${path} ${rel}`).toBe(has);
      }
    }
  });

  it('shows backups, checkpoints and subscriptions', async () => {
    const [vm] = await listed('/vms?search=name%3Dvm-01');
    const attachments = await listed(`/vms/${vm?.['id']}/diskattachments`);
    const disks = { disk: [{ id: attachments[0]?.['id'] }] };
    const backup = await api.json('POST', `/vms/${vm?.['id']}/backups`, { disks });
    expect([201, 202], backup.text).toContain(backup.status);
    const [user] = await listed('/users?search=usrname%3Dadmin');
    const subscription = { event: 'host_failure', notification_method: 'smtp', address: 'a@b.c' };
    const added = await api.json('POST', `/users/${user?.['id']}/eventsubscriptions`, subscription);
    expect(added.status, added.text).toBe(201);
    const [shown] = await listed('/vms?search=name%3Dvm-01&follow=backups.disks,checkpoints');
    expect(shown).toMatchObject({
      backups: {
        backup: [{ id: backup.json()['id'], disks: { disk: [{ name: 'vm-01_Disk1' }] } }],
      },
    });
    const [told] = await listed('/users?search=usrname%3Dadmin&follow=event_subscriptions');
    expect(told).toMatchObject({
      event_subscriptions: { event_subscription: [{ event: 'host_failure' }] },
    });
  });
});

describe('more objects than a response may include', () => {
  it('are refused before the first byte', async () => {
    const data = { data_center: { name: 'Default' } };
    for (let index = 0; index < 60; index++) {
      const added = await api.json('POST', '/networks', { name: `many${index}`, ...data });
      expect(added.status, added.text).toBe(201);
    }
    // Each network leads to its data center, and that one to all networks.
    const wide = 'data_center.networks.data_center.networks.data_center.networks';
    const answer = await api.json('GET', `/networks?follow=${wide}`);
    expect(answer.status).toBe(400);
    expect(answer.json()['detail']).toContain('leads to too many objects');
    const fewer = await api.json('GET', '/networks?follow=data_center.networks');
    expect(fewer.status).toBe(200);
    expect(fewer.json<{ network: unknown[] }>().network.length).toBeGreaterThan(60);
  });
});
