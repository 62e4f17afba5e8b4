/** Command lines that the dashboard runs, as argument lists. */
import { shellQuote } from '../../client/shell-quote.ts';
import type { Named } from './listing.ts';

/** A verb of a noun with its objects. */
export interface ObjectCommand {
  readonly noun: string;
  readonly verb: string;
  readonly objects: readonly Named[];
  readonly owner?: Named;
}

/** Arguments with object ids, because names may be ambiguous. */
export function commandWords({ noun, verb, objects, owner }: ObjectCommand): readonly string[] {
  const on = owner ? ['--on', `${owner.noun}/${owner.id}`] : [];
  return [noun, verb, ...on, '--', ...objects.map(({ id }) => id)];
}

/** Arguments with object names, as a user would type them. */
export function typedWords({ noun, verb, objects, owner }: ObjectCommand): readonly string[] {
  const on = owner ? ['--on', `${owner.noun}/${owner.name}`] : [];
  return [noun, verb, ...objects.map(({ name }) => name), ...on];
}

/** The typed arguments in one line, quoted for a shell. */
export function formatLine(command: ObjectCommand): string {
  return ['vmctl', ...typedWords(command)].map(shellQuote).join(' ');
}
