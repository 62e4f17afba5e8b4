/**
 * Display width of texts in terminal columns.
 * As exact as `string-width`, which would load emoji tables at start-up; the character classes of
 * `RegExp` are part of V8.
 */

const plain = /^[\x20-\x7e]*$/;

/** Built for the first text outside ASCII: such classes take long to build. */
let classes: { readonly wide: RegExp; readonly invisible: RegExp } | undefined;

const wideBlocks =
  '\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf' +
  '\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}';

function getClasses(): { readonly wide: RegExp; readonly invisible: RegExp } {
  classes ??= {
    wide: new RegExp(`\\p{Emoji_Presentation}|[${wideBlocks}]`, 'u'),
    invisible: /^[\p{Mark}\p{Default_Ignorable_Code_Point}]+$/u,
  };
  return classes;
}

let segmenter: Intl.Segmenter | undefined;

function splitGraphemes(text: string): readonly string[] {
  segmenter ??= new Intl.Segmenter();
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

function getGraphemeWidth(grapheme: string): number {
  const { wide, invisible } = getClasses();
  if (invisible.test(grapheme)) return 0;
  // This variation selector turns a character into an emoji.
  return wide.test(grapheme) || grapheme.includes('\ufe0f') ? 2 : 1;
}

/** Returns the number of columns of a text. */
export function getDisplayWidth(text: string): number {
  if (plain.test(text)) return text.length;
  return splitGraphemes(text).reduce((sum, grapheme) => sum + getGraphemeWidth(grapheme), 0);
}

/** Returns the mark of a truncated text: ASCII unless the terminal supports UTF-8. */
export function getEllipsis(env: Readonly<Record<string, string | undefined>>): string {
  return supportsUtf8(env) ? '…' : '...';
}

/** Whether the terminal supports UTF-8, by its locale. */
export function supportsUtf8(env: Readonly<Record<string, string | undefined>>): boolean {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || '';
  const isUtf8 = /utf-?8/i.test(locale) || (locale === '' && process.platform === 'win32');
  return isUtf8 && env['TERM'] !== 'dumb';
}

/**
 * Truncates a text to `width` columns, at its end or in its middle; the latter keeps the
 * distinctive end of long names. `mark` replaces the removed part.
 */
export function truncate(
  text: string,
  width: number,
  cut: 'end' | 'middle' = 'end',
  mark = '…',
): string {
  if (getDisplayWidth(text) <= width) return text;
  const room = Math.max(0, width - getDisplayWidth(mark));
  const all = splitGraphemes(text);
  const tail = cut === 'end' ? '' : takeGraphemes([...all].reverse(), room >> 1, true);
  return `${takeGraphemes(all, room - getDisplayWidth(tail))}${mark}${tail}`;
}

/**
 * Returns the graphemes that fit into `room` columns, in order. `fromEnd`: the graphemes are in
 * reverse order.
 */
function takeGraphemes(all: readonly string[], room: number, fromEnd = false): string {
  let text = '';
  let used = 0;
  for (const grapheme of all) {
    used += getGraphemeWidth(grapheme);
    if (used > room) break;
    text = fromEnd ? grapheme + text : text + grapheme;
  }
  return text;
}

/** Wraps a text between words. Longer words exceed the line. */
export function wrapText(text: string, first: number, others: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    const room = lines.length === 0 ? first : others;
    if (line !== '' && getDisplayWidth(longer) > room) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line];
}
