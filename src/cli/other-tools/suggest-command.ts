/** Suggestion of a command for words of other tools. */
import { UsageError } from '../../client/errors.ts';
import { shellQuote } from '../../client/shell-quote.ts';
import { findNextArgument } from '../args/argv-scan.ts';
import { findNoun } from '../args/catalog.ts';
import { listAllVerbs } from '../verbs/derive-verbs.ts';
import { type ForeignForm, foreignForms, foreignNouns, foreignVerbs } from './words.ts';

/** Noun of a verb without one, by the verb of vmctl. */
const nounOfVerb: Readonly<Record<string, string>> = {
  activate: 'hosts',
  deactivate: 'hosts',
  upload: 'disks',
  download: 'disks',
  move: 'disks',
};

/**
 * Suggests the command for words that vmctl does not know, with the arguments of the user:
 * `vmctl vms reboot web01` for `restart web01`. `undefined` if the words are not in the tables.
 */
export function suggestCommand(argv: readonly string[]): string | undefined {
  const at = findNextArgument(argv);
  if (at < 0) return undefined;
  const words = translateWords(argv.slice(at));
  return words && ['vmctl', ...words, ...argv.slice(0, at)].map(shellQuote).join(' ');
}

/** Translates words without leading flags; `undefined` if they are not in the tables. */
export function translateWords([first = '', ...rest]: readonly string[]):
  | readonly string[]
  | undefined {
  const noun = findAnyNoun(first);
  return noun === undefined ? suggestForVerb(first, rest) : suggestForNoun(noun, rest);
}

/** Creates the error for words of other tools: `unknown command "restart"; use: ...`. */
export function createOtherToolError(argv: readonly string[]): UsageError | undefined {
  const command = suggestCommand(argv);
  if (command === undefined) return undefined;
  const at = findNextArgument(argv);
  const first = argv[at] ?? '';
  const words = findNoun(first) ? [first, argv[findNextArgument(argv, at + 1)] ?? ''] : [first];
  return new UsageError(`unknown command "${words.join(' ')}"; use: ${command}`, {
    code: 'unknown_command',
    next: [command],
  });
}

/** Words after a noun: `server list`, `vms restart web01`. */
function suggestForNoun(noun: string, rest: readonly string[]): readonly string[] | undefined {
  const at = findNextArgument(rest);
  const word = rest[at];
  if (at < 0 || word === undefined) return [noun, 'list', ...rest];
  const others = [...rest.slice(0, at), ...rest.slice(at + 1)];
  return applyVerb(noun, word, others);
}

/** Words that start with a verb: `restart web01`, `get vms`, `describe vm web01`. */
function suggestForVerb(verb: string, rest: readonly string[]): readonly string[] | undefined {
  const at = findNextArgument(rest);
  const word = at < 0 ? '' : (rest[at] ?? '');
  const [kind = '', name] = word.split('/');
  const noun = findAnyNoun(kind);
  if (noun !== undefined) {
    const reference = name === undefined ? [] : [name];
    const others = [...rest.slice(0, at), ...reference, ...rest.slice(at + 1)];
    const lists = (verb === 'get' || verb === 'show') && findNextArgument(others) < 0;
    return applyVerb(noun, lists ? 'list' : verb, others);
  }
  const form = findForm(verb);
  if (form) return fillForm(form, rest);
  const names = [verb, ...(findEntry(foreignVerbs, verb) ?? [])];
  const [home = 'vms'] = names.flatMap((one) => findEntry(nounOfVerb, one) ?? []);
  return applyVerb(home, verb, rest);
}

/** Words for a verb of a noun; `undefined` if the noun has no such verb. */
function applyVerb(
  noun: string,
  word: string,
  rest: readonly string[],
): readonly string[] | undefined {
  const form = findForm(word, noun);
  if (form) return fillForm(form, rest);
  const plain = word.toLowerCase();
  for (const candidate of [plain, ...(findEntry(foreignVerbs, plain) ?? [])]) {
    const verb = findVerbName(noun, candidate);
    if (verb === undefined) continue;
    // Lists have no arguments: the name of an object selects it.
    const names = verb === 'list' && findNextArgument(rest) >= 0;
    return [noun, names ? 'get' : verb, ...rest];
  }
  return undefined;
}

/** Name of a verb of a noun, for the name or an alias. */
function findVerbName(name: string, word: string): string | undefined {
  const noun = findNoun(name);
  return (noun ? listAllVerbs(noun) : []).find(
    ({ name, aliases }) => name === word || aliases.includes(word),
  )?.name;
}

/** Finds a noun of vmctl, or the one for a noun of other tools in singular or plural. */
export function findAnyNoun(word: string): string | undefined {
  const plain = word.toLowerCase();
  return (
    findNoun(plain)?.name ??
    findEntry(foreignNouns, plain) ??
    findEntry(foreignNouns, plain.replace(/s$/, ''))
  );
}

/** Form of a word, for a noun or for the word alone. */
function findForm(word: string, noun?: string): ForeignForm | undefined {
  const form = findEntry(foreignForms, word.toLowerCase());
  return noun === undefined || form?.nouns.includes(noun) ? form : undefined;
}

/** Puts arguments into a form; flags and further arguments follow. */
function fillForm({ command }: ForeignForm, rest: readonly string[]): readonly string[] {
  const places = rest.flatMap((word, index) => (word.startsWith('-') ? [] : [index]));
  const used = new Set<number>();
  const filled = command.split(' ').map((part) =>
    part.replaceAll(/\{(\d):([^}]+)\}/g, (_, position: string, placeholder: string) => {
      const place = places[Number(position) - 1];
      if (place === undefined) return placeholder;
      used.add(place);
      return rest[place] ?? placeholder;
    }),
  );
  return [...filled, ...rest.filter((_, index) => !used.has(index))];
}

/** Own member of a table; words such as `constructor` have none. */
function findEntry<Value>(table: Readonly<Record<string, Value>>, word: string): Value | undefined {
  return Object.hasOwn(table, word) ? table[word] : undefined;
}
