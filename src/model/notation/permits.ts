/** Permits that operations need, and the objects that they are needed on (specification 5.5). */

/**
 * The object that must be permitted: the addressed one (`self`), the one in the path that a
 * collection belongs to (`owner`), the system, or what a path of attributes refers to: in the sent
 * object (`sent`), or in the addressed one (`referred`). What belongs to a user: it counts for one's
 * own (`own`), or is needed for that of others only (`others`).
 */
export type PermittedOn = 'self' | 'owner' | 'own' | 'others' | 'system' | 'sent' | 'referred';

/** A permit and where it is needed. */
export interface Need {
  readonly permit: string;
  readonly on: PermittedOn;
  /** Attributes that lead to the object, for `sent` and `referred`: `disk.storage_domains`. */
  readonly path?: string;
}

/** A permit that is needed only when the body says something, or says it differently. */
export interface ConditionalNeed {
  /** Path of the member that must be sent, and of one that must not be. */
  readonly sent: string;
  readonly without?: string;
  /** Instead of a member: a parameter of the query, and its value. */
  readonly parameter?: readonly [name: string, value: boolean];
  readonly need: Need;
}

/** Nobody but a super user may, whatever permits others have. */
export const superUser = 'super user';

/** On the addressed object. */
export const self = (permit: string): Need => ({ permit, on: 'self' });

/** On the object in the path that the collection belongs to. */
export const owner = (permit: string): Need => ({ permit, on: 'owner' });

/** On the whole system. */
export const system = (permit: string): Need => ({ permit, on: 'system' });

/** For what belongs to the caller; for that of others a permit to manage users is needed. */
export const own = (permit: string): Need => ({ permit, on: 'own' });

/** For what belongs to others; nothing is needed for one's own. */
export const others = (permit: string): Need => ({ permit, on: 'others' });

/** On what an attribute of the sent object, or an element of the action, refers to. */
export const sent = (permit: string, path: string): Need => ({ permit, on: 'sent', path });

/** On what an attribute of the addressed object refers to. */
export const referred = (permit: string, path: string): Need => ({ permit, on: 'referred', path });

/** A need that arises when this member is sent. */
export const whenSent = (member: string, need: Need): ConditionalNeed => ({ sent: member, need });
