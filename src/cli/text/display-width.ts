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
  return wide.test(grapheme) ? 2 : 1;
}

/** The columns that a text takes. */
export function displayWidth(text: string): number {
  if (plain.test(text)) return text.length;
  return graphemes(text).reduce((sum, grapheme) => sum + graphemeWidth(grapheme), 0);
}

/** The text, cut so that it takes no more columns; an ellipsis says that it was cut. */
export function truncated(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let taken = '';
  let used = 0;
  for (const grapheme of graphemes(text)) {
    used += graphemeWidth(grapheme);
    if (used > width - 1) break;
    taken += grapheme;
  }
  return `${taken}…`;
}
