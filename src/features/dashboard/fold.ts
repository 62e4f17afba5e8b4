/** Folding of long lines, without loss of text. */
import { getDisplayWidth, truncate, wrapText } from '../../cli/text/display-width.ts';

/** Folds a line between words, and within words that exceed the width. Keeps the indentation. */
export function foldLine(line: string, width: number): readonly string[] {
  if (getDisplayWidth(line) <= width) return [line];
  const indent = ' '.repeat(Math.min(line.length - line.trimStart().length, width >> 1));
  const room = Math.max(1, width - indent.length);
  return wrapText(line.trimStart(), room, room).flatMap((one) =>
    splitText(one, room).map((part) => indent + part),
  );
}

function splitText(text: string, width: number): readonly string[] {
  const parts: string[] = [];
  let rest = text;
  while (getDisplayWidth(rest) > width) {
    const part = truncate(rest, width, 'end', '');
    // A character can be wider than the line.
    if (part === '') break;
    parts.push(part);
    rest = rest.slice(part.length);
  }
  return [...parts, rest];
}
