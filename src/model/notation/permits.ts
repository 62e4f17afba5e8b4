/** Permits that operations require, and their objects (specification 5.5). */

import type { PermitName } from './permit-names.ts';

/**
 * Object on which the caller needs the permit: the addressed one (`self`), the owner of the
 * collection in the path (`owner`), the system, or the target of a path of attributes in the sent
 * object (`sent`) or the addressed one (`referred`). For objects of a user: the caller's own
 * (`own`), or those of other users (`others`).
 */
export type PermittedOn = 'self' | 'owner' | 'own' | 'others' | 'system' | 'sent' | 'referred';

/** Permit and its object. */
export interface Need {
  readonly permit: PermitName;
  readonly on: PermittedOn;
  /** Path of attributes for `sent` and `referred`: `disk.storage_domains`. */
  readonly path?: string;
}

/** Permit that only certain bodies require. */
export interface ConditionalNeed {
  /** Path of the member that must be present, and of one that must be absent. */
  readonly sent: string;
  readonly without?: string;
  /** Query parameter and value, instead of a member. */
  readonly parameter?: readonly [name: string, value: boolean];
  readonly need: Need;
}

/** Restricted to superusers, regardless of permits. */
export const superUser = 'super user';

/** Permit on the addressed object. */
export const self = (permit: PermitName): Need => ({ permit, on: 'self' });

/** Permit on the owner of the collection in the path. */
export const owner = (permit: PermitName): Need => ({ permit, on: 'owner' });

/** Permit on the system. */
export const system = (permit: PermitName): Need => ({ permit, on: 'system' });

/** Permit for objects of the caller. Objects of other users require a permit to manage users. */
export const own = (permit: PermitName): Need => ({ permit, on: 'own' });

/** Permit for objects of other users. The caller's own objects require none. */
export const others = (permit: PermitName): Need => ({ permit, on: 'others' });

/** Permit on the target of an attribute of the sent object, or of an element of the action. */
export const sent = (permit: PermitName, path: string): Need => ({ permit, on: 'sent', path });

/** Permit on the target of an attribute of the addressed object. */
export const referred = (permit: PermitName, path: string): Need => ({
  permit,
  on: 'referred',
  path,
});

/** Permit if the request contains this member. */
export const whenSent = (member: string, need: Need): ConditionalNeed => ({ sent: member, need });
