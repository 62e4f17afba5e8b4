/** Events about machines, their disks, snapshots and templates (specification 6): code, severity, text. */
import { describe, expect } from 'vitest';
import { type Expected, type Scene, testEvents, who } from './support/catalogue.ts';
import { addHost, addRunningVm } from './support/hosts.ts';
import { type People, useSite } from './support/site.ts';
import { at } from './support/speaker.ts';
import { addDisk as addFloating, gibibyte } from './support/storage.ts';
import { addDisk, mebibyte, newVm, settled, until } from './support/vms.ts';

const site = useSite();
const bootsFromDisc = { os: { boot: { devices: { device: ['cdrom'] } } } };

/** A machine that runs, and the name of its host. */
async function running(people: People, more: object = {}) {
  const { admin } = people;
  const { id, name } = await newVm(people, { ...bootsFromDisc, ...more });
  await admin.must(`/vms/${id}/start`);
  await settled(people, id);
  return { id, name, path: `/vms/${id}`, host: await fetchHost(people, id) };
}

async function fetchHost({ admin }: People, vm: string): Promise<string> {
  const { object } = await admin.get(`/vms/${vm}?follow=host`);
  return String(at(object, 'host.name'));
}

async function createSnapshot(people: People, vm: string) {
  const description = people.name('snapshot');
  const { id } = await people.admin.add(`/vms/${vm}/snapshots`, { snapshot: { description } });
  const path = `/vms/${vm}/snapshots/${id}`;
  await until(people, path, (one) => one['snapshot_status'] === 'ok');
  return { id, description, path };
}

async function createTemplate(people: People) {
  const vm = await newVm(people);
  const template = { name: people.name('template'), vm: { id: vm.id } };
  const { id } = await people.admin.add('/templates', { template });
  await until(people, `/templates/${id}`, (one) => one['status'] === 'ok');
  return { id, name: template.name, vm: vm.name, path: `/templates/${id}` };
}

const normal = (code: number, text: string): Expected => [code, 'normal', text];

const life: readonly Scene[] = [
  [
    'a machine is added, changed, renamed and removed',
    async (people) => {
      const { admin, name } = people;
      const vm = await newVm(people);
      await admin.put(`/vms/${vm.id}`, { vm: { comment: 'x' } });
      const renamed = name('renamed');
      await admin.put(`/vms/${vm.id}`, { vm: { name: renamed } });
      await admin.delete(`/vms/${vm.id}`);
      return [
        normal(34, `VM ${vm.name} was created by ${who}.`),
        normal(35, `VM ${vm.name} configuration was updated by ${who}.`),
        normal(1200, `VM ${vm.name} was renamed to ${renamed} by ${who}.`),
        normal(113, `VM ${renamed} was removed by ${who}.`),
      ];
    },
  ],
  [
    'a VM is created from a template with a disk',
    async (people) => {
      const { admin, name, path } = people;
      const source = await newVm(people);
      await addDisk(people, source.id);
      const template = { name: name('template'), vm: { id: source.id } };
      const { id } = await admin.add('/templates', { template });
      await until(people, `/templates/${id}`, (one) => one['status'] === 'ok');
      const vm = { name: name('vm'), cluster: { id: path('{cluster}') }, template: { id } };
      const made = await admin.add('/vms', { vm });
      await settled(people, made.id);
      return [
        normal(37, `VM ${vm.name} creation was initiated by ${who}.`),
        normal(53, `VM ${vm.name} creation has been completed.`),
      ];
    },
  ],
  [
    'a machine is started and powered off',
    async (people) => {
      const { admin } = people;
      const vm = await running(people);
      await admin.must(`${vm.path}/stop`, { reason: 'too loud' });
      return [
        normal(153, `VM ${vm.name} was started by ${who} (Host: ${vm.host}).`),
        normal(32, `VM ${vm.name} started on Host ${vm.host}.`),
        normal(33, `VM ${vm.name} powered off by ${who} (Host: ${vm.host}) (Reason: too loud).`),
        normal(61, `VM ${vm.name} is down. Exit message: stop requested.`),
      ];
    },
  ],
  [
    'a machine is rebooted, reset and shut down',
    async (people) => {
      const { admin } = people;
      const vm = await running(people);
      await admin.must(`${vm.path}/reboot`);
      await settled(people, vm.id);
      await admin.must(`${vm.path}/reset`);
      await settled(people, vm.id);
      await admin.must(`${vm.path}/shutdown`);
      await settled(people, vm.id);
      return [
        normal(157, `VM ${vm.name} is being rebooted by ${who} (Host: ${vm.host}).`),
        normal(221, `VM ${vm.name} was reset by ${who}.`),
        normal(73, `VM shutdown initiated by ${who} on VM ${vm.name} (Host: ${vm.host}).`),
        normal(61, `VM ${vm.name} is down. Exit message: stop requested.`),
      ];
    },
  ],
  [
    'a machine is suspended, and its saved state thrown away',
    async (people) => {
      const { admin } = people;
      const vm = await running(people);
      await admin.must(`${vm.path}/suspend`);
      await settled(people, vm.id);
      await admin.must(`${vm.path}/stop`);
      return [
        normal(501, `Suspending VM ${vm.name} was initiated by ${who} (Host: ${vm.host}).`),
        normal(503, `VM ${vm.name} on Host ${vm.host} is suspended.`),
        normal(
          111,
          `VM ${vm.name} was suspended and was stopped by ${who}; its saved state was discarded.`,
        ),
      ];
    },
  ],
  [
    'a machine is migrated',
    async (people) => {
      const vm = await running(people);
      await people.admin.must(`${vm.path}/migrate`);
      await settled(people, vm.id);
      const to = await fetchHost(people, vm.id);
      return [
        normal(
          62,
          `Migration started (VM: ${vm.name}, Source: ${vm.host}, Destination: ${to}, User: ${who}).`,
        ),
        normal(63, `Migration completed (VM: ${vm.name}, Source: ${vm.host}, Destination: ${to}).`),
      ];
    },
  ],
  [
    'a highly available machine loses its host',
    async (people) => {
      const { admin } = people;
      const first = await addHost(people);
      const vm = await addRunningVm(people, first.cluster, {
        high_availability: { enabled: true },
      });
      const other = await addHost(people, { cluster: first.cluster });
      const agent = { type: 'ipmilan', address: 'ipmi', username: 'u', password: 'p', order: 1 };
      await admin.add(`${first.path}/fenceagents`, { agent });
      await admin.put(first.path, { host: { power_management: { enabled: true } } });
      await admin.must(`${first.path}/fence`, { fence_type: 'restart' });
      const [name, lost] = [vm['name'], first['name']];
      return [
        [119, 'error', `VM ${name} is down with error. Host ${lost} lost power.`],
        [9602, 'error', `Highly available VM ${name} failed. It is restarted automatically.`],
        normal(506, `VM ${name} is highly available and was restarted on host ${other['name']}.`),
      ];
    },
  ],
  [
    'memory and processors are plugged into a machine',
    async (people) => {
      const { admin } = people;
      const vm = await running(people, { memory: gibibyte, memory_policy: { max: 4 * gibibyte } });
      await admin.put(vm.path, { vm: { cpu: { topology: { sockets: 2 } } } });
      await admin.put(vm.path, { vm: { memory: 2 * gibibyte } });
      return [
        normal(2033, `Hot plug of processors into VM ${vm.name}: 1 sockets became 2.`),
        normal(
          2039,
          `Hot set of the memory of VM ${vm.name}: ${gibibyte} bytes became ${2 * gibibyte}.`,
        ),
      ];
    },
  ],
  [
    'a user requests the console of a VM',
    async (people) => {
      const vm = await running(people);
      await people.admin.must(`${vm.path}/ticket`);
      return [normal(164, `User ${who} initiated a console session for VM ${vm.name}.`)];
    },
  ],
  [
    'an interface is added, changed, unplugged, plugged in and removed',
    async (people) => {
      const { admin } = people;
      const vm = await running(people);
      const nic = { name: 'nic7', interface: 'virtio' };
      const { id } = await admin.add(`${vm.path}/nics`, { nic });
      const path = `${vm.path}/nics/${id}`;
      await admin.put(path, { nic: { linked: false } });
      await admin.must(`${path}/deactivate`);
      await admin.must(`${path}/activate`);
      await admin.must(`${path}/deactivate`);
      await admin.delete(path);
      return [
        normal(932, `Interface nic7 (virtio) was added to VM ${vm.name} by ${who}.`),
        normal(934, `Interface nic7 was updated for VM ${vm.name} by ${who}.`),
        normal(1014, `Interface nic7 was unplugged from VM ${vm.name} by ${who}.`),
        normal(1012, `Interface nic7 was plugged into VM ${vm.name} by ${who}.`),
        normal(930, `Interface nic7 was removed from VM ${vm.name} by ${who}.`),
      ];
    },
  ],
];

const disks: readonly Scene[] = [
  [
    'a disk is added to a machine, extended, detached, attached and removed',
    async (people) => {
      const { admin } = people;
      const vm = await newVm(people);
      const id = await addDisk(people, vm.id);
      const disk = String((await admin.get(`/disks/${id}`)).object['name']);
      const attachments = `/vms/${vm.id}/diskattachments`;
      await admin.put(`${attachments}/${id}`, {
        disk_attachment: { disk: { provisioned_size: gibibyte } },
      });
      await until(people, `/disks/${id}`, (one) => one['status'] === 'ok');
      await admin.delete(`${attachments}/${id}?detach_only=true`);
      await admin.add(attachments, {
        disk_attachment: { disk: { id }, interface: 'virtio', active: true },
      });
      await admin.delete(`/disks/${id}`);
      return [
        normal(78, `Add-Disk operation of ${disk} was initiated on VM ${vm.name} by ${who}.`),
        normal(97, `The disk ${disk} was successfully added to VM ${vm.name}.`),
        normal(377, `Extending disk ${disk} to 1 GB was begun by ${who}.`),
        normal(371, `Size of the disk ${disk} was successfully extended to 1 GB.`),
        normal(2018, `Disk ${disk} was successfully detached from VM ${vm.name} by ${who}.`),
        normal(2016, `Disk ${disk} was successfully attached to VM ${vm.name} by ${who}.`),
        normal(2038, `Removal of disk ${disk} from domain data1 was initiated by ${who}.`),
        normal(2014, `Disk ${disk} was successfully removed from domain data1 by ${who}.`),
      ];
    },
  ],
  [
    'a disk is unplugged from a machine that runs, and plugged in',
    async (people) => {
      const { admin } = people;
      const vm = await running(people);
      const id = await addDisk(people, vm.id, { bootable: false });
      const disk = String((await admin.get(`/disks/${id}`)).object['name']);
      const path = `${vm.path}/diskattachments/${id}`;
      await admin.put(path, { disk_attachment: { active: false } });
      await admin.put(path, { disk_attachment: { active: true } });
      return [
        normal(2002, `VM ${vm.name} disk ${disk} was unplugged by ${who}.`),
        normal(2000, `VM ${vm.name} disk ${disk} was plugged by ${who}.`),
      ];
    },
  ],
  [
    'a disk without a machine is added, copied and moved',
    async (people) => {
      const { admin, name } = people;
      const [from, to] = [
        await admin.find('/storagedomains', 'data1'),
        await admin.find('/storagedomains', 'data2'),
      ];
      const alias = name('floating');
      const disk = await addFloating(admin, from.id, { name: alias, provisioned_size: mebibyte });
      const path = `/disks/${disk.id}`;
      const action = { storage_domain: { id: to.id } };
      const rest = () => until(people, path, (one) => one['status'] === 'ok');
      await admin.must(`${path}/copy`, { ...action, disk: { name: name('copy') } });
      await rest();
      await admin.must(`${path}/move`, action);
      await until(people, path, (one) => {
        const on = JSON.stringify(one['storage_domains']);
        return one['status'] === 'ok' && on.includes(to.id);
      });
      return [
        normal(2020, `Add-Disk operation of ${alias} was initiated by ${who}.`),
        normal(2021, `The disk ${alias} was successfully added.`),
        normal(2004, `Copying disk ${alias} to Storage Domain data2 was begun by ${who}.`),
        normal(2008, `Moving disk ${alias} to Storage Domain data2 was begun by ${who}.`),
        normal(2010, `Disk ${alias} was moved to Storage Domain data2.`),
      ];
    },
  ],
  [
    'bytes are uploaded: paused, resumed, finished, cancelled',
    async (people) => {
      const { admin, name } = people;
      const domain = await admin.find('/storagedomains', 'data1');
      const alias = name('uploaded');
      const disk = await addFloating(admin, domain.id, { name: alias, provisioned_size: mebibyte });
      const begin = async () => {
        const image_transfer = { disk: { id: disk.id }, direction: 'upload' };
        const { id } = await admin.add('/imagetransfers', { image_transfer });
        const path = `/imagetransfers/${id}`;
        await until(people, path, (one) => one['phase'] === 'transferring');
        return path;
      };
      const first = await begin();
      await admin.must(`${first}/pause`);
      await until(people, first, (one) => one['phase'] === 'paused_user');
      await admin.must(`${first}/resume`);
      await until(people, first, (one) => one['phase'] === 'transferring');
      await admin.must(`${first}/finalize`);
      await until(people, first, (one) => String(one['phase']).startsWith('finished'));
      const second = await begin();
      await admin.must(`${second}/cancel`);
      await until(people, second, (one) => String(one['phase']).startsWith('finished'));
      const upload = `Image Upload with disk ${alias}`;
      return [
        normal(1031, `${upload} was initiated by ${who}.`),
        normal(1073, `${upload} was paused by ${who}.`),
        normal(1074, `${upload} was resumed by ${who}.`),
        normal(1032, `${upload} succeeded.`),
        normal(1033, `${upload} was cancelled.`),
      ];
    },
  ],
];

const kept: readonly Scene[] = [
  [
    'a snapshot is created, previewed, restored and deleted',
    async (people) => {
      const { admin } = people;
      const vm = await newVm(people);
      const one = await createSnapshot(people, vm.id);
      const two = await createSnapshot(people, vm.id);
      const snapshot = { snapshot: { id: one.id } };
      await admin.must(`/vms/${vm.id}/previewsnapshot`, snapshot);
      await until(people, one.path, (now) => now['snapshot_status'] === 'in_preview');
      await admin.must(`/vms/${vm.id}/undosnapshot`);
      await settled(people, vm.id);
      await until(people, one.path, (now) => now['snapshot_status'] === 'ok');
      await admin.delete(two.path);
      await admin.must(`${one.path}/restore`);
      await settled(people, vm.id);
      const [first, second] = [one, two].map(({ description }) => `Snapshot '${description}'`);
      const of = `for VM '${vm.name}'`;
      return [
        normal(45, `${first} creation ${of} was initiated by ${who}.`),
        normal(68, `${first} creation ${of} has been completed.`),
        normal(46, `${first} preview ${of} was initiated by ${who}.`),
        normal(71, `${first} preview ${of} has been completed.`),
        normal(342, `${second} deletion ${of} was initiated by ${who}.`),
        normal(356, `${second} deletion ${of} has been completed.`),
        normal(47, `VM '${vm.name}' is restored from snapshot '${one.description}' by ${who}.`),
      ];
    },
  ],
  [
    'a template is created, changed and deleted',
    async (people) => {
      const { admin } = people;
      const template = await createTemplate(people);
      await admin.put(template.path, { template: { comment: 'x' } });
      expect((await admin.delete(template.path)).status).toBe(200);
      const { name, vm } = template;
      return [
        normal(48, `Creation of Template ${name} from VM ${vm} was initiated by ${who}.`),
        normal(51, `Creation of Template ${name} from VM ${vm} has been completed.`),
        normal(49, `Template ${name} configuration was updated by ${who}.`),
        normal(50, `Removal of Template ${name} was initiated by ${who}.`),
        normal(251, `Template ${name} has been removed.`),
      ];
    },
  ],
];

describe('events about machines', () => testEvents(site, life));
describe('events about disks', () => testEvents(site, disks));
describe('events about snapshots and templates', () => testEvents(site, kept));
