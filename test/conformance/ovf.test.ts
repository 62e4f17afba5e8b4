/** VMs as OVF documents: export and import. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RawApi, requestToken } from '../support/raw.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

interface Thing {
  readonly id: string;
  readonly name?: string;
  readonly [member: string]: unknown;
}

let server: TestServer;
let admin: RawApi;
let cluster: Thing;
const mebibyte = 2 ** 20;

beforeAll(async () => {
  server = await startTestServer(['--speed', '0', '--inventory', 'small']);
  admin = await RawApi.signIn(server);
  [cluster] = (await list('/clusters')) as [Thing];
});
afterAll(async () => {
  await server.stop();
});

async function list(path: string): Promise<Thing[]> {
  const answer = await admin.json('GET', path);
  const [found] = Object.values(answer.json<Record<string, Thing[]>>());
  return found ?? [];
}

async function post(path: string, body: object): Promise<Thing> {
  const answer = await admin.json('POST', path, body);
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.json<Thing>();
}

async function get(path: string): Promise<Thing> {
  return (await admin.json('GET', path)).json<Thing>();
}

async function readDocument(path: string): Promise<string> {
  const { initialization } = await get(path);
  return (initialization as { configuration: { data: string } }).configuration.data;
}

async function described(code: number): Promise<string> {
  const [event] = await list(`/events?search=type%3D${code}&max=1`);
  return String(event?.['description']);
}

/** Creates a VM from a document. */
const made = (data: string, more: object = {}, type = 'ovf') =>
  post('/vms', {
    cluster: { id: cluster.id },
    ...more,
    initialization: { configuration: { type, data } },
  });

/** A VM with many kinds of members, with a disk. */
async function machine(name: string): Promise<{ vm: Thing; disk: Thing; nic: Thing }> {
  const vm = await post('/vms', {
    name,
    cluster: { id: cluster.id },
    template: { name: 'Blank' },
    description: 'kept & <brought back>',
    memory: 768 * mebibyte,
    memory_policy: { guaranteed: 512 * mebibyte, max: 2048 * mebibyte, ballooning: false },
    cpu: { topology: { sockets: 2, cores: 3, threads: 1 } },
    os: { type: 'rhel_9x64', boot: { devices: { device: ['network', 'hd'] } } },
    type: 'server',
    high_availability: { enabled: true, priority: 50 },
    delete_protected: false,
    start_paused: true,
    io: { threads: 4 },
    time_zone: { name: 'Europe/Berlin' },
    bios: { boot_menu: { enabled: true } },
    serial_number: { policy: 'custom', value: 'abc-1' },
    soundcard_enabled: false,
    placement_policy: { affinity: 'user_migratable' },
    initialization: {
      ...{ host_name: 'guest', custom_script: 'runcmd:\n  - ls', dns_servers: '192.0.2.53' },
      nic_configurations: {
        nic_configuration: [
          {
            ...{ name: 'eth0', on_boot: true, boot_protocol: 'static', ipv6_boot_protocol: 'none' },
            ip: {
              address: '192.0.2.7',
              netmask: '255.255.255.0',
              gateway: '192.0.2.1',
              version: 'v4',
            },
          },
        ],
      },
    },
  });
  const [profile] = await list('/vnicprofiles');
  const nic = await post(`/vms/${vm.id}/nics`, {
    name: 'nic1',
    interface: 'e1000',
    linked: false,
    vnic_profile: { id: profile?.id },
  });
  await post(`/vms/${vm.id}/watchdogs`, { model: 'i6300esb', action: 'reset' });
  const attachment = await post(`/vms/${vm.id}/diskattachments`, {
    interface: 'virtio_scsi',
    bootable: true,
    disk: {
      name: `${name}_disk`,
      format: 'cow',
      provisioned_size: 1024 * mebibyte,
      storage_domains: { storage_domain: [{ name: 'data1' }] },
    },
  });
  return { vm, disk: await get(`/disks/${attachment.id}`), nic };
}

/** Removes the VM but not its disk. */
async function removed({ vm, disk }: { vm: Thing; disk: Thing }): Promise<void> {
  await admin.json('DELETE', `/vms/${vm.id}/diskattachments/${disk.id}?detach_only=true`);
  const answer = await admin.json('DELETE', `/vms/${vm.id}`);
  expect(answer.status, answer.text).toBe(200);
  expect((await get(`/disks/${disk.id}`))['status']).toBe('ok');
}

/** The members that are the same after each import. */
function lasting(object: Thing): object {
  const { creation_time: _made, stop_time: _stopped, ...rest } = object;
  return rest;
}

describe.each(['ovf', 'ova'] as const)('a VM in the form %s', (form) => {
  it('is restored unchanged, with its id, its addresses and its disk', async () => {
    const one = await machine(`again-${form}`);
    const path = `/vms/${one.vm.id}`;
    const everything = `${path}?all_content=true${form === 'ova' ? '&ovf_as_ova=true' : ''}`;
    const before = await get(path);
    const attachments = await list(`${path}/diskattachments`);
    const nics = await list(`${path}/nics`);
    const watchdogs = await list(`${path}/watchdogs`);
    const document = await readDocument(everything);
    expect(document).toContain(form === 'ovf' ? '<Content ' : '<VirtualSystem ');
    await removed(one);
    const again = await made(document, {}, form);
    expect(again.id).toBe(one.vm.id);
    expect(lasting(await get(path))).toEqual(lasting(before));
    expect(await list(`${path}/diskattachments`)).toEqual(attachments);
    expect(await list(`${path}/nics`)).toEqual(nics);
    const [watchdog] = await list(`${path}/watchdogs`);
    expect(watchdog).toMatchObject({ action: watchdogs[0]?.['action'] });
    expect(await described(174)).toContain(`again-${form}`);
    await admin.json('DELETE', path);
  });
});

describe('a document', () => {
  it('does not reuse an id, name or address, and attaches no disk that is in use', async () => {
    const one = await machine('original');
    const document = await readDocument(`/vms/${one.vm.id}?all_content=true`);
    const named = await admin.json('POST', '/vms', {
      cluster: { id: cluster.id },
      initialization: { configuration: { type: 'ovf', data: document } },
    });
    expect(named.status).toBe(409);
    const copy = await made(document, { name: 'copy' });
    expect(copy.id).not.toBe(one.vm.id);
    const [nic] = await list(`/vms/${copy.id}/nics`);
    expect(nic?.id).not.toBe(one.nic.id);
    expect(nic?.['mac']).not.toEqual(one.nic['mac']);
    expect(await list(`/vms/${copy.id}/diskattachments`)).toEqual([]);
    expect(await described(175)).toContain('original_disk');
    await admin.json('DELETE', `/vms/${copy.id}`);
    await admin.json('DELETE', `/vms/${one.vm.id}`);
  });

  it('is refused if it is invalid, with the reason', async () => {
    const refused = await admin.json('POST', '/vms', {
      ...{ name: 'none', cluster: { id: cluster.id } },
      initialization: { configuration: { type: 'ovf', data: '<html/>' } },
    });
    expect(refused.status).toBe(400);
    expect(refused.json()['detail']).toMatch(/no.* OVF document: its root element is html/);
  });

  it('reports missing disks', async () => {
    const one = await machine('bare');
    const document = await readDocument(`/vms/${one.vm.id}?all_content=true`);
    await admin.json('DELETE', `/vms/${one.vm.id}`);
    const again = await made(document);
    expect(again.id).toBe(one.vm.id);
    expect(await list(`/vms/${again.id}/diskattachments`)).toEqual([]);
    expect(await described(175)).toMatch(/bare .*bare_disk/);
    await admin.json('DELETE', `/vms/${again.id}`);
  });

  it('attaches no disk that its sender may not attach', async () => {
    const one = await machine('taken');
    const document = await readDocument(`/vms/${one.vm.id}?all_content=true`);
    await removed(one);
    const [jane] = await list('/users?search=usrname%3Djane');
    const permission = await post(`/clusters/${cluster.id}/permissions`, {
      role: { name: 'VmCreator' },
      user: { id: jane?.id },
    });
    const other = { ...server, ready: { ...server.ready, username: 'jane@internal' } };
    const her = new RawApi(server, String((await requestToken(other)).json()['access_token']));
    const answer = await her.json('POST', '/vms', {
      cluster: { id: cluster.id },
      template: { id: '00000000-0000-0000-0000-000000000000' },
      initialization: { configuration: { type: 'ovf', data: document } },
    });
    expect(answer.status, answer.text).toBe(201);
    const { id } = answer.json<Thing>();
    expect(await list(`/vms/${id}/diskattachments`)).toEqual([]);
    await admin.json('DELETE', `/clusters/${cluster.id}/permissions/${permission.id}`);
    await admin.json('DELETE', `/vms/${id}`);
    await admin.json('DELETE', `/disks/${one.disk.id}`);
  });

  it('has lower precedence than other members of the request', async () => {
    const one = await machine('overruled');
    const document = await readDocument(`/vms/${one.vm.id}?all_content=true`);
    await admin.json('DELETE', `/vms/${one.vm.id}`);
    const vm = await made(document, {
      name: 'other-name',
      memory: 4096 * mebibyte,
      os: { type: 'debian_9' },
    });
    expect(vm).toMatchObject({
      name: 'other-name',
      memory: 4096 * mebibyte,
      os: { type: 'debian_9', boot: { devices: { device: ['network', 'hd'] } } },
      memory_policy: { guaranteed: 4096 * mebibyte },
    });
    await admin.json('DELETE', `/vms/${vm.id}`);
  });

  it('describes the contents of templates and snapshots', async () => {
    const one = await machine('shown');
    const template = await post('/templates', { name: 'shown', vm: { id: one.vm.id } });
    await admin.until(`/templates/${template.id}`, (answer) => answer.json()['status'] === 'ok');
    const [its] = await list(`/templates/${template.id}/diskattachments`);
    const ofTemplate = await readDocument(`/templates/${template.id}?all_content=true`);
    expect(ofTemplate).toContain(`ovf:fileRef="${its?.id}/`);
    expect(ofTemplate).toContain('<TemplateType>TEMPLATE</TemplateType>');
    const snapshot = await post(`/vms/${one.vm.id}/snapshots`, {
      description: 'before',
      persist_memorystate: false,
    });
    const path = `/vms/${one.vm.id}/snapshots/${snapshot.id}`;
    await admin.until(path, (answer) => answer.json()['snapshot_status'] === 'ok');
    const [image] = await list(`${path}/disks`);
    const ofSnapshot = await readDocument(`${path}?all_content=true`);
    expect(ofSnapshot).toContain(`ovf:fileRef="${one.disk.id}/${image?.['image_id']}"`);
    expect(ofSnapshot).toContain(`ovf:vm_snapshot_id="${snapshot.id}"`);
  });
});
