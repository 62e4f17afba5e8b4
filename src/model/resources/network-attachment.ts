/** Attachments of networks to host NICs. */
import { asyncIgnored, byIdOrName, crud, owned, view } from '../notation/collections.ts';
import { owner } from '../notation/permits.ts';
import { resource, structure } from '../notation/resource.ts';

export const networkAttachment = resource('network_attachment', {
  identified: true,
  unwritten: ['name'],
  attributes: {
    network: { kind: 'ref network', mut: 'C', doc: 'Network by name or id.' },
    host_nic: { kind: 'ref host_nic', mut: 'CU', doc: 'Host interface by name or id.' },
    ip_address_assignments: { kind: 'list struct ip_address_assignment', mut: 'CU' },
    properties: { kind: 'list struct property', mut: 'CU' },
    dns_resolver_configuration: { kind: 'struct dns_resolver_configuration', mut: 'CU' },
    qos: { kind: 'ref qos', mut: 'CU' },
    in_sync: { kind: 'bool', mut: 'R' },
    reported_configurations: { kind: 'list struct reported_configuration', mut: 'R' },
    host: { kind: 'ref host', mut: 'R' },
  },
  required: [byIdOrName('network')],
  operations: {
    add: { permit: owner('configure_host_network'), opposite: 'remove' },
    update: { permit: owner('configure_host_network') },
    remove: { permit: owner('configure_host_network'), opposite: 'add' },
  },
  paths: {
    '/hosts/{host}/networkattachments/{attachment}': owned(crud()),
    '/hosts/{host}/nics/{nic}/networkattachments/{attachment}': view(
      { partOf: '/hosts/{host}/networkattachments', refersBy: 'host_nic' },
      {
        list: ['follow', 'max'],
        add: [],
        get: ['follow'],
        update: [asyncIgnored],
        remove: ['async'],
      },
    ),
  },
  definition: { writtenAt: ['/hosts/{host}/networkattachments'] },
  commands: {
    follow: 'host_nic',
    noun: 'networkattachments',
    group: 'network',
    position: 10,
    more: true,
    doc: 'Networks attached to a host',
    one: 'network attachment',
    verbs: { create: { sample: { flags: '--network frontend --host-nic eth1' } } },
  },
});

export const reportedConfiguration = structure('reported_configuration', {
  attributes: {
    name: { kind: 'string', mut: 'CU' },
    expected_value: { kind: 'string', mut: 'CU' },
    actual_value: { kind: 'string', mut: 'CU' },
    in_sync: { kind: 'bool', mut: 'CU' },
  },
});
