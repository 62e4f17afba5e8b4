/** A site with an object of each type that has an update: the small inventory and additions. */
import { expect } from 'vitest';
import { requiredOnAdd } from '../../../src/model/derive/required.ts';
import { services } from '../../../src/model/derive/services.ts';
import {
  getTag,
  listAllOperations,
  listAttributes,
  type Operation,
} from '../../../src/model/index.ts';
import { type Format, Speaker, type Thing } from '../../operations/support/speaker.ts';
import { collections as firsts, readFirstIds } from '../../support/firsts.ts';
import type { RawApi } from '../../support/raw.ts';
import { updates } from './objects.ts';

/** New objects, in this order; `{name}` is the id of an earlier object. */
const additions: readonly (readonly [name: string, path: string, body: Thing])[] = [
  [
    'macpool',
    '/macpools',
    { name: 'pool-b', ranges: { range: [{ from: '02:00:00:00:00:00', to: '02:00:00:00:00:ff' }] } },
  ],
  ['tag', '/tags', { name: 'evening', description: 'runs at night' }],
  ['bookmark', '/bookmarks', { name: 'up', value: 'Vms: status=up' }],
  ['label', '/affinitylabels', { name: 'rack-1', vms: { vm: [{ id: '{vm}' }] } }],
  ['policy', '/schedulingpolicies', { name: 'own-policy', description: 'ours' }],
  [
    'role',
    '/roles',
    { name: 'own-role', administrative: false, permits: { permit: [{ id: '1' }] } },
  ],
  ['quota', '/datacenters/{datacenter}/quotas', { name: 'small', cluster_soft_limit_pct: 70 }],
  ['storage', '/datacenters/{datacenter}/qoss', { name: 'qos-1', type: 'storage', max_iops: 100 }],
  ['cpu', '/datacenters/{datacenter}/qoss', { name: 'qos-2', type: 'cpu', cpu_limit: 50 }],
  [
    '',
    '/datacenters/{datacenter}/qoss',
    { name: 'qos-3', type: 'network', inbound_average: 5, inbound_peak: 6, inbound_burst: 7 },
  ],
  [
    '',
    '/datacenters/{datacenter}/qoss',
    { name: 'qos-4', type: 'hostnetwork', outbound_average_linkshare: 5 },
  ],
  [
    'net',
    '/networks',
    { name: 'blue', data_center: { id: '{datacenter}' }, vlan: { id: 7 }, mtu: 1500 },
  ],
  ['', '/clusters/{cluster}/networks', { id: '{net}', required: false }],
  [
    '',
    '/hosts/{host}/networkattachments',
    { network: { id: '{net}' }, host_nic: { name: 'eth1' } },
  ],
  ['vnic', '/vnicprofiles', { name: 'blue-2', network: { id: '{net}' } }],
  ['', '/cpuprofiles', { name: 'fast', cluster: { id: '{cluster}' }, qos: { id: '{cpu}' } }],
  [
    '',
    '/diskprofiles',
    { name: 'fast', storage_domain: { id: '{storagedomain}' }, qos: { id: '{storage}' } },
  ],
  [
    '',
    '/clusters/{cluster}/affinitygroups',
    { name: 'apart', positive: false, vms: { vm: [{ id: '{vm}' }] } },
  ],
  [
    'type',
    '/instancetypes',
    { name: 'own-type', memory: 2 ** 31, cpu: { topology: { cores: 2 } } },
  ],
  ['', '/instancetypes/{type}/watchdogs', { model: 'i6300esb', action: 'reset' }],
  ['', '/instancetypes/{type}/nics', { name: 'nic1' }],
  [
    'agent',
    '/hosts/{host}/fenceagents',
    { type: 'ipmilan', address: 'ipmi', username: 'u', password: 'p', order: 1 },
  ],
  [
    '',
    '/hosts/{host}/storageconnectionextensions',
    { target: 'iqn.2024-01.com.example:t', username: 'u', password: 'p' },
  ],
  ['', '/storageconnections', { type: 'nfs', address: 'nfs.example.com', path: '/spare' }],
  [
    '',
    '/externalhostproviders',
    { name: 'foreman', url: 'https://foreman.example.com', requires_authentication: false },
  ],
  [
    '',
    '/openstackimageproviders',
    { name: 'glance-b', url: 'https://glance.example.com', requires_authentication: false },
  ],
  [
    '',
    '/openstacknetworkproviders',
    { name: 'neutron', url: 'https://neutron.example.com', requires_authentication: false },
  ],
  [
    'volumes',
    '/openstackvolumeproviders',
    {
      name: 'cinder',
      url: 'https://cinder.example.com',
      requires_authentication: false,
      data_center: { id: '{datacenter}' },
    },
  ],
  [
    '',
    '/openstackvolumeproviders/{volumes}/authenticationkeys',
    {
      uuid: '6d7c1e0a-0000-4000-8000-000000000001',
      value: 'c2VjcmV0',
      usage_type: 'ceph',
      description: 'k',
    },
  ],
  ['', '/users/{user}/sshpublickeys', { content: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ a@b' }],
  [
    'idle',
    '/vms',
    {
      name: 'write-back',
      cluster: { id: '{cluster}' },
      template: { name: 'Blank' },
      memory: 2 ** 30,
      custom_properties: { custom_property: [{ name: 'sap_agent', value: 'true' }] },
      initialization: {
        host_name: 'a.example.com',
        user_name: 'root',
        root_password: 'secret',
        nic_configurations: {},
      },
      placement_policy: { affinity: 'migratable', hosts: { host: [{ id: '{host}' }] } },
      high_availability: { enabled: true, priority: 50 },
      payloads: {
        payload: [
          { type: 'cdrom', volume_id: 'x', files: { file: [{ name: 'a', content: 'b' }] } },
        ],
      },
      display: { type: 'vnc', monitors: 1 },
      bios: { boot_menu: { enabled: true } },
    },
  ],
  [
    '',
    '/vms/{idle}/numanodes',
    { index: 0, memory: 1024, cpu: { cores: { core: [{ index: 0 }] } } },
  ],
  ['', '/vms/{idle}/watchdogs', { model: 'i6300esb', action: 'poweroff' }],
  ['nic', '/vms/{idle}/nics', { name: 'nic1', interface: 'virtio' }],
  ['', '/vms/{idle}/nics/{nic}/networkfilterparameters', { name: 'IP', value: '10.0.0.1' }],
  [
    '',
    '/vms/{idle}/mediateddevices',
    { spec_params: { property: [{ name: 'mdevType', value: 'nvidia-11' }] } },
  ],
  [
    '',
    '/vms/{idle}/diskattachments',
    {
      interface: 'virtio',
      bootable: true,
      disk: {
        name: 'root',
        format: 'cow',
        provisioned_size: 2 ** 30,
        storage_domains: { storage_domain: [{ id: '{storagedomain}' }] },
      },
    },
  ],
  ['template', '/templates', { name: 'write-back', vm: { id: '{idle}' } }],
  [
    '',
    '/vmpools',
    { name: 'pool-??', cluster: { id: '{cluster}' }, template: { id: '{template}' }, size: 2 },
  ],
  [
    'bond',
    '/datacenters/{datacenter}/iscsibonds',
    { name: 'bond', networks: { network: [{ id: '{net}' }] } },
  ],
  [
    'target',
    '/storageconnections',
    { type: 'iscsi', address: 'san', port: 3260, target: 'iqn.2024-01.com.example:b' },
  ],
  ['', '/datacenters/{datacenter}/iscsibonds/{bond}/storageserverconnections', { id: '{target}' }],
];

/**
 * Adds all objects; fails if the server refuses one. A reference by id is replaced with the whole object, as GET
 * returns it. `send` posts each body instead of the speaker.
 */
export async function enrich(
  api: RawApi,
  format: Format,
  send = (speaker: Speaker, path: string, body: Thing) => speaker.post(path, body),
): Promise<void> {
  const known = await readFirstIds(api);
  const paths = new Map(Object.entries(known).map(([name, id]) => [name, `${firsts[name]}/${id}`]));
  const getId = (name: string) => paths.get(name)?.split('/').at(-1) ?? name;
  const speaker = new Speaker(api, format);
  for (const [name, template, body] of additions) {
    const path = template.replace(/\{(\w+)\}/g, (_, word: string) => getId(word));
    const document = { [tagAt(template)]: await filled(body) };
    const answer = await send(speaker, `${path}?async=false`, document);
    expect([200, 201, 202], `${path}: ${answer.text}`).toContain(answer.status);
    if (name !== '') paths.set(name, `${path}/${answer.object['id']}`);
  }
  for (const { path: template, type } of addedByTexts()) {
    const path = template.replace(/\{(\w+)\}/g, (_, word: string) => getId(word));
    // A list below an id of nothing is empty in some dialects.
    const owner = await api.json('GET', path.slice(0, path.lastIndexOf('/')));
    if (owner.status !== 200) continue;
    const { status, text } = await api.json('GET', path);
    if (status !== 200 || /"id"/.test(text)) continue;
    const texts = (requiredOnAdd[type] ?? []).map((name) => [String(name), 'some-text']);
    const answer = await send(speaker, path, { [getTag(type)]: Object.fromEntries(texts) });
    expect(answer.status, `${path}: ${answer.text}`).toBe(201);
  }
  // Bytes are copied in their own time.
  for (const path of ['/vms', '/templates', '/disks']) {
    await api.until(path, ({ text }) => !/"(?:image_)?locked"/.test(text));
  }

  async function filled(value: unknown): Promise<unknown> {
    if (Array.isArray(value)) return Promise.all(value.map(filled));
    if (typeof value !== 'object' || value === null) return value;
    const { id } = value as Thing;
    const reference = typeof id === 'string' ? /^\{(\w+)\}$/.exec(id)?.[1] : undefined;
    if (reference !== undefined) return readComplete(reference);
    const entries = Object.entries(value).map(async ([key, part]) => [key, await filled(part)]);
    return Object.fromEntries(await Promise.all(entries));
  }

  async function readComplete(name: string): Promise<unknown> {
    const { object } = await speaker.get(`${paths.get(name)}?all_content=true`);
    expect(object['id'], `the object ${name}`).toBeTruthy();
    return object;
  }
}

/** Additions of changeable objects for which texts are enough, so that a new kind needs no line above. */
function addedByTexts(): readonly Operation[] {
  const isText = (type: string, name: unknown) =>
    typeof name === 'string' && listAttributes(type)[name]?.kind === 'string';
  const changeable = new Set(updates.map(({ path }) => path.slice(0, path.lastIndexOf('/'))));
  return listAllOperations().filter(
    ({ name, type, path }) =>
      name === 'add' &&
      changeable.has(path) &&
      (requiredOnAdd[type] ?? ['']).every((one) => isText(type, one)),
  );
}

/** Element of one object of a collection. */
function tagAt(template: string): string {
  const pattern = (path: string) => path.replace(/\{\w+\}/g, '{}');
  const service = Object.keys(services).find((path) => pattern(path) === pattern(template)) ?? '';
  return getTag(services[service]?.type ?? '');
}
