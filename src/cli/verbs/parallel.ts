/** Bounded parallel processing of several objects. */

import { type DryRunRequest, DryRunStop } from '../../client/dry-run.ts';
import { AllFailedError, PartialError, UsageError } from '../../client/errors.ts';
import { reportError } from '../output/error-report.ts';
import { getFormat } from '../output/print.ts';
import type { CommandContext } from '../session/command-context.ts';

const maxParallel = 16;
const defaultParallel = 4;

/** Parses `--parallel` (default 4). */
export function parseParallel(value: unknown): number {
  if (value === undefined) return defaultParallel;
  const count = Number(value);
  if (Number.isInteger(count) && count >= 1 && count <= maxParallel) return count;
  throw new UsageError(`--parallel ${String(value)}: not a number from 1 to ${maxParallel}`);
}

interface ParallelLimits {
  readonly parallel: number;
  readonly failFast: boolean;
}

/**
 * Processes each item and returns the results in order. For one item, its error is thrown. For
 * several, each error is reported immediately; the final `BulkError` counts them.
 */
export async function forEach<T, R>(
  cli: CommandContext,
  items: readonly T[],
  limits: ParallelLimits,
  work: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const { done, failure } = await processAll(cli, items, limits, work);
  if (failure) throw failure;
  return done;
}

/** Same as `forEach`, but returns the failure with the results of the other items. */
export async function processAll<T, R>(
  cli: CommandContext,
  items: readonly T[],
  limits: ParallelLimits,
  work: (item: T) => Promise<R>,
): Promise<{ readonly done: readonly R[]; readonly failure?: BulkError<R> }> {
  const [only] = items;
  if (items.length === 1 && only !== undefined) return { done: [await work(only)] };
  const results: { readonly index: number; readonly result: R }[] = [];
  const errors: unknown[] = [];
  const dryRunRequests: DryRunRequest[] = [];
  const isJson = ['json', 'jsonl'].includes(getFormat(cli));
  const remaining = items.entries();
  const worker = async () => {
    // The workers share the iterator.
    for (const [index, item] of remaining) {
      if (limits.failFast && errors.length > 0) return;
      cli.signal.throwIfAborted();
      try {
        results.push({ index, result: await work(item) });
      } catch (error) {
        if (cli.signal.aborted) throw cli.signal.reason;
        if (error instanceof DryRunStop) {
          dryRunRequests.push(...error.requests);
          continue;
        }
        errors.push(error);
        cli.printAbove(() => reportError(error, cli.io, isJson));
      }
    }
  };
  // A dry run processes the items in order.
  const workers = cli.dryRunMode ? 1 : Math.min(limits.parallel, items.length);
  await Promise.all(Array.from({ length: workers }, worker));
  if (dryRunRequests.length > 0) {
    throw new DryRunStop(
      dryRunRequests,
      errors.length > 0 ? new BulkError(dryRunRequests, errors, items.length) : undefined,
    );
  }
  const done = results.sort((a, b) => a.index - b.index).map(({ result }) => result);
  if (errors.length === 0) return { done };
  return { done, failure: new BulkError(done, errors, items.length) };
}

/** Failure of some items, with the results of the others. */
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

  /** Failure of all items, with the exit code of the first. */
  toAllFailedError(): AllFailedError {
    return new AllFailedError(this.message, this.#first, { hint: 'see the errors above' });
  }
}
