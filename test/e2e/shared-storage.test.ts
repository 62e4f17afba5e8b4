/** Storage domains that move between two sites, in a folder that simulates shared storage. */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SharingSite, type StoredObject } from '../faults/support/sharing-site.ts';
import { MiB } from '../faults/support/site.ts';

let shared: string;
let north: SharingSite;
let south: SharingSite;

beforeEach(async () => {
  shared = join(mkdtempSync(join(tmpdir(), 'vmctl-shared-')), 'storage');
  [north, south] = [new SharingSite(shared), new SharingSite(shared)];
  await north.begin();
  await south.begin();
});
afterEach(async () => {
  await north.remove();
  await south.remove();
  rmSync(join(shared, '..'), { recursive: true, force: true });
});

/** Creates a domain with a VM, its snapshot, a template and a floating disk, and detaches it. */
async function furnished(site: SharingSite) {
  const domain = (await site.post('/storagedomains', site.domain({ name: 'travel' }))).id;
  await site.attach(domain);
  const vm = await site.post('/vms', {
    ...{ name: 'traveller', cluster: { id: site.cluster }, template: { name: 'Blank' } },
    ...{ memory: 3 * 2 ** 30, description: 'goes places', comment: 'and back' },
    ...{
      cpu: { topology: { sockets: 2, cores: 2, threads: 1 } },
      high_availability: { enabled: true },
    },
    ...{ custom_properties: { custom_property: [] }, time_zone: { name: 'Etc/GMT' } },
    lease: { storage_domain: { id: domain } },
  });
  await site.post(`/vms/${vm.id}/nics`, { name: 'nic1', vnic_profile: await readProfile(site) });
  await site.post(`/vms/${vm.id}/nics`, { name: 'nic2' });
  const [first, firstBytes] = await site.full(domain, 'first', 'cow');
  const [second, secondBytes] = await site.full(domain, 'second', 'raw');
  for (const [disk, bootable] of [
    [first, true],
    [second, false],
  ] as const) {
    const how = { interface: 'virtio', bootable, active: true };
    await site.post(`/vms/${vm.id}/diskattachments`, { disk: { id: disk }, ...how });
  }
  const snapshot = await site.post(`/vms/${vm.id}/snapshots`, { description: 'before' });
  await site.api.until(
    `/vms/${vm.id}/snapshots/${snapshot.id}`,
    (answer) => answer.json()['snapshot_status'] === 'ok',
  );
  const changed = Buffer.from(firstBytes);
  randomBytes(4096).copy(changed, 65536);
  await site.write(first, changed, 'raw');
  const template = await site.post('/templates', { name: 'pattern', vm: { id: vm.id } });
  await site.api.until(`/templates/${template.id}`, (answer) => answer.json()['status'] === 'ok');
  await site.api.until(`/vms/${vm.id}`, (answer) => answer.json()['status'] === 'down');
  const [lone, loneBytes] = await site.full(domain, 'lone', 'cow');
  const bytes = { [first]: changed, [second]: secondBytes, [lone]: loneBytes };
  return {
    domain,
    vm: vm.id,
    first,
    firstBytes,
    snapshot: snapshot.id,
    template: template.id,
    lone,
    bytes,
  };
}

async function readProfile(site: SharingSite): Promise<object> {
  const [profile] = await site.all('/vnicprofiles?follow=network');
  return { id: profile?.id };
}

/** State of a VM, without values that depend on its site. */
async function describeVm(site: SharingSite, vm: string) {
  const {
    cluster: _c,
    cpu_profile: _p,
    quota: _q,
    links: _l,
    actions: _a,
    ...shown
  } = await site.get(`/vms/${vm}`);
  const nics = await site.all(`/vms/${vm}/nics?follow=vnic_profile.network`);
  const attachments = await site.all(`/vms/${vm}/diskattachments`);
  const snapshots = await site.all(`/vms/${vm}/snapshots`);
  return {
    shown: JSON.parse(JSON.stringify(shown).replaceAll(/"href":"[^"]*"/g, '"href":""')) as unknown,
    nics: nics.map(({ id, name, mac, interface: kind, vnic_profile: profile }) => {
      const { name: called, network } = (profile ?? {}) as {
        name?: string;
        network?: { name: string };
      };
      return { id, name, mac, kind, called, network: network?.name };
    }),
    attachments: attachments.map(({ id, bootable, interface: kind, active }) => ({
      id,
      bootable,
      kind,
      active,
    })),
    snapshots: snapshots.map(({ id, description, snapshot_type: type }) => ({
      id,
      description,
      type,
    })),
  };
}

describe('a domain on storage shared by two sites', () => {
  it('is detached from one and attached to the other, with all its content', async () => {
    const made = await furnished(north);
    const { domain, vm } = made;
    const before = await describeVm(north, vm);
    const lease = { lease: { storage_domain: { id: domain } } };
    expect(before.shown).toMatchObject(lease);
    await north.detach(domain);
    expect((await north.api.json('GET', `/vms/${vm}`)).status).toBe(404);
    // Files are removed once the change is durable, which may follow the response.
    for (const disk of Object.keys(made.bytes)) {
      await expect.poll(() => existsSync(north.image({ id: disk }))).toBe(false);
    }

    expect(await south.importDomain()).toBe(domain);
    expect((await south.get(`/storagedomains/${domain}`))['name']).toBe('travel');
    await south.attach(domain);
    expect((await south.unregistered(domain, 'vms')).map(({ id }) => id)).toEqual([vm]);
    expect((await south.unregistered(domain, 'templates')).map(({ id }) => id)).toEqual([
      made.template,
    ]);
    const disks = (await south.unregistered(domain, 'disks')).map(({ id }) => id);
    expect(disks).toEqual(expect.arrayContaining(Object.keys(made.bytes)));

    await south.register(domain, 'templates', made.template);
    await south.register(domain, 'vms', vm);
    await south.api.json('POST', `/storagedomains/${domain}/disks?unregistered=true`, {
      id: made.lone,
    });
    expect(await describeVm(south, vm)).toEqual(before);
    for (const [disk, bytes] of Object.entries(made.bytes)) {
      expect((await south.read(disk, 'raw')).equals(bytes), disk).toBe(true);
    }
    expect((await south.get(`/templates/${made.template}`))['name']).toBe('pattern');
    // The image of the snapshot was moved as well: it can be restored.
    await south.post(`/vms/${vm}/snapshots/${made.snapshot}/restore`, {});
    await south.api.until(`/vms/${vm}`, (answer) => answer.json()['status'] === 'down');
    expect((await south.read(made.first, 'raw')).equals(made.firstBytes)).toBe(true);
    await south.post(`/vms/${vm}/start`, {});
    await south.api.until(`/vms/${vm}`, (answer) => answer.json()['status'] === 'up');
  });

  it('returns with changes of the other site, also across kills of both', async () => {
    const { domain, vm, first, bytes } = await furnished(north);
    await north.detach(domain);
    await north.kill();
    await south.importDomain();
    await south.attach(domain);
    await south.kill();
    await south.begin();
    await south.register(domain, 'vms', vm);
    const other = randomBytes(4 * MiB);
    await south.write(first, other, 'raw');
    await south.detach(domain);
    await south.kill();

    await north.begin();
    await north.attach(domain);
    await north.register(domain, 'vms', vm);
    expect((await north.read(first, 'raw')).equals(other)).toBe(true);
    const [second = ''] = Object.keys(bytes).filter((id) => id !== first);
    expect((await north.read(second, 'raw')).equals(bytes[second] ?? Buffer.alloc(0))).toBe(true);
  });

  it('belongs to one site at a time', async () => {
    const domain = (await north.post('/storagedomains', north.domain({ name: 'travel' }))).id;
    await north.attach(domain);
    const held = [409, expect.stringContaining('Detach it there first')];
    const again = south.domain({ import: true });
    expect(await south.refusal('POST', '/storagedomains', again)).toEqual(held);
    const fresh = south.domain({ name: 'fresh' });
    expect(await south.refusal('POST', '/storagedomains', fresh)).toEqual(held);
    await north.detach(domain);
    expect(await south.refusal('POST', '/storagedomains', fresh)).toEqual([
      409,
      expect.stringContaining('travel'),
    ]);
    await south.importDomain();
    await south.attach(domain);
    const path = `/datacenters/${north.dataCenter}/storagedomains`;
    expect(await north.refusal('POST', path, { id: domain })).toEqual(held);
    await south.detach(domain);
    await north.attach(domain);
    expect(
      await south.refusal('POST', `/datacenters/${south.dataCenter}/storagedomains`, {
        id: domain,
      }),
    ).toEqual(held);
  });

  it('is found by discovery, and disappears for all when it is formatted', async () => {
    const storage = { type: 'fcp', logical_units: { logical_unit: [{ id: 'travelling-lun' }] } };
    const block = { name: 'block', storage };
    const domain = (await north.post('/storagedomains', north.domain(block))).id;
    await north.attach(domain);
    const [host] = await south.all('/hosts');
    const discovered = async () => {
      const answer = await south.post(`/hosts/${host?.id}/unregisteredstoragedomainsdiscover`, {});
      const { storage_domain: found = [] } = (answer['storage_domains'] ?? {}) as {
        storage_domain?: StoredObject[];
      };
      return found.map(({ id }) => id);
    };
    expect(await discovered()).toEqual([]);
    await north.detach(domain);
    expect(await discovered()).toEqual([domain]);
    const sent = south.domain({ id: domain, import: true, storage });
    expect(await south.post('/storagedomains', sent)).toMatchObject({ id: domain, name: 'block' });
    await south.attach(domain);
    await south.detach(domain);
    const removed = await north.api.json(
      'DELETE',
      `/storagedomains/${domain}?host=host1&format=true`,
    );
    expect(removed.status, removed.text).toBe(200);
    expect(readdirSync(shared)).toEqual([]);
    expect(await discovered()).toEqual([]);
  });

  it('stays attached if an image cannot be moved, and is not attached if one is missing', async () => {
    const { domain, vm, first, bytes } = await furnished(north);
    await north.post(`${north.attached(domain)}/deactivate`, {});
    await north.until(domain, 'maintenance');
    const image = readFileSync(north.image({ id: first }));
    rmSync(north.image({ id: first }));
    await north.api.json('DELETE', north.attached(domain));
    await north.until(domain, 'maintenance');
    await expect.poll(() => north.events(965)).toHaveLength(1);
    writeFileSync(north.image({ id: first }), image, { mode: 0o600 });
    await north.api.json('DELETE', north.attached(domain));
    await north.api.until(north.attached(domain), ({ status }) => status === 404);

    const there = join(shared, domain, 'images', first);
    rmSync(there);
    await south.importDomain();
    await south.post(`/datacenters/${south.dataCenter}/storagedomains`, { id: domain });
    await south.api.until(south.attached(domain), ({ status }) => status === 404);
    expect(await south.events(963)).toHaveLength(1);
    writeFileSync(there, image, { mode: 0o600 });
    await south.attach(domain);
    await south.register(domain, 'vms', vm);
    expect((await south.read(first, 'raw')).equals(bytes[first] ?? Buffer.alloc(0))).toBe(true);
  });

  it('contains the configuration of its VMs and templates next to the images', async () => {
    const { domain, vm, template } = await furnished(north);
    const initialization = { host_name: 'traveller', root_password: 'of-the-guest' };
    await north.put(`/vms/${vm}`, { initialization });
    await north.detach(domain);
    const contents = readFileSync(join(shared, domain, 'contents.json'), 'utf8');
    expect(contents).toContain('"host_name":"traveller"');
    expect(contents).not.toContain('of-the-guest');
    const document = readFileSync(join(shared, domain, 'ovf', `${vm}.ovf`), 'utf8');
    expect(document).toContain('<Name>traveller</Name>');
    expect(document).toContain('ovf:fileRef');
    expect(readdirSync(join(shared, domain, 'ovf')).sort()).toEqual(
      [`${template}.ovf`, `${vm}.ovf`].sort(),
    );
  });
});
