/** Lines of a text view: those that match the filter, folded to the width. */
import { foldLine } from './fold.ts';
import { mainWidth } from './layout.ts';
import type { DashboardState } from './state.ts';
import type { ObjectView } from './views.ts';

/** Whether a line contains the filter, regardless of case. */
export function matchesFilter(line: string, filter: string): boolean {
  return line.toLowerCase().includes(filter.trim().toLowerCase());
}

/** Lines of the current tab; undefined until the first read completes. */
export function listTextLines(
  { text, search }: ObjectView,
  { size }: Pick<DashboardState, 'size'>,
): readonly string[] | undefined {
  if (!text) return undefined;
  const found = text.filter((line) => matchesFilter(line, search));
  if (found.length === 0) return ['no lines matching the filter'];
  return found.flatMap((line) => foldLine(line, mainWidth(size)));
}
