/** Instance types: hardware presets. */
import { crud, owned } from '../notation/collections.ts';
import { cpuShortcuts, cpusColumn } from '../notation/commands.ts';
import { self, system } from '../notation/permits.ts';
import { resource } from '../notation/resource.ts';
import { related } from '../notation/search-terms.ts';
import { template } from './template.ts';

export const instanceType = resource('instance_type', {
  doc: 'A named set of hardware settings for VMs.',
  base: 'template',
  answers: [
    'name',
    'description',
    'console',
    'cpu',
    'creation_time',
    'display',
    'high_availability',
    'io',
    'memory',
    'memory_policy',
    'migration',
    'migration_downtime',
    'os',
    'placement_policy',
    'rng_device',
    'soundcard_enabled',
    'tpm_enabled',
    'usb',
    'virtio_scsi',
    'graphics_consoles',
    'nics',
    'watchdogs',
  ],
  attributes: { comment: { kind: 'string', mut: 'R' } },
  naming: { pattern: 'letters', max: 255, unique: 'service' },
  required: ['name'],
  operations: {
    add: { permit: system('create_template') },
    update: { permit: self('edit_template_properties') },
    remove: { permit: self('delete_template'), job: 'Removing instance type {name}' },
  },
  paths: {
    '/instancetypes/{instancetype}': owned({
      ...crud('add', 'get', 'update', 'remove'),
      list: ['case_sensitive', 'follow', 'max', 'search'],
    }),
  },
  search: {
    fields: template.search.fields,
    withoutText: true,
    related: [
      { ...related.vms, steps: [{ back: 'vm.instance_type' }] },
      { ...related.hosts, steps: [{ back: 'vm.instance_type' }, { follow: 'host' }] },
      { ...related.vmNics, steps: [{ back: 'nic.instance_type' }] },
    ],
  },
  definition: { writtenAt: ['/instancetypes'] },
  commands: {
    noun: 'instancetypes',
    group: 'compute',
    position: 10,
    more: true,
    doc: 'Named hardware settings',
    one: 'instance type',
    columns: ['name', 'memory', cpusColumn, 'description', 'id'],
    shortcuts: cpuShortcuts,
    samples: { object: 'Large', newName: 'Wide' },
  },
});
