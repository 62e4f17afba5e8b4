/** Verification of transferred images by the checksums of both sides. */
import { VmctlError } from '../client/errors.ts';
import { BLOCK, blockCount, blockRange } from './blocks.ts';
import { checksumQuery } from './checksum.ts';
import type { Algorithm } from './checksum-algorithm.ts';
import type { Journal } from './journal.ts';
import type { ProgressReporter, TransferOptions } from './progress.ts';
import type { Capabilities, RemoteImage } from './remote-image.ts';
import type { Source } from './source.ts';

/** An image that was moved, and what is known about it. */
export interface MovedImage {
  readonly image: RemoteImage;
  readonly capabilities: Capabilities;
  readonly journal: Journal;
}

/**
 * Compares what the daemon stored with what was read from the source. Returns whether that was
 * possible; throws when both differ.
 */
export async function verifyUpload(
  { image, capabilities: { features }, journal }: MovedImage,
  source: Source,
): Promise<boolean> {
  const { algorithm } = journal.hashes;
  const theirs = features.has('checksum')
    ? await image.checksum(checksumQuery(algorithm))
    : undefined;
  if (theirs === undefined) return false;
  const size = features.has('extents') ? (await image.extents()).size : journal.header.size;
  const ours = await imageChecksum(journal, source, size);
  if (ours === theirs) return true;
  throw new VmctlError(
    `the stored image differs from ${source.path}: checksum (${algorithm}) ${theirs} instead of ${ours}`,
    { code: 'checksum_mismatch', hint: 'upload it again; if the error repeats, check the storage' },
  );
}

/** The checksum of an image that is being fetched; nothing when the daemon makes none. */
export type PendingChecksum = Promise<string | undefined>;

/**
 * Asks for the checksum of an image while its bytes come: reading is cheapest while both want the
 * same, and nobody has to wait for it in the end. A failure is reported to whoever awaits it.
 */
export function requestChecksum(
  image: RemoteImage,
  { features }: Capabilities,
  algorithm: Algorithm,
): PendingChecksum {
  const pending = features.has('checksum')
    ? image.checksum(checksumQuery(algorithm))
    : Promise.resolve(undefined);
  pending.catch(() => undefined);
  return pending;
}

/**
 * Compares what was downloaded with the checksum that was requested; `undefined` when none was.
 * Returns whether that was possible, and notes `unverified` where the daemon makes no checksums;
 * throws when both differ.
 */
export async function verifyDownload(
  journal: Journal,
  requested: PendingChecksum | undefined,
  options: Pick<TransferOptions, 'onNote'>,
  progress: ProgressReporter,
  unverified: string,
): Promise<boolean> {
  if (!requested) return false;
  progress.enterPhase('verifying');
  const { size } = journal.header;
  const { hashes } = journal;
  const ours = await hashes.checksum(size, (block) => blockRange(block, size));
  const { algorithm } = hashes;
  return await confirmChecksum({ ours, algorithm }, requested, options, unverified);
}

/**
 * Compares the checksum of a file with the one that was requested. Returns whether that was possible,
 * and notes `unverified` where the daemon makes no checksums; throws when both differ.
 */
export async function confirmChecksum(
  { ours, algorithm }: { readonly ours: string; readonly algorithm: Algorithm },
  requested: PendingChecksum,
  { onNote }: Pick<TransferOptions, 'onNote'>,
  unverified: string,
): Promise<boolean> {
  const theirs = await requested;
  if (theirs === undefined) {
    onNote?.(`the image daemon does not support checksums: ${unverified}`);
    return false;
  }
  if (ours === theirs) return true;
  throw new VmctlError(
    `the file differs from the stored image: checksum (${algorithm}) ${ours} instead of ${theirs}`,
    { code: 'checksum_mismatch', hint: 'download it again' },
  );
}

/** The checksum of the source as an image of `size` bytes, from the hashes made while sending. */
async function imageChecksum(journal: Journal, source: Source, size: number): Promise<string> {
  const planned = journal.header.size;
  if (size !== planned) {
    // The block in which the shorter of both ends was hashed with another length.
    const block = Math.floor(Math.min(size, planned) / BLOCK);
    if (block < blockCount(size)) {
      const range = blockRange(block, size);
      const bytes = Buffer.alloc(range.end - range.start);
      await source.read(range, bytes);
      journal.hashes.set(block, await journal.hashes.hash(bytes));
    }
  }
  return await journal.hashes.checksum(size, (block) => blockRange(block, size));
}
