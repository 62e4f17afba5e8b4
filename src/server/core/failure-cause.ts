/** Causes of failed background work, as its events show them to users. */
import { FormatError } from '../../formats/format-error.ts';
import { Qcow2Error } from '../../formats/qcow2-header.ts';
import { findKnownCause } from '../files/access.ts';
import { systemError } from '../files/system-error.ts';
import { StoreError } from '../store/store.ts';
import { HypervisorError } from './hypervisor.ts';

/** A written image file that is missing or truncated. The message contains its path. */
export class ImageLost extends StoreError {}

/**
 * The cause as the end of a sentence, without a full stop. Undefined for errors whose messages may
 * contain server paths: these are for the log only.
 */
export function describeFailure(error: unknown): string | undefined {
  if (error instanceof Qcow2Error) return `cannot use the image: ${error.message}`;
  if (error instanceof FormatError || error instanceof HypervisorError)
    return error.message.replace(/\.$/, '');
  if (error instanceof ImageLost) return 'the image is missing or shorter than before';
  return systemCause(error) ?? systemCause(systemError(error).cause);
}

function systemCause(error: unknown): string | undefined {
  const { code } = systemError(error);
  return code === undefined ? undefined : (findKnownCause(error) ?? `system error ${code}`);
}

/** Whether the file system cannot store a file of the size of the image. */
export function isFileTooLarge(error: unknown): boolean {
  return systemError(systemError(error).cause).code === 'EFBIG';
}
