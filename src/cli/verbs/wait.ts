/** The verb `wait`. */
import type { ApiObject } from '../../client/client.ts';
import { NotFoundError } from '../../client/errors.ts';
import type { Condition } from '../../client/poll.ts';
import { formatOf, isTable } from '../output/print.ts';
import { Progress, ProgressBoard } from '../output/progress.ts';
import { withLinkedColumns } from './answer-columns.ts';
import { shown } from './change.ts';
import { conditionOf } from './conditions.ts';
import { bareWord } from './identifiers.ts';
import { show } from './list.ts';
import { forEach, parallelOf } from './parallel.ts';
import type { Found } from './references.ts';
import type { Run } from './run.ts';
import { targetsOf } from './selection.ts';
import { eventCodeOf, eventsSoFar, waitForEvent } from './wait-for-event.ts';
import { waitShown, watch } from './wait-for-state.ts';

/** Waits for all objects that are named, and prints them as they are then. */
export async function runWait(run: Run): Promise<void> {
  const { cli, resolved, options } = run;
  const { noun, type } = resolved.candidate.collection;
  const condition = typeof options['for'] === 'string' ? options['for'] : 'settled';
  const code = eventCodeOf(condition);
  const floor = code === undefined ? 0 : await eventsSoFar(run);
  const isMany = options['all'] === true || options['glob'] === true;
  const words = isMany ? (await targetsOf(run)).map(({ id }) => id) : run.words;
  const limits = { parallel: parallelOf(options['parallel']), failFast: false };
  const board = words.length > 1 ? new ProgressBoard(cli) : undefined;
  const results = await forEach(cli, words, limits, (word) =>
    shown(
      (progress) =>
        code === undefined
          ? waitForWord(run, word, conditionOf(condition, type), progress)
          : waitForEvent(run, word, code, floor, progress),
      new Progress(cli, board),
    ),
  );
  const items = results.filter((item) => item !== undefined);
  if (items.length === 0 || isTable(formatOf(cli))) return;
  const single = words.length === 1;
  if (code !== undefined) await show(run, { noun: 'events', type: 'event', items, single });
  else {
    const shown = await withLinkedColumns(run, resolved.candidate.collection, items);
    await show(run, { noun, type, items: shown, single });
  }
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
