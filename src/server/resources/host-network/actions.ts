/** What can be asked of a host about its networks. */

import type { Action } from '../../core/behavior.ts';
import { incomplete } from '../../core/fault.ts';
import { resolveMember } from '../../core/input.ts';
import { requireState } from '../../core/transitions.ts';
import type { StoredObject } from '../../store/document.ts';
import { attachmentsOf, type Nic, nicsOf } from './nics.ts';
import { commitNetworks, configurationOf } from './saved.ts';
import { changeNetworks, setupNetworks, synchronizeAll } from './setup.ts';

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
    const sent = (body['source_host'] ?? {}) as StoredObject;
    if (sent['id'] === undefined && sent['name'] === undefined) {
      throw incomplete('Action', ['sourceHost.id|name'], 'copyHostNetworks');
    }
    const source = resolveMember(ctx.tx, 'host', sent);
    const action = 'copy networks to';
    requireState(ctx, 'host', object, 'setup_networks', { action });
    const from = configurationOf(ctx, source);
    const names = new Map(nicsOf(ctx, source).map(({ id, name }) => [id, name ?? '']));
    const named = (reference: Nic | undefined) => ({ name: names.get(reference?.id) ?? '' });
    changeNetworks(ctx, object.id ?? '', (draft) => {
      for (const { id } of attachmentsOf(ctx, object.id ?? '')) draft.attachments.delete(id ?? '');
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
