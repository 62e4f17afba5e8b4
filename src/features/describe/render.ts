/** Text of a description: titles, aligned values and tables. */

import { formatForPeople, getCut, type Meaning } from '../../cli/output/cells.ts';
import { createPainter, paintCell } from '../../cli/output/color.ts';
import { getFormat } from '../../cli/output/print.ts';
import { getTerminalWidth } from '../../cli/output/render.ts';
import { fitTable, type Paint, renderAligned, renderBlocks } from '../../cli/output/table.ts';
import { formatUtc } from '../../cli/output/utc.ts';
import type { Item } from '../../cli/output/view.ts';
import type { CommandContext } from '../../cli/session/command-context.ts';
import { getDisplayWidth, getEllipsis } from '../../cli/text/display-width.ts';
import { escapeControlChars } from '../../escape-control-chars.ts';
import type { Section } from './section.ts';

/** Indentation of sections. */
const indent = '  ';

/** Meanings of values by name. Other values are plain. */
const meanings: Readonly<Record<string, Meaning>> = {
  memory: 'bytes',
  guaranteed_memory: 'bytes',
  maximum_memory: 'bytes',
  size: 'bytes',
  used: 'bytes',
  available: 'bytes',
  committed: 'bytes',
  created: 'date',
  started: 'date',
  date: 'date',
  time: 'date',
};

/** How cells are printed. */
interface Style {
  /** Time for ages in milliseconds; undefined for exact times. */
  readonly now: number | undefined;
  readonly paint: Awaited<ReturnType<typeof createPainter>>;
  /** Width of the terminal; undefined without a limit. */
  readonly width: number | undefined;
  /** Replaces the removed part of a truncated text. */
  readonly mark: string;
  /** Titles of omitted columns. */
  readonly dropped: Set<string>;
}

/** Renders the summary and the sections. */
export async function renderSections(
  cli: CommandContext,
  summary: Item,
  sections: readonly Section[],
): Promise<string> {
  const style: Style = {
    now: cli.isOn('utc') ? undefined : Date.now(),
    paint: await createPainter(cli, cli.io.stdout),
    width: getFormat(cli) === 'wide' ? undefined : getTerminalWidth(cli),
    mark: getEllipsis(cli.io.env),
    dropped: new Set(),
  };
  const lines = renderValues(summary, '', style);
  for (const { title, content, draw, isOmittedIfEmpty } of sections) {
    const drawn = draw && content !== undefined && isList(content) ? draw(content) : content;
    const rendered = renderSection(drawn, style);
    if (rendered.length === 0 && isOmittedIfEmpty) continue;
    const shown = rendered.length > 0 ? rendered : [`${indent}none`];
    lines.push('', style.paint ? style.paint.bold(title) : title, ...shown);
  }
  if (style.dropped.size > 0) {
    cli.noteOnce(`columns not shown: ${[...style.dropped].join(', ')}; -o wide shows all`);
  }
  return lines.map((line) => `${line}\n`).join('');
}

function renderSection(content: Section['content'], style: Style): readonly string[] {
  if (content === undefined) return ['  (not permitted)'];
  return isList(content) ? renderRows(content, style) : renderValues(content, indent, style);
}

function isList(content: Item | readonly Item[]): content is readonly Item[] {
  return Array.isArray(content);
}

function renderValues(item: Item, before: string, { now, paint }: Style): string[] {
  const lines = Object.entries(item).flatMap(([name, value]) => {
    const text = formatCell(name, value, now);
    return text === '' ? [] : [[name, text] as const];
  });
  const width = Math.max(0, ...lines.map(([name]) => getDisplayWidth(name))) + 3;
  return lines.map(([name, text]) => {
    const label = `${name.replaceAll('_', ' ')}:`;
    return `${before}${label.padEnd(width)}${paint ? paintCell(text, name, paint) : text}`;
  });
}

/** Renders rows like a list, without columns that are empty in all of them. */
function renderRows(rows: readonly Item[], { now, paint, width, ...style }: Style): string[] {
  if (rows.length === 0) return [];
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))].filter((name) =>
    rows.some((row) => formatCell(name, row[name], now) !== ''),
  );
  const table = {
    titles: names.map((name) => name.replaceAll('_', ' ')),
    rows: rows.map((row) => names.map((name) => formatCell(name, row[name], now))),
    headers: true,
    cuts: names.map((name) => getCut(undefined, name)),
  };
  const room = width === undefined ? Number.POSITIVE_INFINITY : width - indent.length;
  const fit = fitTable(table, room, style.mark);
  for (const title of fit?.dropped ?? []) style.dropped.add(title);
  const shown = fit ? fit.kept.map((index) => names[index] ?? '') : names;
  const paintState: Paint | undefined = paint
    ? (cell, column, row) => (row < 0 ? cell : paintCell(cell, shown[column] ?? '', paint))
    : undefined;
  const lines = fit ? renderAligned(fit.table, paintState) : renderBlocks(table, room, paintState);
  return [...lines].map((line) => `${indent}${line}`);
}

function formatCell(name: string, value: unknown, now: number | undefined): string {
  return escapeControlChars.line(formatForPeople(value, meanings[name] ?? 'plain', now));
}

/** Returns the section with its times in UTC. */
export function printTimes(section: Section): Section {
  const { content } = section;
  if (content === undefined) return section;
  return { ...section, content: isList(content) ? content.map(toUtc) : toUtc(content) };
}

/** Returns the values with times in UTC. */
export function toUtc(item: Item): Item {
  return Object.fromEntries(
    Object.entries(item).map(([name, value]) => [
      name,
      meanings[name] === 'date' && typeof value === 'string' ? formatUtc(value) : value,
    ]),
  );
}
