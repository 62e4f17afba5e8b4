/** Changing the networks of a host: one change as a whole, that can be taken back. */
import type { ActionBody, Resource } from '../../../model/resource.ts';
import type { RuleContext } from '../../core/context.ts';
import { merge, resolveMember, settable } from '../../core/input.ts';
import { requireState } from '../../core/transitions.ts';
import { useless } from '../host/useless.ts';
import { Draft } from './draft.ts';
import { type Attachment, attachmentsOf, refreshNics, tell } from './nics.ts';
import { missingNetworks } from './required.ts';
import { awaitCommit, commitNetworks, configurationOf, configure, keepSaved } from './saved.ts';
import { validate } from './validate.ts';

type Host = Resource<'host'>;

/** Seconds that a change waits for its confirmation, when it is to be checked. */
const usual = 120;

/** Refuses while the host cannot take a change of its networks. */
export function requireConfigurable(ctx: RuleContext, host: Host): void {
  requireState(ctx, 'host', host, 'setup_networks', {
    action: 'set up networks of',
  });
}

/** Makes a change of the networks of a host; a reboot undoes it until it is committed. */
export function changeNetworks(
  ctx: RuleContext,
  hostId: string,
  change: (draft: Draft) => void,
): void {
  const host = ctx.tx.get('host', hostId);
  if (!host) throw new Error(`Host ${hostId} is gone.`);
  requireConfigurable(ctx, host);
  const draft = new Draft(ctx, host);
  const before = configurationOf(ctx, hostId);
  change(draft);
  validate(draft, before);
  keepSaved(ctx, hostId);
  configure(ctx, hostId, draft.configuration);
  ctx.event('HOST_NETWORKS_CHANGED', { host }, { Sequence: 1, Total: 1 });
  const now = ctx.tx.get('host', hostId) ?? host;
  const missing = now.status === 'up' ? missingNetworks(ctx, now) : [];
  if (missing.length > 0) useless(ctx, now, missing);
}

/** The action `setup_networks`. */
export function setupNetworks(ctx: RuleContext, host: Host, body: ActionBody): void {
  const id = host.id ?? '';
  const timeout = body['connectivity_timeout'];
  const seconds = typeof timeout === 'number' ? timeout : usual;
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
    modify(draft, one);
  }
  for (const one of body.modified_labels ?? []) draft.label(one.id ?? '', one.host_nic);
}

/** Adds or changes one attachment, as it was sent. */
export function modify(draft: Draft, sent: Attachment): Attachment {
  return draft.attach(sent, (before) => {
    if (sent.network?.id || sent.network?.name) {
      const wanted = resolveMember(draft.ctx.tx, 'network', sent.network);
      if (wanted !== before.network?.id) draft.refuse('ATTACHED_NETWORK_CHANGED');
    }
    const changes = settable('network_attachment', sent, 'U');
    delete changes['host_nic'];
    return merge(before, changes);
  });
}

/** Tells a host of all its networks as they are defined now. */
export function synchronizeAll(ctx: RuleContext, host: Host): void {
  changeNetworks(ctx, host.id ?? '', (draft) => {
    for (const one of attachmentsOf(ctx, host.id ?? '')) draft.synchronize(one);
  });
  commitNetworks(ctx, host.id ?? '');
}

/** States of hosts that hear of changed networks. */
const hears = new Set(['up', 'maintenance', 'non_operational']);

/** Whether a host is told of networks that changed. */
export function hearsOfNetworks(host: Host): boolean {
  return hears.has(host.status ?? '');
}

/** A network was changed: the hosts that have it and answer are told. */
export function tellHosts(ctx: RuleContext, network: Resource<'network'>): void {
  const attached = ctx.tx.list('network_attachment', { where: { network_id: network.id ?? '' } });
  attached.forEach((one, index) => {
    const host = ctx.tx.get('host', one.host?.id ?? '');
    if (!host?.id || !hearsOfNetworks(host)) return;
    ctx.tx.update('network_attachment', tell(one, network));
    refreshNics(ctx, host.id);
    ctx.event('HOST_NETWORKS_CHANGED', { host }, { Sequence: index + 1, Total: attached.length });
  });
}
