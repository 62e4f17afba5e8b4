/** The verb `wait`, and its conditions: `status=up`, `exists`, `gone`, `settled`. */
import type { ApiObject } from '../../client/client.ts';
import { NotFoundError, UsageError } from '../../client/errors.ts';
import { type Condition, conditionFor, stateAttribute, stateOf } from '../../client/poll.ts';
import { parseKind } from '../../model/index.ts';
import { parseValue } from '../args/values.ts';
import { plainText, valueAt } from '../output/cells.ts';
import { formatOf, isTable } from '../output/print.ts';
import { Progress, ProgressBoard } from '../output/progress.ts';
import { closeMatches } from '../text/did-you-mean.ts';
import { shown } from './change.ts';
import { kindAt, wordsAt } from './fields.ts';
import { bareWord } from './identifiers.ts';
import { show } from './list.ts';
import { forEach, parallelOf } from './parallel.ts';
import type { Found } from './references.ts';
import type { Run } from './run.ts';
import { targetsOf } from './selection.ts';
import { waitShown, watch } from './wait-for-state.ts';

/** Waits for all objects that are named, and prints them as they are then. */
export async function runWait(run: Run): Promise<void> {
  const { cli, resolved, options } = run;
  const { noun, type } = resolved.candidate.collection;
  const condition = options['for'];
  const words = options['all'] === true ? (await targetsOf(run)).map(({ id }) => id) : run.words;
  const limits = { parallel: parallelOf(options['parallel']), failFast: false };
  const board = words.length > 1 ? new ProgressBoard(cli) : undefined;
  const results = await forEach(cli, words, limits, (word) => {
    const goal = typeof condition === 'string' ? conditionOf(condition, type) : settled(type);
    const progress = new Progress(cli, board);
    return shown((one) => waitForWord(run, word, goal, one), progress);
  });
  const items = results.filter((item) => item !== undefined);
  if (items.length === 0 || isTable(formatOf(cli))) return;
  await show(run, { noun, type, items, single: words.length === 1 });
}

/** The object need not exist yet: it is looked for until it does. */
async function waitForWord(
  run: Run,
  word: string,
  goal: Condition,
  progress: Progress,
): Promise<ApiObject | undefined> {
  const { finder, resolved, ids } = run;
  const { collection } = resolved.candidate;
  let found: Found | undefined;
  const label = `${collection.noun}/${bareWord(word, collection.noun)}`;
  const later = watch(run, { id: word, label });
  const look = async (): Promise<ApiObject | undefined> => {
    try {
      found ??= await finder.find(word, collection, ids);
    } catch (error) {
      if (error instanceof NotFoundError) return undefined;
      throw error;
    }
    return (await watch(run, found)?.fetch()) ?? undefined;
  };
  return await waitShown(run, { label, resume: later?.resume ?? '', fetch: look }, goal, progress);
}

/** Any state that does not end by itself. */
export function settled(type: string): Condition {
  const goal = conditionFor(type, [], '');
  return { ...goal, isMet: (now) => now !== undefined && goal.isMet(now) };
}

/** Reads a condition for objects of a type. */
export function conditionOf(text: string, type: string): Condition {
  const currentState = (now: ApiObject | undefined) => stateOf(type, now);
  switch (text) {
    case 'exists':
      return { text, isMet: (now) => now !== undefined, stateOf: currentState };
    case 'gone':
      return { text, isMet: (now) => now === undefined, stateOf: currentState };
    case 'settled':
      return settled(type);
    default:
      return comparison(text, type);
  }
}

function comparison(text: string, type: string): Condition {
  const [, given = '', sign = '', wanted = ''] = /^([\w.]+)(!?=)(.*)$/.exec(text) ?? [];
  if (sign === '') {
    throw new UsageError(`--for ${text}: not a condition`, {
      hint: 'write status=up, status!=locked, exists, gone or settled',
    });
  }
  const path = given === 'status' ? (stateAttribute(type) ?? given) : given;
  const kind = kindAt({ type }, path);
  if (!kind) {
    const near = closeMatches(path, wordsAt({ type }, ''));
    throw new UsageError(`--for ${text}: ${type.replaceAll('_', ' ')} has no ${path}`, {
      hint:
        near.length > 0
          ? `did you mean ${near.join(' or ')}?`
          : `vmctl explain ${type} lists its attributes`,
    });
  }
  const { form, list } = parseKind(kind);
  // A misspelt state would be waited for in vain.
  if ((form === 'enum' || form === 'scalar') && !list) parseValue(wanted, kind, `--for ${path}`);
  const isState = path === stateAttribute(type);
  const textOf = (now: ApiObject) => plainText(valueAt(now, path));
  return {
    text: `${path}${sign}${wanted}`,
    stateOf: (now) =>
      isState || now === undefined ? stateOf(type, now) : `${path}=${textOf(now)}`,
    isMet: (now) => now !== undefined && (textOf(now) === wanted) === (sign === '='),
  };
}
