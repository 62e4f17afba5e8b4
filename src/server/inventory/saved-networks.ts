/**
 * The network configuration of a host that it has saved: it comes back with a reboot, or when
 * nobody confirmed a change in time.
 */
import type { RuleContext } from '../core/context.ts';
import { defineDeadline } from '../core/declared-tasks.ts';
import { cancelDue, dueIn } from '../core/tasks.ts';
import type { StoredObject } from '../store/kinds.ts';
import type { NetworkConfiguration } from '../store/stored-members.ts';
import {
  attachmentsOf,
  attachmentsPath,
  isVlan,
  labelsPath,
  nicsOf,
  nicsPath,
  refreshNics,
} from './host-nics.ts';

const deadline = 'networks';

/** The present configuration of a host. */
export function configurationOf(ctx: RuleContext, host: string): NetworkConfiguration {
  const nics = nicsOf(ctx, host).filter((nic) => !isVlan(nic));
  return {
    bonds: nics.filter((nic) => nic.bonding !== undefined),
    attachments: attachmentsOf(ctx, host),
    labels: nics.flatMap(({ id: nic = '' }) =>
      ctx.tx
        .list('network_label', { where: { collection: labelsPath(host, nic) } })
        .map(({ id = '' }) => ({ nic, id })),
    ),
  };
}

/** Gives a host another configuration. */
export function configure(ctx: RuleContext, host: string, wanted: NetworkConfiguration): void {
  const before = configurationOf(ctx, host);
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

/** Keeps the configuration that a change begins with, unless one is being tried already. */
export function keepSaved(ctx: RuleContext, id: string): void {
  const host = ctx.tx.get('host', id);
  if (!host || host.saved_networks !== undefined) return;
  ctx.tx.update('host', { ...host, saved_networks: configurationOf(ctx, id) });
}

/** Saves the present configuration: it survives a reboot. */
export function commitNetworks(ctx: RuleContext, id: string): void {
  cancelDue(ctx, deadline, id);
  const host = ctx.tx.get('host', id);
  if (!host || host.saved_networks === undefined) return;
  const { saved_networks: _saved, ...rest } = host;
  ctx.tx.update('host', rest);
}

/** Takes back what was changed since the last configuration was saved. */
export function revertNetworks(ctx: RuleContext, id: string): void {
  const host = ctx.tx.get('host', id);
  const saved = host?.saved_networks;
  if (saved) {
    // A network that was removed meanwhile does not come back.
    const attachments = saved.attachments.filter(({ network }) =>
      ctx.tx.get('network', network?.id ?? ''),
    );
    configure(ctx, id, { ...saved, attachments });
  }
  commitNetworks(ctx, id);
}

/** The host without the configuration that it could go back to. */
export function settledNetworks(host: StoredObject): StoredObject {
  const { saved_networks: _saved, ...rest } = host;
  return rest;
}

/** The change is undone unless it is committed in so many seconds. */
export function awaitCommit(ctx: RuleContext, id: string, seconds: number): void {
  dueIn(ctx, deadline, id, seconds * 1000, { host: id });
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
