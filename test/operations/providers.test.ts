/** External providers of hosts, images, networks and volumes: contents and imports. */
import { describe, expect } from 'vitest';
import { send } from '../support/raw.ts';
import { listPaths, row } from './support/rows.ts';
import { type People, useSite } from './support/site.ts';
import { at } from './support/speaker.ts';
import { addDisk, settled } from './support/storage.ts';

const site = useSite();
const mebibyte = 2 ** 20;

async function addProvider(
  { admin, name }: People,
  kind: string,
): Promise<{ id: string; path: string }> {
  const collection = `/${kind.replaceAll('_', '')}s`;
  const { id } = await admin.add(collection, {
    [kind]: { name: name('provider'), url: 'https://provider.example.com:9292' },
  });
  return { id, path: `${collection}/${id}` };
}

describe(row('G25'), () => {
  const list = '/externalhostproviders';
  site.both('adds, lists, gets, changes and removes providers', async ({ admin, name }) => {
    const external_host_provider = {
      name: name('provider'),
      description: 'd',
      url: 'https://hosts.example.com',
      requires_authentication: true,
      username: 'u',
      password: 'hidden',
    };
    const answer = await admin.post(list, { external_host_provider });
    expect(answer.status, answer.text).toBe(201);
    expect(answer.headers['location']).toBe(answer.object['href']);
    const { password: _password, ...shown } = external_host_provider;
    expect(answer.object).toMatchObject({ ...shown, requires_authentication: 'true' });
    expect(answer.text).not.toContain('hidden');
    const own = `${list}/${String(answer.object['id'])}`;
    expect((await admin.get(list)).list.map((one) => one['name'])).toContain(shown.name);
    expect((await admin.get(own)).object).toMatchObject({ name: shown.name, username: 'u' });
    const changed = await admin.put(own, { external_host_provider: { description: 'e' } });
    expect(changed.object).toMatchObject({ name: shown.name, description: 'e' });
    const tested = await admin.must(`${own}/testconnectivity`);
    expect(tested.object['status']).toBe('complete');
    const [certificate] = (await admin.get(`${own}/certificates`)).list;
    const imported = await admin.must(`${own}/importcertificates`, {
      certificates: { certificate: [{ content: certificate?.['content'] }] },
    });
    expect(imported.object['status']).toBe('complete');
    expect((await admin.delete(own)).status).toBe(200);
    expect((await admin.get(own)).status).toBe(404);
  });
  site.both('refuses a name in use, and an invalid address', async ({ admin, name }) => {
    const external_host_provider = { name: name('twice'), url: 'https://hosts.example.com' };
    await admin.add(list, { external_host_provider });
    expect((await admin.post(list, { external_host_provider })).status).toBe(409);
    const other = await admin.post('/openstackimageproviders', {
      openstack_image_provider: external_host_provider,
    });
    expect(other.status).toBe(409);
    const url = await admin.post(list, {
      external_host_provider: { name: name('url'), url: 'nowhere' },
    });
    expect([url.status, url.fault?.detail]).toEqual([400, expect.stringContaining('nowhere')]);
  });
  site.incomplete('POST', list, { external_host_provider: { url: 'https://a' } }, 'name');
  site.incomplete('POST', list, { external_host_provider: { name: 'a' } }, 'url');
  for (const action of ['testconnectivity', 'importcertificates']) {
    site.unknown('POST', `${list}/{unknown}/${action}`);
  }
  site.unknown('GET', `${list}/{unknown}`);
  site.unknown('PUT', `${list}/{unknown}`, { external_host_provider: { description: 'x' } });
  site.unknown('DELETE', `${list}/{unknown}`);
  site.forbidden('POST', list, { external_host_provider: { name: 'a', url: 'https://a' } });
});

const offers = [
  ['G26', { address: expect.any(String) }],
  ['G27', { ip: expect.any(String), mac: expect.stringMatching(/^52:54:00/) }],
  ['G28', { architecture_name: 'x86_64', domain_name: 'example.com' }],
  ['G29', { provider: 'libvirt', url: expect.any(String) }],
  ['G30', { content: expect.stringContaining('BEGIN CERTIFICATE'), organization: 'Example' }],
] as const;

for (const [number, members] of offers) {
  describe(row(number), () => {
    site.both('lists and gets what a provider offers, always the same', async (people) => {
      const { admin } = people;
      const { id } = await addProvider(people, 'external_host_provider');
      const [collection = ''] = listPaths(number);
      const path = collection.replace('{provider}', id);
      const { list, status } = await admin.get(path);
      expect(status).toBe(200);
      expect(list.length).toBeGreaterThan(0);
      expect((await admin.get(path)).list).toEqual(list);
      for (const one of list) {
        expect(one).toMatchObject({ name: expect.any(String), ...members });
        expect((await admin.get(`${path}/${String(one['id'])}`)).object).toEqual(one);
      }
      expect((await admin.get(`${path}?max=1`)).list).toHaveLength(1);
      expect((await admin.get(`${path}/${people.path('{unknown}')}`)).status).toBe(404);
    });
    const [collection = ''] = listPaths(number);
    site.unknown('GET', collection.replace('{provider}', '{unknown}'));
  });
}

describe('providers of images', () => {
  site.both('come with a storage domain that has their images', async (people) => {
    const { admin } = people;
    const { id, path } = await addProvider(people, 'openstack_image_provider');
    const { object } = await admin.get(path);
    const domain = await admin.find('/storagedomains', String(object['name']));
    expect(domain).toMatchObject({ type: 'image', status: 'unattached' });
    const images = (await admin.get(`${path}/images`)).list;
    expect(images.length).toBeGreaterThan(1);
    expect(images[0]).toMatchObject({ openstack_image_provider: { id } });
    const same = (await admin.get(`/storagedomains/${domain.id}/images`)).list;
    const ids = (list: typeof images) => list.map((one) => one['id']).sort();
    expect(ids(same)).toEqual(ids(images));
    expect((await admin.get(people.path('/storagedomains/{storagedomain}/images'))).status).toBe(
      404,
    );
    const refused = await admin.delete(`/storagedomains/${domain.id}?host=host1`);
    expect([refused.status, refused.fault?.detail]).toEqual([
      400,
      expect.stringContaining('provider'),
    ]);
    await admin.must(`${path}/testconnectivity`);
    expect((await admin.get(`${path}/certificates`)).list).toHaveLength(1);
    expect((await admin.delete(path)).status).toBe(200);
    expect((await admin.get(`/storagedomains/${domain.id}`)).status).toBe(404);
  });

  site.both('have images that become disks and templates', async (people) => {
    const { admin, name } = people;
    const { path } = await addProvider(people, 'openstack_image_provider');
    const { object } = await admin.get(path);
    const domain = await admin.find('/storagedomains', String(object['name']));
    const [image] = (await admin.get(`${path}/images`)).list;
    const from = [`${path}/images`, `/storagedomains/${domain.id}/images`];
    for (const images of from) {
      const alias = name('imported');
      await admin.must(`${images}/${String(image?.['id'])}/import`, {
        storage_domain: { name: 'data1' },
        disk: { alias },
      });
      const disk = await admin.find('/disks', alias);
      expect(await settled(admin, `/disks/${disk.id}`)).toMatchObject({
        status: 'ok',
        provisioned_size: String(2 ** 27),
      });
    }
    for (const images of from) {
      const template = name('template');
      await admin.must(`${images}/${String(image?.['id'])}/import`, {
        storage_domain: { name: 'data1' },
        cluster: { id: people.path('{cluster}') },
        import_as_template: true,
        template: { name: template },
      });
      const made = await admin.find('/templates', template);
      const [attachment] = (await admin.get(`/templates/${made.id}/diskattachments`)).list;
      await settled(admin, `/disks/${String(attachment?.['id'])}`);
      expect((await admin.get(`/templates/${made.id}`)).object['status']).toBe('ok');
      const shown = await admin.get(`${images}/${String(image?.['id'])}`);
      expect(shown.object['id']).toBe(image?.['id']);
    }
    const missing = await admin.post(`${path}/images/${String(image?.['id'])}/import`, {
      action: {},
    });
    expect([missing.status, missing.fault?.reason]).toEqual([400, 'Incomplete parameters']);
  });
});

describe(row(107), () => {
  site.both('exports a disk to a repository, and imports it again', async (people) => {
    const { admin, name } = people;
    const { path } = await addProvider(people, 'openstack_image_provider');
    const { object } = await admin.get(path);
    const repository = await admin.find('/storagedomains', String(object['name']));
    const domain = await admin.find('/storagedomains', 'data1');
    const alias = name('exported');
    const disk = await addDisk(admin, domain.id, { name: alias, provisioned_size: mebibyte });
    const bytes = Buffer.alloc(mebibyte, 'exported bytes');
    const upload = await admin.add('/imagetransfers', {
      image_transfer: { disk: { id: disk.id } },
    });
    const url = String((await admin.get(`/imagetransfers/${upload.id}`)).object['transfer_url']);
    await send(url, { method: 'PUT', ca: site.server().ca, body: bytes });
    await admin.must(`/imagetransfers/${upload.id}/finalize`);
    await admin.must(`/disks/${disk.id}/export`, {
      storage_domain: { id: repository.id },
      async: false,
    });
    await settled(admin, `/disks/${disk.id}`);
    const image = await admin.find(`/storagedomains/${repository.id}/images`, alias);
    expect(image['size']).toBe(String(mebibyte));
    const back = name('back');
    await admin.must(`/storagedomains/${repository.id}/images/${image.id}/import`, {
      storage_domain: { name: 'data2' },
      disk: { alias: back },
    });
    const copy = await admin.find('/disks', back);
    await settled(admin, `/disks/${copy.id}`);
    const download = await admin.add('/imagetransfers', {
      image_transfer: { disk: { id: copy.id }, direction: 'download' },
    });
    const from = String((await admin.get(`/imagetransfers/${download.id}`)).object['transfer_url']);
    const answer = await send(from, { ca: site.server().ca });
    expect(answer.bytes.equals(bytes)).toBe(true);
    await admin.must(`/imagetransfers/${download.id}/finalize`);
  });
  site.both('not to a domain of another type', async ({ admin, path }) => {
    const answer = await admin.post(path('/disks/{disk}/export'), {
      action: { storage_domain: { name: 'data2' } },
    });
    expect([answer.status, answer.fault?.detail]).toEqual([
      400,
      expect.stringContaining('of type data'),
    ]);
  });
  site.incomplete('POST', '/disks/{disk}/export', { action: {} }, 'storageDomain');
  site.unknown('POST', '/disks/{unknown}/export', { action: { storage_domain: { name: 'x' } } });
});

describe('providers of networks', () => {
  site.both('have networks that data centers import, and subnets', async (people) => {
    const { admin, name } = people;
    const { id, path } = await addProvider(people, 'openstack_network_provider');
    expect((await admin.get(path)).object).toMatchObject({ type: 'external', read_only: 'true' });
    const networks = (await admin.get(`${path}/networks`)).list;
    expect(networks.length).toBeGreaterThan(1);
    const own = `${path}/networks/${String(networks[0]?.['id'])}`;
    expect((await admin.get(own)).object).toMatchObject({ openstack_network_provider: { id } });
    expect((await admin.get(`${own}/subnets`)).list).toHaveLength(1);
    const subnet = await admin.add(`${own}/subnets`, {
      openstack_subnet: { name: name('subnet'), cidr: '10.9.0.0/24', ip_version: 'v4' },
    });
    expect((await admin.get(`${own}/subnets/${subnet.id}`)).object['cidr']).toBe('10.9.0.0/24');
    expect((await admin.delete(`${own}/subnets/${subnet.id}`)).status).toBe(200);
    const dataCenter = await admin.add('/datacenters', {
      data_center: { name: name('dc'), local: false },
    });
    await admin.must(`${own}/import`, { data_center: { id: dataCenter.id } });
    const list = `/datacenters/${dataCenter.id}/networks`;
    const imported = await admin.find(list, String(networks[0]?.['name']));
    expect(at(imported, 'external_provider.id')).toBe(id);
    const used = await admin.delete(path);
    expect([used.status, used.fault?.detail]).toEqual([409, expect.stringContaining('in use')]);
    await admin.delete(`/networks/${imported.id}`);
    expect((await admin.delete(path)).status).toBe(200);
  });
});

describe('providers of volumes', () => {
  site.both('have volume types and keys', async (people) => {
    const { admin } = people;
    const { path } = await addProvider(people, 'openstack_volume_provider');
    const types = (await admin.get(`${path}/volumetypes`)).list;
    expect(types.map((one) => one['name'])).toEqual(['ceph', 'lvm']);
    expect((await admin.get(`${path}/volumetypes/${String(types[0]?.['id'])}`)).status).toBe(200);
    const key = await admin.add(`${path}/authenticationkeys`, {
      openstack_volume_authentication_key: { uuid: people.path('{unknown}'), value: 'c2VjcmV0' },
    });
    expect(key).toMatchObject({ usage_type: 'ceph', creation_date: expect.any(String) });
    const own = `${path}/authenticationkeys/${key.id}`;
    const changed = await admin.put(own, {
      openstack_volume_authentication_key: { description: 'd' },
    });
    expect(changed.object['description']).toBe('d');
    expect((await admin.delete(own)).status).toBe(200);
    await admin.must(`${path}/testconnectivity`);
    expect((await admin.delete(path)).status).toBe(200);
  });
});
