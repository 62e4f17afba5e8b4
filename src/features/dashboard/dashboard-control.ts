/** Interface of the dashboard for key handlers. */

import type { ObjectCommand } from './command-line.ts';
import type { Segment } from './screen/screen-view.ts';
import type { DashboardState } from './state.ts';
import type { OfferedVerb } from './verbs.ts';
import type { View } from './views.ts';

export interface DashboardControl {
  readonly state: DashboardState;
  /** Whether a command is running. */
  readonly isBusy: boolean;
  quit(): void;
  showMessage(text: string, tone?: Segment['tone']): void;
  /** Opens a view on top of the current one; Esc returns to the current one. */
  openView(place: View): void;
  /** Replaces the stack of views by one view. */
  replaceViews(place: View): void;
  /** Reads the current view again. Shows errors in the status line. */
  refresh(): Promise<void>;
  /** Refreshes after a pause in typing. */
  refreshSoon(): void;
  /** Runs a command and shows its command line and its result. */
  runCommand(command: ObjectCommand, verb: OfferedVerb, confirm?: string): Promise<void>;
}
