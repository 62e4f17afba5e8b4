/** Network interfaces of hosts: installation, bonds, VLANs, and the networks that are attached. */
import type { Resource } from '../../model/resource.ts';
import type { RuleContext } from '../core/context.ts';
import { digestOf, namedId } from '../core/random.ts';

export type Nic = Resource<'host_nic'>;
export type Attachment = Resource<'network_attachment'>;
type Network = Resource<'network'>;

export const nicsPath = (host: string) => `/hosts/${host}/nics`;
export const attachmentsPath = (host: string) => `/hosts/${host}/networkattachments`;
export const labelsPath = (host: string, nic: string) => `/hosts/${host}/nics/${nic}/networklabels`;

/** Id of the interface of a host with this name. */
export function nicId(host: string, name: string): string {
  return namedId(host, 'nic', name);
}

/** All interfaces of a host. */
export function nicsOf(ctx: RuleContext, host: string): Nic[] {
  return ctx.tx.list('host_nic', { where: { collection: nicsPath(host) } });
}

/** Whether an interface exists for the sake of a tagged network alone. */
export function isVlan(nic: Nic): boolean {
  return nic.base_interface !== undefined;
}

/** What a host has of networks. */
export function attachmentsOf(ctx: RuleContext, host: string): Attachment[] {
  return ctx.tx.list('network_attachment', { where: { collection: attachmentsPath(host) } });
}

/** The size of packets of a network, in bytes. */
function mtuOf(network: Network): number {
  return network.mtu || 1500;
}

/** Whether virtual machines use a network: it has a bridge on every host. */
export function isBridged(network: Network): boolean {
  return network.usages?.includes('vm') ?? true;
}

/** A network as it is on a host: what the host was told of it last. */
export interface Applied {
  readonly mtu: number;
  readonly vlan: number | undefined;
  readonly bridged: boolean;
}

/** What a host is told of a network. */
export function appliedOf(network: Network): Applied {
  return { mtu: mtuOf(network), vlan: network.vlan?.id, bridged: isBridged(network) };
}

/** What the host of an attachment was told of the network. */
export function reportOf(
  attachment: Attachment & { readonly applied?: Applied },
): Applied | undefined {
  return attachment.applied;
}

/** The attachment after the host was told of the network as it is now. */
export function tell(attachment: Attachment, network: Network): Attachment {
  return { ...attachment, ...{ applied: appliedOf(network) } };
}

/**
 * Computes the interfaces of a host from its attachments: a tagged network has an interface of its
 * own, an untagged one takes the interface as it is.
 */
export function refreshNics(ctx: RuleContext, host: string): void {
  const nics = nicsOf(ctx, host);
  const attachments = attachmentsOf(ctx, host);
  const wanted = new Map<string, Nic>();
  for (const nic of nics) {
    if (isVlan(nic)) continue;
    const own = attachments.filter((one) => one.host_nic?.id === nic.id);
    const untagged = own.find((one) => reportOf(one)?.vlan === undefined);
    const base = { ...bare(nic), ...(untagged ? dressed(untagged, host) : {}) };
    wanted.set(nic.id ?? '', base);
    for (const tagged of own.filter((one) => reportOf(one)?.vlan !== undefined)) {
      const tag = reportOf(tagged)?.vlan ?? 0;
      const name = `${nic.name}.${tag}`;
      const id = nicId(host, name);
      wanted.set(id, {
        ...bare(nic),
        ...dressed(tagged, host),
        id,
        name,
        base_interface: nic.name ?? '',
        vlan: { id: tag },
      });
      delete wanted.get(id)?.bonding;
      delete wanted.get(id)?.virtual_functions_configuration;
    }
  }
  const path = nicsPath(host);
  for (const nic of nics) {
    if (!wanted.has(nic.id ?? '')) ctx.tx.remove('host_nic', nic.id ?? '', path);
  }
  const known = new Set(nics.map(({ id }) => id));
  for (const [id, nic] of wanted) {
    if (known.has(id)) ctx.tx.update('host_nic', nic, path);
    else ctx.tx.insert('host_nic', path, nic);
  }
}

/** An interface without any network. */
function bare(nic: Nic): Nic {
  const { network: _n, ip: _i, ipv6: _6, qos: _q, properties: _p, ...rest } = nic;
  return {
    ...rest,
    boot_protocol: 'none',
    ipv6_boot_protocol: 'none',
    bridged: false,
    mtu: 1500,
  };
}

function dressed(attachment: Attachment, host: string): Partial<Nic> {
  const { mtu = 1500, bridged = true } = reportOf(attachment) ?? {};
  const assignments = attachment.ip_address_assignments ?? [];
  const v4 = assignments.find(({ ip }) => ip?.version !== 'v6');
  const v6 = assignments.find(({ ip }) => ip?.version === 'v6');
  return {
    network: attachment.network ?? { id: '' },
    mtu,
    bridged,
    boot_protocol: v4?.assignment_method ?? 'none',
    ipv6_boot_protocol: v6?.assignment_method ?? 'none',
    ...(v4 ? { ip: addressOf(attachment, v4, host) } : {}),
    ...(v6?.ip?.address ? { ipv6: { ...v6.ip, version: 'v6' as const } } : {}),
    ...(attachment.qos ? { qos: attachment.qos } : {}),
    ...(attachment.properties ? { properties: attachment.properties } : {}),
  };
}

/** The address that was given, or the one that a simulated DHCP server gives. */
function addressOf(
  attachment: Attachment,
  assignment: NonNullable<Attachment['ip_address_assignments']>[number],
  host: string,
): NonNullable<Nic['ip']> {
  if (assignment.assignment_method !== 'dhcp') return { version: 'v4', ...assignment.ip };
  const digest = digestOf(attachment.network?.id ?? '', host);
  const subnet = digestOf(attachment.network?.id ?? '')[0] ?? 0;
  return {
    address: `10.${subnet}.${digest[1] ?? 0}.${1 + ((digest[2] ?? 0) % 253)}`,
    netmask: '255.255.0.0',
    gateway: `10.${subnet}.0.254`,
    version: 'v4',
  };
}

const names = ['eth0', 'eth1', 'eth2', 'eth3'] as const;
/** The interface that can be divided into virtual functions. */
const divisible = 'eth3';

/** Gives a host its interfaces, and the management network of its cluster on the first one. */
export function installNics(ctx: RuleContext, host: string): void {
  if (nicsOf(ctx, host).length === 0) {
    for (const name of names) addPhysical(ctx, host, name);
  }
  attachManagement(ctx, host);
  refreshNics(ctx, host);
}

function addPhysical(ctx: RuleContext, host: string, name: string): void {
  addNic(ctx, host, name, {
    speed: name === divisible ? 10_000_000_000 : 1_000_000_000,
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

/** Adds an interface that is up and has no network; `more` is what tells it from others. */
export function addNic(ctx: RuleContext, host: string, name: string, more: Nic): void {
  ctx.tx.insert('host_nic', nicsPath(host), {
    id: nicId(host, name),
    name,
    mac: { address: macOf(host, name) },
    status: 'up',
    mtu: 1500,
    bridged: false,
    custom_configuration: false,
    override_configuration: false,
    boot_protocol: 'none',
    ipv6_boot_protocol: 'none',
    host: { id: host },
    ...more,
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

/** Names of the required networks of its cluster that a host does not have. */
export function missingNetworks(ctx: RuleContext, host: Resource<'host'>): string[] {
  const present = new Set(attachmentsOf(ctx, host.id ?? '').map(({ network }) => network?.id));
  return ctx.tx
    .list('cluster_network', { where: { collection: `/clusters/${host.cluster?.id}/networks` } })
    .filter(({ id, required }) => required && !present.has(id))
    .map(({ id }) => ctx.tx.get('network', id ?? '')?.name ?? '');
}

/** Whether some host of the cluster that is up lacks a network. */
export function isMissingSomewhere(ctx: RuleContext, cluster: string, network: string): boolean {
  const where = { network_id: network };
  const having = new Set(ctx.tx.list('network_attachment', { where }).map(({ host }) => host?.id));
  return ctx.tx
    .list('host', { where: { cluster_id: cluster, status: 'up' } })
    .some(({ id }) => !having.has(id));
}
