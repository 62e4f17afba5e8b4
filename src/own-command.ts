/** Command line that starts vmctl again, for background processes. */
import { fileURLToPath } from 'node:url';
import { builtFile } from './built-file.ts';

/** Program, and its arguments before those of the command. */
export interface OwnCommand {
  readonly file: string;
  readonly words: readonly string[];
}

/** Node with the entry of the package, or the self-contained executable. */
export function ownCommand(): OwnCommand {
  if (process.getBuiltinModule('node:sea').isSea()) return { file: process.execPath, words: [] };
  const entry = fileURLToPath(new URL('../bin/vmctl.js', builtFile('main.cjs')));
  return { file: process.execPath, words: [entry] };
}
