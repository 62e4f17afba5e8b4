/** `--all`, `--search` and `--glob`: a verb for many objects of a list, after somebody has agreed. */

import type { ApiObject } from '../../client/client.ts';
import { DeclinedError, UsageError } from '../../client/errors.ts';
import { isSearchable } from '../../model/index.ts';
import { plainText, valueAt } from '../output/cells.ts';
import { canAsk, confirm } from '../session/prompt.ts';
import { matchesGlob, searchForGlob } from '../text/glob.ts';
import type { Candidate, Verb } from './derive-verbs.ts';
import { humanNoun } from './flags.ts';
import { bareWord, isSearchedByName, nameAttributesOf, nameFollowOf } from './identifiers.ts';
import { pluralOf } from './purpose.ts';
import { type Found, finderFor, operationNamed } from './references.ts';
import type { Run } from './run.ts';
import type { VerbName } from './verb-names.ts';

/** How many names a question shows. */
const shownNames = 20;

/** Whether a verb can be asked to do its work to everything that a list has. */
export function selects(verb: Verb): boolean {
  return selectable(verb).length > 0;
}

/** Whether its objects can be named by patterns. */
export function globs(verb: Verb): boolean {
  if (verb.kind !== 'get') return selects(verb);
  return verb.candidates.some((one) => one.takesObject && listOf(one) !== undefined);
}

/** Whether what it does can be limited by a search. */
export function searches(verb: Verb): boolean {
  return selectable(verb).some((candidate) => {
    const list = listOf(candidate);
    return list !== undefined && isSearchable(list);
  });
}

function selectable(verb: Verb): readonly Candidate[] {
  if (!['update', 'remove', 'action', 'wait'].includes(verb.kind)) return [];
  return verb.candidates.filter((one) => one.takesObject && listOf(one) !== undefined);
}

function listOf({ collection }: Pick<Candidate, 'collection'>) {
  return operationNamed(collection.path, 'list');
}

/**
 * Whether `--all` was given. Throws when it contradicts what else was, and where `--search` is there to
 * limit it, and it is missing.
 */
export function wantsAll(
  verb: VerbName,
  options: { readonly all?: unknown; readonly search?: unknown; readonly glob?: unknown },
  words: readonly string[],
  isSelecting: boolean,
): boolean {
  const name = `${verb.noun} ${verb.name}`;
  if (options['glob'] === true && words.length === 0) {
    throw new UsageError(`${name} --glob: pattern missing`, {
      hint: `vmctl ${name} --glob 'web*', or --all for all of them`,
    });
  }
  if (options['all'] !== true) {
    if (options['search'] === undefined || !isSelecting) return false;
    throw new UsageError(`${name}: --search requires --all`, {
      hint: 'add --all to select all matching objects',
    });
  }
  if (words.length > 0) {
    throw new UsageError(`${name}: --all and ${words.join(' ')} exclude each other`, {
      hint: 'name the objects, or use --all',
    });
  }
  return true;
}

/**
 * The objects that the verb is about: those that are named, those whose names match, or all that the
 * list has.
 */
export async function targetsOf(run: Run): Promise<readonly Found[]> {
  const { finder, resolved, ids, words, verb } = run;
  if (run.options['glob'] === true) {
    const matching = await everythingMatching(run);
    const changes = !['get', 'wait'].includes(verb.kind);
    if (matching.length > 1 && changes) await agree(run, matching);
    return matching;
  }
  if (run.options['all'] !== true) {
    const targets: Found[] = [];
    const { collection, operation } = resolved.candidate;
    for (const word of words) {
      targets.push(await finder.find(word, collection, ids, operation.name === 'register'));
    }
    return targets;
  }
  return await everythingAgreed(run, run.verb.kind !== 'wait');
}

/** The objects of the list whose names match one of the patterns; a list for each is asked for. */
async function everythingMatching(run: Run): Promise<readonly Found[]> {
  const { cli, client, resolved, ids, words } = run;
  const { collection } = resolved.candidate;
  const { noun, type } = collection;
  const operation = listOf(resolved.candidate);
  if (!operation) throw new UsageError(`${noun} cannot be listed, so --glob is not available`);
  const names = nameAttributesOf(type);
  const follow = nameFollowOf(type);
  const patterns = words.map((word) => bareWord(word, noun));
  const searches = isSearchedByName(type) && isSearchable(operation);
  const search = (pattern: string) => (searches ? searchForGlob(pattern, names) : undefined);
  const whole = patterns.some((pattern) => search(pattern) === undefined);
  const lists = await Promise.all(
    (whole ? [undefined] : patterns.map(search)).map((text) =>
      client.list({
        operation,
        ids,
        query: {
          ...(text === undefined ? {} : { search: text, case_sensitive: true }),
          ...(follow === undefined ? {} : { follow }),
        },
        what: `list ${noun}`,
      }),
    ),
  );
  const items = new Map(lists.flat().map((item) => [String(item['id']), item]));
  const nameOf = (item: ApiObject) => names.map((name) => plainText(valueAt(item, name)));
  for (const pattern of patterns) {
    const isUsed = [...items.values()].some((item) =>
      nameOf(item).some((name) => matchesGlob(name, pattern)),
    );
    if (!isUsed) cli.note(`no ${noun} match ${pattern}; nothing to do`);
  }
  return [...items.values()]
    .filter((item) =>
      nameOf(item).some((name) => patterns.some((pattern) => matchesGlob(name, pattern))),
    )
    .map((item) => foundIn(item, noun));
}

function foundIn(item: ApiObject, noun: string): Found {
  const id = String(item['id']);
  return { id, label: `${noun}/${String(item['name'] ?? item['alias'] ?? id)}`, item };
}

/** What has to be known to select all that a list has. */
export interface Selecting extends Pick<Run, 'cli' | 'client' | 'ids' | 'options'> {
  readonly verb: VerbName;
  readonly resolved: { readonly candidate: Pick<Candidate, 'collection' | 'operation'> };
}

/** All that the list has, or that `--search` finds; somebody has to agree that something is done to it. */
export async function everythingAgreed(
  run: Selecting,
  isChanged: boolean,
): Promise<readonly Found[]> {
  const targets = await everythingSelected(run);
  if (targets.length > 0 && isChanged) await agree(run, targets);
  return targets;
}

/** All that the list has, or that `--search` finds. */
export async function everythingSelected(run: Selecting): Promise<readonly Found[]> {
  const { cli, client, resolved, ids, options } = run;
  const { collection } = resolved.candidate;
  const operation = listOf(resolved.candidate);
  if (!operation)
    throw new UsageError(`${collection.noun} cannot be listed, so --all is not available`);
  const given = options['search'];
  const search =
    typeof given === 'string'
      ? await (await import('./search-query.ts')).preparedSearch(
          given,
          collection,
          options,
          finderFor(cli, client),
        )
      : undefined;
  const query =
    search !== undefined
      ? { search, ...(operation.query.includes('case_sensitive') ? { case_sensitive: false } : {}) }
      : resolved.candidate.operation.name === 'register'
        ? { unregistered: true }
        : {};
  const items = await client.list({ operation, ids, query, what: `list ${collection.noun}` });
  if (items.length === 0) cli.note(`no ${collection.noun} found; nothing to do`);
  return items.map((item) => foundIn(item, collection.noun));
}

/** Shows what is going to happen to how many, and asks; without somebody to ask, `--yes` agrees. */
async function agree(run: Selecting, targets: readonly Found[]): Promise<void> {
  const { cli, verb } = run;
  const isOne = targets.length === 1;
  const kind = humanNoun(verb.noun);
  const count = `${targets.length} ${isOne ? kind : pluralOf(kind)}`;
  const names = targets.slice(0, shownNames).map(({ label }) => `  ${label}`);
  const more = targets.length > names.length ? [`  and ${targets.length - names.length} more`] : [];
  if (cli.on('yes') || cli.dryRunMode) return;
  if (!canAsk(cli.io, cli.on('noInput'))) {
    const flag = run.options['glob'] === true ? '--glob' : '--all';
    throw new DeclinedError(`${verb.noun} ${verb.name} ${flag}: this would ${verb.name} ${count}`, {
      hint:
        flag === '--glob'
          ? `confirm with --yes; --dry-run shows them`
          : `confirm with --yes; vmctl ${verb.noun} list shows them`,
    });
  }
  const question = [
    ...names,
    ...more,
    `${verb.noun} ${verb.name}: ${isOne ? `this ${kind}` : `these ${count}`}?`,
  ].join('\n');
  if (await confirm(cli.io, question, cli.signal)) return;
  throw new DeclinedError('declined; nothing changed');
}
