/**
 * A request needs as many statements in a large site as in a small one: with PostgreSQL, each
 * statement is a round trip to another process. Excludes requests that change each of many objects:
 * a network of all hosts, a host that all its VMs leave.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { allCollections } from '../../src/model/derive/collections.ts';
import { Transaction } from '../../src/server/store/transaction.ts';
import { readFirstIds } from '../support/firsts.ts';
import { storeVariable } from '../support/postgres.ts';
import { RawApi } from '../support/raw.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

type Request = readonly [method: string, path: string, body?: unknown];
type List = Readonly<Record<string, readonly { readonly id: string }[]>>;

let statements = 0;
const plain = Transaction.prototype.statement;

beforeAll(() => {
  Transaction.prototype.statement = function (this: Transaction, sql: string) {
    statements += 1;
    return plain.call(this, sql);
  };
});

const servers: TestServer[] = [];

afterAll(async () => {
  Transaction.prototype.statement = plain;
  for (const server of servers) await server.stop();
});

/** Lists of a few objects, each collection below the first object of every kind. */
function reads(ids: Readonly<Record<string, string>>): Request[] {
  const paths = allCollections
    .map(({ path }) => path.replace(/\{(\w+)\}/g, (whole, name: string) => ids[name] ?? whole))
    .filter((path) => !path.includes('{'));
  const followed = ['disk_attachments.disk', 'nics', 'host', 'cluster.networks', 'permissions'];
  return [
    ...[...new Set(paths)].map((path): Request => ['GET', `${path}?max=3`]),
    ...followed.map((path): Request => ['GET', `/vms?max=3&follow=${path}`]),
    ['GET', '/vms?max=3&search=host.name%3Dhost1'],
    ['GET', '/hosts?max=3&all_content=true'],
    ['GET', ''],
  ];
}

/** Operations on a VM that is down, and on other objects. */
function changes(ids: Readonly<Record<string, string>>, vm: string): Request[] {
  const domains = { storage_domain: [{ id: ids['storagedomain'] }] };
  const disk = {
    name: 'added',
    provisioned_size: 2 ** 20,
    format: 'cow',
    storage_domains: domains,
  };
  const user = { user: { id: ids['user'] }, role: { name: 'UserRole' } };
  const { cluster = '', datacenter = '', storagedomain = '', host = '' } = ids;
  return [
    ['POST', `/vms/${vm}/start`, {}],
    ['POST', `/vms/${vm}/migrate`, {}],
    ['POST', `/vms/${vm}/suspend`, {}],
    ['POST', `/vms/${vm}/start`, {}],
    ['POST', `/vms/${vm}/snapshots`, { description: 'one' }],
    ['PUT', `/vms/${vm}`, { name: 'renamed' }],
    ['POST', `/vms/${vm}/stop`, {}],
    ['POST', `/vms/${vm}/nics`, { name: 'nic9' }],
    ['POST', `/vms/${vm}/diskattachments`, { interface: 'virtio', bootable: false, disk }],
    ['POST', `/vms/${vm}/permissions`, user],
    ['POST', `/vms/${vm}/clone`, { vm: { name: 'cloned' } }],
    ['POST', '/templates', { name: 'made', vm: { id: vm } }],
    ['POST', '/vms', { name: 'new', cluster: { id: cluster }, template: { name: 'Blank' } }],
    ['POST', '/disks', { ...disk, name: 'another' }],
    ['POST', '/permissions', user],
    ['POST', '/tags', { name: 'tag' }],
    ['PUT', `/clusters/${cluster}`, { description: 'changed' }],
    ['PUT', `/hosts/${host}`, { comment: 'changed' }],
    ['POST', `/hosts/${host}/refresh`, {}],
    ['POST', `/datacenters/${datacenter}/storagedomains/${storagedomain}/deactivate`, {}],
    ['DELETE', `/vms/${vm}`],
  ];
}

/** Resolves after all requested work has ended. */
async function settled(api: RawApi): Promise<void> {
  await api.until('/jobs?search=status%3Dstarted', ({ json }) => !json<List>()['job']?.length);
  for (let before = -1; before !== statements; ) {
    before = statements;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Statements of each request, in the order of the requests. */
async function statementsIn(inventory: string): Promise<[request: string, count: number][]> {
  const server = await startTestServer(['--inventory', inventory, '--speed', '0']);
  servers.push(server);
  const api = await RawApi.signIn(server);
  const ids = await readFirstIds(api);
  const down = (await api.json('GET', '/vms?search=status%3Ddown&max=1')).json<List>()['vm'];
  const vm = down?.[0]?.id ?? '';
  const formatRequest = (path: string) =>
    Object.entries({ ...ids, 'machine that is down': vm }).reduce(
      (text, [name, id]) => text.replaceAll(id, `{${name}}`),
      path,
    );
  const counted: [string, number][] = [];
  for (const [method, path, body] of [...reads(ids), ...changes(ids, vm)]) {
    if (method !== 'GET') await settled(api);
    statements = 0;
    const { status } = await api.json(method, path, body);
    counted.push([`${method} ${formatRequest(path)}: ${status}`, statements]);
  }
  return counted;
}

// With PostgreSQL, servers run periodic tasks without a request.
it.skipIf(process.env[storeVariable] !== undefined)(
  'uses as many statements in a large site as in a small one',
  async () => {
    const same = 'clusters=2,storagedomains=2,networks=3';
    const few = await statementsIn(`hosts=4,vms=20,disks=20,${same}`);
    const many = await statementsIn(`hosts=24,vms=160,disks=160,${same}`);
    expect(many.map(([request]) => request)).toEqual(few.map(([request]) => request));
    expect(many.filter(([request]) => / (?:200|201|202)$/.test(request)).length).toBeGreaterThan(
      150,
    );
    // A tolerance: a list that is read for the first time, or another host.
    const more = many.filter(([, count], index) => count > 1.3 * (few[index]?.[1] ?? 0) + 3);
    expect(more).toEqual([]);
  },
);
