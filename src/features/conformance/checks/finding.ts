/** Finding about an operation of a service. */
import type { SpecifiedOperation } from '../../../specification/operations.ts';

export type Verdict = 'conforms' | 'differs' | 'not tried';

export interface Finding {
  readonly operation: SpecifiedOperation;
  readonly verdict: Verdict;
  /** Observed behaviour, or the reason why the operation was not tried. */
  readonly behaviour: string;
}

/** A difference between a service and the specification. */
export class Difference extends Error {}

/** No suitable object to try the operation with. */
export class NotTried extends Error {}

/** Runs a check, which returns the observed behaviour or throws `Difference` or `NotTried`. */
export async function runCheck(
  operation: SpecifiedOperation,
  check: () => Promise<string>,
): Promise<Finding> {
  try {
    return { operation, verdict: 'conforms', behaviour: await check() };
  } catch (error) {
    if (error instanceof Difference)
      return { operation, verdict: 'differs', behaviour: error.message };
    if (error instanceof NotTried)
      return { operation, verdict: 'not tried', behaviour: error.message };
    throw error;
  }
}
