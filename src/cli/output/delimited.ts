/**
 * Lines of csv and tsv: quoted if necessary, without control characters, formulas escaped on
 * request.
 */

import { escapeControlChars } from '../../escape-control-chars.ts';
import type { CommandContext } from '../session/command-context.ts';

/** Creates the function that formats a line of cells, without the end of line. */
export function createLineFormatter(
  cli: CommandContext,
  format: 'csv' | 'tsv',
): (cells: readonly string[]) => string {
  const written = format === 'csv' ? formatCsvCell : escapeControlChars.line;
  const cell = cli.isOn('csvSafe') ? (text: string) => written(escapeFormula(text)) : written;
  return (cells) => cells.map(cell).join(format === 'csv' ? ',' : '\t');
}

/** Spreadsheets interpret these characters as the start of a formula. Numbers remain unchanged. */
function escapeFormula(text: string): string {
  return /^\s*[=+\-@]/.test(text) && !/^[+-]?\d+(\.\d+)?$/.test(text) ? `'${text}` : text;
}

function formatCsvCell(text: string): string {
  const safe = escapeControlChars.line(text);
  return /[",]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
