/** Execution of a verb: resolves collection and references, then calls its implementation. */

import type { QueryValue } from '../../client/client.ts';
import { UsageError, VmctlError } from '../../client/errors.ts';
import { typeOptions } from '../../model/derive/commands.ts';
import { makesByType } from '../../model/derive/makes.ts';
import { listEnumValues } from '../../model/enum-values.ts';
import { parseKind } from '../../model/index.ts';
import type { Options } from '../args/command.ts';
import { toCamelCase } from '../args/parameters.ts';
import { parseValue } from '../args/values.ts';
import { checkSelection } from '../output/order.ts';
import { getFormat } from '../output/print.ts';
import type { CommandContext } from '../session/command-context.ts';
import { runChange } from './change.ts';
import { getCollection } from './collections.ts';
import { parseCondition } from './conditions.ts';
import type { Candidate, Verb } from './derive-verbs.ts';
import { readInput } from './documents.ts';
import { selectEventsOf } from './events-of-object.ts';
import { findActionParameter, getBodySchema } from './fields.ts';
import { collectReferences, findByReferences } from './find-by-references.ts';
import { getHumanNoun, type Meanings, type VerbFlags } from './flags.ts';
import { hasFollowUp, runWithFollowUp } from './follow-up-actions.ts';
import { runGet } from './get.ts';
import { parseReference } from './identifiers.ts';
import { runList } from './list.ts';
import { addName, takesName } from './name-argument.ts';
import { getPlural } from './purpose.ts';
import { createFinder, type Finder, resolveParentIds } from './references.ts';
import {
  type GivenFlags,
  type ParentReference,
  parseOn,
  type ResolvedCollection,
  resolveCollection,
} from './resolve-collection.ts';
import { type BodyInput, type Run, validateAttributes } from './run.ts';
import { canSelectAll, validateAll } from './selection.ts';
import { getVerbOptions, isEventList, isReferenceVerb } from './verb-names.ts';
import { runWait } from './wait.ts';
import { runWatch } from './watch.ts';

/** Implementation of a verb, called after all references are resolved. */
export type Perform = (run: Run) => Promise<void>;

/**
 * Runs the verb with arguments and flags as commander parsed them. `perform` replaces the
 * implementation for commands that extend the verb.
 */
export async function runVerb(
  cli: CommandContext,
  verb: Verb,
  verbFlags: VerbFlags,
  given: GivenFlags,
  positionals: readonly string[],
  options: Options,
  perform?: Perform,
): Promise<void> {
  // Reports an invalid format before the first request.
  getFormat(cli);
  const subject = isEventList(verb) ? parseOwners(options['on'])[0] : undefined;
  const owners = subject ? [undefined] : parseOwners(options['on']);
  const hasOwner = verb.candidates.some(({ owner }) => owner !== undefined);
  const rest = [...positionals];
  const ownerWord = hasOwner ? rest.shift() : undefined;
  const { argument: extra } = getVerbOptions(verb);
  const extraText = extra ? rest.pop() : undefined;
  const isNaming = takesName(verb, verbFlags);
  const words = isNaming ? [] : await expandStdin(cli, rest);
  if (!isNaming && words.length === 0 && rest.length > 0) {
    cli.note(`no ${getPlural(getHumanNoun(verb.noun))} on standard input; nothing to do`);
    return;
  }
  validateNames([...rest, ...(ownerWord === undefined ? [] : [ownerWord])]);
  const known = isNaming ? addName(given, rest) : given;
  const wantsFollowUp = hasFollowUp(verb, options);
  const runs: Run[] = [];
  for (const on of owners) {
    const request = { verbFlags, given: known, on, ownerWord, words, extraText, options };
    const run = await prepareRun(cli, verb, request);
    runs.push(subject ? await selectEventsOf(run, subject) : run);
  }
  const [run, ...others] = runs;
  if (!run) return;
  try {
    if (perform) await perform(run);
    else if (wantsFollowUp) await runWithFollowUp(run);
    else if (others.length > 0) await runChange(run, ...others);
    else await selectImplementation(run)(run);
  } catch (error) {
    throw addHint(error, run, verbFlags);
  }
}

/** Parses `--on`: its objects, or one `undefined` without the flag. */
function parseOwners(on: unknown): readonly (ParentReference | undefined)[] {
  const all = Array.isArray(on) ? on : [on];
  return all.map((one) => (typeof one === 'string' ? parseOn(one) : undefined));
}

interface RunRequest {
  readonly verbFlags: VerbFlags;
  readonly given: GivenFlags;
  readonly on: ParentReference | undefined;
  /** First argument, if it is the owner instead of the object. */
  readonly ownerWord: string | undefined;
  readonly words: readonly string[];
  readonly extraText: string | undefined;
  readonly options: Options;
}

/** Resolves the collection and the parents of its objects. */
async function prepareRun(
  cli: CommandContext,
  verb: Verb,
  { verbFlags, given, on, ownerWord, words, extraText, options }: RunRequest,
): Promise<Run> {
  const { argument: extra, takesBricks } = getVerbOptions(verb);
  const all = validateAll(verb, options, words, canSelectAll(verb));
  const isNamed = !all && options['glob'] !== true;
  const isImplied = isNamed && words.length === 0 && canOmitObject(verb);
  const withObject =
    all || isImplied || (words.length > 0 && !takesBricks && !isReferenceVerb(verb));
  const references = collectReferences(verb, { given, on, options, words, isNamed });
  const request = {
    given: references?.places ?? given,
    on: references ? references.on : on,
    withObject: withObject || references !== undefined,
    word: isNamed ? words[0] : undefined,
  };
  const resolved = await resolveCollection(cli, verb, verbFlags, request);
  const { candidate } = resolved;
  for (const word of resolved.parentWords.values()) validateNames([word]);
  validateOutput(cli, verb, candidate);
  validateGoal(verb, candidate, options);
  const input = createInput(verbFlags, resolved, given, options, extra?.paths, extraText);
  validateAttributes(input);
  const query = createQuery(verbFlags, resolved, given, options, verb);
  const search = await validateSearch(candidate, options, query);
  const client = await cli.client();
  const finder = createFinder(cli, client);
  const parents = candidate.owner ? [...candidate.parents, candidate.owner] : candidate.parents;
  const ids = await resolveParentIds(finder, parents, (placeholder, collection) =>
    placeholder === candidate.owner?.placeholder && collection === candidate.owner.collection
      ? (ownerWord ?? '')
      : (resolved.parentWords.get(placeholder) ?? ''),
  );
  const { collection } = candidate;
  const named = references
    ? await findByReferences({ cli, client, finder, collection, ids, options }, references)
    : isImplied
      ? [await finder.findOnly(collection, ids)]
      : words;
  const target = { resolved, options, ids, query, ownerWord, words: named, input };
  const run = { cli, client, finder, verb, ...target };
  return search ? await search(run) : run;
}

/**
 * Validates `--search` before the first request. For a bookmark, returns a function that inserts
 * its query into the run.
 */
async function validateSearch(
  candidate: Candidate,
  options: Options,
  query: Run['query'],
): Promise<((run: Run) => Promise<Run>) | undefined> {
  const text = query['search'] ?? options['search'];
  if (typeof text !== 'string') return undefined;
  const { collection } = candidate;
  const { isBookmark, prepareSearch } = await import('./search-query.ts');
  const prepare = (finder?: Finder) => prepareSearch(text, collection, options, finder);
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

/** Whether the object may be omitted, because each owner has exactly one. */
export function canOmitObject({ kind, candidates }: Verb): boolean {
  return (
    kind !== 'list' &&
    kind !== 'add' &&
    candidates.every(
      ({ takesObject, collection }) => takesObject && typeOptions[collection.type]?.isSingle,
    )
  );
}

function selectImplementation({ cli, verb, options }: Run): (run: Run) => Promise<void> {
  switch (verb.kind) {
    case 'list':
      return options['watch'] !== undefined && !cli.isOn('curl') ? runWatch : runList;
    case 'get':
      return runGet;
    case 'wait':
      return runWait;
    default:
      return (run) => runChange(run);
  }
}

/** Checks `--columns` and `--sort` against the output type, before the first request. */
function validateOutput(
  cli: CommandContext,
  verb: Verb,
  { operation, collection }: Candidate,
): void {
  const answers = operation.body.some((name) => findActionParameter(name)?.out !== undefined);
  // The type of an action's response is unknown before it arrives.
  if (verb.kind === 'action' && answers) return;
  const places = makesByType[operation.type]?.[operation.name] ?? [{ in: collection.path }];
  const refusals: unknown[] = [];
  for (const place of places) {
    const { noun, type } = getCollection(place.in);
    try {
      checkSelection(cli, { noun, type });
      return;
    } catch (error) {
      refusals.push(error);
    }
  }
  throw refusals[0];
}

/** Validates `--for` before the first request. */
function validateGoal(verb: Verb, { operation, collection }: Candidate, options: Options): void {
  const { for: goal } = options;
  if (typeof goal !== 'string' || verb.kind === 'wait') return;
  if (options['wait'] === false) {
    throw new UsageError('--for and --no-wait exclude each other', { hint: 'use one of them' });
  }
  const places = makesByType[operation.type]?.[operation.name] ?? [{ in: collection.path }];
  for (const place of places) parseCondition(goal, getCollection(place.in).type);
}

/** Refuses empty names before the first request: they are mostly unset variables. */
function validateNames(words: readonly string[]): void {
  for (const word of words) if (word.trim() === '') parseReference(word, 'the objects');
}

/** Replaces `-` by the references on stdin, one a line, possibly none. */
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

function createInput(
  { flags }: VerbFlags,
  { candidate, meanings }: ResolvedCollection,
  given: GivenFlags,
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
    shape: getBodySchema(candidate.operation),
    operation: candidate.operation.name,
    ...(typeof options['fromFile'] === 'string' ? { file: options['fromFile'] } : {}),
    sets: [...parseExtraArgument(extraPaths, extraText), ...toTexts(options['set'])],
    jsonSets: toTexts(options['setJson']),
    fields,
  };
}

function toTexts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

/**
 * Converts the argument after the object into assignments: `NAME` or `NAME=VALUE`, according to its
 * declared paths.
 */
function parseExtraArgument(
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

function createQuery(
  { flags }: VerbFlags,
  { meanings }: ResolvedCollection,
  given: GivenFlags,
  options: Options,
  verb: Verb,
): Readonly<Record<string, QueryValue | undefined>> {
  const query: Record<string, QueryValue | undefined> = {};
  for (const [key, values] of given) {
    const parameter = meanings.queries.get(key);
    if (!parameter) continue;
    const names = flags.find((one) => one.key === key)?.names ?? [];
    // Messages use the typed name: the service calls --limit max.
    const typed = names.find((name) => options[toCamelCase(name)] !== undefined) ?? names[0];
    const flag = `--${typed ?? key}`;
    query[parameter.name] = toQueryValue(parseValue(values.at(-1) ?? '', parameter, flag));
  }
  const { queryShortcut: shortcut } = getVerbOptions(verb);
  if (shortcut && options[toCamelCase(shortcut.flag)] === true)
    query[shortcut.query] = shortcut.value;
  return query;
}

/** Converts a parsed value for the URL; lists are joined by commas. */
function toQueryValue(value: unknown): QueryValue {
  switch (typeof value) {
    case 'string':
    case 'number':
    case 'bigint':
    case 'boolean':
      return value;
    default:
      return String(value);
  }
}

/** Maximum number of enumeration values in a hint; longer enumerations have none. */
const maxHintValues = 5;

/** `Vm [cluster.id|name, template.id|name] required for add` (specification 4.5). */
const missingAttributes = /\[([^\]]+)\] required/;

/** Adds a hint to an error if the service refused the request. */
function addHint(error: unknown, { verb, query, resolved }: Run, verbFlags: VerbFlags): unknown {
  const hinted = addFlagHint(error, verbFlags, resolved.meanings);
  if (!(hinted instanceof VmctlError) || hinted.hint !== undefined || hinted.status !== 400) {
    return hinted;
  }
  const hint =
    verb.kind === 'list' && query['search'] !== undefined
      ? 'vmctl help search'
      : `vmctl ${verb.noun} ${verb.name} --help`;
  return Object.assign(hinted, { hint });
}

/** Adds a hint with flags if the service reports missing attributes. */
function addFlagHint(error: unknown, { flags }: VerbFlags, { fields }: Meanings): unknown {
  if (!(error instanceof VmctlError) || error.hint !== undefined) return error;
  const [, list] = missingAttributes.exec(error.fault?.detail ?? '') ?? [];
  if (list === undefined) return error;
  const flagHints = list.split(/,\s*/).map((rule) => {
    const path = toSnakeCase(rule.split('|')[0] ?? '').replace(/\.(id|name)$/, '');
    const known = [...fields].find(
      ([, field]) =>
        field.path === path || field.path === `${path}.name` || field.path === `${path}.id`,
    );
    const flag = known && flags.find(({ key }) => key === known[0]);
    if (!known || !flag) return `--set ${path}=...`;
    const { form, of } = parseKind(known[1].kind);
    const words: readonly string[] = form === 'enum' ? listEnumValues(of) : [];
    const value = words.length > 0 && words.length <= maxHintValues ? words.join('|') : flag.value;
    return `--${flag.names[0]}${value === undefined ? '' : ` ${value}`}`;
  });
  return Object.assign(error, { hint: `give ${flagHints.join(', ')}` });
}

/** Some services name attributes in camel case: `dataCenter`. */
function toSnakeCase(path: string): string {
  return path.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
