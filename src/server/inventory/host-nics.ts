/** Network interfaces of hosts: installation, bonds, VLANs, and attached networks. */
import type { Resource } from '../../model/resource.ts';
import type { RuleContext } from '../core/context.ts';
import { digestParts, namedId } from '../core/random.ts';

export type Nic = Resource<'host_nic'>;
export type Attachment = Resource<'network_attachment'>;
type Network = Resource<'network'>;

export const nicsPath = (host: string) => `/hosts/${host}/nics`;
export const attachmentsPath = (host: string) => `/hosts/${host}/networkattachments`;
export const labelsPath = (host: string, nic: string) => `/hosts/${host}/nics/${nic}/networklabels`;

/** Id of the interface of a host with this name. */
export function formatNicId(host: string, name: string): string {
  return namedId(host, 'nic', name);
}

/** All interfaces of a host. */
export function listHostNics(ctx: RuleContext, host: string): Nic[] {
  return ctx.tx.list('host_nic', { where: { collection: nicsPath(host) } });
}

/** Whether an interface is the VLAN device of a tagged network. */
export function isVlan(nic: Nic): boolean {
  return nic.base_interface !== undefined;
}

/** Network attachments of a host. */
export function listNetworkAttachments(ctx: RuleContext, host: string): Attachment[] {
  return ctx.tx.list('network_attachment', { where: { collection: attachmentsPath(host) } });
}

/** The MTU of a network in bytes. */
function getMtu(network: Network): number {
  return network.mtu || 1500;
}

/** Whether VMs use a network, which then has a bridge on every host. */
export function isBridged(network: Network): boolean {
  return network.usages?.includes('vm') ?? true;
}

/** Applied settings of a network on a host. */
export interface Applied {
  readonly mtu: number;
  readonly vlan: number | undefined;
  readonly bridged: boolean;
}

/** The settings of a network to apply to a host. */
export function getAppliedSettings(network: Network): Applied {
  return { mtu: getMtu(network), vlan: network.vlan?.id, bridged: isBridged(network) };
}

/** The settings that were last applied to the host of an attachment. */
export function getReportedSettings(
  attachment: Attachment & { readonly applied?: Applied },
): Applied | undefined {
  return attachment.applied;
}

/** The attachment after the current settings of the network are applied. */
export function applySettings(attachment: Attachment, network: Network): Attachment {
  return { ...attachment, ...{ applied: getAppliedSettings(network) } };
}

/**
 * Computes the interfaces of a host from its attachments: a tagged network has a VLAN device, an
 * untagged one uses the interface directly.
 */
export function refreshNics(ctx: RuleContext, host: string): void {
  const nics = listHostNics(ctx, host);
  const attachments = listNetworkAttachments(ctx, host);
  const wanted = new Map<string, Nic>();
  for (const nic of nics) {
    if (isVlan(nic)) continue;
    const own = attachments.filter((one) => one.host_nic?.id === nic.id);
    const untagged = own.find((one) => getReportedSettings(one)?.vlan === undefined);
    const base = { ...withoutNetwork(nic), ...(untagged ? attachedMembers(untagged, host) : {}) };
    wanted.set(nic.id ?? '', base);
    for (const tagged of own.filter((one) => getReportedSettings(one)?.vlan !== undefined)) {
      const tag = getReportedSettings(tagged)?.vlan ?? 0;
      const name = `${nic.name}.${tag}`;
      const id = formatNicId(host, name);
      wanted.set(id, {
        ...withoutNetwork(nic),
        ...attachedMembers(tagged, host),
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

/** An interface without a network. */
function withoutNetwork(nic: Nic): Nic {
  const { network: _n, ip: _i, ipv6: _6, qos: _q, properties: _p, ...rest } = nic;
  return {
    ...rest,
    boot_protocol: 'none',
    ipv6_boot_protocol: 'none',
    bridged: false,
    mtu: 1500,
  };
}

function attachedMembers(attachment: Attachment, host: string): Partial<Nic> {
  const { mtu = 1500, bridged = true } = getReportedSettings(attachment) ?? {};
  const assignments = attachment.ip_address_assignments ?? [];
  const v4 = assignments.find(({ ip }) => ip?.version !== 'v6');
  const v6 = assignments.find(({ ip }) => ip?.version === 'v6');
  return {
    network: attachment.network ?? { id: '' },
    mtu,
    bridged,
    boot_protocol: v4?.assignment_method ?? 'none',
    ipv6_boot_protocol: v6?.assignment_method ?? 'none',
    ...(v4 ? { ip: assignAddress(attachment, v4, host) } : {}),
    ...(v6?.ip?.address ? { ipv6: { ...v6.ip, version: 'v6' as const } } : {}),
    ...(attachment.qos ? { qos: attachment.qos } : {}),
    ...(attachment.properties ? { properties: attachment.properties } : {}),
  };
}

/** The requested address, or the one from a simulated DHCP server. */
function assignAddress(
  attachment: Attachment,
  assignment: NonNullable<Attachment['ip_address_assignments']>[number],
  host: string,
): NonNullable<Nic['ip']> {
  if (assignment.assignment_method !== 'dhcp') return { version: 'v4', ...assignment.ip };
  const digest = digestParts(attachment.network?.id ?? '', host);
  const subnet = digestParts(attachment.network?.id ?? '')[0] ?? 0;
  return {
    address: `10.${subnet}.${digest[1] ?? 0}.${1 + ((digest[2] ?? 0) % 253)}`,
    netmask: '255.255.0.0',
    gateway: `10.${subnet}.0.254`,
    version: 'v4',
  };
}

const names = ['eth0', 'eth1', 'eth2', 'eth3'] as const;
/** The interface that supports virtual functions. */
const sriovNic = 'eth3';

/**
 * Creates the interfaces of a host, and attaches the management network of its cluster to the first
 * one.
 */
export function installNics(ctx: RuleContext, host: string): void {
  if (listHostNics(ctx, host).length === 0) {
    for (const name of names) addPhysical(ctx, host, name);
  }
  attachManagement(ctx, host);
  refreshNics(ctx, host);
}

function addPhysical(ctx: RuleContext, host: string, name: string): void {
  addNic(ctx, host, name, {
    speed: name === sriovNic ? 10_000_000_000 : 1_000_000_000,
    ...(name === sriovNic
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

/** Adds an interface that is up and has no network. `more` contains its specific members. */
export function addNic(ctx: RuleContext, host: string, name: string, more: Nic): void {
  ctx.tx.insert('host_nic', nicsPath(host), {
    id: formatNicId(host, name),
    name,
    mac: { address: generateHostMac(host, name) },
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

/** The permanent address of a host interface, outside of the ranges for VMs. */
export function generateHostMac(host: string, name: string): string {
  const digest = digestParts(host, name);
  const tail = [0, 1, 2, 3].map((index) => (digest[index] ?? 0).toString(16).padStart(2, '0'));
  return `52:54:${tail.join(':')}`;
}

/** The management network of a cluster. */
export function findManagementNetwork(ctx: RuleContext, cluster: string): string | undefined {
  return ctx.tx
    .list('cluster_network', { where: { collection: `/clusters/${cluster}/networks` } })
    .find(({ usages }) => usages?.includes('management'))?.id;
}

/** Attaches the management network of the cluster, unless the host already has it. */
export function attachManagement(
  ctx: RuleContext,
  host: string,
  nic = formatNicId(host, 'eth0'),
): void {
  const cluster = ctx.tx.get('host', host)?.cluster?.id ?? '';
  const id = findManagementNetwork(ctx, cluster);
  const network = id ? ctx.tx.get('network', id) : undefined;
  if (!network?.id || listNetworkAttachments(ctx, host).some((one) => one.network?.id === id))
    return;
  const attachment = {
    id: namedId(host, 'attachment', network.id),
    network: { id: network.id },
    host_nic: { id: nic },
    host: { id: host },
    ip_address_assignments: [{ assignment_method: 'dhcp' as const }],
  };
  ctx.tx.insert('network_attachment', attachmentsPath(host), applySettings(attachment, network));
}

/** Names of the required networks of its cluster that a host lacks. */
export function listMissingNetworks(ctx: RuleContext, host: Resource<'host'>): string[] {
  const present = new Set(
    listNetworkAttachments(ctx, host.id ?? '').map(({ network }) => network?.id),
  );
  return ctx.tx
    .list('cluster_network', { where: { collection: `/clusters/${host.cluster?.id}/networks` } })
    .filter(({ id, required }) => required && !present.has(id))
    .map(({ id }) => ctx.tx.get('network', id ?? '')?.name ?? '');
}

/** Whether a host of the cluster that is up lacks a network. */
export function isMissingSomewhere(ctx: RuleContext, cluster: string, network: string): boolean {
  const where = { network_id: network };
  const having = new Set(ctx.tx.list('network_attachment', { where }).map(({ host }) => host?.id));
  return ctx.tx
    .list('host', { where: { cluster_id: cluster, status: 'up' } })
    .some(({ id }) => !having.has(id));
}
