/**
 * Starts and removals from the view of clients: faults inside actions, boot orders, released names.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RawAnswer, RawApi } from '../support/raw.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let api: RawApi;

beforeAll(async () => {
  // Transitions take time here: an immediate effect happened within the request.
  server = await startTestServer(['--speed', '1', '--inventory', 'small', '--dialect', 'ovirt']);
  api = await RawApi.signIn(server, 'ovirt-app-api');
});

afterAll(async () => {
  await server.stop();
});

/** Adds a VM that boots from these devices, in this order. */
async function addVm(name: string, devices: readonly string[]): Promise<string> {
  const body = {
    name,
    cluster: { name: 'Default' },
    template: { name: 'Blank' },
    os: { boot: { devices: { device: devices } } },
  };
  const added = await api.json('POST', '/vms', body);
  expect(added.status, added.text).toBe(201);
  return `/vms/${String(added.json()['id'])}`;
}

const start = (vm: string) => api.json('POST', `${vm}/start`, {});

function readFault(answer: RawAnswer): string | undefined {
  return answer.json<{ fault?: { detail?: string } }>().fault?.detail;
}

describe('a failed action', () => {
  it('returns an action with its fault, in JSON', async () => {
    const vm = await addVm('web-json', ['hd']);
    const answer = await api.json('POST', `${vm}/stop`, { async: false, reason: 'tidying' });
    expect(answer.status).toBe(200);
    const refused = await api.json('POST', `${vm}/suspend`, { async: false, reason: 'tidying' });
    expect(refused.status).toBe(409);
    const { fault, ...action } = refused.json();
    expect(action).toEqual({ async: 'false', reason: 'tidying', status: 'failed' });
    expect(fault).toMatchObject({ reason: 'Operation Failed', detail: /VM is not up/ });
  });

  it('returns an action with its fault, in XML', async () => {
    const vm = await addVm('web-xml', ['hd']);
    const refused = await api.xml('POST', `${vm}/start`, '<action/>');
    expect(refused.status).toBe(409);
    expect(refused.text).toMatch(/^<\?xml[^>]*>\s*<action>/);
    expect(refused.text).toMatch(/<fault>\s*<detail>\[Cannot run VM without/);
    expect(refused.element('status')).toBe('failed');
  });

  it('returns a fault without an action for a failed update', async () => {
    const refused = await api.json('PUT', await addVm('web-put', ['hd']), { memory: -1 });
    expect(refused.status).toBe(400);
    expect(refused.json()).not.toHaveProperty('status');
  });
});

describe('a VM without a boot device', () => {
  it.each([[['hd', 'network']], [['hd', 'cdrom']], [['network', 'hd']], [['cdrom']]])(
    'starts with the boot order %s',
    async (devices) => {
      const answer = await start(await addVm(`boots-${devices.join('-')}`, devices));
      expect(answer.status, answer.text).toBe(200);
    },
  );

  it('is refused with only the disk in its order, and with only the network', async () => {
    const disk = await start(await addVm('boots-hd', ['hd']));
    expect(readFault(disk)).toContain('without at least one bootable disk');
    const network = await start(await addVm('boots-network', ['network']));
    expect(readFault(network)).toContain('NIC');
  });

  it('starts with a disk that is not marked as bootable', async () => {
    const vm = await addVm('boots-any-disk', ['hd']);
    const attachment = {
      ...{ active: true, bootable: false, interface: 'virtio' },
      disk: {
        ...{ alias: 'plain', format: 'raw', provisioned_size: 2 ** 20 },
        storage_domains: { storage_domain: [{ name: 'data1' }] },
      },
    };
    const added = await api.json('POST', `${vm}/diskattachments`, attachment);
    expect([201, 202], added.text).toContain(added.status);
    const id = String(added.json()['id']);
    await api.until(`/disks/${id}`, (answer) => answer.json()['status'] === 'ok');
    const answer = await start(vm);
    expect(answer.status, answer.text).toBe(200);
  });
});

describe('a successful DELETE', () => {
  it('immediately releases the name of a VM', async () => {
    const vm = await addVm('short-lived', ['hd']);
    expect((await api.json('DELETE', vm)).status).toBe(200);
    expect((await api.json('GET', vm)).status).toBe(404);
    await addVm('short-lived', ['hd']);
  });

  it('immediately removes a detached storage domain from its data center', async () => {
    const [dataCenter] = (await api.json('GET', '/datacenters')).json<{
      data_center: { id: string }[];
    }>().data_center;
    const attached = `/datacenters/${dataCenter?.id}/storagedomains`;
    const domains = (await api.json('GET', attached)).json<{
      storage_domain: { id: string; master: string; type: string }[];
    }>().storage_domain;
    const domain = domains.find(({ type, master }) => type === 'iso' && master !== 'true');
    const path = `${attached}/${domain?.id}`;
    expect((await api.json('POST', `${path}/deactivate`, {})).status).toBe(200);
    await api.until(path, (answer) => answer.json()['status'] === 'maintenance');
    const removed = await api.json('DELETE', path);
    expect(removed.status, removed.text).toBe(200);
    expect((await api.json('GET', path)).status).toBe(404);
    const alone = await api.json('GET', `/storagedomains/${domain?.id}`);
    expect(alone.json()['status']).toBe('unattached');
  });
});
