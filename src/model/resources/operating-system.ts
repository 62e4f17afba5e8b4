/** Guest operating systems and icons. */
import { owned } from '../notation/collections.ts';
import { resource } from '../notation/resource.ts';

export const operatingSystemInfo = resource('operating_system_info', {
  tag: 'operating_system',
  plural: 'operation_systems',
  identified: true,
  attributes: {
    name: { kind: 'string', mut: 'R' },
    description: { kind: 'string', mut: 'R' },
    large_icon: { kind: 'struct icon', mut: 'R' },
    small_icon: { kind: 'struct icon', mut: 'R' },
    architecture: { kind: 'enum architecture', mut: 'R' },
    tpm_support: { kind: 'enum tpm_support', mut: 'R' },
  },
  paths: {
    '/operatingsystems/{operatingsystem}': owned({ list: ['follow', 'max'], get: ['follow'] }),
  },
  search: { order: [] },
  commands: {
    noun: 'operatingsystems',
    aliases: ['os'],
    group: 'compute',
    more: true,
    doc: 'Supported guest operating systems',
    one: 'operating system',
    samples: { object: 'rhel_9x64' },
  },
});

export const icon = resource('icon', {
  identified: true,
  attributes: {
    media_type: { kind: 'string', mut: 'CU' },
    data: { kind: 'string', mut: 'CU' },
  },
  paths: { '/icons/{icon}': owned({ list: ['follow', 'max'], get: ['follow'] }) },
  search: { order: [] },
  commands: {
    noun: 'icons',
    group: 'compute',
    more: true,
    doc: 'Icons of VMs',
    columns: ['id', 'media_type'],
  },
});
