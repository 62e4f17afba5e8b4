/** Selection of many objects with `--all`, `--search` and `--glob`, including the confirmation. */

import type { ApiObject } from '../../client/client.ts';
import { DeclinedError, UsageError } from '../../client/errors.ts';
import { isSearchable } from '../../model/index.ts';
import { formatPlain, getValue } from '../output/cells.ts';
import { canPrompt, confirm } from '../session/prompt.ts';
import { createGlobSearch, matchesGlob } from '../text/glob.ts';
import type { Candidate, Verb } from './derive-verbs.ts';
import { getHumanNoun } from './flags.ts';
import { getNameAttributes, getNameLink, isSearchedByName, parseReference } from './identifiers.ts';
import { getPlural } from './purpose.ts';
import { createFinder, type FoundObject, findOperation } from './references.ts';
import type { Run } from './run.ts';
import type { VerbName } from './verb-names.ts';

/** Maximum number of names in a confirmation prompt. */
const maxPromptNames = 20;

/** Whether a verb supports `--all`. */
export function canSelectAll(verb: Verb): boolean {
  return listSelectable(verb).length > 0;
}

/** Whether a verb supports `--glob`. */
export function canGlob(verb: Verb): boolean {
  if (verb.kind !== 'get') return canSelectAll(verb);
  return verb.candidates.some((one) => one.takesObject && findListOperation(one) !== undefined);
}

/** Whether a verb supports `--search` with `--all`. */
export function canSearch(verb: Verb): boolean {
  return listSelectable(verb).some((candidate) => {
    const list = findListOperation(candidate);
    return list !== undefined && isSearchable(list);
  });
}

function listSelectable(verb: Verb): readonly Candidate[] {
  if (!['update', 'remove', 'action', 'wait'].includes(verb.kind)) return [];
  return verb.candidates.filter((one) => one.takesObject && findListOperation(one) !== undefined);
}

function findListOperation({ collection }: Pick<Candidate, 'collection'>) {
  return findOperation(collection.path, 'list');
}

/**
 * Whether `--all` is given. Throws `UsageError` for contradictory flags, and for `--search` without
 * `--all`.
 */
export function validateAll(
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

/** Resolves the objects of the verb: named, matching a pattern, or all. */
export async function resolveTargets(run: Run): Promise<readonly FoundObject[]> {
  const { finder, resolved, ids, words, verb } = run;
  if (run.options['glob'] === true) {
    const matching = await selectMatching(run);
    const changes = !['get', 'wait'].includes(verb.kind);
    if (matching.length > 1 && changes) await confirmTargets(run, matching);
    return matching;
  }
  if (run.options['all'] !== true) {
    const targets: FoundObject[] = [];
    const { collection, operation } = resolved.candidate;
    for (const word of words) {
      targets.push(await finder.find(word, collection, ids, operation.name === 'register'));
    }
    return targets;
  }
  return await selectAllConfirmed(run, run.verb.kind !== 'wait');
}

/** Lists the objects whose names match one of the patterns, with one request for each pattern. */
async function selectMatching(run: Run): Promise<readonly FoundObject[]> {
  const { cli, client, resolved, ids, words } = run;
  const { collection } = resolved.candidate;
  const { noun, type } = collection;
  const operation = findListOperation(resolved.candidate);
  if (!operation) throw new UsageError(`${noun} cannot be listed, so --glob is not available`);
  const names = getNameAttributes(type);
  const follow = getNameLink(type);
  const patterns = words.map((word) => parseReference(word, noun));
  const searches = isSearchedByName(type) && isSearchable(operation);
  const search = (pattern: string) => (searches ? createGlobSearch(pattern, names) : undefined);
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
  const listNames = (item: ApiObject) => names.map((name) => formatPlain(getValue(item, name)));
  for (const pattern of patterns) {
    const isUsed = [...items.values()].some((item) =>
      listNames(item).some((name) => matchesGlob(name, pattern)),
    );
    if (!isUsed) cli.note(`no ${noun} match ${pattern}; nothing to do`);
  }
  return [...items.values()]
    .filter((item) =>
      listNames(item).some((name) => patterns.some((pattern) => matchesGlob(name, pattern))),
    )
    .map((item) => toFoundObject(item, noun));
}

function toFoundObject(item: ApiObject, noun: string): FoundObject {
  const id = String(item['id']);
  return { id, label: `${noun}/${String(item['name'] ?? item['alias'] ?? id)}`, item };
}

/** Context of a selection. */
export interface SelectionContext extends Pick<Run, 'cli' | 'client' | 'ids' | 'options'> {
  readonly verb: VerbName;
  readonly resolved: { readonly candidate: Pick<Candidate, 'collection' | 'operation'> };
}

/** Selects all objects, or those of `--search`, and asks for confirmation before a change. */
export async function selectAllConfirmed(
  run: SelectionContext,
  isChanged: boolean,
): Promise<readonly FoundObject[]> {
  const targets = await selectAll(run);
  if (targets.length > 0 && isChanged) await confirmTargets(run, targets);
  return targets;
}

/** Selects all objects, or those of `--search`. */
export async function selectAll(run: SelectionContext): Promise<readonly FoundObject[]> {
  const { cli, client, resolved, ids, options } = run;
  const { collection } = resolved.candidate;
  const operation = findListOperation(resolved.candidate);
  if (!operation)
    throw new UsageError(`${collection.noun} cannot be listed, so --all is not available`);
  const given = options['search'];
  const search =
    typeof given === 'string'
      ? await (await import('./search-query.ts')).prepareSearch(
          given,
          collection,
          options,
          createFinder(cli, client),
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
  return items.map((item) => toFoundObject(item, collection.noun));
}

/** Asks for confirmation with the names of the objects. Without a terminal, `--yes` confirms. */
async function confirmTargets(
  run: SelectionContext,
  targets: readonly FoundObject[],
): Promise<void> {
  const { cli, verb } = run;
  const isOne = targets.length === 1;
  const kind = getHumanNoun(verb.noun);
  const count = `${targets.length} ${isOne ? kind : getPlural(kind)}`;
  const names = targets.slice(0, maxPromptNames).map(({ label }) => `  ${label}`);
  const more = targets.length > names.length ? [`  and ${targets.length - names.length} more`] : [];
  if (cli.isOn('yes') || cli.dryRunMode) return;
  if (!canPrompt(cli.io, cli.isOn('noInput'))) {
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
