/** Rules of vNIC profiles: how virtual interfaces reach a network. */
import type { Resource } from '../../../model/resource.ts';
import { refuseInUse } from '../../api/generic.ts';
import { define } from '../../core/behavior.ts';
import type { RuleContext } from '../../core/context.ts';
import { resolveMember } from '../../core/input.ts';
import { isRecord, type StoredObject } from '../../store/document.ts';
import { isBridged } from '../host-network/nics.ts';

type Profile = Resource<'vnic_profile'>;

/** The filter that a profile has unless it says otherwise. */
const usualFilter = 'vdsm-no-mac-spoofing';

export const vnicProfileRules = define('vnic_profile', {
  events: {
    add: 'VNIC_PROFILE_ADDED',
    update: 'VNIC_PROFILE_UPDATED',
    remove: 'VNIC_PROFILE_REMOVED',
  },

  beforeCreate(ctx, profile, _place, sent) {
    const network = ctx.tx.get('network', profile.network?.id ?? '');
    if (network && !isBridged(network)) {
      ctx.refuse('PROFILE_WITHOUT_VMS', { action: 'add', network: network.name });
    }
    profile.pass_through = { mode: 'disabled', ...profile.pass_through };
    if (isEmpty(sent['network_filter'])) delete profile.network_filter;
    else if (!profile.network_filter && !passesThrough(profile)) {
      const filter = ctx.tx.byName('network_filter', usualFilter);
      if (filter?.id) profile.network_filter = { id: filter.id };
    }
    if (passesThrough(profile)) profile.migratable ??= true;
    checkProfile(ctx, profile, 'add');
  },

  beforeUpdate(ctx, before, after, place, sent) {
    const wanted = sent['network'];
    if (wanted?.['id'] !== undefined || wanted?.['name'] !== undefined) {
      if (resolveMember(ctx.tx, 'network', wanted) !== before.network?.id) {
        ctx.refuse('PROFILE_NETWORK_FIXED', { action: 'edit' });
      }
    }
    if (isEmpty(sent['network_filter'])) delete after.network_filter;
    if (isEmpty(sent['qos'])) delete after.qos;
    if (isEmpty(sent['failover'])) delete after.failover;
    if (passesThrough(before) !== passesThrough(after)) {
      refuseInUse({ place, object: { ...before } }, usersOf(ctx, before), 'the interfaces');
      if (passesThrough(after)) {
        // What was filled in for a plain profile goes with it.
        if (sent['network_filter'] === undefined) delete after.network_filter;
        after.migratable ??= true;
      } else {
        delete after.migratable;
      }
    }
    checkProfile(ctx, after, 'edit');
  },

  beforeDelete(ctx, { place, object }) {
    refuseInUse({ place, object: { ...object } }, usersOf(ctx, object), 'the interfaces');
  },
});

function passesThrough(profile: Profile): boolean {
  return profile.pass_through?.mode === 'enabled';
}

/** Whether an element was sent without saying what: that asks for none. */
function isEmpty(sent: unknown): boolean {
  return isRecord(sent) && sent['id'] === undefined && sent['name'] === undefined;
}

function usersOf(ctx: RuleContext, profile: Profile): StoredObject[] {
  const where = { vnic_profile_id: profile.id ?? '' };
  return ctx.tx.list('nic', { where, limit: 6 });
}

function checkProfile(ctx: RuleContext, profile: Profile, action: string): void {
  if (!passesThrough(profile)) {
    if (profile.failover?.id) {
      ctx.refuse('PROFILE_NOT_PASS_THROUGH', { action, attribute: 'failover' });
    }
    return;
  }
  const plain = [
    ...(profile.port_mirroring ? ['port_mirroring'] : []),
    ...(profile.qos?.id ? ['qos'] : []),
    ...(profile.network_filter?.id ? ['network_filter'] : []),
  ];
  if (plain.length > 0) {
    ctx.refuse('PROFILE_PASS_THROUGH', { action, attribute: plain.join(', ') });
  }
}
