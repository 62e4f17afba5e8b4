/** Layout of help: two columns, lines of readable length. */

const lineLength = 96;
const longest = 34;

/** Rows of two columns; a long first column gets a line of its own. */
export function aligned(rows: readonly (readonly [string, string])[]): string {
  const widths = rows.map(([left]) => left.length).filter((width) => width <= longest);
  const width = Math.max(0, ...widths);
  return rows
    .map(([left, right]) => {
      const indent = ' '.repeat(width + 4);
      const lines = fold(right, lineLength - indent.length);
      const first = lines.shift() ?? '';
      const rest = lines.map((line) => `\n${indent}${line}`).join('');
      if (left.length > width) {
        return first === '' ? `  ${left}\n` : `  ${left}\n${indent}${first}${rest}\n`;
      }
      return `${`  ${left.padEnd(width)}  ${first}`.trimEnd()}${rest}\n`;
    })
    .join('');
}

/** A paragraph. */
export function wrapped(text: string): string {
  return fold(text, lineLength).join('\n');
}

function fold(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/)) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  if (line !== '') lines.push(line);
  return lines;
}
