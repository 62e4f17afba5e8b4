/** Files that an option names, and that are there as a whole or not at all. */
import { UsageError } from '../../client/errors.ts';
import { replaceFile } from './private-file.ts';

/** Writes the file in one step. Throws a usage error where it cannot be written. */
export function writeOptionFile(
  option: string,
  path: string,
  content: string | Uint8Array,
  mode?: number,
): void {
  try {
    replaceFile(path, content, mode);
  } catch (error) {
    // The rest of the message names a file that nobody knows.
    const [reason = ''] = (error as Error).message.split(',');
    throw new UsageError(`${option} ${path} cannot be written: ${reason}`, {
      code: 'unwritable_file',
      cause: error,
    });
  }
}

/** Tells whoever started a server where it is, once it answers. */
export function writeReadyFile(path: string, ready: object, mode?: number): void {
  writeOptionFile('--ready-file', path, `${JSON.stringify(ready, null, 2)}\n`, mode);
}
