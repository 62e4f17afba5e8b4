/** Setup of host networks: atomic changes, synchronization, change of cluster. */

import type { ActionBody, Resource } from '../../../model/resource.ts';
import { type Action, defineBehavior } from '../../core/behavior.ts';
import type { RuleContext } from '../../core/context.ts';
import { incomplete } from '../../core/fault.ts';
import { merge, pickSettable, resolveMember } from '../../core/input.ts';
import { namedId } from '../../core/random.ts';
import { requireState } from '../../core/transitions.ts';
import {
  type Attachment,
  applySettings,
  attachManagement,
  attachmentsPath,
  findManagementNetwork,
  listHostNics,
  listMissingNetworks,
  listNetworkAttachments,
  type Nic,
  refreshNics,
} from '../../inventory/host-nics.ts';
import { markNonOperational } from '../../inventory/non-operational.ts';
import {
  awaitCommit,
  commitNetworks,
  configure,
  readNetworkConfiguration,
  saveNetworks,
} from '../../inventory/saved-networks.ts';
import type { ObjectOf } from '../../store/transaction.ts';
import { Draft, validate } from './draft.ts';

/**
 * Removes the attachment. The network remains on the host, unmanaged, until a client removes it.
 */
export function convertToUnmanaged(ctx: RuleContext, attachment: Attachment): void {
  const host = attachment.host?.id ?? '';
  const name = ctx.tx.get('network', attachment.network?.id ?? '')?.name ?? '';
  ctx.tx.remove('network_attachment', attachment.id ?? '', attachmentsPath(host));
  const id = namedId(host, 'unmanaged', name);
  const path = `/hosts/${host}/unmanagednetworks`;
  if (!ctx.tx.get('unmanaged_network', id, path)) {
    ctx.tx.insert('unmanaged_network', path, {
      id,
      name,
      host_nic: attachment.host_nic ?? { id: '' },
      host: { id: host },
    });
  }
  refreshNics(ctx, host);
}

export const unmanagedNetworkBehavior = defineBehavior('unmanaged_network', {
  beforeDelete(ctx, { ref }) {
    const host = ctx.tx.get('host', ref.owner?.id ?? '');
    if (!host) return;
    requireConfigurable(ctx, host);
    ctx.event('HOST_NETWORKS_CHANGED', { host }, { Sequence: 1, Total: 1 });
  },
});

type Host = ObjectOf<'host'>;

/** Default time limit in seconds for the connectivity check of a change. */
const defaultTimeoutSeconds = 120;

/** Refuses if the state of the host does not permit network changes. */
function requireConfigurable(ctx: RuleContext, host: Host): void {
  requireState(ctx, 'host', host, 'setup_networks', {
    action: 'set up networks of',
  });
}

/** Changes the networks of a host. A reboot reverts the change until it is committed. */
export function changeNetworks(
  ctx: RuleContext,
  hostId: string,
  change: (draft: Draft) => void,
): void {
  const host = ctx.tx.get('host', hostId);
  if (!host) throw new Error(`Host ${hostId} was removed.`);
  requireConfigurable(ctx, host);
  const draft = new Draft(ctx, host);
  const before = readNetworkConfiguration(ctx, hostId);
  change(draft);
  validate(draft, before);
  saveNetworks(ctx, hostId);
  configure(ctx, hostId, draft.configuration);
  ctx.event('HOST_NETWORKS_CHANGED', { host }, { Sequence: 1, Total: 1 });
  const now = ctx.tx.get('host', hostId) ?? host;
  const missing = now.status === 'up' ? listMissingNetworks(ctx, now) : [];
  if (missing.length > 0) markNonOperational(ctx, now, missing);
}

/** The action `setup_networks`. */
function setupNetworks(ctx: RuleContext, host: Host, body: ActionBody): void {
  const id = host.id ?? '';
  const timeout = body['connectivity_timeout'];
  const seconds = typeof timeout === 'number' ? timeout : defaultTimeoutSeconds;
  if (seconds < 1 || seconds > 120) {
    ctx.refuse('VALUE_OUT_OF_RANGE', {
      action: 'set up networks of',
      type: 'Host',
      attribute: 'connectivity_timeout',
      value: seconds,
      min: 1,
      max: 120,
    });
  }
  changeNetworks(ctx, id, (draft) => applyAll(draft, body));
  if (body['commit_on_success'] === true) {
    commitNetworks(ctx, id);
    ctx.event('HOST_NETWORKS_SAVED', { host });
  } else if (body['check_connectivity'] === true) {
    awaitCommit(ctx, id, seconds);
  }
}

function applyAll(draft: Draft, body: ActionBody): void {
  for (const one of body.removed_network_attachments ?? []) draft.detach(one);
  for (const one of body.removed_labels ?? []) draft.unlabel(one.id ?? '');
  for (const one of body.removed_bonds ?? []) draft.removeBond(one);
  for (const one of body.modified_bonds ?? []) draft.bond(one);
  for (const one of body.synchronized_network_attachments ?? []) {
    draft.synchronize(one);
  }
  for (const one of body.modified_network_attachments ?? []) {
    modifyAttachment(draft, one);
  }
  for (const one of body.modified_labels ?? []) draft.label(one.id ?? '', one.host_nic);
}

/** Adds or changes the sent attachment. */
export function modifyAttachment(draft: Draft, sent: Attachment): Attachment {
  draft.requireAddress(sent);
  return draft.attach(sent, (before) => {
    if (sent.network?.id || sent.network?.name) {
      const wanted = resolveMember(draft.ctx.tx, 'network', sent.network);
      if (wanted !== before.network?.id) draft.refuse('ATTACHED_NETWORK_CHANGED');
    }
    const changes = pickSettable('network_attachment', sent, 'U');
    delete changes['host_nic'];
    return merge(before, changes);
  });
}

/** Applies the current definitions of all its networks to a host. */
export function synchronizeAll(ctx: RuleContext, host: Host): void {
  changeNetworks(ctx, host.id ?? '', (draft) => {
    for (const one of listNetworkAttachments(ctx, host.id ?? '')) draft.synchronize(one);
  });
  commitNetworks(ctx, host.id ?? '');
}

/** Host states in which changes of networks are applied. */
const updatableStates = new Set(['up', 'maintenance', 'non_operational']);

/** Whether changes of networks are applied to a host. */
export function receivesNetworkChanges(host: Host): boolean {
  return updatableStates.has(host.status ?? '');
}

/** Applies a changed network to the reachable hosts that have it. */
export function applyToHosts(ctx: RuleContext, network: Resource<'network'>): void {
  const attached = ctx.tx.list('network_attachment', { where: { network_id: network.id ?? '' } });
  attached.forEach((one, index) => {
    const host = ctx.tx.get('host', one.host?.id ?? '');
    if (!host?.id || !receivesNetworkChanges(host)) return;
    ctx.tx.update('network_attachment', applySettings(one, network));
    refreshNics(ctx, host.id);
    ctx.event('HOST_NETWORKS_CHANGED', { host }, { Sequence: index + 1, Total: attached.length });
  });
}

/**
 * Converts networks that the new cluster lacks to unmanaged ones, and attaches the new management
 * network to the interface of the old one.
 */
export function changeNetworkCluster(ctx: RuleContext, host: Resource<'host'>): void {
  const id = host.id ?? '';
  const cluster = host.cluster?.id ?? '';
  const management = findManagementNetwork(ctx, cluster);
  let nic: string | undefined;
  for (const one of listNetworkAttachments(ctx, id)) {
    const network = one.network?.id ?? '';
    if (network === management) return;
    if (ctx.tx.get('cluster_network', network, `/clusters/${cluster}/networks`)) continue;
    const name = ctx.tx.get('network', network)?.name ?? '';
    const wasManagement = name === ctx.tx.get('network', management ?? '')?.name;
    if (wasManagement) {
      nic = one.host_nic?.id;
      ctx.tx.remove('network_attachment', one.id ?? '', attachmentsPath(id));
    } else {
      convertToUnmanaged(ctx, one);
    }
  }
  // A host that was never installed has no interfaces yet.
  if (listHostNics(ctx, id).length > 0) attachManagement(ctx, id, nic);
  refreshNics(ctx, id);
  commitNetworks(ctx, id);
}

export const hostNetworkActions = {
  setup_networks(ctx, { object }, body) {
    setupNetworks(ctx, object, body);
    return undefined;
  },

  commit_net_config(ctx, { object }) {
    commitNetworks(ctx, object.id ?? '');
    ctx.event('HOST_NETWORKS_SAVED', { host: object });
    return undefined;
  },

  sync_all_networks(ctx, { object }) {
    synchronizeAll(ctx, object);
    return undefined;
  },

  copy_host_networks(ctx, { object }, body) {
    const sent = body['source_host'] ?? {};
    if (sent['id'] === undefined && sent['name'] === undefined) {
      throw incomplete('Action', ['sourceHost.id|name'], 'copyHostNetworks');
    }
    const source = resolveMember(ctx.tx, 'host', sent);
    const action = 'copy networks to';
    requireState(ctx, 'host', object, 'setup_networks', { action });
    const from = readNetworkConfiguration(ctx, source);
    const names = new Map(listHostNics(ctx, source).map(({ id, name }) => [id, name ?? '']));
    const named = (reference: Nic | undefined) => ({ name: names.get(reference?.id) ?? '' });
    changeNetworks(ctx, object.id ?? '', (draft) => {
      for (const { id } of listNetworkAttachments(ctx, object.id ?? ''))
        draft.attachments.delete(id ?? '');
      for (const nic of draft.nics.values()) if (nic.bonding) draft.removeBond(nic);
      draft.labels.clear();
      for (const { name, bonding } of from.bonds) {
        const slaves = bonding?.slaves?.map((slave) => named(slave)) ?? [];
        draft.bond({ name: name ?? '', bonding: { options: bonding?.options ?? [], slaves } });
      }
      for (const { network, host_nic, ...rest } of from.attachments) {
        const { id: _id, host: _host, ...sentAgain } = rest;
        draft.attach(
          { ...sentAgain, network: network ?? {}, host_nic: named(host_nic) },
          (one) => one,
        );
      }
      for (const { nic, id } of from.labels) {
        draft.labels.set(`${nic} ${id}`, { nic: draft.nic(named({ id: nic })).id ?? '', id });
      }
    });
    return undefined;
  },
} satisfies Readonly<Record<string, Action<'host'>>>;
