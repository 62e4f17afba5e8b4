/** Line editor of the full screen. */
import type { KeyPress } from './screen/screen-view.ts';

export interface InputLine {
  readonly text: string;
  /** Offset in UTF-16 code units. */
  readonly cursor: number;
}

/** A line with the cursor at its end. */
export function createInputLine(text: string): InputLine {
  return { text, cursor: text.length };
}

/** The line after a key; unchanged if the key has no meaning in the editor. */
export function editLine(line: InputLine, { name, text: typed }: KeyPress): InputLine {
  const { text, cursor } = line;
  const before = text.slice(0, cursor);
  const after = text.slice(cursor);
  if (typed !== undefined) {
    // Pasted text may contain line ends and other control characters.
    const clean = typed.replaceAll(/[\p{Cc}\p{Cf}]+/gu, ' ');
    return { text: before + clean + after, cursor: cursor + clean.length };
  }
  switch (name) {
    case 'backspace': {
      const left = removeLast(before);
      return { text: left + after, cursor: left.length };
    }
    case 'delete':
      return { text: before + removeFirst(after), cursor };
    case 'left':
      return { text, cursor: removeLast(before).length };
    case 'right':
      return { text, cursor: text.length - removeFirst(after).length };
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

/** Removes the last code point, which may have two UTF-16 code units. */
function removeLast(text: string): string {
  return [...text].slice(0, -1).join('');
}

function removeFirst(text: string): string {
  return [...text].slice(1).join('');
}

/** Longest common prefix of the words that start with `text`; at least `text` itself. */
export function completeWord(text: string, words: readonly string[]): string {
  const fit = words.filter((word) => word.startsWith(text));
  const [first = text] = fit;
  let length = first.length;
  while (!fit.every((word) => word.startsWith(first.slice(0, length)))) length -= 1;
  return first.slice(0, Math.max(length, text.length));
}
