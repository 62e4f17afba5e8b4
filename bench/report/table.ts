/** Text of a run: the table of all rows, disturbances, and changes since an earlier run. */
import type { Change, Run, Table } from './history.ts';
import { isFailed, isHeld, type Row } from './row.ts';

/** Share of other processes above which even ratios are doubtful. */
const crowded = 0.1;

/** Table of all rows, with the reasons of unmeasured ones. Ends with a line break. */
export function tableText(run: Run): string {
  const cells = run.tables.flatMap(({ table, rows }) =>
    rows.map((row) => [
      ...[table, row.name, amount(row.ours, row.unit), row.beside, amount(row.peer, row.unit)],
      ...[ratio(row.ratio), percent(row.spread), reach(row), verdict(row, run.quick)],
    ]),
  );
  const head = ['TABLE', 'WORK', 'OURS', 'BESIDE', 'PEER', 'RATIO', 'SPREAD', 'REACH', 'RESULT'];
  return columns([head, ...cells], [2, 4, 5, 6]);
}

/** Environment and disturbances of a run. Ends with a line break. */
export function originText(run: Run, removed: readonly string[]): string {
  const commit = run.commit === null ? '' : `, commit ${run.commit}`;
  const lines = [
    `Node ${run.node}, ${run.cores} cores${commit}, ${run.date}`,
    ...(run.quick ? ['each once and small: these figures say only that nothing is broken'] : []),
    removed.length === 0
      ? 'nothing was removed from the environment'
      : `removed from the environment: ${removed.join(', ')}`,
    othersText(run.tables),
  ];
  return `${lines.join('\n')}\n`;
}

function othersText(tables: readonly Table[]): string {
  const shares = tables.flatMap(({ table, others }) =>
    others === null ? [] : [{ table, others }],
  );
  if (shares.length === 0) return 'CPU time of other programs is unknown';
  const each = shares.map(({ table, others }) => `${table} ${percent(others)}`).join(', ');
  const isCrowded = shares.some(({ others }) => others >= crowded);
  return `CPU time of other programs: ${each}${isCrowded ? '; measure again on an idle computer' : ''}`;
}

/** Changes since an earlier run. Ends with a line break. */
export function changesText(before: Run, changes: readonly Change[]): string {
  const cells = changes.map(({ table, name, beside, before, now, factor, judgement }) => [
    ...[table, name, beside, amount(before, ''), amount(now, '')],
    ...[factor === null ? '-' : `${factor.toFixed(2)} x`, judgement],
  ]);
  const commit = before.commit === null ? '' : `, commit ${before.commit}`;
  const title = `beside the run of ${before.date}${commit}, Node ${before.node}, ${before.cores} cores`;
  const head = ['TABLE', 'WORK', 'BESIDE', 'BEFORE', 'NOW', 'NOW/BEFORE', 'CHANGE'];
  return `${title}\n${columns([head, ...cells], [3, 4, 5])}`;
}

/** Result of a row. Quick runs have none. */
function verdict(row: Row, quick: boolean): string {
  if (row.missing !== undefined) return row.missing;
  const held = isHeld(row);
  if (held === undefined) return 'shown only';
  if (quick) return 'not judged';
  if (held) return 'held';
  return isFailed(row) ? 'missed' : 'missed, within noise';
}

function reach({ reach, direction, unit, beside }: Row): string {
  if (reach === null) return '-';
  const text = `${direction === 'at least' ? '>=' : '<='} ${reach}`;
  return beside === '' ? `${text} ${unit}` : text;
}

function ratio(value: number | null): string {
  return value === null ? '-' : `${digits(value)} x`;
}

function percent(value: number | null): string {
  return value === null ? '-' : `${(100 * value).toFixed(0)} %`;
}

function amount(value: number | null, unit: string): string {
  return value === null ? '-' : `${digits(value)} ${unit}`.trim();
}

/** Three significant digits, without an exponent. */
function digits(value: number): string {
  const size = Math.abs(value);
  if (size === 0) return '0';
  const places = Math.max(0, Math.min(4, 2 - Math.floor(Math.log10(size))));
  return value.toFixed(places);
}

/** Aligned columns; the given columns are aligned to the right. */
function columns(rows: readonly (readonly string[])[], right: readonly number[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((cells) => (cells[column] ?? '').length)),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) =>
        right.includes(column)
          ? cell.padStart(widths[column] ?? 0)
          : cell.padEnd(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd();
  return `${rows.map(line).join('\n')}\n`;
}
