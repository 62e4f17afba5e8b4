/**
 * Columns of a terminal that a text takes. (As exact as `string-width`, which would load tables of
 * emoji at start-up; the classes of `RegExp` are in V8.)
 */

const plain = /^[\x20-\x7e]*$/;

/** Built when a text is not plain ASCII: such classes take a while to build. */
let classes: { readonly wide: RegExp; readonly invisible: RegExp } | undefined;

const wideBlocks =
  '\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf' +
  '\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}';

function classOf(): { readonly wide: RegExp; readonly invisible: RegExp } {
  classes ??= {
    wide: new RegExp(`\\p{Emoji_Presentation}|[${wideBlocks}]`, 'u'),
    invisible: /^[\p{Mark}\p{Default_Ignorable_Code_Point}]+$/u,
  };
  return classes;
}

let segmenter: Intl.Segmenter | undefined;

function graphemes(text: string): readonly string[] {
  segmenter ??= new Intl.Segmenter();
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

function graphemeWidth(grapheme: string): number {
  const { wide, invisible } = classOf();
  if (invisible.test(grapheme)) return 0;
  // Followed by this, a sign is drawn as an emoji.
  return wide.test(grapheme) || grapheme.includes('\ufe0f') ? 2 : 1;
}

/** The columns that a text takes. */
export function displayWidth(text: string): number {
  if (plain.test(text)) return text.length;
  return graphemes(text).reduce((sum, grapheme) => sum + graphemeWidth(grapheme), 0);
}

/** The mark of a cut: in plain ASCII where the terminal is not known to understand UTF-8. */
export function ellipsis(env: Readonly<Record<string, string | undefined>>): string {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || '';
  const isUtf8 = /utf-?8/i.test(locale) || (locale === '' && process.platform === 'win32');
  return isUtf8 && env['TERM'] !== 'dumb' ? '…' : '...';
}

/**
 * The text, cut so that it takes no more columns: its end, or its middle, which leaves what tells long
 * names apart. A mark says that it was cut.
 */
export function truncated(
  text: string,
  width: number,
  cut: 'end' | 'middle' = 'end',
  mark = '…',
): string {
  if (displayWidth(text) <= width) return text;
  const room = Math.max(0, width - displayWidth(mark));
  const all = graphemes(text);
  const tail = cut === 'end' ? '' : taken([...all].reverse(), room >> 1, true);
  return `${taken(all, room - displayWidth(tail))}${mark}${tail}`;
}

/** So many of the graphemes as have room, in their order; `fromEnd` tells that they come backwards. */
function taken(all: readonly string[], room: number, fromEnd = false): string {
  let text = '';
  let used = 0;
  for (const grapheme of all) {
    used += graphemeWidth(grapheme);
    if (used > room) break;
    text = fromEnd ? grapheme + text : text + grapheme;
  }
  return text;
}

/** A text in lines, between its words; what has no blanks goes on in the next line of the terminal. */
export function folded(text: string, first: number, others: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    const room = lines.length === 0 ? first : others;
    if (line !== '' && displayWidth(longer) > room) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line];
}
