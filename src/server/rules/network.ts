/** Rules of networks, by themselves and as clusters have them. */
import type { Resource } from '../../model/resource.ts';
import type { StoredObject } from '../store/document.ts';
import type { RuleContext } from './context.ts';
import { addVnicProfile, managementNetwork } from './data-center.ts';
import { erase, refuseInUse } from './generic.ts';
import { resolveMember } from './input.ts';
import { rules } from './notation.ts';

type Network = Resource<'network'>;

export const networkRules = rules({
  kind: 'network',

  prepare(ctx, network) {
    if (/^bond/i.test(network.name ?? '')) ctx.refuse('NETWORK_NAME_LIKE_BOND', { action: 'add' });
    network.vdsm_name = vdsmName(network);
  },

  added(ctx, { object }, sent) {
    const dataCenter = ctx.tx.get('data_center', object.data_center?.id ?? '');
    ctx.event(942, { data_center: dataCenter }, { NetworkName: object.name });
    if (sent['profile_required'] !== false) addVnicProfile(ctx, object.name ?? '', object.id ?? '');
  },

  changed(ctx, _before, { object }) {
    const dataCenter = ctx.tx.get('data_center', object.data_center?.id ?? '');
    ctx.event(1114, { data_center: dataCenter }, { NetworkName: object.name });
  },

  removable(ctx, { place, object }) {
    if (object.name === managementNetwork(ctx)) {
      ctx.refuse('MANAGEMENT_NETWORK', { action: 'remove' });
    }
    const nics = profilesOf(ctx, object).flatMap((profile) =>
      ctx.tx.list('nic', { where: { vnic_profile_id: profile.id ?? '' }, limit: 6 }),
    );
    refuseInUse({ place, object: { ...object } }, nics as StoredObject[], 'the interfaces');
  },

  remove(ctx, { place, object }) {
    const dataCenter = ctx.tx.get('data_center', object.data_center?.id ?? '');
    ctx.event(944, { data_center: dataCenter }, { NetworkName: object.name });
    for (const profile of profilesOf(ctx, object)) {
      if (profile.id) ctx.tx.remove('vnic_profile', profile.id);
    }
    for (const one of ctx.tx.list('cluster_network', { where: { id: object.id ?? '' } })) {
      ctx.tx.remove('cluster_network', object.id ?? '', `/clusters/${one.cluster?.id}/networks`);
    }
    erase(ctx, { place, object: { ...object } });
  },
});

export const clusterNetworkRules = rules({
  kind: 'cluster_network',

  attach(ctx, place, sent) {
    const network = ctx.tx.get('network', resolveMember(ctx.tx, 'network', sent));
    const id = network?.id ?? '';
    if (ctx.tx.get('cluster_network', id, place.collection)) {
      ctx.refuse('NAME_IN_USE', { action: 'attach', type: 'Network', name: network?.name });
    }
    const attached: Network = {
      id,
      name: network?.name ?? '',
      required: (sent['required'] as boolean | undefined) ?? true,
      display: (sent['display'] as boolean | undefined) ?? false,
      status: 'operational',
      usages: (sent['usages'] as Network['usages']) ?? ['vm'],
      cluster: { id: place.owner?.id ?? '' },
    };
    ctx.tx.insert('cluster_network', place.collection, attached);
    return attached;
  },

  removable(ctx, { object }) {
    if (object.usages?.includes('management'))
      ctx.refuse('MANAGEMENT_NETWORK', { action: 'detach' });
  },

  present(ctx, attached) {
    const network = ctx.tx.get('network', attached.id ?? '');
    return { ...network, ...attached };
  },
});

function profilesOf(ctx: RuleContext, network: Network): Resource<'vnic_profile'>[] {
  return ctx.tx.list('vnic_profile', { where: { network_id: network.id ?? '' } });
}

/** Hosts know a network by its name where that is short and plain, else by part of its id. */
function vdsmName(network: Network): string {
  const name = network.name ?? '';
  return /^[A-Za-z0-9_]{1,15}$/.test(name)
    ? name
    : `on${(network.id ?? '').replaceAll('-', '').slice(0, 13)}`;
}
