/** Runs a plan: what fails is told, and what does not need it is done all the same. */

import { report } from '../../cli/output/error-report.ts';
import { formatOf } from '../../cli/output/print.ts';
import type { CommandContext } from '../../cli/session/command-context.ts';
import {
  AllFailedError,
  AuthError,
  ConnectionError,
  PartialError,
  TrustError,
} from '../../client/errors.ts';
import type { Change, Plan } from './plan.ts';

/** Makes all changes that can be made. Throws at the end if some could not. */
export async function runPlan(
  cli: CommandContext,
  { changes }: Plan,
  secretOf: (name: string) => string,
): Promise<void> {
  const machine = ['json', 'jsonl'].includes(formatOf(cli));
  /** By change that was not made, the one that failed. */
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
      await change.run(secretOf);
      done += 1;
    } catch (error) {
      if (cli.signal.aborted) throw cli.signal.reason;
      if (endsAll(error)) {
        cli.note(
          `${done} of ${changes.length} done, ${change.label} failed; run the command again to resume`,
        );
        throw error;
      }
      missing.set(change, change);
      errors.push(error);
      report(named(error, change), cli.io, machine);
    }
  }
  for (const [change, cause] of missing) {
    if (change !== cause) cli.note(`skipped: ${change.label} depends on ${cause.label}`);
  }
  if (errors.length === 0) {
    cli.note(`${done} of ${done} done`);
    return;
  }
  const out = missing.size - errors.length;
  const message = `${done} of ${changes.length} done, ${errors.length} failed${out > 0 ? `, ${out} skipped` : ''}`;
  const hint = 'fix the errors above and run the command again';
  if (done > 0) throw new PartialError(message, { hint });
  throw new AllFailedError(message, errors[0], { hint });
}

/** What will fail for everything else, too. */
function endsAll(error: unknown): boolean {
  return (
    error instanceof ConnectionError || error instanceof AuthError || error instanceof TrustError
  );
}

/** The error, saying of which object it is. */
function named(error: unknown, { label }: Change): unknown {
  if (error instanceof Error && !error.message.includes(label)) {
    error.message = `${label}: ${error.message}`;
  }
  return error;
}
