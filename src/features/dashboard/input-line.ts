/** A line that is being typed on the full screen: what keys make of it. */
import type { KeyPress } from './screen/screen-view.ts';

export interface InputLine {
  readonly text: string;
  /** In UTF-16 units from the beginning. */
  readonly cursor: number;
}

/** A line with the cursor at its end. */
export function inputLine(text: string): InputLine {
  return { text, cursor: text.length };
}

/** The line after a key; the same where the key means nothing to it. */
export function edited(line: InputLine, { name, text: typed }: KeyPress): InputLine {
  const { text, cursor } = line;
  const before = text.slice(0, cursor);
  const after = text.slice(cursor);
  if (typed !== undefined) {
    // What is pasted may have the ends of lines, and worse.
    const clean = typed.replaceAll(/[\p{Cc}\p{Cf}]+/gu, ' ');
    return { text: before + clean + after, cursor: cursor + clean.length };
  }
  switch (name) {
    case 'backspace': {
      const left = withoutLast(before);
      return { text: left + after, cursor: left.length };
    }
    case 'delete':
      return { text: before + withoutFirst(after), cursor };
    case 'left':
      return { text, cursor: withoutLast(before).length };
    case 'right':
      return { text, cursor: text.length - withoutFirst(after).length };
    case 'home':
      return { text, cursor: 0 };
    case 'end':
      return { text, cursor: text.length };
    case 'clear':
      return { text: after, cursor: 0 };
    default:
      return line;
  }
}

/** A character may be two units long, and is never cut. */
function withoutLast(text: string): string {
  return [...text].slice(0, -1).join('');
}

function withoutFirst(text: string): string {
  return [...text].slice(1).join('');
}

/** The beginning that all words share, for completion; at least the text that is there. */
export function completedBy(text: string, words: readonly string[]): string {
  const fit = words.filter((word) => word.startsWith(text));
  const [first = text] = fit;
  let length = first.length;
  while (!fit.every((word) => word.startsWith(first.slice(0, length)))) length -= 1;
  return first.slice(0, Math.max(length, text.length));
}
