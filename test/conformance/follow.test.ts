/** Links that are expanded inside an answer: lists, references, nested, and where that ends. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allOperations, subCollections } from '../../src/model/index.ts';
import { services } from '../../src/model/services/index.ts';
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

async function first(path: string): Promise<Thing> {
  const answer = await api.json('GET', path);
  expect(answer.status, `${path}: ${answer.text}`).toBe(200);
  const list = Object.values(answer.json<Record<string, Thing[]>>()).find(Array.isArray) ?? [];
  return list[0] ?? {};
}

describe('a link', () => {
  it('brings the whole list, by the name of the link or of the member', async () => {
    for (const word of ['diskattachments', 'disk_attachments', 'Disk_Attachments']) {
      const vm = await first(`/vms?max=1&follow=${word}`);
      expect(vm).toMatchObject({ disk_attachments: { disk_attachment: [{ bootable: true }] } });
    }
  });

  it('stays beside what it leads to', async () => {
    const vm = await first('/vms?max=1&follow=nics');
    expect(vm).toMatchObject({ nics: { nic: [{ name: 'nic1' }] } });
    expect((vm['link'] as { rel: string }[]).map(({ rel }) => rel)).toContain('nics');
  });

  it('is not cut by the max of the list around it', async () => {
    const center = await first('/datacenters?max=1&follow=networks');
    const { network } = center['networks'] as { network: unknown[] };
    expect(network.length).toBeGreaterThan(1);
  });

  it('is followed from a single object, too, and in XML', async () => {
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
  it('goes on from every object that it comes to', async () => {
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

  it('ends quietly where an object lacks the reference', async () => {
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
  ])('the unknown word of %s', async (follow, named) => {
    const answer = await api.json('GET', `/vms?follow=${follow}`);
    expect(answer.status, answer.text).toBe(400);
    expect(answer.json()['detail']).toContain(named);
  });

  it('an unknown word on a list without objects', async () => {
    const answer = await api.json('GET', '/vmpools?follow=moons');
    expect(answer.status, answer.text).toBe(400);
  });

  it('more paths, and deeper ones, than anybody needs', async () => {
    const many = Array.from({ length: 21 }, () => 'nics').join(',');
    const deep = Array.from({ length: 7 }, () => 'cluster').join('.');
    for (const follow of [many, deep]) {
      const answer = await api.json('GET', `/vms?follow=${follow}`);
      expect(answer.status, answer.text).toBe(400);
      expect(answer.json()['detail']).toMatch(/at most \d+/);
    }
  });
});

describe('every link of every list at the top', () => {
  const tops = [...new Set(allOperations().map(({ path }) => path))].filter(
    (path) => /^\/[a-z]+$/.test(path) && services[path] !== undefined,
  );

  it.each(tops)('%s', async (top) => {
    const service = Object.keys(services).find(
      (path) => path.startsWith(`${top}/{`) && path.split('/').length === 3,
    );
    for (const rel of service ? subCollections(service) : []) {
      const answer = await api.json('GET', `${top}?max=2&follow=${rel}`);
      expect([200, 400], `${top} ${rel}: ${answer.text}`).toContain(answer.status);
      if (answer.status === 400) unfollowed.push(`${top}: ${rel}`);
    }
  });

  const unfollowed: string[] = [];
  it('is followed but for those without a member in their type', () => {
    expect(unfollowed).toEqual([
      '/vms: backups',
      '/vms: checkpoints',
      '/users: eventsubscriptions',
    ]);
  });
});
