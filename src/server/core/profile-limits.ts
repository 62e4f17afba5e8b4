/**
 * Limits of user profiles, which users can change without administrator permits. They apply to each
 * user, even if an administrator makes the change.
 */
import { permitsByType } from '../../model/derive/permits.ts';
import { services } from '../../model/derive/services.ts';
import { type KindName, type StoredObject, writeDocument } from '../store/kinds.ts';
import { measureCollection } from '../store/stored-size.ts';
import type { CollectionRef } from './collection-ref.ts';
import type { RuleContext } from './context.ts';
import { getTypeLabel, Refusal } from './fault.ts';
import type { Site } from './ports.ts';

export const profileLimits = {
  /** Maximum number of objects of each type in one profile. */
  objects: 256,
  /** Maximum stored bytes of one object, and of all objects in one profile. */
  objectBytes: 64 * 2 ** 10,
  bytes: 2 ** 20,
  /** Maximum characters of a name: events contain it. */
  name: 255,
  /**
   * Maximum burst of changes of one profile, and milliseconds per additional change. Each change
   * writes an event.
   */
  changes: 1_000,
  changeInterval: 1_000,
} as const;

/** Kinds of the collections of a profile, by the last segment of their path: `options`. */
const profile = new Map<string, KindName>();
for (const [path, { type }] of Object.entries(services)) {
  const [, word] = /^\/users\/\{user\}\/(\w+)$/.exec(path) ?? [];
  const isOwn = permitsByType[type]?.['add']?.every(({ on }) => on === 'own' || on === 'others');
  if (word !== undefined && isOwn) profile.set(word, type);
}

/** Whether the objects of a collection belong to the profile of a user. */
export function isProfileCollection({ service, type }: CollectionRef): boolean {
  return [...profile].some(([word, kind]) => kind === type && service.endsWith(`}/${word}`));
}

/**
 * Refuses an object that exceeds the limits of a profile: 409 for the number of objects, 413 for
 * the bytes, 429 for too many changes. `before` is the object that it replaces.
 */
export function requireProfileCapacity(
  ctx: RuleContext,
  ref: CollectionRef,
  object: StoredObject,
  before?: StoredObject,
): void {
  const user = ref.owner?.id ?? '';
  const words = { action: before ? 'edit' : 'add', type: getTypeLabel(ref.type) };
  const { objects, objectBytes, bytes, name } = profileLimits;
  if (String(object['name'] ?? '').length > name) {
    const length = String(object['name']).length;
    ctx.refuse('NAME_TOO_LONG', { ...words, length, max: name });
  }
  const size = measureBytes(object);
  if (size > objectBytes) {
    ctx.refuse('PROFILE_OBJECT_TOO_LARGE', { ...words, bytes: size, max: objectBytes });
  }
  let stored = size - (before ? measureBytes(before) : 0);
  for (const [word, kind] of profile) {
    const found = measureCollection(ctx.tx, kind, `/users/${user}/${word}`);
    stored += found.bytes;
    if (kind === ref.kind && !before && found.objects >= objects) {
      ctx.refuse('PROFILE_IS_FULL', { ...words, max: objects });
    }
  }
  if (stored > bytes) ctx.refuse('PROFILE_TOO_LARGE', { ...words, max: bytes });
  countChange(ctx, user);
}

/** Counts a change of a profile, removals included. Refuses with 429 if there are too many. */
export function countChange({ site, steady }: RuleContext, user: string): void {
  const budgets = getBudgets(site);
  const { changes, changeInterval } = profileLimits;
  // Token bucket: the count decreases by one per interval.
  const before = budgets.get(user) ?? { counted: 0, at: steady };
  const forgotten = Math.floor((steady - before.at) / changeInterval);
  const counted = Math.max(0, before.counted - forgotten) + 1;
  if (counted > changes) {
    const detail = `The profile of the user was changed ${changes} times; try again later.`;
    throw new Refusal(429, 'Too Many Requests', detail, { headers: { 'Retry-After': '10' } });
  }
  budgets.set(user, { counted, at: before.at + forgotten * changeInterval });
}

interface Budget {
  readonly counted: number;
  /** Service time of the last decrease. */
  readonly at: number;
}

/** Budgets by site and user. The number of users bounds the size. */
const bySite = new WeakMap<Site, Map<string, Budget>>();

function getBudgets(site: Site): Map<string, Budget> {
  const known = bySite.get(site);
  if (known) return known;
  const made = new Map<string, Budget>();
  bySite.set(site, made);
  return made;
}

function measureBytes(object: StoredObject): number {
  return Buffer.byteLength(writeDocument(object));
}
