/** A requested change of the networks of a host, and its validation. */
import type { Resource } from '../../../model/resource.ts';
import type { RuleContext } from '../../core/context.ts';
import { entityNotFound } from '../../core/fault.ts';
import { resolveReferenceId } from '../../core/input.ts';
import { namedId } from '../../core/random.ts';
import {
  type Attachment,
  applySettings,
  findManagementNetwork,
  formatNicId,
  generateHostMac,
  getAppliedSettings,
  getReportedSettings,
  isBridged,
  isVlan,
  listHostNics,
  type Nic,
} from '../../inventory/host-nics.ts';
import { readNetworkConfiguration } from '../../inventory/saved-networks.ts';
import { isRunning } from '../../inventory/vm.ts';
import type { StoredObject } from '../../store/kinds.ts';
import type { NetworkConfiguration } from '../../store/stored-members.ts';

type Network = Resource<'network'>;
type Bonding = NonNullable<Nic['bonding']>;

export class Draft {
  readonly ctx: RuleContext;
  readonly host: Resource<'host'>;
  /** Physical interfaces and bonds, by id. */
  readonly nics = new Map<string, Nic>();
  readonly attachments = new Map<string, Attachment>();
  /** Labels and their interfaces, by both. */
  readonly labels = new Map<string, { readonly nic: string; readonly id: string }>();
  /** Attachments to synchronize with the current definition of their networks. */
  readonly synchronized = new Set<string>();

  constructor(ctx: RuleContext, host: Resource<'host'>) {
    this.ctx = ctx;
    this.host = host;
    const now = readNetworkConfiguration(ctx, this.id);
    for (const nic of listHostNics(ctx, this.id))
      if (!isVlan(nic)) this.nics.set(nic.id ?? '', nic);
    for (const one of now.attachments) this.attachments.set(one.id ?? '', one);
    for (const label of now.labels) this.labels.set(`${label.nic} ${label.id}`, label);
  }

  get id(): string {
    return this.host.id ?? '';
  }

  /** The configuration after the change. */
  get configuration(): NetworkConfiguration {
    return {
      bonds: [...this.nics.values()].filter((nic) => nic.bonding !== undefined),
      attachments: [...this.attachments.values()],
      labels: [...this.labels.values()],
    };
  }

  /** Refuses the change. */
  refuse(key: Parameters<RuleContext['refuse']>[0], messageParams: StoredObject = {}): never {
    this.ctx.refuse(key, { action: 'set up networks of', host: this.host.name, ...messageParams });
  }

  /** Finds the interface of a reference, by id or name. */
  nic(reference: { id?: string; name?: string } | undefined): Nic {
    const { id, name } = reference ?? {};
    const found = [...this.nics.values()].find((nic) =>
      id ? nic.id === id : name !== undefined && nic.name === name,
    );
    if (found) return found;
    const named = id || name;
    return named
      ? this.refuse('HOST_NIC_UNKNOWN', { nic: named })
      : this.refuse('HOST_NIC_NOT_NAMED', {});
  }

  network(attachment: Attachment): Network {
    const id = attachment.network?.id ?? '';
    const found = this.ctx.tx.get('network', id);
    if (!found) throw entityNotFound(`Network: id=${id}`);
    return found;
  }

  /** Adds a bond, or changes the existing one with this id or name. */
  bond(sent: Nic): void {
    const known = [...this.nics.values()].find((nic) =>
      sent.id ? nic.id === sent.id : nic.name === sent.name,
    );
    if (known && known.bonding === undefined) {
      this.refuse('NIC_IS_NO_BOND', { nic: known.name ?? '' });
    }
    if (!known && sent.id) this.refuse('HOST_NIC_UNKNOWN', { nic: sent.id });
    const name = sent.name ?? known?.name ?? '';
    const bonding: Bonding = { ...known?.bonding };
    if (sent.bonding?.options) bonding.options = sent.bonding.options;
    if (sent.bonding?.slaves) {
      bonding.slaves = sent.bonding.slaves.map((slave) => ({ id: this.nic(slave).id ?? '' }));
    }
    bonding.options ??= [{ name: 'mode', value: '4' }];
    bonding.slaves ??= [];
    const first = bonding.slaves[0]?.id;
    if (first) bonding.active_slave = { id: first };
    const id = known?.id ?? formatNicId(this.id, name);
    this.nics.set(id, {
      status: 'up',
      mtu: 1500,
      speed: 1_000_000_000,
      custom_configuration: false,
      override_configuration: false,
      ...known,
      id,
      name,
      mac: known?.mac ?? { address: first ? this.macOf(first) : generateHostMac(this.id, name) },
      bonding,
      host: { id: this.id },
    });
  }

  private macOf(nic: string): string {
    return this.nics.get(nic)?.mac?.address ?? '';
  }

  removeBond(reference: Nic): void {
    const nic = this.nic(reference);
    if (nic.bonding === undefined) this.refuse('NIC_IS_NO_BOND', { nic: nic.name ?? '' });
    this.nics.delete(nic.id ?? '');
    for (const [key, label] of this.labels) if (label.nic === nic.id) this.labels.delete(key);
  }

  /** Adds an attachment, or changes the existing one with this id. */
  attach(sent: Attachment, merge: (before: Attachment) => Attachment): Attachment {
    const before = sent.id ? this.attachments.get(sent.id) : undefined;
    if (sent.id && !before) this.refuse('NETWORK_ATTACHMENT_UNKNOWN', { id: sent.id });
    const network = { network: sent.network, id: sent.id };
    if (before) {
      return this.keep({ ...merge(before), host_nic: { id: this.nicFor(sent, before) } }, before);
    }
    const id = resolveReferenceId(this.ctx.tx, 'network', sent.network) ?? '';
    const taken = [...this.attachments.values()].find((one) => one.network?.id === id);
    if (taken) this.refuse('NETWORK_ALREADY_ON_HOST', { network: this.network(taken).name });
    const added: Attachment = {
      ...sent,
      ...network,
      id: namedId(this.id, 'attachment', id, this.ctx.site.newId()),
      network: { id },
      host_nic: { id: this.nicFor(sent, undefined) },
      host: { id: this.id },
    };
    return this.keep(added, undefined);
  }

  /** Refuses an attachment without an address if the cluster uses its network for more than VMs. */
  requireAddress(sent: Attachment): void {
    const before = this.attachments.get(sent.id ?? '');
    const network =
      before?.network?.id ?? resolveReferenceId(this.ctx.tx, 'network', sent.network) ?? '';
    const collection = `/clusters/${this.host.cluster?.id}/networks`;
    const known = this.ctx.tx.get('cluster_network', network, collection);
    if (!known?.usages?.some((usage) => usage !== 'vm')) return;
    const assignments = sent.ip_address_assignments ?? before?.ip_address_assignments ?? [];
    if (assignments.some(({ assignment_method: method }) => method !== 'none')) return;
    this.refuse('NETWORK_NEEDS_ADDRESS', { network: known.name });
  }

  private nicFor(sent: Attachment, before: Attachment | undefined): string {
    return this.nic(sent.host_nic ?? before?.host_nic).id ?? '';
  }

  private keep(attachment: Attachment, before: Attachment | undefined): Attachment {
    const reported = before && getReportedSettings(before);
    const stored = reported
      ? { ...attachment, ...{ applied: reported } }
      : applySettings(attachment, this.network(attachment));
    this.attachments.set(stored.id ?? '', stored);
    return stored;
  }

  detach(reference: Attachment): void {
    const id = reference.id ?? '';
    if (!this.attachments.delete(id)) this.refuse('NETWORK_ATTACHMENT_UNKNOWN', { id });
  }

  /** Applies the current definition of a network to the host. */
  synchronize(reference: Attachment): void {
    const one = this.attachments.get(reference.id ?? '');
    if (!one) this.refuse('NETWORK_ATTACHMENT_UNKNOWN', { id: reference.id ?? '' });
    this.synchronized.add(one.id ?? '');
    this.attachments.set(one.id ?? '', applySettings(one, this.network(one)));
  }

  /** Adds a label to an interface and attaches the networks of the cluster with that label. */
  label(id: string, reference: Nic | undefined): void {
    const nic = this.nic(reference).id ?? '';
    const other = [...this.labels.values()].find((label) => label.id === id);
    if (other) {
      const key = other.nic === nic ? 'NIC_ALREADY_LABELED' : 'OTHER_NIC_LABELED';
      this.refuse(key, { label: id, nic: this.nics.get(other.nic)?.name ?? '' });
    }
    this.labels.set(`${nic} ${id}`, { nic, id });
    for (const network of this.labeled(id)) {
      const known = [...this.attachments.values()].some((one) => one.network?.id === network);
      if (!known) this.attach({ network: { id: network }, host_nic: { id: nic } }, (one) => one);
    }
  }

  /** Removes a label and the attachments that it created. */
  unlabel(id: string): void {
    const found = [...this.labels.entries()].find(([, label]) => label.id === id);
    if (!found) this.refuse('NIC_NOT_LABELED', { label: id });
    this.labels.delete(found[0]);
    const networks = new Set(this.labeled(id));
    for (const [key, one] of this.attachments) {
      const here = one.host_nic?.id === found[1].nic;
      if (here && networks.has(one.network?.id ?? '')) this.attachments.delete(key);
    }
  }

  /** Networks with the label in the cluster of the host. */
  private labeled(label: string): string[] {
    const { tx } = this.ctx;
    return tx
      .list('cluster_network', {
        where: { collection: `/clusters/${this.host.cluster?.id}/networks` },
      })
      .map(({ id = '' }) => id)
      .filter((id) => tx.get('network_label', label, `/networks/${id}/networklabels`));
  }
}

/** Refuses an invalid change. `before` is the current configuration of the host. */
export function validate(draft: Draft, before: NetworkConfiguration): void {
  for (const nic of draft.nics.values()) if (nic.bonding) checkBond(draft, nic);
  checkSlaves(draft);
  for (const one of draft.attachments.values()) checkAttachment(draft, one);
  checkSharing(draft);
  checkLost(draft, before);
  checkSync(draft, before);
  for (const { id } of draft.labels.values()) {
    if (!/^[A-Za-z0-9_-]{1,50}$/.test(id)) draft.refuse('NETWORK_LABEL_INVALID', { label: id });
  }
}

function checkBond(draft: Draft, bond: Nic): void {
  const name = bond.name ?? '';
  if (!/^bond\w{1,11}$/.test(name)) draft.refuse('BOND_NAME_INVALID', { nic: name });
  if ((bond.bonding?.slaves?.length ?? 0) < 2) draft.refuse('BOND_NEEDS_SLAVES', { nic: name });
}

function checkSlaves(draft: Draft): void {
  const used = new Set<string>();
  for (const bond of draft.nics.values()) {
    for (const { id = '' } of bond.bonding?.slaves ?? []) {
      const slave = draft.nic({ id });
      const nic = slave.name ?? '';
      if (slave.bonding) draft.refuse('SLAVE_IS_BOND_OR_VLAN', { nic });
      if (used.has(id)) draft.refuse('SLAVE_USED_TWICE', { nic });
      used.add(id);
    }
  }
  for (const one of draft.attachments.values()) {
    const id = one.host_nic?.id ?? '';
    if (!used.has(id)) continue;
    draft.refuse('SLAVE_HAS_NETWORK', { nic: draft.nic({ id }).name ?? '' });
  }
  for (const { nic } of draft.labels.values()) {
    if (used.has(nic))
      draft.refuse('SLAVE_HAS_NETWORK', { nic: draft.nic({ id: nic }).name ?? '' });
  }
}

const bridgelessModes = new Set(['0', '5', '6', 'balance-rr', 'balance-tlb', 'balance-alb']);

function checkAttachment(draft: Draft, attachment: Attachment): void {
  const nic = draft.nic(attachment.host_nic);
  const network = draft.network(attachment);
  const inCluster = draft.ctx.tx.get(
    'cluster_network',
    network.id ?? '',
    `/clusters/${draft.host.cluster?.id}/networks`,
  );
  if (!inCluster) draft.refuse('NETWORK_NOT_IN_CLUSTER', { network: network.name });
  const mode = nic.bonding?.options?.find(({ name }) => name === 'mode')?.value ?? '';
  if (isBridged(network) && bridgelessModes.has(mode)) {
    draft.refuse('BOND_MODE_FOR_VMS', { nic: nic.name, mode, network: network.name });
  }
  for (const { assignment_method: method, ip } of attachment.ip_address_assignments ?? []) {
    if (method !== 'static') continue;
    const v6 = ip?.version === 'v6';
    if (!ip?.address || !ip.netmask) {
      draft.refuse('STATIC_ADDRESS_INCOMPLETE', { network: network.name });
    }
    const texts = [ip.address, ...(v6 ? [] : [ip.netmask]), ...(ip.gateway ? [ip.gateway] : [])];
    const wrong = texts.find((text) => !(v6 ? isIpv6(text) : isIpv4(text)));
    if (wrong !== undefined) draft.refuse('ADDRESS_BAD_FORMAT', { address: wrong });
  }
}

function isIpv4(text: string): boolean {
  const parts = text.split('.');
  return parts.length === 4 && parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) < 256);
}

function isIpv6(text: string): boolean {
  return /^[0-9A-Fa-f:]*:[0-9A-Fa-f:.]*$/.test(text);
}

/** Permits one untagged network per interface, and each tag once. */
function checkSharing(draft: Draft): void {
  const taken = new Map<string, string>();
  for (const one of draft.attachments.values()) {
    const tag = getReportedSettings(one)?.vlan;
    const key = `${one.host_nic?.id} ${tag ?? 'untagged'}`;
    const name = draft.network(one).name ?? '';
    const other = taken.get(key);
    if (other !== undefined) {
      const nic = draft.nic(one.host_nic).name ?? '';
      if (tag === undefined)
        draft.refuse('NIC_HAS_UNTAGGED_NETWORK', { nic, network: name, other });
      draft.refuse('NIC_HAS_VLAN', { nic, vlan: tag, network: name, other });
    }
    taken.set(key, name);
  }
}

/** Refuses to remove the management network, and networks that VMs use. */
function checkLost(draft: Draft, before: NetworkConfiguration): void {
  const stored = new Set([...draft.attachments.values()].map(({ network }) => network?.id));
  const lost = before.attachments.filter(({ network }) => !stored.has(network?.id));
  const management = findManagementNetwork(draft.ctx, draft.host.cluster?.id ?? '');
  for (const one of lost) {
    const name = draft.ctx.tx.get('network', one.network?.id ?? '')?.name ?? '';
    if (one.network?.id === management) {
      draft.ctx.refuse('MANAGEMENT_NETWORK', { action: 'remove' });
    }
    const vms = listUserNames(draft, one.network?.id ?? '');
    if (vms.length > 0)
      draft.refuse('NETWORK_USED_ON_HOST', { network: name, names: vms.join(', ') });
  }
}

/** Names of VMs on the host that are plugged into a network. */
function listUserNames(draft: Draft, network: string): string[] {
  const { tx } = draft.ctx;
  const profiles = new Set(
    tx.list('vnic_profile', { where: { network_id: network } }).map(({ id }) => id),
  );
  return tx
    .list('vm', { where: { host_id: draft.id } })
    .filter(isRunning)
    .filter((vm) =>
      tx
        .list('nic', { where: { vm_id: vm.id ?? '' } })
        .some((nic) => nic.plugged !== false && profiles.has(nic.vnic_profile?.id)),
    )
    .map(({ name }) => name ?? '');
}

/**
 * Requires synchronization before changes of a network whose configuration on the host differs from
 * its definition.
 */
function checkSync(draft: Draft, before: NetworkConfiguration): void {
  for (const old of before.attachments) {
    const id = old.id ?? '';
    const now = draft.attachments.get(id);
    if (!now || draft.synchronized.has(id)) continue;
    const changed = JSON.stringify(now) !== JSON.stringify(old);
    if (changed && !isInSync(draft, old)) {
      draft.refuse('NETWORK_NOT_IN_SYNC', { network: draft.network(old).name });
    }
  }
}

function isInSync(draft: Draft, attachment: Attachment): boolean {
  return (
    JSON.stringify(getReportedSettings(attachment)) ===
    JSON.stringify(getAppliedSettings(draft.network(attachment)))
  );
}
