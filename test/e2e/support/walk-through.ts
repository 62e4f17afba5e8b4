/** Changes to the tree as CONTRIBUTING.md shows them: blocks of code, and how they are applied. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** One block: a whole new file, or parts of a file with the lines that go and come. */
export interface Change {
  readonly file: string;
  readonly form: 'ts' | 'diff';
  readonly text: string;
}

/** The blocks of each `###` below a heading of a page that name a file, by title. */
export function changesOf(page: string, heading: string): ReadonlyMap<string, readonly Change[]> {
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
 * Makes a change below a folder, unless its files have it: whoever followed the page runs these tests,
 * too. Throws if the lines before a change are not there exactly once.
 */
export function apply(folder: string, { file, form, text }: Change): void {
  const path = join(folder, file);
  mkdirSync(dirname(path), { recursive: true });
  if (form === 'ts') {
    if (!existsSync(path)) writeFileSync(path, text);
    return;
  }
  let whole = readFileSync(path, 'utf8');
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
    // What replaces it may hold `$`.
    whole = whole.replace(before, () => after);
  }
  writeFileSync(path, whole);
}
