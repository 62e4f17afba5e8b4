/** State of the dashboard: open views, mode, activity log and transfers. */

import type { ObjectCommand } from './command-line.ts';
import type { InputLine } from './input-line.ts';
import type { Segment } from './screen/screen-view.ts';
import type { TransferProgress } from './transfers.ts';
import type { OfferedVerb } from './verbs.ts';
import type { View } from './views.ts';

/** A command that was run from the dashboard. */
export interface Activity {
  readonly line: string;
  readonly began: Date;
  state: 'running' | 'done' | 'failed';
  /** Output of the command, or its error message. */
  text: string;
}

/** A command that awaits confirmation. */
export interface Proposal {
  readonly command: ObjectCommand;
  readonly verb: OfferedVerb;
}

/** A modal box with lines, which a filter can reduce. */
export type BoxMode =
  | { readonly kind: 'verbs'; readonly verbs: readonly OfferedVerb[]; readonly current: number }
  | {
      readonly kind: 'help';
      readonly top: number;
      readonly search?: string;
      /** Mode after the help. */
      readonly back: Mode;
    }
  | { readonly kind: 'activity' | 'message'; readonly top: number; readonly search?: string };

/** Input mode, which decides how keys are handled. */
export type Mode =
  | { readonly kind: 'browse' }
  | {
      readonly kind: 'filter';
      readonly input: InputLine;
      readonly note?: Segment;
      /** Box that the filter applies to; undefined for the view. */
      readonly box?: BoxMode;
    }
  | { readonly kind: 'goto'; readonly input: InputLine; readonly note?: Segment }
  | BoxMode
  | { readonly kind: 'confirm'; readonly proposal: Proposal; readonly input?: InputLine }
  | { readonly kind: 'leave' };

export interface DashboardState {
  /** Nouns in the sidebar with their groups. */
  readonly nouns: readonly { readonly noun: string; readonly group: string }[];
  /** Server and user name, for the title line. */
  readonly title: string;
  /** Name of the context, if it is protected. */
  readonly protectedContext: string | undefined;
  /** Whether changes are refused. */
  readonly isReadOnly: boolean;
  readonly hasColor: boolean;
  readonly hasUnicode: boolean;
  size: { width: number; height: number };
  focus: 'sidebar' | 'main';
  /** Index of the selected noun in the sidebar. */
  sidebar: number;
  /** Stack of open views; the last one is visible. */
  views: View[];
  mode: Mode;
  message: Segment | undefined;
  readonly activities: Activity[];
  transfers: readonly TransferProgress[];
}

/** The visible view. */
export function getCurrentView({ views: places }: DashboardState): View {
  const place = places.at(-1);
  if (!place) throw new Error('no view is open');
  return place;
}
