/** VM devices: CD drives, watchdogs, consoles, mediated devices. */
import { asyncIgnored, below, computed, crud, owned } from '../notation/collections.ts';
import { column, shortcut } from '../notation/commands.ts';
import { owner } from '../notation/permits.ts';
import { resource, structure } from '../notation/resource.ts';

/** Every VM has exactly one CD drive, always with this id. */
export const cdromId = '00000000-0000-0000-0000-000000000000';

export const device = structure('device', {
  doc: 'Attributes of all devices of a VM.',
  identified: true,
  attributes: {
    template: { kind: 'ref template', mut: 'R' },
    instance_type: { kind: 'ref instance_type', mut: 'R' },
    vm: { kind: 'ref vm', mut: 'R' },
    vms: { kind: 'links vm', mut: 'R' },
  },
});

export const cdrom = resource('cdrom', {
  doc: 'The CD-ROM drive of a VM; each VM has one, with the all-zero id.',
  base: 'device',
  attributes: {
    file: {
      kind: 'struct file',
      mut: 'CU',
      doc: 'ISO by id or file name; an empty id ejects it. With current=true until the next stop.',
    },
  },
  required: ['file.id'],
  operations: {
    add: { permit: owner('edit_vm_properties') },
    update: { permit: owner('change_vm_cd'), job: 'Changing the CD of {owner}' },
  },
  paths: {
    '/vms/{vm}/cdroms/{cdrom}': owned({
      ...crud('list', 'add'),
      get: ['current', 'follow'],
      update: ['current'],
      alwaysRefused: { add: 'each VM has exactly one CD-ROM drive' },
    }),
    '/vms/{vm}/snapshots/{snapshot}/cdroms/{cdrom}': computed(
      'snapshot_cdrom',
      crud('list', 'get'),
    ),
    '/templates/{template}/cdroms/{cdrom}': owned({ list: ['follow', 'max'], get: ['follow'] }),
  },
  definition: { writtenAt: ['/vms/{vm}/cdroms'] },
  commands: {
    noun: 'cdroms',
    aliases: ['cd'],
    group: 'storage',
    position: 70,
    doc: 'CD-ROM drives',
    one: 'CD-ROM drive',
    operationVerbs: { update: 'change' },
    columns: ['id', column('file', 'file.id')],
    knownBy: [],
    isSingle: true,
    shortcuts: [shortcut('file', 'file.id', 'ISO image; an empty value ejects the disc.')],
    verbs: {
      change: { sample: { flags: '--file debian-12.7.0-amd64-netinst.iso' } },
      create: { sample: { flags: '--file debian-12.7.0-amd64-netinst.iso' } },
    },
    samples: { object: cdromId },
  },
});

export const floppy = structure('floppy', {
  base: 'device',
  attributes: {
    file: { kind: 'struct file', mut: 'CU' },
  },
});

export const watchdog = resource('watchdog', {
  base: 'device',
  attributes: {
    model: { kind: 'enum watchdog_model', mut: 'CU' },
    action: { kind: 'enum watchdog_action', mut: 'CU' },
  },
  required: ['action', 'model'],
  operations: {
    add: { permit: owner('edit_vm_properties') },
    update: { permit: owner('edit_vm_properties') },
    remove: { permit: owner('edit_vm_properties'), job: 'Removing the watchdog of {owner}' },
  },
  paths: {
    ...below(
      ['/vms/{vm}', '/templates/{template}'],
      'watchdogs/{watchdog}',
      owned({
        list: ['follow', 'max'],
        add: [],
        get: ['follow'],
        update: [asyncIgnored],
        remove: ['async'],
      }),
    ),
    '/instancetypes/{instancetype}/watchdogs/{watchdog}': owned({
      ...crud('add', 'get', 'update', 'remove'),
      list: ['follow', 'max', 'search'],
    }),
  },
  definition: {
    writtenAt: [
      '/vms/{vm}/watchdogs',
      '/templates/{template}/watchdogs',
      '/instancetypes/{instancetype}/watchdogs',
    ],
  },
  commands: {
    noun: 'watchdogs',
    group: 'compute',
    position: 100,
    more: true,
    doc: 'Watchdog cards',
    one: 'watchdog',
    knownBy: [],
    isSingle: true,
    verbs: {
      create: { sample: { flags: '--action reset --model i6300esb' } },
      update: { sample: { flags: '--action poweroff' } },
    },
  },
});

export const vmMediatedDevice = resource('vm_mediated_device', {
  base: 'device',
  attributes: {
    spec_params: { kind: 'list struct property', mut: 'CU' },
  },
  operations: {
    add: { permit: owner('edit_vm_properties') },
    update: { permit: owner('edit_vm_properties') },
    remove: { permit: owner('edit_vm_properties') },
  },
  paths: {
    ...below(
      ['/vms/{vm}', '/templates/{template}'],
      'mediateddevices/{device}',
      owned({
        list: ['follow', 'max'],
        add: [],
        get: ['follow'],
        update: [asyncIgnored],
        remove: ['async'],
      }),
    ),
  },
  definition: { writtenAt: ['/vms/{vm}/mediateddevices', '/templates/{template}/mediateddevices'] },
  commands: {
    noun: 'mediateddevices',
    group: 'compute',
    position: 60,
    more: true,
    doc: 'Mediated devices',
    verbs: {
      create: {
        sample: { flags: '--set-json \'spec_params=[{"name":"mdevType","value":"nvidia-11"}]\'' },
      },
    },
  },
});

export const graphicsConsole = resource('graphics_console', {
  doc: 'A graphics console; its id is the protocol name in hexadecimal.',
  identified: true,
  unwritten: ['vm', 'template', 'instance_type', 'name'],
  attributes: {
    protocol: {
      kind: 'enum graphics_type',
      mut: 'C',
      doc: 'Protocol: spice or vnc, at most one of each.',
    },
    port: { kind: 'int', mut: 'R', doc: 'Shown with current=true for a running VM.' },
    tls_port: { kind: 'int', mut: 'R', doc: 'Shown with current=true for a running VM.' },
    address: { kind: 'string', mut: 'R', doc: 'Shown with current=true for a running VM.' },
    vm: { kind: 'ref vm', mut: 'C' },
    template: { kind: 'ref template', mut: 'C' },
    instance_type: { kind: 'ref instance_type', mut: 'C' },
  },
  required: ['protocol'],
  operations: {
    add: { permit: owner('edit_vm_properties') },
    remove: { permit: owner('edit_vm_properties') },
    proxy_ticket: { permit: owner('connect_to_vm'), harmless: true },
    remote_viewer_connection_file: { permit: owner('connect_to_vm'), harmless: true },
    ticket: { permit: owner('connect_to_vm'), harmless: true },
  },
  paths: {
    '/vms/{vm}/graphicsconsoles/{console}': owned({
      ...crud('add', 'remove'),
      list: ['current', 'follow', 'max'],
      get: ['current', 'follow'],
      actions: {
        proxy_ticket: ['async', 'proxy_ticket'],
        remote_viewer_connection_file: ['remote_viewer_connection_file'],
        ticket: ['ticket'],
      },
    }),
    ...below(
      ['/templates/{template}', '/instancetypes/{instancetype}'],
      'graphicsconsoles/{console}',
      owned({ list: ['follow', 'max'], add: [], get: ['follow'], remove: ['async'] }),
    ),
  },
  definition: {
    writtenAt: [
      '/vms/{vm}/graphicsconsoles',
      '/templates/{template}/graphicsconsoles',
      '/instancetypes/{instancetype}/graphicsconsoles',
    ],
  },
  commands: {
    noun: 'graphicsconsoles',
    aliases: ['consoles'],
    group: 'compute',
    position: 50,
    more: true,
    doc: 'Graphics consoles',
    one: 'console',
    columns: ['protocol', 'address', 'port', 'tls_port', 'id'],
    verbs: {
      create: { sample: { flags: '--protocol spice' } },
      ticket: { purpose: 'Get a ticket for a graphics console' },
    },
    samples: { object: '766e63' },
  },
});

export const proxyTicket = structure('proxy_ticket', {
  attributes: {
    value: { kind: 'string', mut: 'CU', confidential: true },
  },
});
