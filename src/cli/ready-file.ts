/** The file that tells whoever started a server where it is, once it answers. */
import { UsageError } from '../client/errors.ts';
import { replaceFile } from './session/private-file.ts';

/**
 * Writes the file in one step: whoever waits for it never reads a part. Throws a usage error where
 * it cannot be written.
 */
export function writeReadyFile(path: string, ready: object, mode?: number): void {
  try {
    replaceFile(path, `${JSON.stringify(ready, null, 2)}\n`, mode);
  } catch (error) {
    throw new UsageError(`--ready-file ${path} cannot be written: ${(error as Error).message}`);
  }
}
