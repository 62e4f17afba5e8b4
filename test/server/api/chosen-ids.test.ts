/** Ids in the body of POST: used for VMs and clusters, ignored for all other types. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { RawApi } from '../../support/raw.ts';
import { type ServerProcess, startServerProcess } from '../../support/server.ts';

let server: ServerProcess;
let api: RawApi;

beforeAll(async () => {
  server = await startServerProcess(['--speed', '0', '--inventory', 'small']);
  api = await RawApi.signIn(server);
});
afterAll(async () => await server.stop());

/** Status and JSON of a response. */
async function ask(method: 'GET' | 'POST', path: string, body?: object) {
  const answer = await api.json(method, path, body);
  return { status: answer.status, body: answer.json() };
}

const id = (last: number) => `11111111-2222-3333-4444-5555555555${String(last).padStart(2, '0')}`;
const vm = { cluster: { name: 'Default' }, template: { name: 'Blank' } };
const cluster = { data_center: { name: 'Default' }, cpu: { type: 'Intel Nehalem Family' } };

it.each<[string, object]>([
  ['/vms', { ...vm, name: 'chosen' }],
  ['/vms?clone=true', { ...vm, name: 'cloned' }],
  ['/clusters', { ...cluster, name: 'chosen' }],
])('POST %s uses the id in the body, once', async (path, body) => {
  const chosen = id(path.length);
  const made = await ask('POST', path, { ...body, id: chosen });
  expect([made.status, made.body]).toEqual([made.status, expect.objectContaining({ id: chosen })]);
  const again = await ask('POST', path, { ...body, name: 'again', id: chosen });
  expect(again.status).toBe(409);
  expect(JSON.stringify(again.body)).toContain(`An object with the id ${chosen} already exists`);
});

it('the clone action uses the id of the new VM', async () => {
  const { body } = await ask('GET', '/vms?search=name%3Dvm-02');
  const [source] = (body as { vm: { id: string }[] }).vm;
  const path = `/vms/${source?.id}/clone`;
  await ask('POST', path, { vm: { name: 'copy', id: id(70) } });
  expect((await ask('GET', `/vms/${id(70)}`)).body).toMatchObject({ name: 'copy' });
  expect((await ask('POST', path, { vm: { name: 'copy2', id: id(70) } })).status).toBe(409);
});

it.each(['x', '1-2', '11111111222233334444555555555555'])('refuses the id %s', async (bad) => {
  const { status, body } = await ask('POST', '/vms', { ...vm, name: 'bad', id: bad });
  expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining('Invalid UUID')]);
});

it.each<[string, object]>([
  ['/networks', { name: 'other', data_center: { name: 'Default' } }],
  ['/tags', { name: 'other' }],
  ['/datacenters', { name: 'other', local: false }],
])('POST %s generates the id', async (path, body) => {
  const { status, body: made } = await ask('POST', path, { ...body, id: id(90) });
  expect([status, (made as { id: string }).id]).toEqual([201, expect.not.stringContaining(id(90))]);
});
