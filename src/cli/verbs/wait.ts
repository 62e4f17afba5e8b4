/** `wait`: until objects are what somebody hopes they will be. */
import type { Thing } from '../../client/client.ts';
import { NotFoundError } from '../../client/errors.ts';
import type { Goal } from '../../client/settle.ts';
import { formatOf, isTable } from '../output/print.ts';
import { Progress } from '../output/progress.ts';
import { conditionOf, settled } from './conditions.ts';
import { bareWord } from './identifiers.ts';
import { show } from './list.ts';
import { forEach, parallelOf } from './parallel.ts';
import type { Found } from './references.ts';
import type { Run } from './run.ts';
import { targetsOf } from './selection.ts';
import { waitShown, watch } from './wait-for-state.ts';

/** Waits for all objects that are named, and prints them as they are then. */
export async function runWait(run: Run): Promise<void> {
  const { cli, chosen, options } = run;
  const { noun, type } = chosen.candidate.collection;
  const asked = options['for'];
  const progress = new Progress(cli);
  const words = options['all'] === true ? (await targetsOf(run)).map(({ id }) => id) : run.words;
  const limits = { parallel: parallelOf(options['parallel']), failFast: false };
  const seen = await forEach(cli, words, limits, (word) => {
    const goal = typeof asked === 'string' ? conditionOf(asked, type) : settled(type);
    return waitForWord(run, word, goal, progress);
  });
  const items = seen.filter((item) => item !== undefined);
  if (items.length === 0 || isTable(formatOf(cli))) return;
  await show(run, { noun, type, items, single: words.length === 1 });
}

/** The object need not exist yet: it is looked for until it does. */
async function waitForWord(
  run: Run,
  word: string,
  goal: Goal,
  progress: Progress,
): Promise<Thing | undefined> {
  const { finder, chosen, ids } = run;
  const { collection } = chosen.candidate;
  let found: Found | undefined;
  const label = `${collection.noun}/${bareWord(word, collection.noun)}`;
  const later = watch(run, { id: word, label });
  const look = async (): Promise<Thing | undefined> => {
    try {
      found ??= await finder.find(word, collection, ids);
    } catch (error) {
      if (error instanceof NotFoundError) return undefined;
      throw error;
    }
    return (await watch(run, found)?.look()) ?? undefined;
  };
  return await waitShown(run, { label, resume: later?.resume ?? '', look }, goal, progress);
}
