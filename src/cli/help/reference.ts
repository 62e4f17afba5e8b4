/**
 * `vmctl __reference FOLDER`: the manual pages and the reference of all commands, made from the
 * commands themselves; `npm run reference` writes `man/` and `docs/commands/` anew.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { NounModules } from '../args/command.ts';
import { manifestOfAll } from './command-manifest.ts';
import { manualPages } from './man.ts';
import { markdownPages } from './markdown.ts';

/** Writes all pages below a folder, and removes those of commands that are gone. */
export async function writeReference(folder: string, modules: NounModules): Promise<number> {
  const nouns = await manifestOfAll(modules);
  for (const directory of ['man', 'docs/commands']) {
    rmSync(join(folder, directory), { recursive: true, force: true });
  }
  for (const [path, text] of [...manualPages(nouns), ...markdownPages(nouns)]) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return 0;
}
