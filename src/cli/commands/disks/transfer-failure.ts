/** Errors of transfers: what is left of one that failed, and the command that resumes it. */
import { VmctlError } from '../../../client/errors.ts';
import { Held } from '../../../client/held.ts';
import { type Leftover, Stopped } from '../../../transfer/index.ts';
import type { CommandContext } from '../../session/command-context.ts';

/**
 * The error to throw for what stopped a transfer: the cause itself, which decides about the exit
 * code, with a hint that says what is left and which command goes on.
 */
export function explained(
  cli: CommandContext,
  error: unknown,
  run: (left: Leftover) => string,
): unknown {
  if (!(error instanceof Stopped)) return error;
  const { cause, left } = error;
  // Nothing was begun: the first request was only to be shown.
  if (cause instanceof Held) return cause;
  const command = left.resumable ? run(left) : undefined;
  const again = 'what was sent cannot be read again: run the whole command once more';
  const state = left.onlyOnce ? `${stateOf(left)}; ${again}` : stateOf(left);
  if (!(cause instanceof VmctlError)) {
    cli.warn(command === undefined ? state : `${state}; ${command} goes on with it`);
    return cause;
  }
  const hints = [
    ...(cause.hint === undefined ? [] : [cause.hint]),
    state,
    ...(command === undefined ? [] : [`go on with: ${command}`]),
  ];
  // The reason of a signal is what gets reported in the end, so it is told here how to go on.
  return Object.assign(cause, {
    hint: hints.join('; '),
    ...(command === undefined ? {} : { next: [command] }),
  });
}

function stateOf(left: Leftover): string {
  const { resumable, disk, transfer, paused, diskRemoved, diskSpoilt, deviceSpoilt, partial } =
    left;
  if (partial !== undefined) {
    return resumable
      ? `what was fetched is kept in ${partial}`
      : `what was fetched could not be removed: ${partial}`;
  }
  if (resumable) {
    return paused
      ? `the upload to disks/${disk} is paused (transfer ${transfer})`
      : `the upload to disks/${disk} can go on later; the service pauses transfer ${transfer} by itself`;
  }
  const over = left.untold
    ? `the service could not be told that transfer ${transfer} is over, and ends it by itself after a while`
    : 'the transfer was cancelled';
  if (diskRemoved === true) return `${over} and the new disk removed`;
  if (diskRemoved === false) {
    return `${over}, but the new disk is left: vmctl disks delete ${disk}`;
  }
  if (diskSpoilt) {
    return `${over}; disks/${disk} holds a part of the image and can only be uploaded to`;
  }
  if (deviceSpoilt !== undefined) return `${over}; ${deviceSpoilt} holds a part of the image`;
  return left.untold ? over : `${over}, and nothing of it is kept`;
}
