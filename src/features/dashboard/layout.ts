/** Where the parts of the dashboard are, and how much room each has. */
import type { DashboardState } from './state.ts';

/** Columns of the nouns at the side. */
export const sidebarWidth = 17;

/** Columns between the sidebar and the rest. */
const barWidth = 2;

/** The least that there is room for. */
export const smallest = { width: 60, height: 12 };

export function mainWidth({ width }: DashboardState['size']): number {
  return width - sidebarWidth - barWidth;
}

/** Lines of the status: transfers while there are any, and what was done last. */
export function statusHeight({ transfers }: Pick<DashboardState, 'transfers'>): number {
  return transfers.length > 0 ? 2 : 1;
}

/** Lines between title and status. */
export function bodyHeight(state: Pick<DashboardState, 'size' | 'transfers'>): number {
  return state.size.height - 2 - statusHeight(state);
}

/** Lines for a text, or for titles and objects of a list. */
export function mainHeight(state: Pick<DashboardState, 'size' | 'transfers'>): number {
  return bodyHeight(state) - 1;
}

/** Lines for objects of a list. */
export function rowsHeight(state: Pick<DashboardState, 'size' | 'transfers'>): number {
  return mainHeight(state) - 1;
}
