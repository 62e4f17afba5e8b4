/** Execution of a verb: resolves collection and references, then calls its implementation. */
import type { QueryValue } from '../../client/client.ts';
import { UsageError, VmctlError } from '../../client/errors.ts';
import { typeOptions } from '../../model/derive/commands.ts';
import { makesByType } from '../../model/derive/makes.ts';
import { type EnumName, enums } from '../../model/enums.ts';
import { parseKind } from '../../model/index.ts';
import type { Options } from '../args/command.ts';
import { camelCase } from '../args/parameters.ts';
import { parseValue } from '../args/values.ts';
import { checkSelection } from '../output/order.ts';
import { formatOf } from '../output/print.ts';
import type { CommandContext } from '../session/command-context.ts';
import { runChange } from './change.ts';
import { collectionAt } from './collections.ts';
import { conditionOf } from './conditions.ts';
import type { Candidate, Verb } from './derive-verbs.ts';
import { readInput } from './documents.ts';
import { parameterOf, shapeOf } from './fields.ts';
import { findByReferences, referencesOf } from './find-by-references.ts';
import { humanNoun, type Meanings, type VerbFlags } from './flags.ts';
import { hasFollowUp, runWithFollowUp } from './follow-up-actions.ts';
import { runGet } from './get.ts';
import { bareWord } from './identifiers.ts';
import { runList } from './list.ts';
import { takesName, withName } from './name-argument.ts';
import { pluralOf } from './purpose.ts';
import { type Finder, finderFor, parentIds } from './references.ts';
import {
  type Given,
  type On,
  parseOn,
  type ResolvedCollection,
  resolveCollection,
} from './resolve-collection.ts';
import type { BodyInput, Run } from './run.ts';
import { selects, wantsAll } from './selection.ts';
import { isReferenceVerb, verbOptions } from './verb-names.ts';
import { runWait } from './wait.ts';
import { runWatch } from './watch.ts';

/** What is done with a verb once all that was named is found. */
export type Perform = (run: Run) => Promise<void>;

/**
 * Runs the verb with its arguments and flags, as commander parsed them. `perform` does the work where a
 * command does more than the verb by itself.
 */
export async function runVerb(
  cli: CommandContext,
  verb: Verb,
  verbFlags: VerbFlags,
  given: Given,
  positionals: readonly string[],
  options: Options,
  perform?: Perform,
): Promise<void> {
  // A mistake in the flags is told before anything is sent.
  formatOf(cli);
  const owners = ownersOf(options['on']);
  const hasOwner = verb.candidates.some(({ owner }) => owner !== undefined);
  const rest = [...positionals];
  const ownerWord = hasOwner ? rest.shift() : undefined;
  const { argument: extra } = verbOptions(verb);
  const extraText = extra ? rest.pop() : undefined;
  const isNaming = takesName(verb, verbFlags);
  const words = isNaming ? [] : await expandStdin(cli, rest);
  if (!isNaming && words.length === 0 && rest.length > 0) {
    cli.note(`no ${pluralOf(humanNoun(verb.noun))} on standard input; nothing to do`);
    return;
  }
  checkWords([...rest, ...(ownerWord === undefined ? [] : [ownerWord])]);
  const known = isNaming ? withName(given, rest) : given;
  const wantsFollowUp = hasFollowUp(verb, options);
  const runs: Run[] = [];
  for (const on of owners) {
    const request = { verbFlags, given: known, on, ownerWord, words, extraText, options };
    runs.push(await prepareRun(cli, verb, request));
  }
  const [run, ...others] = runs;
  if (!run) return;
  try {
    if (perform) await perform(run);
    else if (wantsFollowUp) await runWithFollowUp(run);
    else if (others.length > 0) await runChange(run, ...others);
    else await implementationOf(run)(run);
  } catch (error) {
    throw withHint(error, run, verbFlags);
  }
}

/** The objects that `--on` names, one after the other; nothing once where it is not given. */
function ownersOf(on: unknown): readonly (On | undefined)[] {
  const all = Array.isArray(on) ? on : [on];
  return all.map((one) => (typeof one === 'string' ? parseOn(one) : undefined));
}

interface RunRequest {
  readonly verbFlags: VerbFlags;
  readonly given: Given;
  readonly on: On | undefined;
  /** What the first argument names, where that is not the object itself. */
  readonly ownerWord: string | undefined;
  readonly words: readonly string[];
  readonly extraText: string | undefined;
  readonly options: Options;
}

/** Finds the collection, and everything above its objects. */
async function prepareRun(
  cli: CommandContext,
  verb: Verb,
  { verbFlags, given, on, ownerWord, words, extraText, options }: RunRequest,
): Promise<Run> {
  const { argument: extra, takesBricks } = verbOptions(verb);
  const all = wantsAll(verb, options, words, selects(verb));
  const isNamed = !all && options['glob'] !== true;
  const isImplied = isNamed && words.length === 0 && ownersOnlyOne(verb);
  const withObject =
    all || isImplied || (words.length > 0 && !takesBricks && !isReferenceVerb(verb));
  const references = referencesOf(verb, { given, on, options, words, isNamed });
  const request = {
    given: references?.places ?? given,
    on: references ? references.on : on,
    withObject: withObject || references !== undefined,
    word: isNamed ? words[0] : undefined,
  };
  const resolved = await resolveCollection(cli, verb, verbFlags, request);
  const { candidate } = resolved;
  for (const word of resolved.parentWords.values()) checkWords([word]);
  checkPrinting(cli, verb, candidate);
  checkGoal(verb, candidate, options);
  const input = inputOf(verbFlags, resolved, given, options, extra?.paths, extraText);
  const query = queryOf(verbFlags, resolved, given, options, verb);
  const search = await searchBefore(candidate, options, query);
  const client = await cli.client();
  const finder = finderFor(cli, client);
  const parents = candidate.owner ? [...candidate.parents, candidate.owner] : candidate.parents;
  const ids = await parentIds(finder, parents, (placeholder, collection) =>
    placeholder === candidate.owner?.placeholder && collection === candidate.owner.collection
      ? (ownerWord ?? '')
      : (resolved.parentWords.get(placeholder) ?? ''),
  );
  const { collection } = candidate;
  const named = references
    ? await findByReferences({ cli, client, finder, collection, ids, options }, references)
    : isImplied
      ? [await finder.only(collection, ids)]
      : words;
  const target = { resolved, options, ids, query, ownerWord, words: named, input };
  const run = { cli, client, finder, verb, ...target };
  return search ? await search(run) : run;
}

/**
 * Refuses a search that does not parse, before anything is sent. What is returned puts what a bookmark
 * keeps in its place.
 */
async function searchBefore(
  candidate: Candidate,
  options: Options,
  query: Run['query'],
): Promise<((run: Run) => Promise<Run>) | undefined> {
  const text = query['search'] ?? options['search'];
  if (typeof text !== 'string') return undefined;
  const { collection } = candidate;
  const { isBookmark, preparedSearch } = await import('./search-query.ts');
  const prepare = (finder?: Finder) => preparedSearch(text, collection, options, finder);
  if (!isBookmark(text)) {
    await prepare();
    return undefined;
  }
  return async (run) => {
    const search = await prepare(run.finder);
    return query['search'] === undefined
      ? { ...run, options: { ...run.options, search } }
      : { ...run, query: { ...query, search } };
  };
}

/** Whether the object may be left out: of its kind an owner has one, as a rule. */
export function ownersOnlyOne({ kind, candidates }: Verb): boolean {
  return (
    kind !== 'list' &&
    kind !== 'add' &&
    candidates.every(
      ({ takesObject, collection }) => takesObject && typeOptions[collection.type]?.isSingle,
    )
  );
}

function implementationOf({ cli, verb, options }: Run): (run: Run) => Promise<void> {
  switch (verb.kind) {
    case 'list':
      return options['watch'] !== undefined && !cli.on('curl') ? runWatch : runList;
    case 'get':
      return runGet;
    case 'wait':
      return runWait;
    default:
      return (run) => runChange(run);
  }
}

/** Refuses columns that what is printed does not have, before anything is sent. */
function checkPrinting(
  cli: CommandContext,
  verb: Verb,
  { operation, collection }: Candidate,
): void {
  const answers = operation.body.some((name) => parameterOf(name)?.out !== undefined);
  // Of what type an answer is shows when it is there.
  if (verb.kind === 'action' && answers) return;
  const places = makesByType[operation.type]?.[operation.name] ?? [{ in: collection.path }];
  const refusals: unknown[] = [];
  for (const place of places) {
    const { noun, type } = collectionAt(place.in);
    try {
      checkSelection(cli, { noun, type });
      return;
    } catch (error) {
      refusals.push(error);
    }
  }
  throw refusals[0];
}

/** Refuses what nobody could wait for, before anything is sent. */
function checkGoal(verb: Verb, { operation, collection }: Candidate, options: Options): void {
  const { for: goal } = options;
  if (typeof goal !== 'string' || verb.kind === 'wait') return;
  if (options['wait'] === false) {
    throw new UsageError('--for and --no-wait exclude each other', { hint: 'use one of them' });
  }
  const places = makesByType[operation.type]?.[operation.name] ?? [{ in: collection.path }];
  for (const place of places) conditionOf(goal, collectionAt(place.in).type);
}

/** An empty name is refused before anything is sent: it may be a variable that nobody set. */
function checkWords(words: readonly string[]): void {
  for (const word of words) if (word.trim() === '') bareWord(word, 'the objects');
}

/** `-` stands for the references on stdin, one in a line: there may be none. */
export async function expandStdin(
  cli: CommandContext,
  words: readonly string[],
): Promise<readonly string[]> {
  if (!words.includes('-')) return words;
  const lines = (await readInput(cli, '-', 'stdin'))
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
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
  if (text === undefined || text.trim() === '') throw new UsageError('option name missing');
  if (second === undefined) return [`${first}=${text}`];
  const at = text.indexOf('=');
  if (at < 1) throw new UsageError(`${text}: value missing`, { hint: 'use NAME=VALUE' });
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
    const names = flags.find((one) => one.key === key)?.names ?? [];
    // Under the name that was typed: --limit is --max to the service.
    const typed = names.find((name) => options[camelCase(name)] !== undefined) ?? names[0];
    const flag = `--${typed ?? key}`;
    query[parameter.name] = parseValue(values.at(-1) ?? '', parameter, flag) as QueryValue;
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

/** The error with a hint that says where to look, where the service refused what was sent. */
function withHint(error: unknown, { verb, query, resolved }: Run, verbFlags: VerbFlags): unknown {
  const hinted = withFlagHint(error, verbFlags, resolved.meanings);
  if (!(hinted instanceof VmctlError) || hinted.hint !== undefined || hinted.status !== 400) {
    return hinted;
  }
  const hint =
    verb.kind === 'list' && query['search'] !== undefined
      ? 'vmctl help search'
      : `vmctl ${verb.noun} ${verb.name} --help`;
  return Object.assign(hinted, { hint });
}

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
