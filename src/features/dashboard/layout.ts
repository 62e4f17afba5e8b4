/** Layout of the dashboard: sizes of its parts. */

import { listMessageLines } from './messages.ts';
import type { DashboardState } from './state.ts';

/** Width of the sidebar in columns. */
export const sidebarWidth = 17;

/** Columns between the sidebar and the main pane. */
const barWidth = 2;

/** Minimum size of the terminal. */
export const minimumSize = { width: 60, height: 12 };

export function mainWidth({ width }: DashboardState['size']): number {
  return width - sidebarWidth - barWidth;
}

/** Lines of the status: active transfers, if any, and the last message. */
export function statusHeight(state: DashboardState): number {
  return (state.transfers.length > 0 ? 1 : 0) + listMessageLines(state).length;
}

/** Lines between the title and the status. */
export function bodyHeight(state: DashboardState): number {
  return state.size.height - 2 - statusHeight(state);
}

/** Lines of the main pane for a text, or for the header and rows of a list. */
export function mainHeight(state: DashboardState): number {
  return bodyHeight(state) - 1;
}

/** Lines for the rows of a list. */
export function rowsHeight(state: DashboardState): number {
  return mainHeight(state) - 1;
}
