/** Host devices, also those attached to a VM. */
import { crud, idOrName, owned } from '../notation/collections.ts';
import { attaching } from '../notation/commands.ts';
import { owner } from '../notation/permits.ts';
import { resource, structure } from '../notation/resource.ts';

export const hostDevice = resource('host_device', {
  doc: 'A host device that can be passed through to a VM.',
  identified: true,
  attributes: {
    vm: { kind: 'ref vm', mut: 'R', doc: 'VM that uses the device.' },
    name: { kind: 'string', mut: 'R' },
    capability: { kind: 'string', mut: 'R' },
    driver: { kind: 'string', mut: 'R' },
    product: { kind: 'struct product', mut: 'R' },
    vendor: { kind: 'struct vendor', mut: 'R' },
    iommu_group: { kind: 'int', mut: 'R' },
    virtual_functions: { kind: 'int', mut: 'R' },
    physical_function: { kind: 'struct host_device', mut: 'R' },
    placeholder: { kind: 'bool', mut: 'R' },
    m_dev_types: { kind: 'list struct m_dev_type', mut: 'R' },
    host: { kind: 'ref host', mut: 'R' },
    parent_device: { kind: 'ref host_device', mut: 'R' },
  },
  required: [idOrName],
  operations: {
    add: { permit: owner('edit_admin_vm_properties') },
    remove: { permit: owner('edit_admin_vm_properties') },
  },
  paths: {
    '/vms/{vm}/hostdevices/{device}': owned({
      ...crud('list', 'add', 'get', 'remove'),
      verbs: attaching,
      attaches: true,
    }),
    '/hosts/{host}/devices/{device}': owned({ list: ['follow', 'max'], get: ['follow'] }),
  },
  definition: { writtenAt: ['/vms/{vm}/hostdevices'] },
  commands: {
    noun: 'hostdevices',
    aliases: ['devices'],
    group: 'observe',
    doc: 'Devices of hosts and VMs',
    one: 'host device',
    collections: ['/hosts/{host}/devices'],
    referredBy: 'name',
    samples: { object: 'pci_0000_01_00_0' },
  },
});

export const product = structure('product', {
  identified: true,
  attributes: {},
});

export const vendor = structure('vendor', {
  identified: true,
  attributes: {},
});

export const mDevType = structure('m_dev_type', {
  attributes: {
    name: { kind: 'string', mut: 'CU' },
    human_readable_name: { kind: 'string', mut: 'CU' },
    available_instances: { kind: 'int', mut: 'CU' },
    description: { kind: 'string', mut: 'CU' },
  },
});
