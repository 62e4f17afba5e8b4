/** Errors of transfers: the remaining data, and the command that resumes. */

import { DryRunStop } from '../../../client/dry-run.ts';
import { VmctlError } from '../../../client/errors.ts';
import { TransferAborted, type TransferRemainder } from '../../../transfer/index.ts';
import type { CommandContext } from '../../session/command-context.ts';

/**
 * Returns the error for a failed transfer: its cause, which determines the exit code, with a hint
 * about the remaining data and the command that resumes. `run` formats that command.
 */
export function explainFailure(
  cli: CommandContext,
  error: unknown,
  run: (remainder: TransferRemainder) => string,
): unknown {
  if (!(error instanceof TransferAborted)) return error;
  const { cause, remainder } = error;
  // Only the first request was printed.
  if (cause instanceof DryRunStop) return cause;
  const command = remainder.resumable ? run(remainder) : undefined;
  const again = 'the source cannot be read again: run the command again';
  const state = remainder.notRepeatable
    ? `${formatRemainder(remainder)}; ${again}`
    : formatRemainder(remainder);
  if (!(cause instanceof VmctlError)) {
    cli.warn(command === undefined ? state : `${state}; resume with ${command}`);
    return cause;
  }
  const hints = [
    ...(cause.hint === undefined ? [] : [cause.hint]),
    state,
    ...(command === undefined ? [] : [`resume with ${command}`]),
  ];
  // `main` reports the reason of a signal, so the hint is added to it.
  return Object.assign(cause, {
    hint: hints.join('; '),
    ...(command === undefined ? {} : { next: [command] }),
  });
}

function formatRemainder(left: TransferRemainder): string {
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
