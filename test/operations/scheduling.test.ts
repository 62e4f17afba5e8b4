/** Which host runs a machine: affinity, labels, memory, pins and the scheduling policy. */
import { describe, expect } from 'vitest';
import { type People, useSite } from './support/site.ts';
import { at } from './support/speaker.ts';
import { mebibyte, newVm } from './support/vms.ts';

const site = useSite();
const os = { boot: { devices: { device: ['cdrom'] } } };

interface Lab {
  readonly id: string;
  readonly at: string;
  readonly hosts: readonly string[];
  /** A machine of the cluster. */
  readonly vm: (more?: object) => Promise<string>;
  readonly start: (vm: string) => Promise<string>;
  readonly refusal: (vm: string, action?: string) => Promise<string>;
  readonly group: (body: object) => Promise<string>;
}

/** Separate cluster with two running hosts, and a function that starts VMs in it. */
async function lab(people: People, policy?: string): Promise<Lab> {
  const { admin, path, name } = people;
  const cluster = {
    name: name('lab'),
    cpu: { type: 'Intel Nehalem Family' },
    data_center: { id: path('{datacenter}') },
    ...(policy ? { scheduling_policy: { name: policy } } : {}),
  };
  const { id } = await admin.add('/clusters', { cluster });
  const hosts: string[] = [];
  for (const _ of [1, 2]) {
    const host = { name: name('h'), address: `${name('h')}.example.com`, root_password: 'x' };
    hosts.push((await admin.add('/hosts', { host: { ...host, cluster: { id } } })).id);
  }
  const fetchHost = async (vm: string) =>
    String(at((await admin.get(`/vms/${vm}`)).object, 'host.id'));
  return {
    id,
    at: `/clusters/${id}`,
    hosts,
    vm: async (more = {}) => (await newVm(people, { os, cluster: { id }, ...more })).id,
    start: async (vm) => {
      await admin.must(`/vms/${vm}/start`);
      return fetchHost(vm);
    },
    refusal: async (vm, action = 'start') => {
      const answer = await admin.post(`/vms/${vm}/${action}`);
      expect(answer.status, answer.text).toBe(409);
      return answer.fault?.detail ?? '';
    },
    group: async (body) => {
      const affinity_group = { name: name('g'), ...body };
      return (await admin.add(`/clusters/${id}/affinitygroups`, { affinity_group })).id;
    },
  };
}

const rule = (positive: boolean, enforcing: boolean) => ({ enabled: true, positive, enforcing });
const list = (tag: string, ids: readonly string[]) => ({ [tag]: ids.map((id) => ({ id })) });

describe('affinity between machines', () => {
  site.both('keeps them together if the rule is enforced', async (people) => {
    const { vm, start, refusal, group } = await lab(people);
    const vms = [await vm(), await vm(), await vm()];
    await group({ vms: list('vm', vms), vms_rule: rule(true, true) });
    const first = await start(vms[0] ?? '');
    for (const one of vms.slice(1)) expect(await start(one)).toBe(first);
    expect(await refusal(vms[0] ?? '', 'migrate')).toContain('keeps the VM with others');
  });
  site.both(
    'keeps them apart if the rule is enforced, and explains why no host fits',
    async (people) => {
      const { vm, start, refusal, group, hosts } = await lab(people);
      const vms = [await vm(), await vm(), await vm()];
      await group({ vms: list('vm', vms), vms_rule: rule(false, true) });
      const places = [await start(vms[0] ?? ''), await start(vms[1] ?? '')];
      expect([...places].sort()).toEqual([...hosts].sort());
      const reason = await refusal(vms[2] ?? '');
      expect(reason).toContain('No host satisfies');
      expect(reason).toContain('apart from others');
    },
  );
  site.both('ignores a rule that is not enforced if necessary', async (people) => {
    const { vm, start, group } = await lab(people);
    const vms = [await vm(), await vm(), await vm()];
    await group({ vms: list('vm', vms), vms_rule: rule(false, false) });
    const places = [await start(vms[0] ?? ''), await start(vms[1] ?? '')];
    expect(new Set(places).size).toBe(2);
    await start(vms[2] ?? '');
  });
  site.both('tells of a group that is broken', async (people) => {
    const { admin } = people;
    const { at: here, vm, start, group, hosts } = await lab(people);
    const vms = [await vm(), await vm()];
    const [one, two] = [await start(vms[0] ?? ''), await start(vms[1] ?? '')];
    const id = await group({ vms: list('vm', vms), vms_rule: rule(true, true) });
    const { object } = await admin.get(`${here}/affinitygroups/${id}`);
    expect(object['broken']).toBe(String(one !== two));
    expect(hosts).toContain(one);
  });
});

describe('affinity between machines and hosts', () => {
  site.both('runs them on the hosts that are named, or elsewhere', async (people) => {
    const { vm, start, group, hosts } = await lab(people);
    const [inside, outside] = [await vm(), await vm()];
    const [first = '', second = ''] = hosts;
    const off = { vms_rule: { enabled: false }, hosts: list('host', [first]) };
    await group({ ...off, vms: list('vm', [inside]), hosts_rule: rule(true, true) });
    await group({ ...off, vms: list('vm', [outside]), hosts_rule: rule(false, true) });
    expect(await start(inside)).toBe(first);
    expect(await start(outside)).toBe(second);
  });
  site.both('reads labels like members', async (people) => {
    const { admin, name } = people;
    const { vm, start, group, hosts } = await lab(people);
    const [, second = ''] = hosts;
    const one = await vm();
    const label = async (members: object) =>
      (await admin.add('/affinitylabels', { affinity_label: { name: name('l'), ...members } })).id;
    const vms = await label({ vms: list('vm', [one]) });
    const places = await label({ hosts: list('host', [second]) });
    await group({
      vm_labels: list('affinity_label', [vms]),
      host_labels: list('affinity_label', [places]),
      vms_rule: { enabled: false },
      hosts_rule: rule(true, true),
    });
    expect(await start(one)).toBe(second);
  });
  site.both('follows labels that act as a group', async (people) => {
    const { admin, name } = people;
    const { vm, start, hosts } = await lab(people);
    const one = await vm();
    const affinity_label = {
      name: name('l'),
      has_implicit_affinity_group: true,
      vms: list('vm', [one]),
      hosts: list('host', [hosts[1] ?? '']),
    };
    await admin.add('/affinitylabels', { affinity_label });
    expect(await start(one)).toBe(hosts[1]);
  });
});

describe('pins, memory and processors', () => {
  site.both('decide which hosts fit', async (people) => {
    const { admin } = people;
    const { vm, start, refusal, hosts } = await lab(people);
    const [first = '', second = ''] = hosts;
    const named = { hosts: list('host', [second]) };
    expect(await start(await vm({ placement_policy: named }))).toBe(second);
    const pinned = await vm({ placement_policy: { affinity: 'pinned', ...named } });
    await admin.must(`/hosts/${second}/deactivate`);
    expect(await refusal(pinned)).toContain('pinned to another host');
    expect(await start(await vm({ placement_policy: named }))).toBe(first);
    await admin.must(`/hosts/${second}/activate`);
    expect(await refusal(await vm({ memory: 2 ** 40 }))).toContain('not enough memory');
    const cpu = { topology: { sockets: 16, cores: 8 } };
    expect(await refusal(await vm({ cpu }))).toContain('not enough CPUs (');
  });
  site.both('counts threads as processors if the cluster does, otherwise cores', async (people) => {
    const { admin } = people;
    const { id, vm, start, refusal, hosts } = await lab(people);
    const { object: host } = await admin.get(`/hosts/${hosts[0]}`);
    const count = (name: string) => Number(at(host, `cpu.topology.${name}`));
    const cores = count('sockets') * count('cores');
    expect(count('threads')).toBeGreaterThan(1);
    const withCores = (number: number) => vm({ cpu: { topology: { sockets: 1, cores: number } } });
    await start(await withCores(cores));
    const more = await withCores(cores + 1);
    expect(await refusal(more)).toContain(
      `not enough CPUs (${cores} available, ${cores + 1} needed)`,
    );
    await admin.put(`/clusters/${id}`, { cluster: { threads_as_cores: true } });
    await start(more);
    await start(await withCores(cores * count('threads')));
    await admin.put(`/clusters/${id}`, { cluster: { threads_as_cores: false } });
    expect(await refusal(await withCores(cores + 1))).toContain('not enough CPUs (');
  });
  site.both('overcommits memory if the cluster does', async (people) => {
    const { admin } = people;
    const { id, vm, start, refusal } = await lab(people);
    const big = await vm({ memory: 100 * 1024 * mebibyte });
    await refusal(big);
    const memory_policy = { over_commit: { percent: 200 } };
    await admin.put(`/clusters/${id}`, { cluster: { memory_policy } });
    await start(big);
  });
  site.both('needs a host that is up', async (people) => {
    const { admin } = people;
    const { vm, hosts } = await lab(people);
    const one = await vm();
    for (const host of hosts) await admin.must(`/hosts/${host}/deactivate`);
    const answer = await admin.post(`/vms/${one}/start`);
    expect(answer.status).toBe(400);
    expect(answer.fault?.detail).toContain('has no host in status up.');
  });
});

describe('the scheduling policy', () => {
  const memory = 4096 * mebibyte;
  async function places(people: People, policy: string) {
    const { vm, start } = await lab(people, policy);
    const found: string[] = [];
    for (const _ of [1, 2, 3, 4]) found.push(await start(await vm({ memory })));
    return found.map((host) => found.filter((other) => other === host).length);
  }
  site.both('spreads machines evenly', async (people) => {
    expect(await places(people, 'evenly_distributed')).toEqual([2, 2, 2, 2]);
    expect(await places(people, 'vm_evenly_distributed')).toEqual([2, 2, 2, 2]);
  });
  site.both('fills one host to save power', async (people) => {
    expect(await places(people, 'power_saving')).toEqual([4, 4, 4, 4]);
  });
  site.both('starts only what must always run, in maintenance', async (people) => {
    const { vm, start, refusal } = await lab(people, 'cluster_maintenance');
    expect(await refusal(await vm())).toContain('in maintenance');
    await start(await vm({ high_availability: { enabled: true } }));
  });
});
