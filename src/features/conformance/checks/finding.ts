/** What was found out about an operation of a service. */
import type { SpecifiedOperation } from './specified.ts';

export type Verdict = 'conforms' | 'differs' | 'not tried';

export interface Finding {
  readonly operation: SpecifiedOperation;
  readonly verdict: Verdict;
  /** What the service does, or why nobody knows. */
  readonly does: string;
}

/** A difference between a service and the specification. */
export class Difference extends Error {}

/** Nothing is there that it could be tried with. */
export class NotTried extends Error {}

/** Runs a check: what it returns is what the service does. */
export async function finding(
  operation: SpecifiedOperation,
  check: () => Promise<string>,
): Promise<Finding> {
  try {
    return { operation, verdict: 'conforms', does: await check() };
  } catch (error) {
    if (error instanceof Difference) return { operation, verdict: 'differs', does: error.message };
    if (error instanceof NotTried) return { operation, verdict: 'not tried', does: error.message };
    throw error;
  }
}
