/** Cause of failed background work, in words for the users that get to see its event. */
import { FormatError } from '../../formats/format-error.ts';
import { Qcow2Error } from '../../formats/qcow2-header.ts';
import { knownCauseOf } from '../files/access.ts';
import { systemError } from '../files/system-error.ts';
import { StoreError } from '../store/store.ts';

/** An image file that was written and is missing or shorter than it was. The message names its path. */
export class ImageLost extends StoreError {}

/**
 * The cause as the end of a sentence, without a full stop; undefined for errors whose messages are for the
 * log alone, because they may name paths of the server.
 */
export function failureCause(error: unknown): string | undefined {
  if (error instanceof Qcow2Error) return `cannot use the image: ${error.message}`;
  if (error instanceof FormatError) return error.message.replace(/\.$/, '');
  if (error instanceof ImageLost) return 'the image is missing or shorter than before';
  return systemCause(error) ?? systemCause(systemError(error).cause);
}

function systemCause(error: unknown): string | undefined {
  const { code } = systemError(error);
  return code === undefined ? undefined : (knownCauseOf(error) ?? `system error ${code}`);
}

/** Whether an image could not be written because the file system has no files of that size. */
export function isFileTooLarge(error: unknown): boolean {
  return systemError(systemError(error).cause).code === 'EFBIG';
}
