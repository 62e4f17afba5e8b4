/** `vmctl undo`: takes back what a command has changed. */

import { formatOf, isTable, print } from '../../cli/output/print.ts';
import type { CommandContext } from '../../cli/session/command-context.ts';
import { canAsk, confirm } from '../../cli/session/prompt.ts';
import { targetOf } from '../../cli/session/target.ts';
import { OperationRunner } from '../../cli/verbs/operation-runner.ts';
import { BulkError, forEach } from '../../cli/verbs/parallel.ts';
import type { Client } from '../../client/client.ts';
import { ConflictError, DeclinedError, NotFoundError } from '../../client/errors.ts';
import { commandOf, entryOf, type KnownEntry, knownEntries, numberOf } from './entries.ts';
import { beginEntry, historyDirectory, markComplete } from './history-file.ts';
import { headOf, historyOf, isHistoryEnabled } from './history-recorder.ts';
import { type Undoing, undoingsOf } from './inverse.ts';
import type { TakingBack, Undone } from './object-state.ts';
import { takeBack } from './take-back.ts';

interface UndoFlags {
  readonly force?: boolean;
  readonly waitTimeout?: string;
}

export async function undo(
  cli: CommandContext,
  word: string | undefined,
  flags: UndoFlags,
): Promise<void> {
  const force = flags.force === true;
  const entry = word === undefined ? lastOf(cli) : entryOf(cli, numberOf(word));
  if (entry.undoneBy !== undefined && !force) {
    throw new ConflictError(`history/${entry.number} is already undone`, {
      code: 'undone_already',
      hint: `vmctl undo ${entry.undoneBy} redoes it`,
    });
  }
  const works = undoingsOf(entry.steps);
  checkAll(entry, works, force);
  cli.note(`undo ${entry.number}: ${commandOf(entry)}`);
  await agree(cli, entry, works);
  historyOf(cli).undoes = entry.number;
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
  if (!isHistoryEnabled(cli)) return;
  const directory = historyDirectory(cli.paths.stateDirectory);
  try {
    const history = historyOf(cli);
    history.entry ??= beginEntry(directory, await headOf(cli, client, targetOf(cli).username));
    markComplete(directory, history.entry);
  } catch (error) {
    cli.warn(`cannot record the undo in the history: ${(error as Error).message}`);
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
  throw new NotFoundError('no change to undo', {
    code: 'nothing_to_undo',
    hint: 'vmctl history lists changes and whether they can be undone',
  });
}

/** Refuses what cannot be taken back as a whole, unless somebody wants the rest. */
function checkAll(entry: KnownEntry, works: readonly Undoing[], force: boolean): void {
  const name = `history/${entry.number}`;
  if (works.length === 0) {
    throw new ConflictError(`${name}: nothing was changed, nothing to undo`, {
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
        ? 'use --force to undo the rest'
        : 'vmctl history lists older changes; undo one with vmctl undo NUMBER',
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
    throw new DeclinedError(`${what} and needs confirmation`, {
      hint: 'confirm with --yes; --dry-run shows the requests',
    });
  }
  if (await confirm(cli.io, `${what}. Continue?`, cli.signal)) return;
  throw new DeclinedError('declined; nothing changed');
}
