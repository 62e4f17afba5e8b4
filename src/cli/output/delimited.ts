/** Lines of csv and tsv: quoted where needed, no control characters, formulas escaped on request. */

import { escapeControlChars } from '../../escape-control-chars.ts';
import type { CommandContext } from '../session/command-context.ts';

/** What makes a line of cells, as the format and `--csv-safe` want it; without the end of line. */
export function delimitedLine(
  cli: CommandContext,
  format: 'csv' | 'tsv',
): (cells: readonly string[]) => string {
  const written = format === 'csv' ? csvCell : escapeControlChars.line;
  const cell = cli.on('csvSafe') ? (text: string) => written(noFormula(text)) : written;
  return (cells) => cells.map(cell).join(format === 'csv' ? ',' : '\t');
}

/** Spreadsheets take these for the beginning of a formula; numbers stay what they are. */
function noFormula(text: string): string {
  return /^\s*[=+\-@]/.test(text) && !/^[+-]?\d+(\.\d+)?$/.test(text) ? `'${text}` : text;
}

function csvCell(text: string): string {
  const safe = escapeControlChars.line(text);
  return /[",]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
