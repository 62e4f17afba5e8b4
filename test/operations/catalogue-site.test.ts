/** Events about hosts, storage, data centers and people (specification 6): code, severity, text. */
import { describe, expect } from 'vitest';
import { RawApi, send } from '../support/raw.ts';
import { type Expected, type Scene, testEvents, who } from './support/catalogue.ts';
import { addCluster, addHost } from './support/hosts.ts';
import { useSite } from './support/site.ts';
import { addDomain, attach, gibibyte, ownSite } from './support/storage.ts';
import { newVm } from './support/vms.ts';

const site = useSite();
const normal = (code: number, text: string): Expected => [code, 'normal', text];

/** Makes a host stop responding. */
async function lose(host: string): Promise<void> {
  const server = site.server();
  const api = await RawApi.signIn(server);
  const answer = await send(`${new URL(server.ready.base_url).origin}/_vmctl/lose/${host}`, {
    method: 'POST',
    ca: server.ca,
    headers: { Authorization: `Bearer ${api.token}` },
  });
  expect(answer.status, answer.text).toBeLessThan(300);
}

const hosts: readonly Scene[] = [
  [
    'a host is added, changed, moved to maintenance, activated and removed',
    async (people) => {
      const { admin } = people;
      const host = await addHost(people);
      const name = host['name'];
      await admin.put(host.path, { host: { comment: 'x' } });
      await admin.must(`${host.path}/deactivate`, { reason: 'new fan' });
      await admin.must(`${host.path}/activate`);
      await admin.must(`${host.path}/deactivate`);
      await admin.delete(host.path);
      return [
        normal(42, `Host ${name} was added by ${who}.`),
        normal(13, `Status of host ${name} was set to Up.`),
        normal(43, `Host ${name} configuration was updated by ${who}.`),
        normal(600, `Host ${name} was switched to maintenance mode by ${who} (Reason: new fan).`),
        normal(15, `Host ${name} is in maintenance.`),
        normal(16, `Activation of host ${name} initiated by ${who}.`),
        normal(620, `Host ${name} was switched to maintenance mode by ${who}.`),
        normal(44, `Host ${name} was removed by ${who}.`),
      ];
    },
  ],
  [
    'machines leave a host that goes to maintenance, and are unknown on one that is lost',
    async (people) => {
      const { admin } = people;
      const first = await addHost(people);
      const second = await addHost(people, { cluster: first.cluster });
      const boot = { os: { boot: { devices: { device: ['cdrom'] } } } };
      const vm = await newVm(people, { ...boot, cluster: { id: first.cluster } });
      await admin.must(`/vms/${vm.id}/start`, {
        vm: { placement_policy: { hosts: { host: [{ id: first.id }] } } },
      });
      await admin.must(`${first.path}/deactivate`);
      await lose(String(second['name']));
      await admin.must(`${second.path}/fence`, { fence_type: 'manual' });
      const [from, to] = [first['name'], second['name']];
      return [
        normal(
          67,
          `Migration initiated by the system (VM: ${vm.name}, Source: ${from}, Destination: ${to}, Reason: host ${from} goes to maintenance).`,
        ),
        normal(63, `Migration completed (VM: ${vm.name}, Source: ${from}, Destination: ${to}).`),
        [
          142,
          'warning',
          `VM ${vm.name} was set to the status Unknown: its host ${to} does not answer.`,
        ],
      ];
    },
  ],
  [
    'a host is restarted by power management',
    async (people) => {
      const { admin } = people;
      const host = await addHost(people);
      await addHost(people, { cluster: host.cluster });
      const agent = { type: 'ipmilan', address: 'ipmi', username: 'u', password: 'p', order: 1 };
      await admin.add(`${host.path}/fenceagents`, { agent });
      await admin.put(host.path, { host: { power_management: { enabled: true } } });
      await admin.must(`${host.path}/fence`, { fence_type: 'restart' });
      return [
        normal(41, `Host ${host['name']} was restarted by ${who}.`),
        normal(9017, `Fencing of host ${host['name']} was started: restart.`),
        normal(9018, `Fencing of host ${host['name']} succeeded: restart.`),
      ];
    },
  ],
];

const storage: readonly Scene[] = [
  [
    'a storage domain is added, attached, changed, deactivated, detached and removed',
    async (people) => {
      const { admin, name, path } = people;
      const domain = name('domain');
      const { id } = await addDomain(admin, 'host1', domain);
      const dataCenter = path('/datacenters/{datacenter}');
      await attach(admin, dataCenter, id);
      await admin.put(`/storagedomains/${id}`, { storage_domain: { comment: 'x' } });
      const here = `${dataCenter}/storagedomains/${id}`;
      await admin.must(`${here}/deactivate`);
      await admin.must(`${here}/activate`);
      await admin.must(`${here}/deactivate`);
      expect((await admin.delete(here)).status).toBe(200);
      expect((await admin.delete(`/storagedomains/${id}?host=host1`)).status).toBe(200);
      const center = String((await admin.get(dataCenter)).object['name']);
      const what = `Storage Domain ${domain}`;
      const there = `${what} (Data Center ${center})`;
      return [
        normal(956, `${what} was added by ${who}.`),
        normal(962, `${what} was attached to Data Center ${center} by ${who}.`),
        normal(966, `${there} was activated by ${who}.`),
        normal(958, `${what} was updated by ${who}.`),
        normal(968, `${there} was deactivated and moved to preparing for maintenance by ${who}.`),
        normal(1029, `${there} is in maintenance.`),
        normal(964, `${what} was detached from Data Center ${center} by ${who}.`),
        normal(960, `${what} was removed by ${who}.`),
      ];
    },
  ],
  [
    'a quota comes near its limit, and goes over it',
    async (people) => {
      const { admin, name } = people;
      const own = await ownSite(people);
      const domain = await addDomain(admin, own.own, name('data'));
      await attach(admin, own.path, domain.id);
      const quota = name('quota');
      const { id } = await admin.add(`${own.path}/quotas`, { quota: { name: quota } });
      const limit = { quota_storage_limit: { limit: 10 } };
      await admin.add(`${own.path}/quotas/${id}/quotastoragelimits`, limit);
      await admin.put(own.path, { data_center: { quota_mode: 'audit' } });
      for (const size of [9, 2, 4]) {
        const disk = {
          name: name('disk'),
          format: 'raw',
          provisioned_size: size * gibibyte,
          quota: { id },
          storage_domains: { storage_domain: [{ id: domain.id }] },
        };
        await admin.add('/disks', { disk });
      }
      const used = (gib: number) => `${gib} of 10 (storage) used after a request of ${who}.`;
      return [
        normal(3000, `Quota ${quota} was added by ${who}.`),
        [3011, 'warning', `Quota ${quota} is above its threshold: ${used(9)}`],
        [3009, 'warning', `Quota ${quota} is over its limit, within the grace: ${used(11)}`],
        [3010, 'warning', `Quota ${quota} is over its limit and the grace: ${used(15)}`],
      ];
    },
  ],
  [
    'the last host of a data center goes away, and comes back',
    async (people) => {
      const { admin, name } = people;
      const own = await ownSite(people);
      const domain = await addDomain(admin, own.own, name('data'));
      await attach(admin, own.path, domain.id);
      await admin.must(`/hosts/${own.host}/deactivate`);
      await admin.must(`/hosts/${own.host}/activate`);
      const ofDomain = `Storage Domain ${domain['name']} (Data Center ${own.own})`;
      return [
        normal(950, `Data Center ${own.own} was added by ${who}.`),
        normal(809, `Cluster ${own.own} was added by ${who}.`),
        [
          980,
          'warning',
          `Data Center ${own.own} does not respond: its master storage domain or its storage pool manager is missing.`,
        ],
        [10811, 'alert', `Data Center ${own.own} does not respond: none of its hosts reports.`],
        normal(9505, `${ofDomain} was activated by the system.`),
        normal(10810, `Data Center ${own.own} is up again.`),
      ];
    },
  ],
];

const names: readonly Scene[] = [
  [
    'clusters and networks are added, changed and removed',
    async (people) => {
      const { admin, name, path } = people;
      const { id, ...cluster } = await addCluster(people);
      await admin.put(`/clusters/${id}`, { cluster: { comment: 'x' } });
      const network = { name: name('net'), data_center: { id: path('{datacenter}') } };
      const added = await admin.add('/networks', { network });
      await admin.add(`/clusters/${id}/networks`, { network: { id: added.id } });
      await admin.delete(`/clusters/${id}/networks/${added.id}`);
      await admin.delete(`/networks/${added.id}`);
      await admin.delete(`/clusters/${id}`);
      const of = `Cluster ${cluster['name']}`;
      return [
        normal(809, `${of} was added by ${who}.`),
        normal(811, `${of} was updated by ${who}.`),
        normal(946, `Network ${network.name} was attached to ${of}.`),
        normal(948, `Network ${network.name} was detached from ${of}.`),
        normal(
          9442,
          `Removing network ${network.name} from Data Center Default was initiated by ${who}.`,
        ),
        normal(
          9444,
          `Network ${network.name} was removed from Data Center Default; no host was affected.`,
        ),
        normal(813, `${of} was removed by ${who}.`),
      ];
    },
  ],
  [
    'tags, bookmarks, labels and events of others come and go',
    async ({ admin, name, format }) => {
      const [tag, mark, label] = [name('tag'), name('mark'), name('label')];
      const added = await admin.add('/tags', { tag: { name: tag } });
      await admin.delete(`/tags/${added.id}`);
      const kept = await admin.add('/bookmarks', { bookmark: { name: mark, value: 'Vms:' } });
      await admin.delete(`/bookmarks/${kept.id}`);
      await admin.add('/affinitylabels', { affinity_label: { name: label } });
      const event = { origin: `ups ${format}`, severity: 'alert', custom_id: 1, description: mark };
      await admin.add('/events', { event });
      return [
        normal(432, `New tag ${tag} was created by ${who}.`),
        normal(434, `Tag ${tag} was removed by ${who}.`),
        normal(350, `Bookmark ${mark} was added by ${who}.`),
        normal(354, `Bookmark ${mark} was removed by ${who}.`),
        normal(10380, `Affinity Label ${label} was added by ${who}.`),
        [9804, 'alert', mark],
      ];
    },
  ],
];

describe('events about hosts', () => testEvents(site, hosts));
describe('events about storage', () => testEvents(site, storage));
describe('events about names', () => testEvents(site, names));
