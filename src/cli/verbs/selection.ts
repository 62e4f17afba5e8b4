/** `--all` and `--search`: a verb for everything that a list has, after somebody has agreed. */

import { DeclinedError, UsageError } from '../../client/errors.ts';
import { isSearchable } from '../../model/index.ts';
import { canAsk, confirm } from '../session/prompt.ts';
import type { Candidate, Verb } from './derive-verbs.ts';
import { type Found, operationNamed } from './references.ts';
import type { Run } from './run.ts';
import type { VerbName } from './verb-names.ts';

/** How many names a question shows. */
const shownNames = 20;

/** Whether a verb can be asked to do its work to everything that a list has. */
export function selects(verb: Verb): boolean {
  return selectable(verb).length > 0;
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
  options: { readonly all?: unknown; readonly search?: unknown },
  words: readonly string[],
  isSelecting: boolean,
): boolean {
  const name = `${verb.noun} ${verb.name}`;
  if (options['all'] !== true) {
    if (options['search'] === undefined || !isSelecting) return false;
    throw new UsageError(`${name}: --search alone selects nothing`, {
      hint: 'add --all to do it to everything that is found',
    });
  }
  if (words.length > 0) {
    throw new UsageError(`${name}: --all and ${words.join(' ')} contradict each other`, {
      hint: 'name the objects, or give --all',
    });
  }
  return true;
}

/** The objects that the verb is about: those that are named, or all that the list has. */
export async function targetsOf(run: Run): Promise<readonly Found[]> {
  const { finder, resolved, ids, words } = run;
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
  const targets = await everything(run);
  if (targets.length > 0 && isChanged) await agree(run, targets);
  return targets;
}

async function everything(run: Selecting): Promise<readonly Found[]> {
  const { cli, client, resolved, ids, options } = run;
  const { collection } = resolved.candidate;
  const operation = listOf(resolved.candidate);
  if (!operation) throw new UsageError(`${collection.noun} have no list that --all could mean`);
  const search = options['search'];
  const query =
    typeof search === 'string'
      ? { search, ...(operation.query.includes('case_sensitive') ? { case_sensitive: false } : {}) }
      : resolved.candidate.operation.name === 'register'
        ? { unregistered: true }
        : {};
  const items = await client.list({ operation, ids, query, what: `list ${collection.noun}` });
  if (items.length === 0) cli.note(`no ${collection.noun} found; nothing to do`);
  return items.map((item) => {
    const id = String(item['id']);
    return { id, label: `${collection.noun}/${String(item['name'] ?? item['alias'] ?? id)}`, item };
  });
}

/** Shows what is going to happen to how many, and asks; without somebody to ask, `--yes` agrees. */
async function agree(run: Selecting, targets: readonly Found[]): Promise<void> {
  const { cli, verb } = run;
  const count = `${targets.length} ${verb.noun}`;
  const names = targets.slice(0, shownNames).map(({ label }) => `  ${label}`);
  const more = targets.length > names.length ? [`  and ${targets.length - names.length} more`] : [];
  if (cli.on('yes') || cli.dryRunMode) return;
  if (!canAsk(cli.io, cli.on('noInput'))) {
    throw new DeclinedError(`${verb.noun} ${verb.name} --all: ${count}, and nobody agreed`, {
      hint: `vmctl ${verb.noun} list shows which; --yes agrees`,
    });
  }
  const question = [...names, ...more, `${verb.noun} ${verb.name}: these ${count}?`].join('\n');
  if (await confirm(cli.io, question, cli.signal)) return;
  throw new DeclinedError('the answer was not yes; nothing was done');
}
