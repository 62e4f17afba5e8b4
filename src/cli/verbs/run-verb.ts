/** Execution of a verb: resolves collection and references, then calls its implementation. */
import type { QueryValue } from '../../client/client.ts';
import { UsageError, VmctlError } from '../../client/errors.ts';
import { type EnumName, enums } from '../../model/enums.ts';
import { parseKind } from '../../model/index.ts';
import type { Options } from '../args/command.ts';
import { camelCase } from '../args/parameters.ts';
import { parseValue } from '../args/values.ts';
import { formatOf } from '../output/print.ts';
import type { CommandContext } from '../session/command-context.ts';
import { runChange } from './change.ts';
import type { Verb } from './derive-verbs.ts';
import { readInput } from './documents.ts';
import { shapeOf } from './fields.ts';
import type { Meanings, VerbFlags } from './flags.ts';
import { hasFollowUp, runWithFollowUp } from './follow-up-actions.ts';
import { bareWord } from './identifiers.ts';
import { runGet, runList } from './list.ts';
import { Finder, parentIds } from './references.ts';
import {
  type Given,
  parseOn,
  type ResolvedCollection,
  resolveCollection,
} from './resolve-collection.ts';
import type { BodyInput, Run } from './run.ts';
import { wantsAll } from './selection.ts';
import { isReferenceVerb, verbOptions } from './verb-names.ts';
import { runWait } from './wait.ts';
import { runWatch } from './watch.ts';

/** Runs the verb with its arguments and flags, as commander parsed them. */
export async function runVerb(
  cli: CommandContext,
  verb: Verb,
  verbFlags: VerbFlags,
  given: Given,
  positionals: readonly string[],
  options: Options,
): Promise<void> {
  // A mistake in the flags is told before anything is sent.
  formatOf(cli);
  const on = typeof options['on'] === 'string' ? parseOn(options['on']) : undefined;
  const hasOwner = verb.candidates.some(({ owner }) => owner !== undefined);
  const rest = [...positionals];
  const ownerWord = hasOwner ? rest.shift() : undefined;
  const { argument: extra } = verbOptions(verb);
  const extraText = extra ? rest.pop() : undefined;
  const isBricks = verbOptions(verb).takesBricks;
  const isReference = isReferenceVerb(verb);
  const words = await expandStdin(cli, rest);
  const all = wantsAll(verb, options, words);
  const withObject = all || (words.length > 0 && !isBricks && !isReference);
  checkWords([...words, ...(ownerWord === undefined ? [] : [ownerWord])]);
  const request = { given, on, withObject, word: all ? undefined : words[0] };
  const resolved = await resolveCollection(cli, verb, verbFlags, request);
  const { candidate } = resolved;
  for (const word of resolved.parentWords.values()) checkWords([word]);
  const input = inputOf(verbFlags, resolved, given, options, extra?.paths, extraText);
  const query = queryOf(verbFlags, resolved, given, options, verb);
  const wantsFollowUp = hasFollowUp(verb, options);
  const client = await cli.client();
  const finder = new Finder(client);
  const parents = candidate.owner ? [...candidate.parents, candidate.owner] : candidate.parents;
  const ids = await parentIds(finder, parents, (placeholder, collection) =>
    placeholder === candidate.owner?.placeholder && collection === candidate.owner.collection
      ? (ownerWord ?? '')
      : (resolved.parentWords.get(placeholder) ?? ''),
  );
  const run: Run = {
    cli,
    client,
    finder,
    verb,
    resolved,
    options,
    ids,
    query,
    words,
    input,
  };
  try {
    await (wantsFollowUp ? runWithFollowUp : implementationOf(run))(run);
  } catch (error) {
    throw withFlagHint(error, verbFlags, resolved.meanings);
  }
}

function implementationOf({ cli, verb, options }: Run): (run: Run) => Promise<void> {
  switch (verb.kind) {
    case 'list':
      return options['watch'] === true && !cli.on('curl') ? runWatch : runList;
    case 'get':
      return runGet;
    case 'wait':
      return runWait;
    default:
      return runChange;
  }
}

/** An empty name is refused before anything is sent: it may be a variable that nobody set. */
function checkWords(words: readonly string[]): void {
  for (const word of words) if (word.trim() === '') bareWord(word, 'the objects');
}

/** `-` stands for the references on stdin, one in a line. */
async function expandStdin(
  cli: CommandContext,
  words: readonly string[],
): Promise<readonly string[]> {
  if (!words.includes('-')) return words;
  const lines = (await readInput(cli, '-', 'stdin'))
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  if (lines.length === 0 && words.length === 1) {
    throw new UsageError('stdin names no object', { hint: 'give one reference in a line' });
  }
  return words.flatMap((word) => (word === '-' ? lines : [word]));
}

function inputOf(
  { flags }: VerbFlags,
  { candidate, meanings }: ResolvedCollection,
  given: Given,
  options: Options,
  extraPaths: readonly string[] | undefined,
  extraText: string | undefined,
): BodyInput {
  const fields = [...given].flatMap(([key, texts]) => {
    const field = meanings.fields.get(key);
    const flag = `--${flags.find((one) => one.key === key)?.names[0] ?? key}`;
    return field ? [{ field, flag, texts }] : [];
  });
  return {
    shape: shapeOf(candidate.operation),
    operation: candidate.operation.name,
    ...(typeof options['fromFile'] === 'string' ? { file: options['fromFile'] } : {}),
    sets: [...extraSets(extraPaths, extraText), ...texts(options['set'])],
    jsonSets: texts(options['setJson']),
    fields,
  };
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

/** The argument behind the object: `NAME` or `NAME=VALUE`, as its table says. */
function extraSets(
  paths: readonly string[] | undefined,
  text: string | undefined,
): readonly string[] {
  if (!paths) return [];
  const [first = '', second] = paths;
  if (text === undefined || text.trim() === '') throw new UsageError('the option is not named');
  if (second === undefined) return [`${first}=${text}`];
  const at = text.indexOf('=');
  if (at < 1) throw new UsageError(`${text}: no value`, { hint: 'write NAME=VALUE' });
  return [`${first}=${text.slice(0, at)}`, `${second}=${text.slice(at + 1)}`];
}

function queryOf(
  { flags }: VerbFlags,
  { meanings }: ResolvedCollection,
  given: Given,
  options: Options,
  verb: Verb,
): Readonly<Record<string, QueryValue | undefined>> {
  const query: Record<string, QueryValue | undefined> = {};
  for (const [key, values] of given) {
    const parameter = meanings.queries.get(key);
    if (!parameter) continue;
    const flag = `--${flags.find((one) => one.key === key)?.names[0] ?? key}`;
    query[parameter.name] = parseValue(values.at(-1) ?? '', parameter.kind, flag) as QueryValue;
  }
  const { queryShortcut: shortcut } = verbOptions(verb);
  if (shortcut && options[camelCase(shortcut.flag)] === true)
    query[shortcut.query] = shortcut.value;
  return query;
}

/** So many words of an enumeration are named, of longer ones none. */
const shownWords = 5;

/** `Vm [cluster.id|name, template.id|name] required for add` (specification 4.5). */
const missing = /\[([^\]]+)\] required/;

/** The error with a hint that names flags, where the service refused for want of attributes. */
function withFlagHint(error: unknown, { flags }: VerbFlags, { fields }: Meanings): unknown {
  if (!(error instanceof VmctlError) || error.hint !== undefined) return error;
  const [, list] = missing.exec(error.fault?.detail ?? '') ?? [];
  if (list === undefined) return error;
  const flagHints = list.split(/,\s*/).map((rule) => {
    const path = snake(rule.split('|')[0] ?? '').replace(/\.(id|name)$/, '');
    const known = [...fields].find(
      ([, field]) =>
        field.path === path || field.path === `${path}.name` || field.path === `${path}.id`,
    );
    const flag = known && flags.find(({ key }) => key === known[0]);
    if (!known || !flag) return `--set ${path}=...`;
    const { form, of } = parseKind(known[1].kind);
    const words: readonly string[] = form === 'enum' ? enums[of as EnumName] : [];
    const value = words.length > 0 && words.length <= shownWords ? words.join('|') : flag.value;
    return `--${flag.names[0]}${value === undefined ? '' : ` ${value}`}`;
  });
  return Object.assign(error, { hint: `give ${flagHints.join(', ')}` });
}

/** Some services write attributes as their program does: `dataCenter`. */
function snake(path: string): string {
  return path.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
