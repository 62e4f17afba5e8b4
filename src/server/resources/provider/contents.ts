/** Contents of simulated providers, derived from the provider id. */
import type { Resource } from '../../../model/resource.ts';
import { defineBehavior } from '../../core/behavior.ts';
import { digestParts, namedId } from '../../core/random.ts';

type Network = Resource<'openstack_network'>;

const networkNames = ['tenant-a', 'tenant-b', 'public'];
const hostNames = ['node-a', 'node-b', 'node-c'];
const groupNames = ['hypervisors', 'hypervisors-edge'];
const resourceNames = ['rack-1', 'rack-2'];

/** Initial images of a repository: names and sizes in bytes. */
export const suppliedImages = [
  ['CirrOS 0.6.2 for x86_64', 2 ** 27],
  ['CentOS Stream 9 Generic Cloud', 10 * 2 ** 30],
  ['Fedora 40 Cloud Base', 5 * 2 ** 30],
  ['Debian 12 Generic Cloud', 3 * 2 ** 30],
] as const;

/** Networks of a network provider. */
export function listProviderNetworks(provider: string): Network[] {
  return networkNames.map((name) => ({
    id: namedId(provider, 'network', name),
    name,
    openstack_network_provider: { id: provider },
  }));
}

/** The initial subnet of a network. */
export function createInitialSubnet(network: Network, index: number): Resource<'openstack_subnet'> {
  return {
    id: namedId(network.id ?? '', 'subnet'),
    name: `${network.name}-subnet`,
    cidr: `10.${100 + index}.0.0/24`,
    ip_version: 'v4',
    gateway: `10.${100 + index}.0.1`,
    dns_servers: [`10.${100 + index}.0.2`],
    openstack_network: { id: network.id ?? '' },
  };
}

export const externalHostBehavior = defineBehavior('external_host', {
  compute(_ctx, ref) {
    const provider = ref.owner?.id ?? '';
    return hostNames.map((name) => ({
      id: namedId(provider, 'host', name),
      name: `${name}.example.com`,
      address: `${name}.example.com`,
      external_host_provider: { id: provider },
    }));
  },
});

export const discoveredHostBehavior = defineBehavior('external_discovered_host', {
  compute(_ctx, ref) {
    const provider = ref.owner?.id ?? '';
    return ['1', '2', '3'].map((number) => {
      const bytes = digestParts(provider, 'discovered', number);
      const tail = [...bytes.subarray(0, 3)].map((byte) => byte.toString(16).padStart(2, '0'));
      const hour = String((bytes[3] ?? 0) % 24).padStart(2, '0');
      return {
        id: namedId(provider, 'discovered', number),
        name: `mac525400${tail.join('')}`,
        ip: `192.0.2.${10 + ((bytes[4] ?? 0) % 200)}`,
        mac: `52:54:00:${tail.join(':')}`,
        subnet_name: 'provisioning',
        last_report: `2026-01-01T${hour}:00:00.000Z`,
        external_host_provider: { id: provider },
      };
    });
  },
});

export const hostGroupBehavior = defineBehavior('external_host_group', {
  compute(_ctx, ref) {
    const provider = ref.owner?.id ?? '';
    return groupNames.map((name) => ({
      id: namedId(provider, 'group', name),
      name,
      architecture_name: 'x86_64',
      operating_system_name: 'CentOS Stream 9',
      domain_name: 'example.com',
      subnet_name: 'provisioning',
      external_host_provider: { id: provider },
    }));
  },
});

export const computeResourceBehavior = defineBehavior('external_compute_resource', {
  compute(_ctx, ref) {
    const provider = ref.owner?.id ?? '';
    return resourceNames.map((name) => ({
      id: namedId(provider, 'resource', name),
      name,
      provider: 'libvirt',
      user: 'provisioner',
      url: `https://${name}.example.com/api`,
      external_host_provider: { id: provider },
    }));
  },
});
