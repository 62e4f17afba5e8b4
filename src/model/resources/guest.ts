/** Reports of guest agents: applications, devices, sessions. */
import { below, owned } from '../notation/collections.ts';
import { resource } from '../notation/resource.ts';

export const application = resource('application', {
  identified: true,
  attributes: {
    vm: { kind: 'ref vm', mut: 'CU' },
  },
  paths: {
    '/vms/{vm}/applications/{application}': owned({
      list: ['filter', 'follow', 'max'],
      get: ['filter', 'follow'],
    }),
  },
  commands: {
    noun: 'applications',
    group: 'compute',
    position: 20,
    more: true,
    doc: 'Applications that the guest reports',
    columns: ['name', 'id'],
    samples: { object: 'kernel-5.14.0-427.el9' },
  },
});

export const reportedDevice = resource('reported_device', {
  identified: true,
  attributes: {
    type: { kind: 'enum reported_device_type', mut: 'CU' },
    mac: { kind: 'struct mac', mut: 'CU' },
    ips: { kind: 'list struct ip', mut: 'CU' },
    vm: { kind: 'ref vm', mut: 'CU' },
  },
  paths: {
    ...below(
      ['/vms/{vm}/nics/{nic}', '/vms/{vm}'],
      'reporteddevices/{reporteddevice}',
      owned({ list: ['follow', 'max'], get: ['follow'] }),
    ),
  },
  commands: {
    noun: 'reporteddevices',
    group: 'compute',
    position: 80,
    more: true,
    doc: 'Devices that the guest reports',
    samples: { object: 'eth0' },
  },
});

export const session = resource('session', {
  identified: true,
  attributes: {
    protocol: { kind: 'string', mut: 'CU' },
    ip: { kind: 'struct ip', mut: 'CU' },
    console_user: { kind: 'bool', mut: 'CU' },
    user: { kind: 'ref user', mut: 'CU' },
    vm: { kind: 'ref vm', mut: 'CU' },
  },
  paths: { '/vms/{vm}/sessions/{session}': owned({ list: ['follow', 'max'], get: ['follow'] }) },
  commands: {
    noun: 'sessions',
    group: 'compute',
    position: 90,
    more: true,
    doc: 'User sessions in the guest',
    knownBy: [],
  },
});
