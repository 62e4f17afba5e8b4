/** A list as lines of the dashboard: columns that have room, in the order of their importance. */
import { cutOf } from '../../cli/output/cells.ts';
import { toneOf } from '../../cli/output/color.ts';
import { rowMaker } from '../../cli/output/render.ts';
import { fitted, type TableText } from '../../cli/output/table.ts';
import { displayWidth } from '../../cli/text/display-width.ts';
import { mainWidth, rowsHeight } from './layout.ts';
import { type ListPlace, scrolled } from './place.ts';
import type { Line, Segment } from './screen/screen-view.ts';
import { isSearchable, shownItems } from './shown-items.ts';
import { type DashboardState, placeOf } from './state.ts';

/** Titles and objects, scrolled so that the current one is among them. */
export function listLines(list: ListPlace, state: DashboardState): readonly Line[] {
  const { listing, marks } = list;
  if (!listing) return [line(list.trouble ?? 'reading ...', list.trouble ? 'bad' : 'dim')];
  const items = shownItems(list);
  if (items.length === 0) {
    const where =
      list.search === '' ? '' : isSearchable(list) ? ' matching the query' : ' matching the filter';
    return [line(`no ${list.noun} found${where}`, 'dim')];
  }
  const { columns, type } = listing;
  const rowOf = rowMaker(columns, { type }, { terminal: true, now: Date.now() });
  const table: TableText = {
    titles: columns.map(({ title }) => title),
    rows: items.map(rowOf),
    headers: true,
    cuts: columns.map(({ paths }) => cutOf(type, paths[0] ?? '')),
    isChosen: false,
  };
  const room = mainWidth(state.size) - 2;
  const mark = state.hasUnicode ? '…' : '...';
  const fit = fitted(table, room, mark) ?? {
    table,
    kept: columns.map((_, index) => index),
  };
  const widths = fit.table.titles.map((title, column) =>
    Math.max(displayWidth(title), ...fit.table.rows.map((row) => displayWidth(row[column] || '-'))),
  );
  const height = rowsHeight(state) - (placeOf(state).kind === 'object' ? 1 : 0);
  list.top = scrolled(list.top, list.current, height, items.length);
  const cellsOf = (row: readonly string[], tones: (column: number) => Segment['tone']) =>
    row.map((text, column): Segment => {
      const cell = text || '-';
      if (column === row.length - 1) return { text: cell, tone: tones(column) };
      const space = (widths[column] ?? 0) - displayWidth(cell) + 2;
      return { text: cell + ' '.repeat(Math.max(0, space)), tone: tones(column) };
    });
  const titles = fit.table.titles.map((title) => title.toUpperCase());
  const rows = fit.table.rows.slice(list.top, list.top + height).map((row, index): Line => {
    const at = list.top + index;
    const isCurrent = at === list.current;
    const isMarked = marks.has(String(items[at]?.['id']));
    const tones = (column: number) => {
      const path = columns[fit.kept[column] ?? 0]?.paths[0] ?? '';
      return toneOf(row[column] ?? '', path) ?? 'plain';
    };
    const lead = `${isCurrent ? '>' : ' '}${isMarked ? '*' : ' '}`;
    return { segments: [{ text: lead, tone: 'strong' }, ...cellsOf(row, tones)], isCurrent };
  });
  return [
    { segments: [{ text: '  ', tone: 'plain' }, ...cellsOf(titles, () => 'strong')] },
    ...rows,
  ];
}

function line(text: string, tone: Segment['tone']): Line {
  return { segments: [{ text, tone }] };
}
