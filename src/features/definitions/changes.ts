/** Changes that a plan consists of. */
import type { Difference } from '../../cli/verbs/differences.ts';

export interface Change {
  readonly action: 'create' | 'attach' | 'update' | 'start' | 'delete';
  /** `vms/web01`, or `vms/web01/nics/nic1`. */
  readonly label: string;
  readonly differences: readonly Difference[];
  /** Changes that must succeed first. */
  readonly needs: readonly Change[];
  /** Names of the secrets that the change sends. */
  readonly secrets: readonly string[];
  readonly run: (getSecret: (name: string) => string) => Promise<void>;
}

/** A difference that no update can change. */
export interface FixedDifference extends Difference {
  readonly label: string;
}

export interface Plan {
  readonly changes: readonly Change[];
  readonly fixed: readonly FixedDifference[];
  /** Deletions, which run after the changes. */
  readonly deletions: readonly Change[];
  readonly kept: readonly KeptObject[];
}

/** Object with the tag that `apply` does not delete. */
export interface KeptObject {
  readonly label: string;
  readonly reason: string;
}
