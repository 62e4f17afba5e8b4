/** Layout of help: two columns, lines that fit a terminal. */
import { folded } from '../text/display-width.ts';

/** The longest line of a page. */
export const lineLength = 80;
const longest = 34;

/**
 * Rows of two columns. What is long in the first gets a line of its own, where that makes the page
 * shorter: a single long name must not take the room of all others.
 */
export function aligned(rows: readonly (readonly [string, string])[]): string {
  const widths = new Set(rows.map(([left]) => left.length).filter((width) => width <= longest));
  const drawn = [...widths]
    .sort((a, b) => b - a)
    .map((width) => rows.map(([left, right]) => row(left, right, width, lineLength)).join(''));
  const [
    widest = rows.map(([left, right]) => row(left, right, 0, lineLength)).join(''),
    ...others
  ] = drawn;
  const height = (text: string) => text.split('\n').length;
  return others.reduce((best, one) => (height(one) < height(best) ? one : best), widest);
}

/** A row; `width` is that of the first column, which may be longer. */
function row(left: string, right: string, width: number, length: number): string {
  const indent = ' '.repeat(width + 4);
  const [first = '', ...more] = lines(right, length - indent.length);
  const rest = more.map((line) => `\n${indent}${line}`).join('');
  if (left.length > width) {
    return first === '' ? `  ${left}\n` : `  ${left}\n${indent}${first}${rest}\n`;
  }
  return `${`  ${left.padEnd(width)}  ${first}`.trimEnd()}${rest}\n`;
}

/** A paragraph. */
export function wrapped(text: string): string {
  return lines(text, lineLength).join('\n');
}

function lines(text: string, width: number): readonly string[] {
  return folded(text.trim().replaceAll(/\s+/g, ' '), width, width);
}

/** What a terminal shows in one line of a page: never more than is easy to read. */
export function helpWidth(stdout: { readonly isTTY?: boolean; readonly columns?: number }): number {
  return stdout.isTTY === true ? Math.min(lineLength, stdout.columns || lineLength) : lineLength;
}

/** A row of two columns, and where the second begins. */
const twoColumns = /^( {2,}\S+(?: \S+)* {2,})(\S.*)$/;

/**
 * A page with no line longer than `width`: paragraphs and rows are broken anew, and commands so that
 * a shell still understands them.
 */
export function fitted(page: string, width: number): string {
  if (page.split('\n').every((line) => line.length <= width)) return page;
  return joined(page.split('\n'))
    .flatMap((line) => (line.length <= width ? [line] : broken(line, width)))
    .join('\n');
}

/** The lines as they were before somebody broke them. */
function joined(all: readonly string[]): readonly string[] {
  const whole: string[] = [];
  // Where the text of the line before goes on, and how long that line was.
  let column = 0;
  let length = 0;
  for (const line of all) {
    const indent = line.length - line.trimStart().length;
    const [first = ''] = line.trimStart().split(' ', 1);
    const isLong = length + 1 + first.length > lineLength - 8;
    const goesOn = line !== '' && indent === column && (column > 0 || isLong) && length > 0;
    if (goesOn) whole.push(`${whole.pop()} ${line.trim()}`);
    else {
      whole.push(line);
      column = twoColumns.exec(line)?.[1]?.length ?? (indent === 0 ? 0 : -1);
    }
    length = line.length;
  }
  return whole;
}

function broken(line: string, width: number): readonly string[] {
  const [, left = '', right = ''] = twoColumns.exec(line) ?? [];
  const isCommand =
    left === ''
      ? /^ {2}(?:\S.* )?(?:[\w=]*"?\$\()?vmctl /.test(line)
      : /^ {2}(?:eval "\$\()?vmctl /.test(line);
  if (isCommand) return command(line, width);
  if (left !== '') {
    const own = left.length - left.trimStart().length;
    const column = left.length <= width / 2 ? left.length - 4 : own;
    return row(left.slice(2).trimEnd(), right, column, width).trimEnd().split('\n');
  }
  const indent = ' '.repeat(line.length - line.trimStart().length);
  const [first = '', ...more] = lines(line, width - indent.length);
  const hang = indent === '' ? '' : `${indent}  `;
  const rest = more
    .flatMap((text) => lines(text, width - hang.length))
    .flatMap((text) => inPaths(text, width - hang.length));
  return [`${indent}${first}`, ...rest.map((text) => `${hang}${text}`)];
}

/** The path of a request in several lines, broken between its words. */
function inPaths(text: string, width: number): readonly string[] {
  if (!text.startsWith('/') || text.length <= width) return [text];
  return text.match(new RegExp(`.{1,${width}}(?=/|$)|.+`, 'g')) ?? [text];
}

/** A command in several lines, broken between its words. */
function command(line: string, width: number): readonly string[] {
  const [, text = '', comment] = /^(.*?)(?: +# (.*))?$/.exec(line.trim()) ?? [];
  // A comment cannot go on behind the end of its line.
  if (comment !== undefined) {
    const above = lines(comment, width - 4).map((part) => `  # ${part}`);
    return [...above, ...command(`  ${text}`, width)];
  }
  // What a shell replaces by the output of a command is broken as any other command.
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
