/** Members of stored objects that clients never see: what the service keeps with them, by kind. */
import type { Resource } from '../../model/resource.ts';
import type { nameable } from './visible-kinds.ts';

/** An object that a sentence names without a reference that is shown. */
export interface NamedObject {
  readonly kind: (typeof nameable)[number];
  readonly id: string;
}

/** Found under these names in the documents of the store, also in those of earlier versions. */
export interface KeptMembers {
  event: { readonly names?: readonly NamedObject[] };
  job: {
    /** Found by searches. */
    readonly correlation_id?: string;
    /** Steps that clients added, or that only jobs of this kind have. */
    readonly own_steps?: readonly Resource<'step'>[];
    /** Service time in milliseconds. */
    readonly ended?: number;
    /** Whoever may not see what it names any more does not see the job. */
    readonly names?: readonly NamedObject[];
  };
}
