/** Entry point and clusters: attributes, refusals and actions. */
import { describe, expect } from 'vitest';
import { row } from './support/rows.ts';
import { type People, useSite } from './support/site.ts';
import { at, listItems } from './support/speaker.ts';

const site = useSite();
const cpu = { type: 'Intel Nehalem Family' };

function cluster(people: People, more: object = {}) {
  const { name, path } = people;
  return { cluster: { name: name('c'), cpu, data_center: { id: path('{datacenter}') }, ...more } };
}

describe(row(1), () => {
  site.both('tells what there is', async ({ admin }) => {
    const { status, object } = await admin.get('/');
    expect(status).toBe(200);
    expect(at(object, 'product_info.version.major')).toBe('4');
    const links = Array.isArray(object['link']) ? object['link'] : [];
    expect(links.map((link: { rel: string }) => link.rel)).toContain('vms');
    expect(Number(at(object, 'summary.hosts.total'))).toBeGreaterThan(0);
  });
});

describe(row(2), () => {
  site.both('answers without a body', async ({ admin }) => {
    const { status, text } = await admin.send('HEAD', '/');
    expect([status, text]).toEqual([200, '']);
  });
});

describe(row(3), () => {
  site.both('is the same with its version said', async ({ admin }) => {
    const { status, object } = await admin.get('/v4');
    expect(status).toBe(200);
    expect(at(object, 'product_info.version.major')).toBe('4');
  });
});

describe(row(4), () => {
  site.both('adds a cluster with its defaults', async (people) => {
    const { admin } = people;
    const { status, object, headers, text } = await admin.post('/clusters', cluster(people));
    expect(status, text).toBe(201);
    expect(headers['location']).toBe(object['href']);
    expect(object).toMatchObject({
      ballooning_enabled: 'true',
      virt_service: 'true',
      gluster_service: 'false',
      error_handling: { on_error: 'migrate' },
      cpu: { ...cpu, architecture: 'x86_64' },
    });
    const path = `/clusters/${String(object['id'])}`;
    expect((await admin.get(`${path}/cpuprofiles`)).list).toMatchObject([{ name: object['name'] }]);
    expect((await admin.get(`${path}/networks`)).list).toHaveLength(1);
  });
  site.both('refuses what no cluster can be', async (people) => {
    const { admin } = people;
    const refused = async (more: object, status: number, detail: RegExp) => {
      const answer = await admin.post('/clusters', cluster(people, more));
      expect(answer.status, answer.text).toBe(status);
      expect(answer.fault?.detail).toMatch(detail);
    };
    await refused({ name: 'Default' }, 409, /already used/);
    await refused({ cpu: { type: 'Abacus' } }, 400, /Abacus/);
    await refused({ version: { major: 9, minor: 9 } }, 400, /9\.9 is not supported/);
    await refused({ version: { major: 4, minor: 2 } }, 400, /not supported|lower/);
    await refused({ virt_service: false }, 400, /must run VMs, Gluster or both/);
    await refused({ data_center: { id: 'ffffffff-0000-0000-0000-000000000000' } }, 404, /./);
    await refused(
      {
        ksm: { enabled: false },
        ballooning_enabled: false,
        memory_policy: { over_commit: { percent: 150 } },
      },
      409,
      /KSM or ballooning/,
    );
    await refused({ management_network: { name: 'nowhere' } }, 404, /nowhere/);
    await refused({ scheduling_policy: { name: 'nowhere' } }, 400, /nowhere/);
  });
  const data_center = { id: '{datacenter}' };
  site.incomplete('POST', '/clusters', { cluster: { cpu, data_center } }, 'name');
  site.incomplete('POST', '/clusters', { cluster: { name: 'x', data_center } }, 'cpu.type');
  site.incomplete('POST', '/clusters', { cluster: { name: 'x', cpu } }, 'dataCenter.id|name');
  site.forbidden('POST', '/clusters', { cluster: { name: 'x', cpu, data_center } });
});

describe(row(5), () => {
  site.both('finds clusters by name', async (people) => {
    const { admin } = people;
    const added = await admin.add('/clusters', cluster(people));
    const query = encodeURIComponent(`name=${String(added['name'])}`);
    const { status, list } = await admin.get(`/clusters?search=${query}&case_sensitive=true`);
    expect(status).toBe(200);
    expect(list).toMatchObject([{ id: added.id }]);
    expect((await admin.get('/clusters?max=1')).list).toHaveLength(1);
  });
});

describe(row(6), () => {
  site.both('reads a cluster with its links', async ({ admin, path }) => {
    const { status, object } = await admin.get(path('/clusters/{cluster}'));
    expect(status).toBe(200);
    expect(object).toMatchObject({ name: 'Default', version: { major: '4', minor: '8' } });
    const rels = listItems({ links: object }, 'links', 'link').map(({ rel }) => rel);
    expect(rels).toEqual(
      expect.arrayContaining(['networks', 'permissions', 'affinitygroups', 'cpuprofiles']),
    );
  });
  site.unknown('GET', '/clusters/{nothing}');
});

describe(row(7), () => {
  site.both('changes only what is sent', async (people) => {
    const { admin } = people;
    const { id } = await admin.add('/clusters', cluster(people, { description: 'kept' }));
    const ksm = { enabled: false };
    const { status, object } = await admin.put(`/clusters/${id}`, { cluster: { ksm } });
    expect(status).toBe(200);
    expect(object).toMatchObject({
      description: 'kept',
      ksm: { enabled: 'false', merge_across_nodes: 'true' },
    });
  });
  site.both('refuses what its hosts, machines and data center do not allow', async (people) => {
    const { admin, path, name } = people;
    const refused = async (changes: object, status: number, detail: RegExp) => {
      const answer = await admin.put(path('/clusters/{cluster}'), { cluster: changes });
      expect(answer.status, answer.text).toBe(status);
      expect(answer.fault?.detail).toMatch(detail);
    };
    const dc = await admin.add('/datacenters', { data_center: { name: name('dc'), local: false } });
    await refused({ data_center: { id: dc.id } }, 409, /stays in its data center/);
    await refused({ cpu: { type: 'IBM POWER9' } }, 409, /architecture/);
    await refused({ virt_service: false, gluster_service: true }, 409, /VMs/);
    await refused({ id: 'ffffffff-0000-0000-0000-000000000000' }, 409, /id/);
  });
  site.unknown('PUT', '/clusters/{nothing}', { cluster: { comment: '-' } });
  site.forbidden('PUT', '/clusters/{cluster}', { cluster: { comment: '-' } });
});

describe(row(8), () => {
  site.both('removes an empty cluster with its profiles', async (people) => {
    const { admin } = people;
    const { id } = await admin.add('/clusters', cluster(people));
    const [profile] = (await admin.get(`/clusters/${id}/cpuprofiles`)).list;
    const { status, object } = await admin.delete(`/clusters/${id}`);
    expect(status).toBe(200);
    expect(object).toMatchObject({ status: 'complete' });
    expect((await admin.get(`/clusters/${id}`)).status).toBe(404);
    expect((await admin.get(`/cpuprofiles/${String(profile?.['id'])}`)).status).toBe(404);
  });
  site.both('keeps what is in use, and the default one', async (people) => {
    const { admin, path, name } = people;
    const { id } = await admin.add('/clusters', cluster(people));
    const host = { name: name('h'), address: `${name('h')}.example.com`, root_password: 'x' };
    await admin.add('/hosts', { host: { ...host, cluster: { id } } });
    const answer = await admin.delete(`/clusters/${id}`);
    expect(answer.status).toBe(409);
    expect(answer.fault?.detail).toContain('1 host.');
    expect((await admin.delete(path('/clusters/{cluster}'))).status).toBe(409);
  });
  site.unknown('DELETE', '/clusters/{nothing}');
  site.forbidden('DELETE', '/clusters/{cluster}');
});

describe(row(9), () => {
  site.both('runs while no host of it is up', async (people) => {
    const { admin } = people;
    const { id } = await admin.add('/clusters', cluster(people));
    const { object } = await admin.must(`/clusters/${id}/resetemulatedmachine`);
    expect(object).toMatchObject({ status: 'complete' });
  });
  site.both('refuses while hosts are up', async ({ admin, path }) => {
    const answer = await admin.post(path('/clusters/{cluster}/resetemulatedmachine'));
    expect(answer.status).toBe(409);
    expect(answer.fault?.detail).toContain('host1');
  });
  site.unknown('POST', '/clusters/{nothing}/resetemulatedmachine', { action: {} });
  site.forbidden('POST', '/clusters/{cluster}/resetemulatedmachine', { action: {} });
});

describe(row(10), () => {
  site.both('is that of the whole service', async ({ admin, path }) => {
    const [filter] = (await admin.get('/networkfilters')).list;
    const here = path('/clusters/{cluster}/networkfilters');
    const { status, object } = await admin.get(`${here}/${String(filter?.['id'])}`);
    expect(status).toBe(200);
    expect(object['name']).toBe(filter?.['name']);
    expect((await admin.get(here)).list).toHaveLength(
      (await admin.get('/networkfilters')).list.length,
    );
  });
  site.unknown('GET', '/clusters/{cluster}/networkfilters/{nothing}');
});

describe(row(41), () => {
  site.both('takes a permission back', async ({ admin, path }) => {
    const at = path('/cpuprofiles/{cpuprofile}/permissions');
    const user = { id: path('{user}') };
    const { id } = await admin.add(at, {
      permission: { role: { name: 'CpuProfileOperator' }, user },
    });
    expect((await admin.delete(`${at}/${id}`)).status).toBe(200);
    expect((await admin.get(`${at}/${id}`)).status).toBe(404);
  });
  site.unknown('DELETE', '/cpuprofiles/{cpuprofile}/permissions/{nothing}');
});

describe(row('G1'), () => {
  site.both('adds to the data center in the path', async ({ admin, path, name }) => {
    const at = path('/datacenters/{datacenter}/clusters');
    const added = await admin.add(at, { cluster: { name: name('c'), cpu } });
    expect(added).toMatchObject({ data_center: { id: path('{datacenter}') } });
    expect((await admin.get(`${at}/${added.id}`)).status).toBe(200);
    const comment = 'changed';
    const { object } = await admin.put(`${at}/${added.id}`, { cluster: { comment } });
    expect(object).toMatchObject({ comment });
    expect((await admin.get(at)).list.length).toBeGreaterThan(1);
    await admin.must(`${at}/${added.id}/resetemulatedmachine`);
    expect((await admin.delete(`${at}/${added.id}`)).status).toBe(200);
  });
});

describe(row('G19'), () => {
  site.both('adds, lists, reads and removes a profile of the cluster', async (people) => {
    const { admin, name } = people;
    const { id } = await admin.add('/clusters', cluster(people));
    const at = `/clusters/${id}/cpuprofiles`;
    const profile = await admin.add(at, { cpu_profile: { name: name('p'), cluster: { id } } });
    expect(profile).toMatchObject({ cluster: { id } });
    expect((await admin.get(`${at}/${profile.id}`)).status).toBe(200);
    expect((await admin.get(at)).list).toHaveLength(2);
    expect((await admin.delete(`${at}/${profile.id}`)).status).toBe(200);
    expect((await admin.get(at)).list).toHaveLength(1);
  });
});

describe('the upgrade of a cluster', () => {
  site.both('keeps its progress', async (people) => {
    const { admin, path } = people;
    const { id } = await admin.add('/clusters', cluster(people));
    const at = `/clusters/${id}`;
    const below = path(`/datacenters/{datacenter}${at}`);
    await admin.must(`${below}/upgrade`, { upgrade_action: 'start' });
    const twice = await admin.post(`${at}/upgrade`, { action: { upgrade_action: 'start' } });
    expect(twice.status).toBe(409);
    const progress = { upgrade_action: 'update_progress', upgrade_percent_complete: 40 };
    await admin.must(`${at}/upgrade`, progress);
    expect((await admin.get(at)).object).toMatchObject({
      upgrade_in_progress: 'true',
      upgrade_percent_complete: '40',
    });
    await admin.must(`${at}/upgrade`, { upgrade_action: 'finish' });
    expect((await admin.get(at)).object).toMatchObject({ upgrade_in_progress: 'false' });
  });
});
