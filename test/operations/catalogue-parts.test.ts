/** Events about parts: devices, profiles, policies, pools, providers, and bulk operations. */
import { describe, expect } from 'vitest';
import { type Expected, type Scene, testEvents, who } from './support/catalogue.ts';
import { useSite } from './support/site.ts';
import { addDisk, newVm, until } from './support/vms.ts';

const site = useSite();
const normal = (code: number, text: string): Expected => [code, 'normal', text];

const machines: readonly Scene[] = [
  [
    'a machine gets devices and loses them',
    async (people) => {
      const { admin } = people;
      const { id, name } = await newVm(people);
      const vm = `/vms/${id}`;
      const dog = await admin.add(`${vm}/watchdogs`, {
        watchdog: { model: 'i6300esb', action: 'reset' },
      });
      await admin.put(`${vm}/watchdogs/${dog.id}`, { watchdog: { action: 'none' } });
      await admin.delete(`${vm}/watchdogs/${dog.id}`);
      const device = await admin.add(`${vm}/mediateddevices`, {
        vm_mediated_device: { spec_params: { property: [{ name: 'mdevType', value: 'a-1' }] } },
      });
      await admin.put(`${vm}/mediateddevices/${device.id}`, {
        vm_mediated_device: { spec_params: { property: [{ name: 'mdevType', value: 'a-2' }] } },
      });
      const nic = await admin.add(`${vm}/nics`, { nic: { name: 'nic1' } });
      const parameters = `${vm}/nics/${nic.id}/networkfilterparameters`;
      const parameter = await admin.add(parameters, {
        network_filter_parameter: { name: 'IP', value: '10.0.0.1' },
      });
      await admin.delete(`${parameters}/${parameter.id}`);
      const of = `interface nic1 of VM ${name} by ${who}.`;
      return [
        normal(35, `VM ${name} configuration was updated by ${who}.`),
        normal(10912, `Network filter parameter IP was added to ${of}`),
        normal(10910, `Network filter parameter IP was removed from ${of}`),
      ];
    },
  ],
  [
    'a guest is frozen and thawed, its screen is checked',
    async (people) => {
      const { admin } = people;
      const { id, name } = await newVm(people);
      await addDisk(people, id);
      await admin.must(`/vms/${id}/start`);
      await admin.must(`/vms/${id}/freezefilesystems`);
      await admin.must(`/vms/${id}/thawfilesystems`);
      await admin.must(`/vms/${id}/screenshot`);
      await admin.must(`/vms/${id}/logon`);
      return [
        normal(10767, `The file systems of VM ${name} were frozen by ${who}.`),
        normal(10768, `The file systems of VM ${name} were thawed by ${who}.`),
        normal(13502, `A screenshot of VM ${name} was taken by ${who}.`),
        normal(456, `User ${who} logged in to VM ${name}.`),
      ];
    },
  ],
  [
    'a pool is created, changed and deleted',
    async ({ admin, name, path }) => {
      const pool = name('pool');
      const vm = await admin.add('/vms', {
        vm: {
          name: name('vm'),
          cluster: { id: path('{cluster}') },
          template: { name: 'Blank' },
        },
      });
      const template = { name: name('template'), vm: { id: vm.id } };
      await admin.add('/templates', { template });
      const body = { name: pool, size: 1, cluster: { id: path('{cluster}') } };
      const { id } = await admin.add('/vmpools', {
        vm_pool: { ...body, template: { name: template.name } },
      });
      await admin.put(`/vmpools/${id}`, { vm_pool: { size: 2 } });
      await admin.put(`/vmpools/${id}`, { vm_pool: { description: 'x' } });
      await admin.delete(`/vmpools/${id}`);
      return [
        normal(302, `VM pool ${pool} was created with its VMs by ${who}.`),
        normal(344, `VM pool ${pool} was updated by ${who}, 1 VMs were added.`),
        normal(314, `VM pool ${pool} was updated by ${who}.`),
        normal(304, `VM pool ${pool} was removed by ${who}.`),
      ];
    },
  ],
  [
    'a machine is backed up',
    async (people) => {
      const { admin } = people;
      const { id, name } = await newVm(people);
      const disk = await addDisk(people, id, { disk: { format: 'cow', backup: 'incremental' } });
      await admin.must(`/vms/${id}/start`);
      const backup = await admin.add(`/vms/${id}/backups`, {
        backup: { disks: { disk: [{ id: disk }] } },
      });
      const path = `/vms/${id}/backups/${backup.id}`;
      await until(people, path, ({ phase }) => phase === 'ready');
      await admin.must(`${path}/finalize`);
      await until(people, path, ({ phase }) => phase === 'succeeded');
      const checkpoint = (await admin.get(`/vms/${id}/checkpoints`)).list[0]?.['id'];
      await admin.delete(`/vms/${id}/checkpoints/${checkpoint}`);
      return [
        normal(10790, `Backup ${backup.id} of VM ${name} was started by ${who}.`),
        normal(10794, `Backup ${backup.id} of VM ${name} was finalized by ${who}.`),
        normal(10793, `Backup ${backup.id} of VM ${name} was completed.`),
        normal(10797, `Checkpoint ${checkpoint} of VM ${name} was removed by ${who}.`),
      ];
    },
  ],
  [
    'instance types and their devices come and go',
    async ({ admin, name }) => {
      const type = name('type');
      const { id } = await admin.add('/instancetypes', { instance_type: { name: type } });
      const nics = `/instancetypes/${id}/nics`;
      const nic = await admin.add(nics, { nic: { name: 'nic1' } });
      await admin.put(`${nics}/${nic.id}`, { nic: { linked: false } });
      await admin.delete(`${nics}/${nic.id}`);
      await admin.delete(`/instancetypes/${id}`);
      return [
        normal(29, `Template ${type} was created by ${who}.`),
        normal(936, `Interface nic1 (virtio) was added to template ${type} by ${who}.`),
        normal(940, `Interface nic1 was updated for template ${type} by ${who}.`),
        normal(938, `Interface nic1 was removed from template ${type} by ${who}.`),
        normal(251, `Template ${type} has been removed.`),
      ];
    },
  ],
];

const configuration: readonly Scene[] = [
  [
    'scheduling policies and their units come and go',
    async ({ admin, name }) => {
      const policy = name('policy');
      const { id } = await admin.add('/schedulingpolicies', {
        scheduling_policy: { name: policy },
      });
      const { list } = await admin.get('/schedulingpolicyunits');
      const unit = list.find((one) => one['type'] === 'weight');
      const weights = `/schedulingpolicies/${id}/weights`;
      const weight = await admin.add(weights, {
        weight: { factor: 2, scheduling_policy_unit: { id: unit?.['id'] } },
      });
      await admin.delete(`${weights}/${weight.id}`);
      await admin.put(`/schedulingpolicies/${id}`, { scheduling_policy: { description: 'x' } });
      await admin.delete(`/schedulingpolicies/${id}`);
      return [
        normal(9910, `Scheduling policy ${policy} was added by ${who}.`),
        normal(9912, `Scheduling policy ${policy} was updated by ${who}.`),
        normal(9914, `Scheduling policy ${policy} was removed by ${who}.`),
      ];
    },
  ],
  [
    'a cluster is upgraded, and its networks are synchronized',
    async ({ admin, path, name }) => {
      const cluster = name('cluster');
      const body = { name: cluster, cpu: { type: 'Intel Nehalem Family' } };
      const { id } = await admin.add('/clusters', {
        cluster: { ...body, data_center: { id: path('{datacenter}') } },
      });
      await admin.must(`/clusters/${id}/upgrade`, { upgrade_action: 'start' });
      await admin.must(`/clusters/${id}/upgrade`, { upgrade_action: 'finish' });
      await admin.must(`/clusters/${id}/syncallnetworks`);
      const { name: all } = (await admin.get(path('/clusters/{cluster}'))).object;
      await admin.must(path('/clusters/{cluster}/syncallnetworks'));
      const { list } = await admin.get('/clusterlevels/4.8/clusterfeatures');
      const features = `/clusters/${id}/enabledfeatures`;
      const feature = await admin.add(features, { cluster_feature: { id: list[0]?.['id'] } });
      await admin.delete(`${features}/${feature.id}`);
      return [
        normal(892, `Upgrade of Cluster ${cluster} was started by ${who}.`),
        normal(894, `Upgrade of Cluster ${cluster} was finished by ${who}.`),
        normal(10907, `No host of Cluster ${cluster} has networks to synchronize.`),
        normal(
          10906,
          `Synchronizing the networks of all hosts of Cluster ${all} was initiated by ${who}.`,
        ),
        normal(811, `Cluster ${cluster} was updated by ${who}.`),
      ];
    },
  ],
  [
    'a quota gets a limit, and loses it',
    async ({ admin, path, name }) => {
      const quota = name('quota');
      const quotas = path('/datacenters/{datacenter}/quotas');
      const { id } = await admin.add(quotas, { quota: { name: quota } });
      const limits = `${quotas}/${id}/quotaclusterlimits`;
      const limit = await admin.add(limits, { quota_cluster_limit: { vcpu_limit: 4 } });
      await admin.delete(`${limits}/${limit.id}`);
      await admin.delete(`${quotas}/${id}`);
      return [
        normal(3000, `Quota ${quota} was added by ${who}.`),
        normal(3002, `Quota ${quota} was updated by ${who}.`),
        normal(3004, `Quota ${quota} was removed by ${who}.`),
      ];
    },
  ],
  [
    'providers and their objects are changed',
    async ({ admin, name }) => {
      const provider = name('volumes');
      const providers = '/openstackvolumeproviders';
      const body = { name: provider, url: 'http://cinder.example.com:8776' };
      const { id } = await admin.add(providers, { openstack_volume_provider: body });
      await admin.put(`${providers}/${id}`, { openstack_volume_provider: { description: 'x' } });
      const keys = `${providers}/${id}/authenticationkeys`;
      const key = await admin.add(keys, {
        openstack_volume_authentication_key: {
          uuid: crypto.randomUUID(),
          value: 'YQ==',
          usage_type: 'ceph',
        },
      });
      expect((await admin.delete(`${keys}/${key.id}`)).status).toBe(200);
      return [
        normal(205, `Provider ${provider} was added by ${who}.`),
        normal(207, `Provider ${provider} was updated by ${who}.`),
        normal(10754, `An authentication key was added to provider ${provider} by ${who}.`),
        normal(10758, `An authentication key was removed from provider ${provider} by ${who}.`),
      ];
    },
  ],
  [
    'a host gets a fence agent, and loses it',
    async ({ admin, path }) => {
      const { name } = (await admin.get(path('/hosts/{host}'))).object;
      const agents = path('/hosts/{host}/fenceagents');
      const agent = { type: 'ipmilan', address: 'ipmi', username: 'u', password: 'p', order: 1 };
      const { id } = await admin.add(agents, { agent });
      await admin.delete(`${agents}/${id}`);
      await admin.must(path('/datacenters/{datacenter}/cleanfinishedtasks'));
      return [normal(43, `Host ${name} configuration was updated by ${who}.`)];
    },
  ],
];

describe('events about machines and their parts', () => testEvents(site, machines));
describe('events about configuration', () => testEvents(site, configuration));
