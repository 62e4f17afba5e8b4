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
  list: ['ls', 'watch'],
  get: ['show'],
  create: ['add'],
  update: ['set'],
  delete: ['rm'],
};

/** A verb, by its noun and name. */
export interface VerbName {
  readonly noun: string;
  readonly name: string;
}

/** What the resource of a noun declares for one of its verbs. */
export function verbOptions({ noun, name }: VerbName): VerbOptions {
  return nounOptions[noun]?.verbs?.[name] ?? {};
}

/** Whether a verb attaches something existing: an argument names it, the body is a reference to it. */
export function isReferenceVerb(verb: VerbName): boolean {
  const { name } = verb;
  if (verbOptions(verb).sendsAttributes) return false;
  return name === 'attach' || name === 'assign' || name.startsWith('add-');
}
