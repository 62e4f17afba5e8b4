/** Fence agents of hosts. */
import { crud, owned } from '../notation/collections.ts';
import { owner } from '../notation/permits.ts';
import { resource, structure } from '../notation/resource.ts';

export const agent = resource('agent', {
  doc: 'A fence agent, which powers a host off and on.',
  identified: true,
  attributes: {
    name: { kind: 'string', mut: 'CU' },
    password: { kind: 'string', mut: 'CU', writeOnly: true, secret: true },
    options: { kind: 'list struct option', mut: 'CU' },
    encrypt_options: {
      kind: 'bool',
      mut: 'CU',
      doc: 'Whether options are stored encrypted (default false).',
    },
    concurrent: {
      kind: 'bool',
      mut: 'CU',
      doc: 'Whether agents with the same order run concurrently.',
    },
    port: { kind: 'int', mut: 'CU' },
    host: { kind: 'ref host', mut: 'R' },
    type: { kind: 'string', mut: 'CU', length: [0, 20] },
    address: { kind: 'string', mut: 'CU', length: [0, 255] },
    username: { kind: 'string', mut: 'CU', length: [0, 50] },
    order: { kind: 'int', mut: 'CU' },
  },
  required: ['address', 'order', 'type', 'username', 'password'],
  operations: {
    add: { permit: owner('edit_host_configuration') },
    update: { permit: owner('edit_host_configuration') },
    remove: {
      permit: owner('edit_host_configuration'),
      job: 'Removing a fence agent of host {owner}',
    },
  },
  paths: {
    '/hosts/{host}/fenceagents/{agent}': owned(crud()),
  },
  definition: { writtenAt: ['/hosts/{host}/fenceagents'] },
  commands: {
    noun: 'fenceagents',
    group: 'compute',
    position: 130,
    more: true,
    doc: 'Power management agents of a host',
    one: 'fence agent',
    verbs: {
      create: {
        sample: {
          flags:
            '--address ilo2.example.com --order 2 --type ilo4 --username admin --password-file password.txt',
        },
      },
    },
  },
});

export const powerManagement = structure('power_management', {
  unwritten: ['status', 'agents', 'password'],
  attributes: {
    enabled: { kind: 'bool', mut: 'CU' },
    address: { kind: 'string', mut: 'CU' },
    username: { kind: 'string', mut: 'CU' },
    password: { kind: 'string', mut: 'CU', secret: true },
    options: { kind: 'list struct option', mut: 'CU' },
    status: { kind: 'enum power_management_status', mut: 'CU' },
    pm_proxies: { kind: 'list struct pm_proxy', mut: 'CU' },
    agents: { kind: 'list struct agent', mut: 'CU' },
    automatic_pm_enabled: { kind: 'bool', mut: 'CU' },
    kdump_detection: { kind: 'bool', mut: 'CU' },
    type: { kind: 'string', mut: 'CU' },
  },
});

export const pmProxy = structure('pm_proxy', {
  attributes: {
    type: { kind: 'enum pm_proxy_type', mut: 'CU' },
  },
});
