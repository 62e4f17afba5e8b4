/** What the dashboard shows of the service: objects, and lists of them as they were read. */

import type { Column } from '../../cli/output/columns.ts';
import type { ApiObject } from '../../client/client.ts';

/** An object as other commands are told it: `vms/ID`, with the name that people know. */
export interface Named {
  readonly noun: string;
  readonly id: string;
  readonly name: string;
}

/** Objects as they were at a time, and the columns that show them. */
export interface Listing {
  readonly noun: string;
  readonly type: string;
  readonly items: readonly ApiObject[];
  readonly columns: readonly Column[];
  /** There may be more than these. */
  readonly isCut: boolean;
  readonly time: Date;
}
