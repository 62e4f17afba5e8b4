/** Upload of a boot image to a new disk. */
import { basename } from 'node:path';
import type { Client } from '../../../../client/client.ts';
import type { Resource } from '../../../../model/resource.ts';
import { TransferAborted, type TransferEvent, upload } from '../../../../transfer/index.ts';
import type { Progress } from '../../../output/progress.ts';
import type { CommandContext } from '../../../session/command-context.ts';
import { formatCommandLine } from '../../../session/command-line.ts';
import { explainFailure } from '../../disks/transfer-failure.ts';
import { createTransferOptions } from '../../disks/transfer-options.ts';
import { TransferProgress } from '../../disks/transfer-progress.ts';
import { createPlacement, openImage } from '../../disks/upload.ts';

export interface ImageUpload {
  readonly file: string;
  /** Storage domain from the service. */
  readonly domain: Resource<'storage_domain'>;
  /** Name of the new disk. */
  readonly name: string;
  readonly verify: boolean;
  /** Whether an interrupted upload is removed. */
  readonly discardPartial: boolean;
  /** Progress line for the upload, in place of a progress bar. */
  readonly progressLine?: { readonly progress: Progress; readonly label: string };
  /** Called after a failure with the remaining disk and its resumable transfer. */
  readonly onRemaining: (disk: string, transfer?: string) => void;
}

/**
 * Uploads an image to a new disk, and returns the disk. An error names remaining objects and the
 * command that resumes.
 */
export async function uploadImage(
  cli: CommandContext,
  client: Client,
  { file, domain, name, verify, discardPartial, progressLine, onRemaining }: ImageUpload,
): Promise<Resource<'disk'>> {
  const source = await openImage(cli, file, { keepCompressed: false });
  const bar = new TransferProgress(cli, basename(source.path));
  const onEvent = cli.dryRunMode
    ? () => undefined
    : progressLine
      ? createPercentReporter(progressLine.progress, progressLine.label)
      : (event: TransferEvent) => bar.show(event);
  try {
    return await upload({
      ...(await createTransferOptions(cli, client, { verify }, bar)),
      ...{ onEvent, source, discardPartial },
      into: { add: { name, preallocated: false, ...createPlacement(domain) } },
    });
  } catch (error) {
    if (error instanceof TransferAborted) {
      const { disk, transfer, resumable, diskRemoved } = error.remainder;
      if (disk !== undefined && diskRemoved !== true) {
        onRemaining(disk, resumable ? transfer : undefined);
      }
    }
    bar.clear();
    throw explainFailure(cli, error, ({ disk = '' }) =>
      formatCommandLine(cli, ['disks', 'upload', file, '--disk', disk, '--resume']),
    );
  } finally {
    bar.clear();
    await source.close();
  }
}

/**
 * Creates a reporter of upload progress for the line of a VM: each phase, and each 10 % of the
 * bytes.
 */
function createPercentReporter(progress: Progress, label: string): (event: TransferEvent) => void {
  let last = '';
  return ({ phase, transferred, skipped, total }) => {
    const share = total > 0 ? Math.min(1, (transferred + skipped) / total) : 0;
    const tenth = Math.floor(share * 10) * 10;
    const text = phase === 'copying' && total > 0 ? `image ${tenth} %` : `image ${phase}`;
    if (text !== last) progress.show(label, text);
    last = text;
  };
}
