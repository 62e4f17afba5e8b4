/** Bounded parallel work on several objects. */

import { type DryRunRequest, DryRunStop } from '../../client/dry-run.ts';
import { AllFailedError, PartialError, UsageError } from '../../client/errors.ts';
import { report } from '../output/error-report.ts';
import { formatOf } from '../output/print.ts';
import type { CommandContext } from '../session/command-context.ts';

const maxParallel = 16;
const defaultParallel = 4;

/** How many at a time, as `--parallel` says. */
export function parallelOf(value: unknown): number {
  if (value === undefined) return defaultParallel;
  const count = Number(value);
  if (Number.isInteger(count) && count >= 1 && count <= maxParallel) return count;
  throw new UsageError(`--parallel ${String(value)}: not a number from 1 to ${maxParallel}`);
}

/**
 * Does the work for each item and returns the results in the order of the items. The error of a
 * single item is thrown; of several items each error is reported when it happens, and at the end
 * it is said how many there were.
 */
export async function forEach<T, R>(
  cli: CommandContext,
  items: readonly T[],
  limits: { readonly parallel: number; readonly failFast: boolean },
  work: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const [only] = items;
  if (items.length === 1 && only !== undefined) return [await work(only)];
  const results = new Map<number, R>();
  const errors: unknown[] = [];
  const dryRunRequests: DryRunRequest[] = [];
  const machine = ['json', 'jsonl'].includes(formatOf(cli));
  let next = 0;
  const worker = async () => {
    while (next < items.length && !(limits.failFast && errors.length > 0)) {
      cli.signal.throwIfAborted();
      const index = next;
      next += 1;
      try {
        results.set(index, await work(items[index] as T));
      } catch (error) {
        if (cli.signal.aborted) throw cli.signal.reason;
        if (error instanceof DryRunStop) {
          dryRunRequests.push(...error.requests);
          continue;
        }
        errors.push(error);
        cli.aside(() => report(error, cli.io, machine));
      }
    }
  };
  // What is only shown is shown in the order in which it was asked for.
  const workers = cli.dryRunMode ? 1 : Math.min(limits.parallel, items.length);
  await Promise.all(Array.from({ length: workers }, worker));
  if (dryRunRequests.length > 0) {
    throw new DryRunStop(
      dryRunRequests,
      errors.length > 0 ? new BulkError(dryRunRequests, errors, items.length) : undefined,
    );
  }
  const done = items.flatMap((_, index) => (results.has(index) ? [results.get(index) as R] : []));
  if (errors.length === 0) return done;
  throw new BulkError(done, errors, items.length);
}

/** Carries what was done, so that it can be printed before the command fails. */
export class BulkError<R> extends PartialError {
  readonly done: readonly R[];
  readonly #first: unknown;

  constructor(done: readonly R[], errors: readonly unknown[], total: number) {
    const skipped = total - done.length - errors.length;
    super(`${errors.length} of ${total} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`, {
      hint: 'see the errors above; stdout has the results of the others',
    });
    this.done = done;
    this.#first = errors[0];
  }

  /** The same where nothing was done: it fails as the first object did. */
  ofAll(): AllFailedError {
    return new AllFailedError(this.message, this.#first, { hint: 'see the errors above' });
  }
}
