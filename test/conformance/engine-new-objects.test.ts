/** Responses to POST requests in the dialect of deployed engines: status 201 and the first state of the object. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Engine, type Json } from '../support/engine.ts';

let engine: Engine;
let vms = 0;

beforeAll(async () => {
  engine = await Engine.start();
});

afterAll(async () => {
  await engine.server.stop();
});

const must: Engine['must'] = (...request) => engine.must(...request);
const list: Engine['list'] = (...request) => engine.list(...request);

/** Collections, an object for each, and whether an engine keeps the id of the request. */
const idsInRequests: [path: string, kept: boolean, body: () => Promise<Json> | Json][] = [
  ['/bookmarks', true, () => ({ value: 'vms:' })],
  ['/clusters', true, () => ({ data_center: { id: engine.dataCenter }, cpu: cpuType })],
  ['/disks', true, () => findImage('raw')],
  ['/hosts', true, () => ({ ...hostBody(), address: 'other.example.com' })],
  ['/vms', true, () => ({ cluster: { id: engine.cluster }, template: { name: 'Blank' } })],
  ['/datacenters', false, () => ({ local: false })],
  ['/datacenters/DC/quotas', false, () => ({})],
  ['/networks', false, () => ({ data_center: { id: engine.dataCenter } })],
  ['/roles', false, () => ({ administrative: false, permits: { permit: [{ id: '1' }] } })],
  ['/storagedomains', false, () => ({ ...domainBody(), storage: nfs('/other') })],
  ['/templates', false, () => vmBody()],
  ['/vnicprofiles', false, profileBody],
];

describe('the id in a POST request', () => {
  it.each(idsInRequests)('%s: retained: %s', async (path, kept, body) => {
    const id = `22222222-2222-3333-4444-${path.length.toString().padStart(12, '0')}`;
    const request = { id, name: `chosen${path.length}`, ...(await body()) };
    const created = await must('POST', engine.fillIds(path), request);
    expect(created['id'] === id).toBe(kept);
    if (!kept) return;
    const again = await engine.api.json('POST', engine.fillIds(path), {
      ...request,
      name: 'again',
    });
    expect(again.status, again.text).toBe(409);
  });

  it.each(['x', '1-2', '11111111222233334444555555555555'])('%s is refused', async (id) => {
    const request = { id, name: 'refused', ...(await findImage('raw')) };
    expect(await engine.refusal('POST', '/disks', request)).toEqual([400, 'Operation failed']);
  });
});

describe('new objects', () => {
  const added: [string, string, () => Promise<Json> | Json, string, string][] = [
    ['disk', '/disks', () => findImage('qcow2'), 'locked', 'ok'],
    ['template', '/templates', vmBody, 'locked', 'ok'],
    ['host', '/hosts', hostBody, 'unassigned', 'up'],
    ['storage domain', '/storagedomains', domainBody, 'unknown', 'unattached'],
  ];

  it.each(added)('answer with their first state: %s', async (type, path, body, first, settled) => {
    const name = `new-${type.replace(' ', '-')}`;
    const answer = await engine.api.json('POST', path, { name, ...(await body()) });
    expect(answer.status, answer.text).toBe(201);
    const created = answer.json<Json>();
    expect(created['status']).toBe(first);
    expect(created).not.toHaveProperty('creation_status');
    expect(answer.headers['location']).toMatch(new RegExp(`${path}/${String(created['id'])}$`));
    const stored = await must('GET', `${path}/${String(created['id'])}`);
    expect(stored['status']).toBe(settled);
    if (type !== 'disk') return;
    expect(created).not.toHaveProperty('qcow_version');
    expect(stored['qcow_version']).toBe('qcow2_v3');
  });

  it('of a template with disks are locked while the disks are copied', async () => {
    const source = await must('POST', '/vms', {
      ...{ name: 'source', cluster: { id: engine.cluster }, template: { name: 'Blank' } },
    });
    const at = `/vms/${String(source['id'])}/diskattachments`;
    const disk = { name: 'source-disk', ...(await findImage('cow')) };
    await must('POST', at, { interface: 'virtio', bootable: true, disk });
    const template = await must('POST', '/templates?async=false', {
      name: 'with-disk',
      vm: source,
    });
    const body = { name: 'copy', cluster: { id: engine.cluster }, template: { name: 'with-disk' } };
    const copy = await must('POST', '/vms', body);
    expect([template['status'], copy['status']]).toEqual(['ok', 'image_locked']);
  });

  it('with async=false return after their work has ended', async () => {
    const body = { name: 'awaited', ...(await findImage('raw')) };
    expect((await must('POST', '/disks?async=false', body))['status']).toBe('ok');
  });
});

async function findImage(format: string): Promise<Json> {
  const domains = await list('/storagedomains', 'storage_domain');
  const data = domains.find(({ type, status }) => type === 'data' && status !== 'unattached');
  const storage = { storage_domains: { storage_domain: [{ id: data?.['id'] }] } };
  return { format: format === 'raw' ? 'raw' : 'cow', provisioned_size: 2 ** 20, ...storage };
}

async function vmBody(): Promise<Json> {
  const body = { cluster: { id: engine.cluster }, template: { name: 'Blank' } };
  vms += 1;
  return { vm: { id: (await must('POST', '/vms', { ...body, name: `diskless-${vms}` }))['id'] } };
}

function hostBody(): Json {
  return { address: 'new.example.com', root_password: 'secret', cluster: { id: engine.cluster } };
}

function domainBody(): Json {
  return { type: 'data', host: { id: engine.host }, storage: nfs('/new') };
}

function nfs(path: string): Json {
  return { type: 'nfs', address: 'nfs.example.com', path };
}

const cpuType = { type: 'Intel Nehalem Family' };

async function profileBody(): Promise<Json> {
  return { network: { id: await engine.findFirstId('/networks', 'network') } };
}
