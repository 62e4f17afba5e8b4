/** Names and options of verbs, from rules and from the resources. */
import { nounOptions } from '../../model/derive/commands.ts';
import type { VerbOptions } from '../../model/notation/commands.ts';

/** Default verbs by operation. Actions keep their name in kebab case. */
export const defaultVerbs: Readonly<Record<string, string>> = {
  list: 'list',
  get: 'get',
  add: 'create',
  update: 'update',
  remove: 'delete',
};

/** Aliases of verbs for all nouns. */
export const verbAliases: Readonly<Record<string, readonly string[]>> = {
  list: ['ls', 'watch'],
  get: ['show'],
  create: ['add'],
  update: ['set'],
  delete: ['rm'],
};

export interface VerbName {
  readonly noun: string;
  readonly name: string;
}

/** Returns the options that a resource declares for a verb. */
export function getVerbOptions({ noun, name }: VerbName): VerbOptions {
  return nounOptions[noun]?.verbs?.[name] ?? {};
}

/**
 * Whether a verb attaches an existing object: an argument names it, and the body is a reference.
 */
export function isReferenceVerb(verb: VerbName): boolean {
  const { name } = verb;
  if (getVerbOptions(verb).sendsAttributes) return false;
  return name === 'attach' || name === 'assign' || name.startsWith('add-');
}

/** Whether a verb lists events, or prints new ones. */
export function isEventList({ noun, name }: VerbName): boolean {
  return noun === 'events' && name === 'list';
}
