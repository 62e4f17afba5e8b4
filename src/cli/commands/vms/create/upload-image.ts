/** The upload of the image that a new machine boots from, into a disk of its own. */
import { basename } from 'node:path';
import type { ApiObject, Client } from '../../../../client/client.ts';
import { TransferAborted, type TransferEvent, upload } from '../../../../transfer/index.ts';
import type { Progress } from '../../../output/progress.ts';
import type { CommandContext } from '../../../session/command-context.ts';
import { commandLine } from '../../../session/command-line.ts';
import { explained } from '../../disks/transfer-failure.ts';
import { transferOptions } from '../../disks/transfer-options.ts';
import { TransferProgress } from '../../disks/transfer-progress.ts';
import { openImage, placeOn } from '../../disks/upload.ts';

export interface ImageUpload {
  readonly file: string;
  /** The storage domain, as the service describes it. */
  readonly domain: ApiObject;
  /** Name of the new disk. */
  readonly name: string;
  readonly verify: boolean;
  /** Nothing is left of an upload that is interrupted. */
  readonly discardPartial: boolean;
  /** The line that shows how far it is, where a bar of its own has no room. */
  readonly showIn?: { readonly progress: Progress; readonly label: string };
  /** Is told of the disk that a failure leaves, and of the transfer into it that can be resumed. */
  readonly onLeft: (disk: string, transfer?: string) => void;
}

/** Uploads an image into a new disk, and returns that. An error says what is left, and how to go on. */
export async function uploadImage(
  cli: CommandContext,
  client: Client,
  { file, domain, name, verify, discardPartial, showIn, onLeft }: ImageUpload,
): Promise<ApiObject> {
  const source = await openImage(cli, file, { keepCompressed: false });
  const bar = new TransferProgress(cli, basename(source.path));
  const onEvent = cli.dryRunMode
    ? () => undefined
    : showIn
      ? percentIn(showIn.progress, showIn.label)
      : (event: TransferEvent) => bar.show(event);
  try {
    return await upload({
      ...(await transferOptions(cli, client, { verify }, bar)),
      ...{ onEvent, source, discardPartial },
      into: { add: { name, preallocated: false, ...placeOn(domain) } },
    });
  } catch (error) {
    if (error instanceof TransferAborted) {
      const { disk, transfer, resumable, diskRemoved } = error.remainder;
      if (disk !== undefined && diskRemoved !== true) {
        onLeft(disk, resumable ? transfer : undefined);
      }
    }
    bar.clear();
    throw explained(cli, error, ({ disk = '' }) =>
      commandLine(cli, ['disks', 'upload', file, '--disk', disk, '--resume']),
    );
  } finally {
    bar.clear();
    await source.close();
  }
}

/** Shows how far an upload is in the line of its machine: each phase, and each tenth of the bytes. */
function percentIn(progress: Progress, label: string): (event: TransferEvent) => void {
  let last = '';
  return ({ phase, transferred, skipped, total }) => {
    const share = total > 0 ? Math.min(1, (transferred + skipped) / total) : 0;
    const tenth = Math.floor(share * 10) * 10;
    const text = phase === 'copying' && total > 0 ? `image ${tenth} %` : `image ${phase}`;
    if (text !== last) progress.show(label, text);
    last = text;
  };
}
