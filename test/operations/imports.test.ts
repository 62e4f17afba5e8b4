/** Machines and templates from elsewhere: other platforms, files on hosts, export domains. */
import { describe, expect } from 'vitest';
import { row } from './support/rows.ts';
import { type People, useSite } from './support/site.ts';
import { at } from './support/speaker.ts';
import { addDisk, mebibyte, newVm, readDisk, settled, until, writeDisk } from './support/vms.ts';

const site = useSite();

function request({ path, name }: People, more: object = {}) {
  return {
    name: 'legacy',
    vm: { name: name('imported') },
    provider: 'vmware',
    url: 'vpx://admin@vcenter.example.com/DataCenter/Cluster/esxi?no_verify=1',
    username: 'admin',
    password: 'secret',
    sparse: true,
    cluster: { id: path('{cluster}') },
    storage_domain: { name: 'data1' },
    ...more,
  };
}

/** Exports a machine with a disk that holds these bytes to a file on the first host. */
async function exported(people: People, bytes: string) {
  const { admin, path, name } = people;
  const vm = await newVm(people, { memory: 512 * mebibyte });
  const disk = await addDisk(people, vm.id);
  await writeDisk(site, disk, bytes);
  await admin.add(`/vms/${vm.id}/nics`, { nic: { name: 'nic1' } });
  const filename = `${name('file')}.ova`;
  const host = { id: path('{host}') };
  await admin.must(`/vms/${vm.id}/export`, { host, directory: '/tmp', filename });
  await settled(people, vm.id);
  return { ...vm, disk, url: `ova:///tmp/${filename}` };
}

describe(row(205), () => {
  site.both('imports a machine of another platform', async (people) => {
    const { admin } = people;
    const external_vm_import = request(people);
    const { status, object, text } = await admin.post('/externalvmimports', { external_vm_import });
    expect(status, text).toBe(201);
    expect(object).toMatchObject({ name: 'legacy', provider: 'vmware' });
    expect(object['password']).toBeUndefined();
    const id = String(at(object, 'vm.id'));
    const vm = await settled(people, id);
    expect(vm).toMatchObject({ name: external_vm_import.vm.name, status: 'down' });
    expect((await admin.get(`/vms/${id}/diskattachments`)).list).toHaveLength(1);
    const search = encodeURIComponent(`vm.name=${external_vm_import.vm.name}`);
    const codes = (await admin.get(`/events?search=${search}`)).list.map((one) => one['code']);
    expect(codes).toEqual(expect.arrayContaining(['1165', '1152']));
  });
  site.both('keeps the former name of a VM without a given one', async (people) => {
    const { admin, name } = people;
    const { vm: _none, ...rest } = request(people, { name: name('elsewhere') });
    const { status, object, text } = await admin.post('/externalvmimports', {
      external_vm_import: rest,
    });
    expect(status, text).toBe(201);
    const vm = await settled(people, String(at(object, 'vm.id')));
    expect(vm['name']).toBe(rest.name);
  });
  site.both('refuses a name in use', async (people) => {
    const external_vm_import = request(people, { vm: { name: 'vm-01' } });
    const answer = await people.admin.post('/externalvmimports', { external_vm_import });
    expect(answer.status).toBe(409);
  });
  site.both('needs to know what, from where and where to', async (people) => {
    const names = ['provider', 'url', 'name', 'cluster', 'storage_domain'] as const;
    for (const name of names) {
      const { [name]: _left, ...rest } = request(people);
      const answer = await people.admin.post('/externalvmimports', { external_vm_import: rest });
      expect(answer.status, name).toBe(400);
      expect(answer.fault?.reason).toBe('Incomplete parameters');
    }
  });
  site.both('requires a permission', async (people) => {
    const answer = await people.jane.post('/externalvmimports', {
      external_vm_import: request(people),
    });
    expect(answer.status).toBe(403);
  });
});

describe('files on hosts', () => {
  site.both('hold an exported machine, to the last byte', async (people) => {
    const { admin } = people;
    const { url, disk } = await exported(people, 'packed');
    await writeDisk(site, disk, 'lost!!');
    const external_vm_import = request(people, { provider: 'kvm', url });
    const { object } = await admin.post('/externalvmimports', { external_vm_import });
    const id = String(at(object, 'vm.id'));
    expect(await settled(people, id)).toMatchObject({ memory: String(512 * mebibyte) });
    const [attachment] = (await admin.get(`/vms/${id}/diskattachments`)).list;
    expect(await readDisk(site, String(attachment?.['id']), 6)).toBe('packed');
    expect((await admin.get(`/vms/${id}/nics`)).list).toMatchObject([{ name: 'nic1' }]);
    const missing = request(people, { url: 'ova:///tmp/nothing.ova' });
    const answer = await admin.post('/externalvmimports', { external_vm_import: missing });
    expect(answer.status).toBe(400);
  });
  site.both('hold an exported template', async (people) => {
    const { admin, path, name } = people;
    const vm = await newVm(people);
    const disk = await addDisk(people, vm.id);
    await writeDisk(site, disk, 'model');
    const template = { name: name('template'), vm: { id: vm.id } };
    const { id } = await admin.add('/templates', { template });
    await until(people, `/templates/${id}`, (one) => one['status'] === 'ok');
    const filename = `${name('file')}.ova`;
    const host = { id: path('{host}') };
    await admin.must(`/templates/${id}/export`, { host, directory: '/tmp', filename });
    await until(people, `/templates/${id}`, (one) => one['status'] === 'ok');
    const external_template_import = {
      url: `ova:///tmp/${filename}`,
      template: { name: name('again') },
      cluster: { id: path('{cluster}') },
      storage_domain: { name: 'data1' },
      host,
    };
    const { status, object, text } = await admin.post('/externaltemplateimports', {
      external_template_import,
    });
    expect(status, text).toBe(201);
    const made = `/templates/${String(at(object, 'template.id'))}`;
    await until(people, made, (one) => one['status'] === 'ok');
    const [attachment] = (await admin.get(`${made}/diskattachments`)).list;
    expect(await readDisk(site, String(attachment?.['id']), 5)).toBe('model');
  });
  site.both('are refused in invalid locations', async (people) => {
    const { admin, path } = people;
    const { id } = await newVm(people);
    const ask = (body: object) => admin.post(`/vms/${id}/export`, { action: body });
    expect((await ask({})).status).toBe(400);
    const host = { id: path('{host}') };
    expect((await ask({ host, directory: 'tmp' })).status).toBe(400);
    expect((await ask({ storage_domain: { name: 'data1' } })).status).toBe(400);
  });
});

describe('export domains', () => {
  site.both('take machines and templates', async (people) => {
    const { admin, path, name } = people;
    const storage_domain = {
      name: name('exports'),
      type: 'export',
      host: { id: path('{host}') },
      storage: { type: 'nfs', address: 'storage.example.com', path: `/exports/${name('e')}` },
    };
    const domain = await admin.add('/storagedomains', { storage_domain });
    const attached = path('/datacenters/{datacenter}/storagedomains');
    await admin.add(attached, { storage_domain: { id: domain.id } });
    const vm = await newVm(people);
    const disk = await addDisk(people, vm.id);
    await writeDisk(site, disk, 'kept');
    const to = { storage_domain: { id: domain.id } };
    await admin.must(`/vms/${vm.id}/export`, to);
    await settled(people, vm.id);
    const twice = await admin.post(`/vms/${vm.id}/export`, { action: to });
    expect(twice.status).toBe(409);
    await admin.must(`/vms/${vm.id}/export`, { ...to, exclusive: true });
    await settled(people, vm.id);
    const inside = (await admin.get(`/storagedomains/${domain.id}/vms`)).list;
    expect(inside).toMatchObject([{ id: vm.id, name: vm.name }]);
    await admin.must(`${attached}/${domain.id}/deactivate`);
    await admin.delete(`${attached}/${domain.id}`);
    await admin.delete(`/storagedomains/${domain.id}?host=host1&format=true`);
  });
});
