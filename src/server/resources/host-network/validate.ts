/** What a host could not carry out: checks of a change of its networks as a whole. */
import { isRunning } from '../vm/vm.ts';
import type { Draft } from './draft.ts';
import { managementOf } from './equip.ts';
import { type Attachment, appliedOf, isBridged, type Nic, toldOf } from './nics.ts';
import type { Configuration } from './saved.ts';

/** Refuses a change that makes no sense. `before` is what the host has now. */
export function validate(draft: Draft, before: Configuration): void {
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

/** One untagged network to an interface, and each tag once. */
function checkSharing(draft: Draft): void {
  const taken = new Map<string, string>();
  for (const one of draft.attachments.values()) {
    const tag = toldOf(one)?.vlan;
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

/** Networks that must not leave a host. */
function checkLost(draft: Draft, before: Configuration): void {
  const kept = new Set([...draft.attachments.values()].map(({ network }) => network?.id));
  const lost = before.attachments.filter(({ network }) => !kept.has(network?.id));
  const management = managementOf(draft.ctx, draft.host.cluster?.id ?? '');
  for (const one of lost) {
    const name = draft.ctx.tx.get('network', one.network?.id ?? '')?.name ?? '';
    if (one.network?.id === management) {
      draft.ctx.refuse('MANAGEMENT_NETWORK', { action: 'remove' });
    }
    const vms = usersOf(draft, one.network?.id ?? '');
    if (vms.length > 0)
      draft.refuse('NETWORK_USED_ON_HOST', { network: name, names: vms.join(', ') });
  }
}

/** Names of virtual machines on the host that are plugged into a network. */
function usersOf(draft: Draft, network: string): string[] {
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

/** A network that the host has in another form than it is defined must be brought in sync first. */
function checkSync(draft: Draft, before: Configuration): void {
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
    JSON.stringify(toldOf(attachment)) === JSON.stringify(appliedOf(draft.network(attachment)))
  );
}
