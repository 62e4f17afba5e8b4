/** What the dashboard knows: where somebody is, what is asked of them, what was done. */

import type { CommandLine } from './command-line.ts';
import type { InputLine } from './input-line.ts';
import type { Place } from './place.ts';
import type { Segment } from './screen/screen-view.ts';
import type { TransferProgress } from './transfers.ts';
import type { OfferedVerb } from './verbs.ts';

/** A command that was run here. */
export interface Activity {
  readonly line: string;
  readonly began: Date;
  state: 'running' | 'done' | 'failed';
  /** What it printed, or why it failed. */
  text: string;
}

/** A command that waits for somebody to agree. */
export interface Proposal {
  readonly command: CommandLine;
  readonly verb: OfferedVerb;
}

/** What keys mean at the moment. */
export type Mode =
  | { readonly kind: 'browse' }
  | { readonly kind: 'filter'; readonly input: InputLine; readonly note?: Segment }
  | { readonly kind: 'goto'; readonly input: InputLine; readonly note?: Segment }
  | { readonly kind: 'verbs'; readonly verbs: readonly OfferedVerb[]; readonly current: number }
  | { readonly kind: 'confirm'; readonly proposal: Proposal; readonly input?: InputLine }
  | { readonly kind: 'help'; readonly top: number }
  | { readonly kind: 'activity'; readonly top: number }
  | { readonly kind: 'leave' };

export interface DashboardState {
  /** The nouns at the side, with the group that each belongs to. */
  readonly nouns: readonly { readonly noun: string; readonly group: string }[];
  /** The server and who is signed in, for the first line. */
  readonly title: string;
  /** Name of the context, where it is protected. */
  readonly protectedContext: string | undefined;
  /** Whether anything may be changed. */
  readonly isReadOnly: boolean;
  readonly hasColor: boolean;
  readonly hasUnicode: boolean;
  size: { width: number; height: number };
  focus: 'sidebar' | 'main';
  /** The noun at the side that keys are about. */
  sidebar: number;
  /** Where somebody is, behind the places that lead there. */
  places: Place[];
  mode: Mode;
  message: Segment | undefined;
  readonly activities: Activity[];
  transfers: readonly TransferProgress[];
}

/** Where somebody is. */
export function placeOf({ places }: DashboardState): Place {
  const place = places.at(-1);
  if (!place) throw new Error('no view is open');
  return place;
}
