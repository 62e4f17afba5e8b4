/** Objects of the service in the dashboard: references and lists with their columns. */

import type { Column } from '../../cli/output/columns.ts';
import type { ApiObject } from '../../client/client.ts';

/** Reference to an object, with its id for commands and its name for users. */
export interface Named {
  readonly noun: string;
  readonly id: string;
  readonly name: string;
  /** Text for users, if the object has no name of its own. */
  readonly label?: string;
}

/** Objects as read at `time`, with the columns that show them. */
export interface Listing {
  readonly noun: string;
  readonly type: string;
  readonly items: readonly ApiObject[];
  readonly columns: readonly Column[];
  /** Whether the service has more objects. */
  readonly isCut: boolean;
  readonly time: Date;
}
