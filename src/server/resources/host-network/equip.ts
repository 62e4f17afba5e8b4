/** The interfaces that a host has when it is installed, and its management network. */
import type { RuleContext } from '../../core/context.ts';
import { digestOf, namedId } from '../../core/digest.ts';
import {
  attachmentsOf,
  attachmentsPath,
  nicId,
  nicsOf,
  nicsPath,
  refreshNics,
  tell,
} from './nics.ts';

const names = ['eth0', 'eth1', 'eth2', 'eth3'] as const;
/** The interface that can be divided into virtual functions. */
const divisible = 'eth3';

/** Gives a host its interfaces, and the management network of its cluster on the first one. */
export function equipWithNics(ctx: RuleContext, host: string): void {
  if (nicsOf(ctx, host).length === 0) {
    for (const name of names) addPhysical(ctx, host, name);
  }
  attachManagement(ctx, host);
  refreshNics(ctx, host);
}

function addPhysical(ctx: RuleContext, host: string, name: string): void {
  ctx.tx.insert('host_nic', nicsPath(host), {
    id: nicId(host, name),
    name,
    mac: { address: macOf(host, name) },
    speed: name === divisible ? 10_000_000_000 : 1_000_000_000,
    status: 'up',
    mtu: 1500,
    bridged: false,
    custom_configuration: false,
    override_configuration: false,
    boot_protocol: 'none',
    ipv6_boot_protocol: 'none',
    host: { id: host },
    ...(name === divisible
      ? {
          virtual_functions_configuration: {
            max_number_of_virtual_functions: 7,
            number_of_virtual_functions: 0,
            all_networks_allowed: true,
          },
        }
      : {}),
  });
}

/** An address that the interface of a host has for ever; apart from those of virtual machines. */
export function macOf(host: string, name: string): string {
  const digest = digestOf(host, name);
  const tail = [0, 1, 2, 3].map((index) => (digest[index] ?? 0).toString(16).padStart(2, '0'));
  return `52:54:${tail.join(':')}`;
}

/** The management network of a cluster. */
export function managementOf(ctx: RuleContext, cluster: string): string | undefined {
  return ctx.tx
    .list('cluster_network', { where: { collection: `/clusters/${cluster}/networks` } })
    .find(({ usages }) => usages?.includes('management'))?.id;
}

/** Attaches the management network of the host's cluster, where the host does not have it. */
export function attachManagement(ctx: RuleContext, host: string, nic = nicId(host, 'eth0')): void {
  const cluster = ctx.tx.get('host', host)?.cluster?.id ?? '';
  const id = managementOf(ctx, cluster);
  const network = id ? ctx.tx.get('network', id) : undefined;
  if (!network?.id || attachmentsOf(ctx, host).some((one) => one.network?.id === id)) return;
  const attachment = {
    id: namedId(host, 'attachment', network.id),
    network: { id: network.id },
    host_nic: { id: nic },
    host: { id: host },
    ip_address_assignments: [{ assignment_method: 'dhcp' as const }],
  };
  ctx.tx.insert('network_attachment', attachmentsPath(host), tell(attachment, network));
}
