/** What keys can do to the dashboard. */

import type { CommandLine } from './command-line.ts';
import type { Place } from './place.ts';
import type { Segment } from './screen/screen-view.ts';
import type { DashboardState } from './state.ts';
import type { OfferedVerb } from './verbs.ts';

export interface DashboardControl {
  readonly state: DashboardState;
  /** Whether a command is under way. */
  readonly isBusy: boolean;
  leave(): void;
  say(text: string, tone?: Segment['tone']): void;
  /** Goes to a place; the way back leads here. */
  enter(place: Place): void;
  /** Begins anew at a place. */
  jump(place: Place): void;
  /** Reads what is shown; what goes wrong is shown beside it. */
  refresh(): Promise<void>;
  /** The same, once nobody has typed for a moment. */
  refreshSoon(): void;
  /** Runs a command; its name and what came of it are shown. */
  perform(command: CommandLine, verb: OfferedVerb, confirm?: string): Promise<void>;
}
