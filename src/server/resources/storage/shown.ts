/** What is computed when a storage domain is shown: its space, its logical units. */
import type { Resource } from '../../../model/resource.ts';
import type { RuleContext } from '../../core/context.ts';
import type { StoredObject } from '../../store/document.ts';
import { presentUnit, unitUsers } from './logical-unit.ts';
import { spaceOf } from './space.ts';

type Domain = Resource<'storage_domain'>;

/** Types of domains that providers keep: nobody knows their space. */
const ofProviders = new Set(['image', 'volume', 'managed_block_storage']);

/** Space of a domain; what is used and free is not known while it is in maintenance. */
export function shownSpace(
  ctx: RuleContext,
  domain: Domain,
  status: string | undefined,
): StoredObject {
  if (ofProviders.has(domain.type ?? '')) {
    return { used: undefined, available: undefined, committed: 0 };
  }
  const space = spaceOf(ctx, domain);
  if (status !== 'maintenance') return { ...space };
  return { used: undefined, available: undefined, committed: space.committed };
}

/** The storage with its logical units as they are; connections show as a link only. */
export function shownStorage(ctx: RuleContext, domain: Domain): StoredObject {
  const group = domain.storage?.volume_group;
  const links = { storage_connections: undefined };
  if (!group?.logical_units) return links;
  const users = unitUsers(ctx);
  const units = group.logical_units.map((unit) => presentUnit(unit, users));
  return {
    ...links,
    storage: { ...domain.storage, volume_group: { ...group, logical_units: units } },
  };
}
