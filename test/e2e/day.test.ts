/**
 * A day of a site: two administrators and a user build it from nothing, with commands and HTTP;
 * failures occur and are repaired. The final state equals `test/data/day.json`, which
 * VMCTL_WRITE_DAY=1 rewrites.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Answer, Speaker, type Thing } from '../operations/support/speaker.ts';
import { type Home, makeHome } from '../support/command.ts';
import { RawApi, requestToken } from '../support/raw.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { describeSite } from './support/picture.ts';

const file = fileURLToPath(new URL('../data/day.json', import.meta.url));
const gibibyte = 2 ** 30;
const clusters = ['front', 'back', 'lab'] as const;

let server: TestServer;
let home: Home;
/**
 * The administrator of the service; olaf, administrator of the data center; jane, a user of VMs.
 */
let admin: Speaker;
let olaf: Speaker;
let jane: Speaker;

beforeAll(async () => {
  server = await startTestServer(['--inventory', 'empty', '--seed', '1', '--speed', '0']);
  home = makeHome(server);
  admin = new Speaker(await RawApi.signIn(server), 'JSON');
});
afterAll(async () => {
  home.remove();
  await server.stop();
});

/** Runs the command as the administrator; it must succeed. */
async function vmctl(...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await home.runHere(words);
  expect(code, `${words.join(' ')}: ${stderr}`).toBe(0);
  return stdout;
}

/** Runs the command as jane; returns its exit code and error output. */
async function asJane(...words: string[]) {
  const env = { VMCTL_USERNAME: 'jane@internal' };
  const { code, stderr } = await home.runHere(words, env);
  return { code, stderr };
}

async function signIn(username: string): Promise<Speaker> {
  const other = { ...server, ready: { ...server.ready, username } };
  const answer = await requestToken(other);
  expect(answer.status, answer.text).toBe(200);
  return new Speaker(new RawApi(server, String(answer.json()['access_token'])), 'JSON');
}

async function refused(answer: Promise<Answer>, status: number, words: string): Promise<void> {
  const { status: got, fault, text } = await answer;
  expect([got, fault?.detail], text).toEqual([status, expect.stringContaining(words)]);
}

const findId = async (collection: string, name: string) => (await admin.find(collection, name)).id;

async function until(path: string, done: (object: Thing) => boolean): Promise<void> {
  const deadline = Date.now() + 20_000;
  for (;;) {
    const { object, text } = await admin.get(path);
    if (done(object)) return;
    expect(Date.now(), `${path}: ${text}`).toBeLessThan(deadline);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

const isOk = (object: Thing) => object['status'] === 'ok';
const two = (number: number) => String(number).padStart(2, '0');

it('early: a data center, clusters, hosts, storage', async () => {
  await vmctl('datacenters', 'create', '--name', 'north', '--set', 'local=false');
  for (const name of clusters) {
    const of = ['--data-center', 'north', '--cpu-type', 'Intel Nehalem Family'];
    await vmctl('clusters', 'create', '--name', name, ...of);
    for (const letter of ['a', 'b']) {
      const host = {
        name: `${name}-${letter}`,
        address: `${name}-${letter}.example.com`,
        root_password: 'secret',
        cluster: { name },
      };
      await admin.add('/hosts', { host });
    }
  }
  const nfs = ['--type', 'data', '--storage-type', 'nfs', '--address', 'filer'];
  await vmctl(
    ...['storagedomains', 'create', '--name', 'shelf', '--host', 'front-a'],
    ...[...nfs, '--path', '/exports/shelf'],
  );
  await vmctl('storagedomains', 'attach', 'shelf', '--datacenter', 'north');
  const unit = { id: 'lun-day', address: 'san', target: 'iqn.day', port: 3260 };
  const san = await admin.add('/storagedomains', {
    storage_domain: {
      name: 'san',
      type: 'data',
      storage: { type: 'iscsi', volume_group: { logical_units: { logical_unit: [unit] } } },
      host: { name: 'front-a' },
    },
  });
  const north = await findId('/datacenters', 'north');
  await admin.add(`/datacenters/${north}/storagedomains`, { storage_domain: { id: san.id } });
  expect((await admin.get(`/datacenters/${north}`)).object['status']).toBe('up');
});

it('in the morning: users, a network, a template, a quota', async () => {
  for (const name of ['olaf', 'jane']) {
    await admin.add('/users', { user: { user_name: `${name}@internal` } });
  }
  const north = await findId('/datacenters', 'north');
  const users = (await admin.get('/users')).list;
  const user = (name: string) =>
    String(users.find((one) => String(one['user_name']).startsWith(`${name}@`))?.['id']);
  await vmctl(
    ...['permissions', 'grant', '--role', 'DataCenterAdmin'],
    ...['--datacenter', 'north', '--user', user('olaf')],
  );
  olaf = await signIn('olaf@internal');
  jane = await signIn('jane@internal');

  const network = { name: 'green', data_center: { id: north }, vlan: { id: 10 } };
  const green = await olaf.add('/networks', { network });
  for (const name of clusters) {
    const path = `/clusters/${await findId('/clusters', name)}/networks`;
    await olaf.add(path, { network: { id: green.id, required: false } });
  }
  const seedling = await olaf.add('/vms', {
    vm: { name: 'seedling', cluster: { name: 'lab' }, template: { name: 'Blank' } },
  });
  const { id: disk } = await olaf.add(`/vms/${seedling.id}/diskattachments`, {
    disk_attachment: {
      interface: 'virtio_scsi',
      bootable: true,
      active: true,
      disk: {
        name: 'seed',
        format: 'cow',
        provisioned_size: gibibyte,
        storage_domains: { storage_domain: [{ name: 'shelf' }] },
      },
    },
  });
  await until(`/disks/${disk}`, isOk);
  await olaf.add(`/vms/${seedling.id}/nics`, { nic: { name: 'nic1' } });
  await vmctl('templates', 'create', '--name', 'golden', '--vm', 'seedling');
  await vmctl('quotas', 'create', '--name', 'small', '--datacenter', 'north');
  const quota = await findId(`/datacenters/${north}/quotas`, 'small');
  const limits = `/datacenters/${north}/quotas/${quota}/quotastoragelimits`;
  await olaf.add(limits, { quota_storage_limit: { limit: 10 } });
  await olaf.put(`/datacenters/${north}`, { data_center: { quota_mode: 'enabled' } });
});

it('before noon: fifty VMs, most of them running', async () => {
  const counts = { front: 20, back: 20, lab: 9 } as const;
  for (const cluster of clusters) {
    for (let number = 1; number <= counts[cluster]; number++) {
      const name = `${cluster}-${two(number)}`;
      const vm = {
        name,
        cluster: { name: cluster },
        template: { name: 'golden' },
        high_availability: { enabled: cluster === 'back' && number <= 5 },
      };
      const { id } = await olaf.add('/vms', { vm });
      await until(`/vms/${id}`, (one) => one['status'] === 'down');
    }
  }
  expect((await admin.get('/vms')).list).toHaveLength(50);
  await vmctl('affinitygroups', 'create', '--name', 'apart', '--cluster', 'front');
  const front = await findId('/clusters', 'front');
  const group = `/clusters/${front}/affinitygroups/${await findId(`/clusters/${front}/affinitygroups`, 'apart')}`;
  const rule = { enabled: true, enforcing: true, positive: false };
  await olaf.put(group, { affinity_group: { vms_rule: rule } });
  await vmctl(
    ...['affinitygroups', 'add-vm', 'apart', 'front-01', 'front-02', '--cluster', 'front'],
    ...['--parallel', '1'],
  );
  const started = clusters.flatMap((cluster) =>
    Array.from(
      { length: cluster === 'lab' ? 4 : 10 },
      (_, index) => `${cluster}-${two(index + 1)}`,
    ),
  );
  await vmctl('vms', 'start', ...started, '--parallel', '1');
  expect((await admin.get('/vms?search=status%3Dup')).list).toHaveLength(24);
});

it('at noon: refusals by permission, quota and size', async () => {
  const mine = await findId('/vms', 'lab-01');
  await admin.add(`/vms/${mine}/permissions`, {
    permission: { role: { name: 'UserRole' }, user: { id: await janesId() } },
  });
  const denied = await asJane('vms', 'delete', 'lab-01', '--yes');
  expect(denied.code, denied.stderr).toBe(5);
  await refused(jane.post('/tags', { tag: { name: 'mine' } }), 403, 'not authorized');
  expect((await asJane('vms', 'stop', 'lab-01')).code).toBe(0);
  expect((await admin.get(`/vms/${mine}`)).object['status']).toBe('down');

  const north = await findId('/datacenters', 'north');
  const quota = await findId(`/datacenters/${north}/quotas`, 'small');
  const disk = (name: string, gib: number, domain: string, more: Thing = {}) => ({
    disk: {
      name,
      format: 'raw',
      sparse: domain !== 'san',
      provisioned_size: gib * gibibyte,
      storage_domains: { storage_domain: [{ name: domain }] },
      ...more,
    },
  });
  const archive = disk('archive', 20, 'shelf', { quota: { id: quota } });
  await refused(admin.post('/disks', archive), 409, 'Quota small allows 10 GiB of storage');
  const limits = `/datacenters/${north}/quotas/${quota}/quotastoragelimits`;
  const [limit] = (await admin.get(limits)).list;
  expect((await admin.delete(`${limits}/${String(limit?.['id'])}`)).status).toBe(200);
  await admin.add(limits, { quota_storage_limit: { limit: 30 } });
  await admin.add('/disks', archive);

  const san = await admin.find('/storagedomains', 'san');
  const free = Math.floor(Number(san['available']) / gibibyte);
  const full = await admin.add('/disks', disk('ballast', free - 8, 'san'));
  await until(`/disks/${full.id}`, isOk);
  const words = ['disks', 'create', '--name', 'late', '--size', '20GiB', '--format', 'raw'];
  const late = await home.run([...words, '--set', 'sparse=false', '--storage-domains', 'san']);
  expect(late.code, late.stderr).toBe(6);
  expect(late.stderr).toContain('Low disk space on storage domain san');
  await vmctl('disks', 'delete', 'ballast', '--yes');
  expect((await admin.get('/disks?search=name%3Dballast')).list).toEqual([]);
  await vmctl(...words, '--set', 'sparse=false', '--storage-domains', 'san');
});

async function janesId(): Promise<string> {
  const { list } = await admin.get('/users');
  return String(list.find((one) => String(one['user_name']).startsWith('jane@'))?.['id']);
}

it('in the afternoon: a host fails and recovers', async () => {
  const host = `/hosts/${await findId('/hosts', 'back-a')}`;
  const agent = { type: 'ipmilan', address: 'ipmi', username: 'root', password: 'x', order: 1 };
  await admin.add(`${host}/fenceagents`, { agent });
  await admin.put(host, { host: { power_management: { enabled: true } } });
  const here = async () =>
    (await admin.get('/vms?search=host%3Dback-a')).list.map((vm) => String(vm['name'])).sort();
  const before = await here();
  expect(before.length).toBeGreaterThan(0);
  await vmctl(
    ...['hosts', 'fence', 'back-a', '--fence-type', 'restart', '--maintenance-after-restart'],
  );
  expect(await here()).toEqual([]);
  expect((await admin.get(host)).object['status']).toBe('maintenance');
  const down = (await admin.get('/vms?search=cluster%3Dback%20and%20status%3Ddown')).list
    .map((vm) => String(vm['name']))
    .filter((name) => before.includes(name))
    .sort();
  // VMs with high availability restarted automatically.
  expect(down).toEqual(before.filter((name) => name > 'back-05'));
  await refused(admin.post(`${host}/deactivate`), 409, 'already in maintenance');
  await vmctl('hosts', 'activate', 'back-a');
  if (down.length > 0) await vmctl('vms', 'start', ...down, '--parallel', '1');
  expect((await here()).length).toBeGreaterThan(0);
  await vmctl('vms', 'start', 'lab-01');
});

it('in the evening: the site equals the recorded state', async () => {
  const picture = await describeSite(admin);
  if (process.env['VMCTL_WRITE_DAY'])
    writeFileSync(file, `${JSON.stringify(picture, undefined, 2)}\n`);
  expect(picture).toEqual(JSON.parse(readFileSync(file, 'utf8')));
});
