/** Names of verbs and what verbs have beyond their operations, as rules and as resources declare it. */
import { nounOptions } from '../../model/derive/commands.ts';
import type { VerbOptions } from '../../model/notation/commands.ts';

/** The usual verbs, by operation. Actions keep their name, in kebab case. */
export const defaultVerbs: Readonly<Record<string, string>> = {
  list: 'list',
  get: 'get',
  add: 'create',
  update: 'update',
  remove: 'delete',
};

/** Other words for verbs, of every noun that has them. */
export const verbAliases: Readonly<Record<string, readonly string[]>> = {
  list: ['ls'],
  get: ['show'],
  create: ['add'],
  update: ['set'],
  delete: ['rm'],
};

/** What the resource of a noun declares for one of its verbs. */
export function verbOptions(noun: string, verb: string): VerbOptions {
  return nounOptions[noun]?.verbs?.[verb] ?? {};
}

/** Actions and removals on a whole collection whose objects are given as arguments: bricks. */
export const brickVerbs: ReadonlySet<string> = new Set([
  'glusterbricks create',
  'glusterbricks activate',
  'glusterbricks migrate',
  'glusterbricks stop-migrate',
]);

/** Verbs that attach something existing: an argument names it, the body is a reference to it. */
export function isReferenceVerb(noun: string, verb: string): boolean {
  if (noun === 'diskattachments') return false;
  return verb === 'attach' || verb === 'assign' || verb.startsWith('add-');
}

/** Verbs with `--object KIND/REF`, which names what the permission is about. */
export const objectVerbs: ReadonlySet<string> = new Set(['permissions grant']);
