/** The main use case as plain HTTP requests: in XML and JSON, in both dialects. */
import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RawApi, requestToken, send } from '../support/raw.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const dialects = [
  { name: 'standard', root: '/virt-app', scope: 'virt-app-api', typed: true },
  { name: 'ovirt', root: '/ovirt-engine', scope: 'ovirt-app-api', typed: false },
] as const;

describe.each(dialects)('dialect $name', ({ name, root, scope, typed }) => {
  let server: TestServer;
  let api: RawApi;

  beforeAll(async () => {
    server = await startTestServer(['--dialect', name, '--speed', '0', '--inventory', 'small']);
    api = await RawApi.signIn(server, scope);
  });

  afterAll(async () => {
    expect(await server.stop()).toBe(0);
  });

  it('is below its application root', () => {
    expect(new URL(server.ready.api_url).pathname).toBe(`${root}/api`);
  });

  it('gives a bearer token for the password', async () => {
    const answer = await requestToken(server, scope);
    expect(answer.status).toBe(200);
    expect(answer.json()['token_type']).toBe('bearer');
    // Engines also grant the scopes that depend on the requested one.
    expect(String(answer.json()['scope']).split(' ')).toContain(scope);
    expect(answer.json()['access_token']).toMatch(/^[\w-]{86}$/);
  });

  it('lists VMs in XML and JSON', async () => {
    const xml = await api.xml('GET', '/vms');
    expect(xml.status).toBe(200);
    expect(xml.headers['content-type']).toMatch(/^application\/xml/);
    expect(xml.text).toMatch(/^<\?xml version="1\.0" encoding="UTF-8" standalone="yes"\?>\n<vms>/);
    expect(xml.text.match(/<vm href=/g)).toHaveLength(3);

    const json = await api.json('GET', '/vms?max=1');
    const [vm] = json.json<{ vm: Record<string, unknown>[] }>().vm;
    expect(vm?.['name']).toBe('vm-01');
    expect(vm?.['memory']).toBe(typed ? 1073741824 : '1073741824');
    expect(vm?.['delete_protected']).toBe(typed ? false : 'false');
    expect(typeof vm?.['creation_time']).toBe(typed ? 'string' : 'number');
    expect(String(vm?.['href'])).toBe(`${root}/api/vms/${String(vm?.['id'])}`);
  });

  it('adds a VM with 201 and Location, in both representations', async () => {
    const xml = await api.xml(
      'POST',
      '/vms',
      '<vm><name>by-xml</name><cluster><name>Default</name></cluster><template><name>Blank</name></template></vm>',
    );
    expect(xml.status, xml.text).toBe(201);
    expect(xml.headers['location']).toBe(
      xml.attribute('href')?.replace(/\/\w+$/, '') && xml.headers['location'],
    );
    expect(xml.element('status')).toBe('down');

    const json = await api.json('POST', '/vms', {
      name: 'by-json',
      cluster: { name: 'Default' },
      template: { name: 'Blank' },
      memory: 2 ** 31,
    });
    expect(json.status, json.text).toBe(201);
    const vm = json.json();
    expect(json.headers['location']).toBe(vm['href']);
    expect(vm).toMatchObject({ name: 'by-json', status: 'down' });
  });

  it('uploads a disk, boots from it, and downloads it again', async () => {
    const image = randomBytes(1_000_000);
    const domains = await api.json('GET', '/storagedomains?search=name%3Ddata1');
    const domain = domains.json<{ storage_domain: { id: string }[] }>().storage_domain[0]?.id;
    const added = await api.json('POST', '/disks', {
      name: 'boot',
      format: 'raw',
      provisioned_size: image.length,
      storage_domains: { storage_domain: [{ id: domain }] },
    });
    expect([201, 202]).toContain(added.status);
    const disk = String(added.json()['id']);
    await api.until(`/disks/${disk}`, (answer) => answer.json()['status'] === 'ok');

    const up = await transfer(disk, 'upload');
    const options = await send(up.url, { method: 'OPTIONS', ca: server.ca });
    expect(options.status).toBe(200);
    expect(options.json<{ features: string[] }>().features).toContain('zero');
    const half = 500_000;
    for (const [start, end] of [
      [0, half],
      [half, image.length],
    ] as const) {
      const put = await send(`${up.url}?flush=n`, {
        method: 'PUT',
        ca: server.ca,
        headers: { 'Content-Range': `bytes ${start}-${end - 1}/*` },
        body: image.subarray(start, end),
      });
      expect(put.status, put.text).toBe(200);
    }
    const flush = await send(up.url, {
      method: 'PATCH',
      ca: server.ca,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ op: 'flush' }),
    });
    expect(flush.status).toBe(200);
    await finalize(up.id);
    expect((await api.json('GET', `/disks/${disk}`)).json()['status']).toBe('ok');

    const vm = await api.json('POST', '/vms', {
      name: 'boots',
      cluster: { name: 'Default' },
      template: { name: 'Blank' },
    });
    const path = `/vms/${String(vm.json()['id'])}`;
    const refused = await api.json('POST', `${path}/start`, {});
    expect(refused.status).toBe(409);
    expect(refused.text).toContain('Cannot run VM without at least one bootable disk.');
    const attached = await api.json('POST', `${path}/diskattachments`, {
      disk: { id: disk },
      interface: 'virtio_scsi',
      bootable: true,
      active: true,
    });
    expect(attached.status, attached.text).toBe(201);
    const nic = await api.xml('POST', `${path}/nics`, '<nic><name>nic1</name></nic>');
    expect(nic.status, nic.text).toBe(201);
    expect(nic.element('address')).toMatch(/^56:6f:/);

    const started = await api.xml('POST', `${path}/start`, '<action/>');
    expect(started.status, started.text).toBe(200);
    expect(started.element('status')).toBe('complete');
    await api.until(path, (answer) => answer.json()['status'] === 'up');
    const found = await api.json('GET', '/vms?search=name%3Dboots%20and%20status%3Dup');
    expect(found.json<{ vm: unknown[] }>().vm).toHaveLength(1);
    expect((await api.json('POST', `${path}/stop`, {})).status).toBe(200);
    await api.until(path, (answer) => answer.json()['status'] === 'down');

    const down = await transfer(disk, 'download');
    const range = await send(down.url, {
      ca: server.ca,
      headers: { Range: `bytes=10-${half}` },
    });
    expect(range.status).toBe(206);
    expect(range.bytes.equals(image.subarray(10, half + 1))).toBe(true);
    const whole = await send(down.url, { ca: server.ca });
    expect(whole.status).toBe(200);
    expect(sha256(whole.bytes)).toBe(sha256(image));
    await finalize(down.id);
  });

  it('lists events of the operations with increasing ids', async () => {
    const events = await api.json('GET', '/events');
    const list = events.json<{ event: { id: string; code: number | string }[] }>().event;
    const ids = list.map(({ id }) => Number(id));
    expect(ids).toEqual([...ids].sort((a, b) => b - a));
    const codes = new Set(list.map(({ code }) => Number(code)));
    for (const code of [30, 34, 153, 32, 33, 61, 932, 1031, 1032, 2020, 2021]) {
      expect(codes, `event ${code}`).toContain(code);
    }
    const newest = Math.max(...ids);
    const since = await api.json('GET', `/events?from=${newest}`);
    const included = since.json<{ event?: unknown[] }>().event ?? [];
    expect(included).toHaveLength(name === 'standard' ? 1 : 0);
  });

  async function transfer(disk: string, direction: string): Promise<{ id: string; url: string }> {
    const added = await api.json('POST', '/imagetransfers', { disk: { id: disk }, direction });
    expect([201, 202], added.text).toContain(added.status);
    const id = String(added.json()['id']);
    const ready = await api.until(
      `/imagetransfers/${id}`,
      (answer) => answer.json()['phase'] === 'transferring',
    );
    const url = String(ready.json()['transfer_url']);
    expect(url.startsWith(`${server.ready.upload_url}/images/`)).toBe(true);
    return { id, url };
  }

  async function finalize(id: string): Promise<void> {
    expect((await api.json('POST', `/imagetransfers/${id}/finalize`, {})).status).toBe(200);
    await api.until(
      `/imagetransfers/${id}`,
      (answer) => answer.json()['phase'] === 'finished_success',
    );
  }
});

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
