/** Execution of a plan: reports failures and continues with the independent changes. */

import { reportError } from '../../cli/output/error-report.ts';
import { getFormat } from '../../cli/output/print.ts';
import type { CommandContext } from '../../cli/session/command-context.ts';
import {
  AllFailedError,
  AuthError,
  ConnectionError,
  PartialError,
  TrustError,
} from '../../client/errors.ts';
import type { Change, Plan } from './changes.ts';

/** Makes all possible changes. Throws at the end if some failed. */
export async function runPlan(
  cli: CommandContext,
  plan: Plan,
  getSecret: (name: string) => string,
): Promise<void> {
  const changes = [...plan.changes, ...plan.deletions];
  const machine = ['json', 'jsonl'].includes(getFormat(cli));
  /** Changes that were not made, with the failed change that caused it. */
  const missing = new Map<Change, Change>();
  const errors: unknown[] = [];
  let done = 0;
  for (const change of changes) {
    cli.signal.throwIfAborted();
    const [cause] = change.needs.flatMap((one) => missing.get(one) ?? []);
    if (cause) {
      missing.set(change, cause);
      continue;
    }
    try {
      await change.run(getSecret);
      done += 1;
    } catch (error) {
      if (cli.signal.aborted) throw cli.signal.reason;
      if (affectsAllChanges(error)) {
        cli.note(
          `${done} of ${changes.length} done, ${change.label} failed; run the command again to resume`,
        );
        throw error;
      }
      missing.set(change, change);
      errors.push(error);
      reportError(addLabel(error, change), cli.io, machine);
    }
  }
  for (const [change, cause] of missing) {
    if (change !== cause) cli.note(`skipped: ${change.label} depends on ${cause.label}`);
  }
  if (errors.length === 0) {
    cli.note(`${done} of ${done} done`);
    return;
  }
  const skipped = missing.size - errors.length;
  const message = `${done} of ${changes.length} done, ${errors.length} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
  const hint = 'fix the errors above and run the command again';
  if (done > 0) throw new PartialError(message, { hint });
  throw new AllFailedError(message, errors[0], { hint });
}

/** Whether an error would also affect all other changes. */
function affectsAllChanges(error: unknown): boolean {
  return (
    error instanceof ConnectionError || error instanceof AuthError || error instanceof TrustError
  );
}

/** Adds the label of the object to the message of an error. */
function addLabel(error: unknown, { label }: Change): unknown {
  if (error instanceof Error && !error.message.includes(label)) {
    error.message = `${label}: ${error.message}`;
  }
  return error;
}
