/** Layout of help pages: two columns, lines that fit a terminal. */
import { wrapText } from '../text/display-width.ts';

/** Maximum line length of a page. */
export const lineLength = 80;
const maxFirstColumn = 34;

/**
 * Formats rows of two columns. Long entries of the first column get separate lines if that shortens
 * the page.
 */
export function alignRows(rows: readonly (readonly [string, string])[]): string {
  const widths = new Set(
    rows.map(([left]) => left.length).filter((width) => width <= maxFirstColumn),
  );
  const drawn = [...widths]
    .sort((a, b) => b - a)
    .map((width) =>
      rows.map(([left, right]) => formatRow(left, right, width, lineLength)).join(''),
    );
  const [
    widest = rows.map(([left, right]) => formatRow(left, right, 0, lineLength)).join(''),
    ...others
  ] = drawn;
  const height = (text: string) => text.split('\n').length;
  return others.reduce((best, one) => (height(one) < height(best) ? one : best), widest);
}

/** Formats a row. `width` is that of the first column; longer entries get a separate line. */
function formatRow(left: string, right: string, width: number, length: number): string {
  const indent = ' '.repeat(width + 4);
  const [first = '', ...more] = wrapLines(right, length - indent.length);
  const rest = more.map((line) => `\n${indent}${line}`).join('');
  if (left.length > width) {
    return first === '' ? `  ${left}\n` : `  ${left}\n${indent}${first}${rest}\n`;
  }
  return `${`  ${left.padEnd(width)}  ${first}`.trimEnd()}${rest}\n`;
}

export function wrapParagraph(text: string): string {
  return wrapLines(text, lineLength).join('\n');
}

function wrapLines(text: string, width: number): readonly string[] {
  return wrapText(text.trim().replaceAll(/\s+/g, ' '), width, width);
}

/** Returns the line length of help pages on a terminal: its width, at most `lineLength`. */
export function getHelpWidth(stdout: {
  readonly isTTY?: boolean;
  readonly columns?: number;
}): number {
  return stdout.isTTY === true ? Math.min(lineLength, stdout.columns || lineLength) : lineLength;
}

/** Row of two columns, split at the second. */
const twoColumns = /^( {2,}\S+(?: \S+)* {2,})(\S.*)$/;

/** Wraps a page to `width` columns. Wrapped commands remain valid shell commands. */
export function fitPage(page: string, width: number): string {
  if (page.split('\n').every((line) => line.length <= width)) return page;
  return joinLines(page.split('\n'))
    .flatMap((line) => (line.length <= width ? [line] : breakLine(line, width)))
    .join('\n');
}

/** Joins the lines of each paragraph or row. */
function joinLines(all: readonly string[]): readonly string[] {
  const whole: string[] = [];
  // Column at which a continuation starts, and length of the previous line.
  let column = 0;
  let length = 0;
  for (const line of all) {
    const indent = line.length - line.trimStart().length;
    const [first = ''] = line.trimStart().split(' ', 1);
    const isLong = length + 1 + first.length > lineLength - 8;
    const isContinuation = line !== '' && indent === column && (column > 0 || isLong) && length > 0;
    if (isContinuation) whole.push(`${whole.pop()} ${line.trim()}`);
    else {
      whole.push(line);
      column = twoColumns.exec(line)?.[1]?.length ?? (indent === 0 ? 0 : -1);
    }
    length = line.length;
  }
  return whole;
}

function breakLine(line: string, width: number): readonly string[] {
  const [, left = '', right = ''] = twoColumns.exec(line) ?? [];
  const isCommand =
    left === ''
      ? /^ {2}(?:\S.* )?(?:[\w=]*"?\$\()?vmctl /.test(line)
      : /^ {2}(?:eval "\$\()?vmctl /.test(line);
  if (isCommand) return breakCommand(line, width);
  if (left !== '') {
    const own = left.length - left.trimStart().length;
    const column = left.length <= width / 2 ? left.length - 4 : own;
    return formatRow(left.slice(2).trimEnd(), right, column, width).trimEnd().split('\n');
  }
  const indent = ' '.repeat(line.length - line.trimStart().length);
  const [first = '', ...more] = wrapLines(line, width - indent.length);
  const hang = indent === '' ? '' : `${indent}  `;
  const rest = more
    .flatMap((text) => wrapLines(text, width - hang.length))
    .flatMap((text) => breakPath(text, width - hang.length));
  return [`${indent}${first}`, ...rest.map((text) => `${hang}${text}`)];
}

/** Wraps the path of a request between its segments. */
function breakPath(text: string, width: number): readonly string[] {
  if (!text.startsWith('/') || text.length <= width) return [text];
  return text.match(new RegExp(`.{1,${width}}(?=/|$)|.+`, 'g')) ?? [text];
}

/** Wraps a command between its words. */
function breakCommand(line: string, width: number): readonly string[] {
  const [, text = '', comment] = /^(.*?)(?: +# (.*))?$/.exec(line.trim()) ?? [];
  // A comment ends with its line, so it moves above the command.
  if (comment !== undefined) {
    const above = wrapLines(comment, width - 4).map((part) => `  # ${part}`);
    return [...above, ...breakCommand(`  ${text}`, width)];
  }
  // Command substitutions are wrapped like other commands.
  const words = text.match(/(?:'[^']*'|"\$\(|\)"|"[^"]*"|[^\s'"])+/g) ?? [];
  const all: string[] = [];
  let now = ' ';
  for (const word of words) {
    if (now.trim() !== '' && now.length + word.length + 3 > width) {
      all.push(`${now} \\`);
      now = '   ';
    }
    now += ` ${word}`;
  }
  return [...all, now];
}
