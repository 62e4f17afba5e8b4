/**
 * Saved network configuration of a host. A reboot restores it, and so does a change without a
 * commit in time.
 */
import type { RuleContext } from '../core/context.ts';
import { defineDeadline } from '../core/declared-tasks.ts';
import { cancelDeadline, scheduleDeadline } from '../core/tasks.ts';
import type { StoredObject } from '../store/kinds.ts';
import type { NetworkConfiguration } from '../store/stored-members.ts';
import {
  attachmentsPath,
  isVlan,
  labelsPath,
  listHostNics,
  listNetworkAttachments,
  nicsPath,
  refreshNics,
} from './host-nics.ts';

const deadline = 'networks';

/** The current configuration of a host. */
export function readNetworkConfiguration(ctx: RuleContext, host: string): NetworkConfiguration {
  const nics = listHostNics(ctx, host).filter((nic) => !isVlan(nic));
  return {
    bonds: nics.filter((nic) => nic.bonding !== undefined),
    attachments: listNetworkAttachments(ctx, host),
    labels: nics.flatMap(({ id: nic = '' }) =>
      ctx.tx
        .list('network_label', { where: { collection: labelsPath(host, nic) } })
        .map(({ id = '' }) => ({ nic, id })),
    ),
  };
}

/** Replaces the configuration of a host. */
export function configure(ctx: RuleContext, host: string, wanted: NetworkConfiguration): void {
  const before = readNetworkConfiguration(ctx, host);
  const { tx } = ctx;
  for (const { nic, id } of before.labels) tx.remove('network_label', id, labelsPath(host, nic));
  for (const { id } of before.attachments) {
    tx.remove('network_attachment', id ?? '', attachmentsPath(host));
  }
  for (const { id } of before.bonds) tx.remove('host_nic', id ?? '', nicsPath(host));
  for (const bond of wanted.bonds) tx.insert('host_nic', nicsPath(host), bond);
  for (const one of wanted.attachments) {
    tx.insert('network_attachment', attachmentsPath(host), one);
  }
  for (const { nic, id } of wanted.labels) {
    tx.insert('network_label', labelsPath(host, nic), { id, host_nic: { id: nic } });
  }
  refreshNics(ctx, host);
}

/** Saves the configuration before a change, unless another change is still uncommitted. */
export function saveNetworks(ctx: RuleContext, id: string): void {
  const host = ctx.tx.get('host', id);
  if (!host || host.saved_networks !== undefined) return;
  ctx.tx.update('host', { ...host, saved_networks: readNetworkConfiguration(ctx, id) });
}

/** Commits the current configuration: it survives a reboot. */
export function commitNetworks(ctx: RuleContext, id: string): void {
  cancelDeadline(ctx, deadline, id);
  const host = ctx.tx.get('host', id);
  if (!host || host.saved_networks === undefined) return;
  const { saved_networks: _saved, ...rest } = host;
  ctx.tx.update('host', rest);
}

/** Reverts the changes since the last commit. */
export function revertNetworks(ctx: RuleContext, id: string): void {
  const host = ctx.tx.get('host', id);
  const saved = host?.saved_networks;
  if (saved) {
    // A network that was removed in the meantime is not restored.
    const attachments = saved.attachments.filter(({ network }) =>
      ctx.tx.get('network', network?.id ?? ''),
    );
    configure(ctx, id, { ...saved, attachments });
  }
  commitNetworks(ctx, id);
}

/** The host without its saved configuration. */
export function omitSavedNetworks(host: StoredObject): StoredObject {
  const { saved_networks: _saved, ...rest } = host;
  return rest;
}

/** Schedules the revert of a change that is not committed within the time. */
export function awaitCommit(ctx: RuleContext, id: string, seconds: number): void {
  scheduleDeadline(ctx, deadline, id, seconds * 1000, { host: id });
}

export const networkRevertDeadline = defineDeadline(deadline, (ctx, { host }) => {
  const id = String(host);
  const found = ctx.tx.get('host', id);
  if (!found) return;
  revertNetworks(ctx, id);
  ctx.event(
    'HOST_NETWORKS_REVERTED',
    { host: found },
    { Reason: 'The change was not confirmed in time.' },
  );
});
