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
  const again = 'the source cannot be read again: run the command again';
  const state = remainder.notRepeatable ? `${stateOf(remainder)}; ${again}` : stateOf(remainder);
  if (!(cause instanceof VmctlError)) {
    cli.warn(command === undefined ? state : `${state}; resume with ${command}`);
    return cause;
  }
  const hints = [
    ...(cause.hint === undefined ? [] : [cause.hint]),
    state,
    ...(command === undefined ? [] : [`resume with ${command}`]),
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
      ? `downloaded data remains in ${partial}`
      : `cannot remove the downloaded data in ${partial}`;
  }
  if (resumable) {
    return paused
      ? `the upload to disks/${disk} is paused (transfer ${transfer})`
      : `the upload to disks/${disk} can be resumed; the service pauses transfer ${transfer} automatically`;
  }
  const over = left.notNotified
    ? `cannot cancel transfer ${transfer}; the service cancels it after a timeout`
    : 'the transfer was cancelled';
  if (diskRemoved === true) return `${over} and the new disk deleted`;
  if (diskRemoved === false) {
    return `${over}, but the new disk remains: vmctl disks delete ${disk}`;
  }
  if (diskCorrupted) {
    return `${over}; disks/${disk} has a part of the image and is only valid as an upload target`;
  }
  if (deviceCorrupted !== undefined) return `${over}; ${deviceCorrupted} has a part of the image`;
  return left.notNotified ? over : `${over}, and its data was removed`;
}
