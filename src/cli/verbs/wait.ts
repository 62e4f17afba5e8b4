/** The verb `wait`. */
import type { ApiObject } from '../../client/client.ts';
import { NotFoundError } from '../../client/errors.ts';
import type { Condition } from '../../client/wait-for-condition.ts';
import { getFormat, isTable } from '../output/print.ts';
import { Progress, ProgressBoard } from '../output/progress.ts';
import { addLinkedColumns } from './answer-columns.ts';
import { runWithProgress } from './change.ts';
import { parseCondition } from './conditions.ts';
import { parseReference } from './identifiers.ts';
import { showView } from './list.ts';
import { forEach, parseParallel } from './parallel.ts';
import type { FoundObject } from './references.ts';
import type { Run } from './run.ts';
import { resolveTargets } from './selection.ts';
import { fetchLastEventId, parseEventCode, waitForEvent } from './wait-for-event.ts';
import { createPoller, waitWithProgress } from './wait-for-state.ts';

/** Waits for all named objects and prints their final state. */
export async function runWait(run: Run): Promise<void> {
  const { cli, resolved, options } = run;
  const { noun, type } = resolved.candidate.collection;
  const condition = typeof options['for'] === 'string' ? options['for'] : 'settled';
  const code = parseEventCode(condition);
  const floor = code === undefined ? 0 : await fetchLastEventId(run);
  const isMany = options['all'] === true || options['glob'] === true;
  const words = isMany ? (await resolveTargets(run)).map(({ id }) => id) : run.words;
  const limits = { parallel: parseParallel(options['parallel']), failFast: false };
  const board = words.length > 1 ? new ProgressBoard(cli) : undefined;
  const results = await forEach(cli, words, limits, (word) =>
    runWithProgress(
      (progress) =>
        code === undefined
          ? waitForWord(run, word, parseCondition(condition, type), progress)
          : waitForEvent(run, word, code, floor, progress),
      new Progress(cli, board),
    ),
  );
  const items = results.filter((item) => item !== undefined);
  if (items.length === 0 || isTable(getFormat(cli))) return;
  const single = words.length === 1;
  if (code !== undefined) await showView(run, { noun: 'events', type: 'event', items, single });
  else {
    const shown = await addLinkedColumns(run, resolved.candidate.collection, items);
    await showView(run, { noun, type, items: shown, single });
  }
}

/** Waits for one object, which need not exist yet. */
async function waitForWord(
  run: Run,
  word: string,
  goal: Condition,
  progress: Progress,
): Promise<ApiObject | undefined> {
  const { finder, resolved, ids } = run;
  const { collection } = resolved.candidate;
  let found: FoundObject | undefined;
  const label = `${collection.noun}/${parseReference(word, collection.noun)}`;
  const later = createPoller(run, { id: word, label });
  const look = async (): Promise<ApiObject | undefined> => {
    try {
      found ??= await finder.find(word, collection, ids);
    } catch (error) {
      if (error instanceof NotFoundError) return undefined;
      throw error;
    }
    return (await createPoller(run, found)?.fetch()) ?? undefined;
  };
  return await waitWithProgress(
    run,
    { label, resume: later?.resume ?? '', fetch: look },
    goal,
    progress,
  );
}
