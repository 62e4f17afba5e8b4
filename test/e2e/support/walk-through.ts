/** Changes of source files in CONTRIBUTING.md: code blocks, and their application. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** One block: a complete new file, or parts of a file with removed and added lines. */
export interface Change {
  readonly file: string;
  readonly form: 'ts' | 'diff';
  readonly text: string;
}

/** Blocks of each `###` section below a heading of a page that name a file, by title. */
export function readChanges(page: string, heading: string): ReadonlyMap<string, readonly Change[]> {
  const [, section = ''] = page.split(`\n## ${heading}\n`);
  const [own = ''] = section.split('\n## ');
  const steps = own.split('\n### ').slice(1);
  return new Map(
    steps.map((step) => {
      const title = step.slice(0, step.indexOf('\n'));
      const blocks = step.matchAll(/^```(ts|diff) (\S+)\n(.*?)^```$/gms);
      return [
        title,
        [...blocks].map(([, form, file = '', text = '']) => ({
          form: form as Change['form'],
          file,
          text,
        })),
      ];
    }),
  );
}

/**
 * Applies a change below a folder, unless its files have it already, because contributors run these
 * tests as well. Throws unless the lines before a change occur exactly once.
 */
export function apply(folder: string, { file, form, text }: Change): void {
  const path = join(folder, file);
  mkdirSync(dirname(path), { recursive: true });
  if (form === 'ts') {
    if (!existsSync(path)) writeFileSync(path, text);
    return;
  }
  writeFileSync(path, replaceParts(readFileSync(path, 'utf8'), { file, text }));
}

/** Text of a file after a change, with the conditions of `apply`. */
export function replaceParts(source: string, { file, text }: Omit<Change, 'form'>): string {
  let whole = source;
  for (const part of text.split(/^@@.*\n/m)) {
    const lines = part.split('\n').slice(0, -1);
    const side = (other: string) =>
      lines
        .filter((line) => !line.startsWith(other))
        .map((line) => `${line.slice(1)}\n`)
        .join('');
    const [before, after] = [side('+'), side('-')];
    if (whole.includes(after)) continue;
    const found = whole.split(before).length - 1;
    if (found !== 1) throw new Error(`${file} has ${found} times:\n${before}`);
    // The replacement may contain `$`.
    whole = whole.replace(before, () => after);
  }
  return whole;
}
