/** Errors of transfers: what is left of one that failed, and the command that resumes it. */

import { DryRunStop } from '../../../client/dry-run.ts';
import { VmctlError } from '../../../client/errors.ts';
import { TransferAborted, type TransferRemainder } from '../../../transfer/index.ts';
import type { CommandContext } from '../../session/command-context.ts';

/**
 * The error to throw for what stopped a transfer: the cause itself, which decides about the exit
 * code, with a hint that says what is left and which command goes on.
 */
export function explained(
  cli: CommandContext,
  error: unknown,
  run: (remainder: TransferRemainder) => string,
): unknown {
  if (!(error instanceof TransferAborted)) return error;
  const { cause, remainder } = error;
  // Nothing was begun: the first request was only to be shown.
  if (cause instanceof DryRunStop) return cause;
  const command = remainder.resumable ? run(remainder) : undefined;
  const again = 'what was sent cannot be read again: run the whole command once more';
  const state = remainder.notRepeatable ? `${stateOf(remainder)}; ${again}` : stateOf(remainder);
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

function stateOf(left: TransferRemainder): string {
  const {
    resumable,
    disk,
    transfer,
    paused,
    diskRemoved,
    diskCorrupted,
    deviceCorrupted,
    partial,
  } = left;
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
  const over = left.notNotified
    ? `the service could not be told that transfer ${transfer} is over, and ends it by itself after a while`
    : 'the transfer was cancelled';
  if (diskRemoved === true) return `${over} and the new disk removed`;
  if (diskRemoved === false) {
    return `${over}, but the new disk is left: vmctl disks delete ${disk}`;
  }
  if (diskCorrupted) {
    return `${over}; disks/${disk} holds a part of the image and can only be uploaded to`;
  }
  if (deviceCorrupted !== undefined) return `${over}; ${deviceCorrupted} holds a part of the image`;
  return left.notNotified ? over : `${over}, and nothing of it is kept`;
}
