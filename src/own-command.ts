/** How vmctl starts itself again: for work in the background. */
import { fileURLToPath } from 'node:url';
import { builtFile } from './built-file.ts';

/** A program and the words that come before those of the command. */
export interface OwnCommand {
  readonly file: string;
  readonly words: readonly string[];
}

/** Node and the entry of the package; the one executable where vmctl is such a file. */
export function ownCommand(): OwnCommand {
  if (process.getBuiltinModule('node:sea').isSea()) return { file: process.execPath, words: [] };
  const entry = fileURLToPath(new URL('../bin/vmctl.js', builtFile('main.cjs')));
  return { file: process.execPath, words: [entry] };
}
