/** Labels that attach networks to host NICs. */
import { below, crud, owned } from '../notation/collections.ts';
import { attaching, shortcut } from '../notation/commands.ts';
import { owner } from '../notation/permits.ts';
import { resource } from '../notation/resource.ts';

export const networkLabel = resource('network_label', {
  identified: true,
  unwritten: ['network', 'host_nic', 'name'],
  attributes: {
    network: { kind: 'ref network', mut: 'CU' },
    host_nic: { kind: 'ref host_nic', mut: 'CU' },
  },
  required: ['id'],
  operations: {
    add: { permit: owner('configure_storage_pool_network') },
    remove: { permit: owner('configure_storage_pool_network') },
  },
  paths: {
    ...below(
      [
        '/datacenters/{datacenter}/iscsibonds/{iscsibond}/networks/{network}',
        '/networks/{network}',
      ],
      'networklabels/{label}',
      owned({
        attaches: true,
        list: ['follow', 'max'],
        add: [],
        get: ['follow'],
        remove: ['async'],
      }),
    ),
    '/hosts/{host}/nics/{nic}/networklabels/{label}': owned({
      ...crud('list', 'add', 'get', 'remove'),
      attaches: true,
      permits: {
        add: [owner('configure_host_network')],
        remove: [owner('configure_host_network')],
      },
    }),
    '/hosts/{host}/nics/{nic}/virtualfunctionallowedlabels/{label}': owned({
      ...crud('list', 'add', 'get', 'remove'),
      attaches: true,
      permits: {
        add: [owner('configure_host_network')],
        remove: [owner('configure_host_network')],
      },
    }),
  },
  definition: {
    writtenAt: ['/networks/{network}/networklabels'],
    leftOut: {
      '/datacenters/{datacenter}/iscsibonds/{iscsibond}/networks/{network}/networklabels':
        'exported with the network',
      '/hosts/{host}/nics/{nic}/networklabels':
        'hardware of a host; networks from a label are exported as networkattachments',
      '/hosts/{host}/nics/{nic}/virtualfunctionallowedlabels': 'hardware of a host',
    },
  },
  commands: {
    noun: 'networklabels',
    group: 'network',
    position: 20,
    more: true,
    doc: 'Labels that attach networks to host interfaces',
    shortcuts: [shortcut('label', 'id', 'Label.')],
    referredBy: 'id',
    verbs: { create: { sample: { flags: '--label green' } } },
    samples: { object: 'blue' },
    otherNouns: [
      {
        noun: 'virtualfunctionallowedlabels',
        group: 'network',
        position: 80,
        more: true,
        doc: 'Labels allowed on virtual functions',
        one: 'allowed label',
        operationVerbs: attaching,
        samples: { object: 'blue' },
      },
    ],
  },
});
