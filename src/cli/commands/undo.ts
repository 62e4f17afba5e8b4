/** `vmctl undo`: takes back what a command has changed. */
import type { Client } from '../../client/client.ts';
import { ConflictError, DeclinedError, NotFoundError } from '../../client/errors.ts';
import { command, noun } from '../args/command.ts';
import { argument, flag } from '../args/parameters.ts';
import { formatOf, isTable, print } from '../output/print.ts';
import type { CommandContext } from '../session/command-context.ts';
import { isHistoryKept } from '../session/connect.ts';
import { beginEntry, historyDirectory, markComplete } from '../session/history-file.ts';
import { headOf } from '../session/history-recorder.ts';
import { canAsk, confirm } from '../session/prompt.ts';
import { targetOf } from '../session/target.ts';
import { OperationRunner } from '../verbs/operation-runner.ts';
import { BulkError, forEach } from '../verbs/parallel.ts';
import { commandOf, entryOf, type KnownEntry, knownEntries, numberOf } from './history/entries.ts';
import { type Undoing, undoingsOf } from './history/inverse.ts';
import type { TakingBack, Undone } from './history/object-state.ts';
import { takeBack } from './history/take-back.ts';

interface UndoFlags {
  readonly force?: boolean;
  readonly waitTimeout?: string;
}

async function undo(
  cli: CommandContext,
  word: string | undefined,
  flags: UndoFlags,
): Promise<void> {
  const force = flags.force === true;
  const entry = word === undefined ? lastOf(cli) : entryOf(cli, numberOf(word));
  if (entry.undoneBy !== undefined && !force) {
    throw new ConflictError(`history/${entry.number} is undone already`, {
      code: 'undone_already',
      hint: `vmctl undo ${entry.undoneBy} does it again`,
    });
  }
  const works = undoingsOf(entry.steps);
  checkAll(entry, works, force);
  cli.note(`undo ${entry.number}: ${commandOf(entry)}`);
  await agree(cli, entry, works);
  cli.history.undoes = entry.number;
  const runner = await OperationRunner.begin(cli, { waitTimeout: flags.waitTimeout });
  const context: TakingBack = { cli, client: await cli.client(), runner, force };
  // One after the other: what was done last may stand on what was done before.
  const limits = { parallel: 1, failFast: false };
  let done: readonly Undone[];
  let failure: BulkError<Undone> | undefined;
  try {
    done = await forEach(cli, works, limits, (one) => takeBack(context, one));
  } catch (error) {
    if (!(error instanceof BulkError)) throw error;
    failure = error as BulkError<Undone>;
    done = failure.done;
  }
  if (!failure && !cli.dryRunMode) await noteCompletion(cli, context.client);
  const format = formatOf(cli);
  if (!isTable(format) && done.length > 0) {
    const items = done.map(({ object, ...one }) => ({ ...one, object }));
    await print(cli, { noun: 'undo', items, columns: ['object', 'operation', 'id'] });
  }
  if (failure) throw failure.done.length === 0 ? failure.ofAll() : failure;
}

/** Writes down that the change is taken back, even where it was so already and nothing was sent. */
async function noteCompletion(cli: CommandContext, client: Client): Promise<void> {
  if (!isHistoryKept(cli)) return;
  const directory = historyDirectory(cli.paths.stateDirectory);
  try {
    cli.history.entry ??= beginEntry(directory, await headOf(cli, client, targetOf(cli).username));
    markComplete(directory, cli.history.entry);
  } catch (error) {
    cli.warn(`the history does not say that it is undone: ${(error as Error).message}`);
  }
}

/**
 * The last command that changed something and is not undone, whether it can be undone or not: an older
 * change is never what the user means. Undos themselves, and commands that changed nothing, do not count.
 */
function lastOf(cli: CommandContext): KnownEntry {
  const last = knownEntries(cli, false).findLast(
    ({ undoes, undoneBy, steps }) =>
      undoes === undefined && undoneBy === undefined && undoingsOf(steps).length > 0,
  );
  if (last) return last;
  throw new NotFoundError('there is no change that can be taken back', {
    code: 'nothing_to_undo',
    hint: 'vmctl history lists what was done here, and what of it can be undone',
  });
}

/** Refuses what cannot be taken back as a whole, unless somebody wants the rest. */
function checkAll(entry: KnownEntry, works: readonly Undoing[], force: boolean): void {
  const name = `history/${entry.number}`;
  if (works.length === 0) {
    throw new ConflictError(`${name}: nothing was changed, so there is nothing to take back`, {
      code: 'no_opposite',
    });
  }
  const stuck = works.filter(({ inverse }) => inverse === undefined);
  if (stuck.length === 0 || (force && stuck.length < works.length)) return;
  const reasons = [...new Set(stuck.map(({ label, why = '' }) => `${label}: ${why}`))];
  throw new ConflictError(`${name} (${commandOf(entry)}) cannot be undone: ${reasons.join('; ')}`, {
    code: 'no_opposite',
    hint:
      stuck.length < works.length
        ? '--force takes back the rest of it'
        : 'vmctl history lists older changes; vmctl undo NUMBER undoes one of them',
  });
}

/** Deleting what was made is for somebody to agree to. */
async function agree(
  cli: CommandContext,
  entry: KnownEntry,
  works: readonly Undoing[],
): Promise<void> {
  const deleted = works.filter(({ inverse }) => inverse?.kind === 'remove' && inverse.isDeletion);
  if (deleted.length === 0 || cli.on('yes') || cli.dryRunMode) return;
  const names = deleted.map(({ label }) => label).join(', ');
  const what = `undo ${entry.number} deletes ${names}`;
  if (!canAsk(cli.io, cli.on('noInput'))) {
    throw new DeclinedError(`${what}, and nobody agreed`, {
      hint: '--yes agrees; --dry-run only shows what would be sent',
    });
  }
  if (await confirm(cli.io, `${what}. Do this?`, cli.signal)) return;
  throw new DeclinedError('the answer was not yes; nothing was done');
}

export default noun({
  name: 'undo',
  doc: 'Take back what a command has changed',
  position: 96,
  commands: [
    command({
      arguments: [
        argument('[number]', 'a change, as vmctl history numbers it (default: the last one)'),
      ],
      flags: [
        flag(
          '--force',
          'also what has changed since, and what is left where a part has no opposite',
        ),
        flag('--wait-timeout <duration>', 'give up waiting for one object after this time (10m)'),
      ],
      notes: `An update is set back to what was there before; what was attached, assigned or granted is taken
away and the other way round; activate and deactivate and the like undo each other. What was made is
deleted, after a question. What was deleted is gone, and what was stopped is not started. Disks and VM pools
only grow: undo names such attributes, and secrets, and does not change them. Without a number
it is the last change at this server that was not undone; where that cannot be undone, undo says why and
does nothing. Run again, it goes further back. An undo can be undone by its own number.`,
      examples: ['vmctl undo', 'vmctl undo 12', 'vmctl undo --dry-run'],
      exits: [9, 12],
      prints: 'report',
      run: (cli, [number], flags) => undo(cli, number, flags),
    }),
  ],
});
