/** External networks of hosts, and their network provider configuration. */
import { crud, owned } from '../notation/collections.ts';
import { owner } from '../notation/permits.ts';
import { resource } from '../notation/resource.ts';

export const unmanagedNetwork = resource('unmanaged_network', {
  identified: true,
  attributes: {
    host_nic: { kind: 'ref host_nic', mut: 'CU' },
    host: { kind: 'ref host', mut: 'CU' },
  },
  operations: { remove: { permit: owner('configure_host_network') } },
  paths: {
    '/hosts/{host}/unmanagednetworks/{unmanagednetwork}': owned(crud('list', 'get', 'remove')),
  },
  commands: {
    noun: 'unmanagednetworks',
    group: 'network',
    position: 70,
    more: true,
    doc: 'Unmanaged networks of a host',
    samples: { object: 'legacy' },
  },
});

export const externalNetworkProviderConfiguration = resource(
  'external_network_provider_configuration',
  {
    identified: true,
    attributes: {
      external_network_provider: { kind: 'ref external_provider', mut: 'CU' },
      host: { kind: 'ref host', mut: 'CU' },
    },
    paths: {
      '/hosts/{host}/externalnetworkproviderconfigurations/{configuration}': owned({
        list: ['follow'],
        get: ['follow'],
      }),
    },
    commands: {
      noun: 'externalnetworkproviderconfigurations',
      group: 'network',
      position: 60,
      more: true,
      doc: 'Network provider settings of a host',
      one: 'provider configuration',
    },
  },
);
