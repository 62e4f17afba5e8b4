/** Interfaces of hosts: physical ones, bonds, and what the attached networks make of them. */
import type { Resource } from '../../../model/resource.ts';
import type { RuleContext } from '../../core/context.ts';
import { digestOf, namedId } from '../../core/digest.ts';
import type { StoredObject } from '../../store/document.ts';

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
export function mtuOf(network: Network): number {
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
export function toldOf(attachment: Attachment): Applied | undefined {
  return (attachment as StoredObject)['applied'] as Applied | undefined;
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
    const untagged = own.find((one) => toldOf(one)?.vlan === undefined);
    const base = { ...bare(nic), ...(untagged ? dressed(untagged, host) : {}) };
    wanted.set(nic.id ?? '', base);
    for (const tagged of own.filter((one) => toldOf(one)?.vlan !== undefined)) {
      const tag = toldOf(tagged)?.vlan ?? 0;
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
  const { mtu = 1500, bridged = true } = toldOf(attachment) ?? {};
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
