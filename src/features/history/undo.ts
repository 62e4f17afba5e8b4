/** Run of `vmctl undo`: reverts the requests of a recorded command. */

import { getErrorMessage } from '../../caught-errors.ts';
import { getFormat, isTable, printView } from '../../cli/output/print.ts';
import type { CommandContext } from '../../cli/session/command-context.ts';
import { canPrompt, confirm } from '../../cli/session/prompt.ts';
import { resolveServer } from '../../cli/session/server-target.ts';
import { OperationRunner } from '../../cli/verbs/operation-runner.ts';
import { BulkError, forEach } from '../../cli/verbs/parallel.ts';
import type { Client } from '../../client/client.ts';
import { ConflictError, DeclinedError, NotFoundError } from '../../client/errors.ts';
import { findEntry, formatCommand, type KnownEntry, listEntries, parseNumber } from './entries.ts';
import { createEntry, historyDirectory, markComplete } from './history-file.ts';
import { createHead, getHistory, isHistoryEnabled } from './history-recorder.ts';
import { listUndoSteps, type UndoStep } from './inverse.ts';
import { suggestCommands } from './manual-reversal.ts';
import type { UndoContext, UndoResult } from './object-state.ts';
import { undoStep } from './undo-step.ts';

interface UndoFlags {
  readonly force?: boolean;
  readonly waitTimeout?: string;
}

export async function runUndo(
  cli: CommandContext,
  word: string | undefined,
  flags: UndoFlags,
): Promise<void> {
  const force = flags.force === true;
  const entry = word === undefined ? findLastChange(cli) : findEntry(cli, parseNumber(word));
  if (entry.undoneBy !== undefined && !force) {
    throw new ConflictError(`history/${entry.number} is already undone`, {
      code: 'undone_already',
      hint: `vmctl undo ${entry.undoneBy} redoes it`,
    });
  }
  const works = listUndoSteps(entry.steps);
  requireUndoable(cli, entry, works, force);
  cli.note(`undo ${entry.number}: ${formatCommand(entry)}`);
  await confirmDeletions(cli, entry, works);
  getHistory(cli).undoes = entry.number;
  const runner = await OperationRunner.create(cli, { waitTimeout: flags.waitTimeout });
  const context: UndoContext = {
    cli,
    client: await cli.client(),
    runner,
    number: entry.number,
    force,
  };
  // Sequential, because later requests may depend on earlier ones.
  const limits = { parallel: 1, failFast: false };
  let done: readonly UndoResult[];
  let failure: BulkError<UndoResult> | undefined;
  try {
    done = await forEach(cli, works, limits, (one) => undoStep(context, one));
  } catch (error) {
    if (!(error instanceof BulkError)) throw error;
    failure = error;
    done = failure.done;
  }
  if (!failure && !cli.dryRunMode) await recordCompletion(cli, context.client);
  const format = getFormat(cli);
  if (!isTable(format) && done.length > 0) {
    const items = done.map(({ object, ...one }) => ({ ...one, object }));
    await printView(cli, { noun: 'undo', items, columns: ['object', 'operation', 'id'] });
  }
  if (failure) throw failure.done.length === 0 ? failure.toAllFailedError() : failure;
}

/** Marks the undo as complete, even if no request was necessary. */
async function recordCompletion(cli: CommandContext, client: Client): Promise<void> {
  if (!isHistoryEnabled(cli)) return;
  const directory = historyDirectory(cli.paths.stateDirectory);
  try {
    const history = getHistory(cli);
    history.entry ??= createEntry(
      directory,
      await createHead(cli, client, resolveServer(cli).username),
    );
    markComplete(directory, history.entry);
  } catch (error) {
    cli.warn(`cannot record the undo in the history: ${getErrorMessage(error)}`);
  }
}

/**
 * Last command that changed something and is not undone, even if it cannot be undone: an older
 * change is never what the user means. Ignores undos and commands without changes.
 */
function findLastChange(cli: CommandContext): KnownEntry {
  const last = listEntries(cli, false).findLast(
    ({ undoes, undoneBy, steps }) =>
      undoes === undefined && undoneBy === undefined && listUndoSteps(steps).length > 0,
  );
  if (last) return last;
  throw new NotFoundError('no change to undo', {
    code: 'nothing_to_undo',
    hint: 'vmctl history lists changes and whether they can be undone',
  });
}

/** Refuses an entry that cannot be undone completely, unless forced. */
function requireUndoable(
  cli: CommandContext,
  entry: KnownEntry,
  works: readonly UndoStep[],
  force: boolean,
): void {
  const name = `history/${entry.number}`;
  if (works.length === 0) {
    throw new ConflictError(`${name}: nothing was changed, nothing to undo`, {
      code: 'no_opposite',
    });
  }
  const stuck = works.filter(({ inverse }) => inverse === undefined);
  if (stuck.length === 0 || (force && stuck.length < works.length)) return;
  const reasons = [...new Set(stuck.map(({ label, why = '' }) => `${label}: ${why}`))];
  throw new ConflictError(
    `${name} (${formatCommand(entry)}) cannot be undone: ${reasons.join('; ')}`,
    {
      code: 'no_opposite',
      hint:
        suggestCommands(cli, works) ??
        (stuck.length < works.length
          ? 'use --force to undo the rest'
          : 'vmctl history lists older changes; undo one with vmctl undo NUMBER'),
    },
  );
}

/** Asks for confirmation if the undo deletes objects. */
async function confirmDeletions(
  cli: CommandContext,
  entry: KnownEntry,
  works: readonly UndoStep[],
): Promise<void> {
  const deleted = works.filter(({ inverse }) => inverse?.kind === 'remove' && inverse.isDeletion);
  if (deleted.length === 0 || cli.isOn('yes') || cli.dryRunMode) return;
  const names = deleted.map(({ label }) => label).join(', ');
  const what = `undo ${entry.number} deletes ${names}`;
  if (!canPrompt(cli.io, cli.isOn('noInput'))) {
    throw new DeclinedError(`${what} and needs confirmation`, {
      hint: 'confirm with --yes; --dry-run shows the requests',
    });
  }
  if (await confirm(cli.io, `${what}. Continue?`, cli.signal)) return;
  throw new DeclinedError('declined; nothing changed');
}
