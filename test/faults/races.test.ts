/** Concurrent requests of many clients: no lost update, no duplicate object, no duplicate start. */
import { Agent } from 'node:https';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startServer, type TestServer } from '../../src/testkit/testkit.ts';
import { type RawAnswer, send } from '../support/raw.ts';
import { chooseCount, recordResult } from './support/catalogue.ts';

const clients = 64;

let server: TestServer;
let agents: readonly Agent[];

beforeAll(async () => {
  server = await startServer();
  agents = Array.from({ length: clients }, () => new Agent({ keepAlive: true, ca: server.ca }));
});
afterAll(async () => {
  for (const agent of agents) agent.destroy();
  await server.stop();
});

function call(client: number, method: string, path: string, body?: object): Promise<RawAnswer> {
  const { apiUrl, username, password } = server;
  const agent = agents[client % clients] as Agent;
  return send(`${apiUrl}${path}`, {
    ...{ method, agent },
    headers: {
      authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
      accept: 'application/json',
      'content-type': 'application/json',
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

/** Runs a request on every client at the same time; returns the number of responses by status. */
async function together(
  number: number,
  work: (client: number) => Promise<RawAnswer>,
): Promise<Record<number, number>> {
  const answers = await Promise.all(Array.from({ length: number }, (_, client) => work(client)));
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

async function machine(name: string): Promise<string> {
  const answer = await call(0, 'POST', '/vms', {
    ...{ name, memory: 2 ** 26, cluster: { name: 'Default' }, template: { name: 'Blank' } },
    os: { boot: { devices: { device: ['cdrom'] } } },
  });
  return answer.json<{ id: string }>().id;
}

async function until(path: string, status: string): Promise<void> {
  for (;;) {
    const answer = await call(0, 'GET', path);
    if (answer.json()['status'] === status) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

it('G1 keeps concurrent changes of different members of an object', async () => {
  const id = await machine('changed');
  const rounds = chooseCount(50, 3);
  const members = [
    (value: string) => ({ comment: value }),
    (value: string) => ({ description: value }),
    (value: string) => ({
      time_zone: { name: value.length % 2 === 0 ? 'Etc/GMT' : 'Europe/Rome' },
    }),
    (value: string) => ({ custom_emulated_machine: value }),
    (value: string) => ({ custom_cpu_model: value }),
    (value: string) => ({ initialization: { host_name: value } }),
  ];
  let changes = 0;
  for (let round = 0; round < rounds; round += 1) {
    const wanted = members.map((member, index) => member(`r${round}m${index}`));
    const counts = await together(clients, (client) =>
      call(client, 'PUT', `/vms/${id}?next_run=false`, wanted[client % wanted.length] ?? {}),
    );
    expect(counts).toEqual({ 200: clients });
    changes += clients;
    const vm = (await call(0, 'GET', `/vms/${id}?all_content=true`)).json();
    expect(vm).toMatchObject(Object.assign({}, ...wanted) as object);
  }
  recordResult('G1', `0 of ${changes} changes lost`);
});

it('G2 starts a VM once for many concurrent requests', async () => {
  const rounds = chooseCount(500, 20);
  const id = await machine('raced');
  let doubles = 0;
  for (let round = 0; round < rounds; round += 1) {
    const counts = await together(8, (client) => call(client, 'POST', `/vms/${id}/start`, {}));
    expect(Object.keys(counts).map(Number)).toEqual([200, 409]);
    doubles += (counts[200] ?? 0) - 1;
    await until(`/vms/${id}`, 'up');
    await call(0, 'POST', `/vms/${id}/stop`, {});
    await until(`/vms/${id}`, 'down');
  }
  expect(doubles).toBe(0);
  const events = await call(0, 'GET', '/events?search=type%3D153');
  const begun = events.json<{ event: { description: string }[] }>().event;
  expect(begun.filter(({ description }) => description.includes('raced'))).toHaveLength(rounds);
  recordResult('G2', `${rounds} races of 8 clients, 0 started twice`);
});

it('G3 assigns a name once to many concurrent requests', async () => {
  const rounds = chooseCount(200, 10);
  for (let round = 0; round < rounds; round += 1) {
    const name = `taken-${round}`;
    const counts = await together(clients, (client) =>
      call(client, 'POST', '/tags', { name, description: String(client) }),
    );
    expect(counts).toEqual({ 201: 1, 409: clients - 1 });
  }
  const tags = (await call(0, 'GET', '/tags')).json<{ tag: { name: string }[] }>().tag;
  expect(tags.filter(({ name }) => name.startsWith('taken-'))).toHaveLength(rounds);
  recordResult('G3', `${rounds} names, ${clients} clients for each, 0 duplicates`);
});
