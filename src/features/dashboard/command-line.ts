/** Commands that keys stand for, as words. */
import { shellQuote } from '../../client/shell-quote.ts';
import type { Named } from './listing.ts';

/** A verb of a noun, on objects that are named. */
export interface CommandLine {
  readonly noun: string;
  readonly verb: string;
  readonly objects: readonly Named[];
  readonly owner?: Named;
}

/** The words of a command, with ids: names may be those of several objects. */
export function wordsOf({ noun, verb, objects, owner }: CommandLine): readonly string[] {
  const on = owner ? ['--on', `${owner.noun}/${owner.id}`] : [];
  return [noun, verb, ...on, '--', ...objects.map(({ id }) => id)];
}

/** The words as somebody would type them, with names. */
export function typedWordsOf({ noun, verb, objects, owner }: CommandLine): readonly string[] {
  const on = owner ? ['--on', `${owner.noun}/${owner.name}`] : [];
  return [noun, verb, ...objects.map(({ name }) => name), ...on];
}

/** The same in one line, quoted for a shell. */
export function lineOf(command: CommandLine): string {
  return ['vmctl', ...typedWordsOf(command)].map(shellQuote).join(' ');
}
