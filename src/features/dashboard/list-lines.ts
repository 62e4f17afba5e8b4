/** Table lines of a list in the dashboard: the most important columns that fit. */
import { getCut } from '../../cli/output/cells.ts';
import { getTone } from '../../cli/output/color.ts';
import { createRowFormatter } from '../../cli/output/render.ts';
import { fitTable, type TableText } from '../../cli/output/table.ts';
import { getDisplayWidth } from '../../cli/text/display-width.ts';
import { escapeControlChars } from '../../escape-control-chars.ts';
import { foldLine } from './fold.ts';
import { mainWidth, rowsHeight } from './layout.ts';
import type { Line, Segment } from './screen/screen-view.ts';
import { isSearchable, listShownItems } from './shown-items.ts';
import { type DashboardState, getCurrentView } from './state.ts';
import { type ListView, scrollTo } from './views.ts';

/** Header and rows, scrolled so that the current row is visible. */
export function renderList(list: ListView, state: DashboardState): readonly Line[] {
  const { listing, marks } = list;
  if (!listing && list.trouble !== undefined) {
    const text = escapeControlChars.line(list.trouble);
    return foldLine(text, mainWidth(state.size)).map((line) => singleLine(line, 'bad'));
  }
  if (!listing) return [singleLine('reading ...', 'dim')];
  const items = listShownItems(list);
  if (items.length === 0) {
    const where =
      list.search === '' ? '' : isSearchable(list) ? ' matching the query' : ' matching the filter';
    return [singleLine(`no ${list.noun} found${where}`, 'dim')];
  }
  const { columns, type } = listing;
  const formatRow = createRowFormatter(columns, { type }, { terminal: true, now: Date.now() });
  const table: TableText = {
    titles: columns.map(({ title }) => title),
    rows: items.map(formatRow),
    headers: true,
    cuts: columns.map(({ paths }) => getCut(type, paths[0] ?? '')),
    isChosen: false,
  };
  const room = mainWidth(state.size) - 2;
  const mark = state.hasUnicode ? '…' : '...';
  const fit = fitTable(table, room, mark) ?? {
    table,
    kept: columns.map((_, index) => index),
  };
  const widths = fit.table.titles.map((title, column) =>
    Math.max(
      getDisplayWidth(title),
      ...fit.table.rows.map((row) => getDisplayWidth(row[column] || '-')),
    ),
  );
  const height = rowsHeight(state) - (getCurrentView(state).kind === 'object' ? 1 : 0);
  list.top = scrollTo(list.top, list.current, height, items.length);
  const formatCells = (row: readonly string[], tones: (column: number) => Segment['tone']) =>
    row.map((text, column): Segment => {
      const cell = text || '-';
      if (column === row.length - 1) return { text: cell, tone: tones(column) };
      const space = (widths[column] ?? 0) - getDisplayWidth(cell) + 2;
      return { text: cell + ' '.repeat(Math.max(0, space)), tone: tones(column) };
    });
  const titles = fit.table.titles.map((title) => title.toUpperCase());
  const rows = fit.table.rows.slice(list.top, list.top + height).map((row, index): Line => {
    const at = list.top + index;
    const isCurrent = at === list.current;
    const isMarked = marks.has(String(items[at]?.['id']));
    const tones = (column: number) => {
      const path = columns[fit.kept[column] ?? 0]?.paths[0] ?? '';
      return getTone(row[column] ?? '', path) ?? 'plain';
    };
    const lead = `${isCurrent ? '>' : ' '}${isMarked ? '*' : ' '}`;
    return { segments: [{ text: lead, tone: 'strong' }, ...formatCells(row, tones)], isCurrent };
  });
  return [
    { segments: [{ text: '  ', tone: 'plain' }, ...formatCells(titles, () => 'strong')] },
    ...rows,
  ];
}

function singleLine(text: string, tone: Segment['tone']): Line {
  return { segments: [{ text, tone }] };
}
