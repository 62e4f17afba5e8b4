/** Verification of transferred images by checksums of both sides. */
import { VmctlError } from '../client/errors.ts';
import { BLOCK, blockCount, blockRange } from './blocks.ts';
import { checksumQuery } from './checksum.ts';
import type { Algorithm } from './checksum-algorithm.ts';
import type { Journal } from './journal.ts';
import type { ProgressReporter, TransferOptions } from './progress.ts';
import type { Capabilities, RemoteImage } from './remote-image.ts';
import type { Source } from './source.ts';

/** Transferred image with its properties. */
export interface MovedImage {
  readonly image: RemoteImage;
  readonly capabilities: Capabilities;
  readonly journal: Journal;
}

/**
 * Compares the checksum of the daemon with that of the source. Returns false if this is impossible.
 * Throws if they differ.
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

/** Checksum of an image during its download. `undefined` if the daemon does not support it. */
export type PendingChecksum = Promise<string | undefined>;

/**
 * Requests the checksum of an image during its download, when both read the same data, so that it
 * needs no additional wait. The consumer of the promise handles failures.
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
 * Compares the downloaded data with the requested checksum; `undefined` if none was requested.
 * Returns false, with the note `unverified`, if the daemon does not support checksums. Throws if
 * they differ.
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
 * Compares the checksum of a file with the requested one. Returns false, with the note
 * `unverified`, if the daemon does not support checksums. Throws if they differ.
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

/** Checksum of the source as an image of `size` bytes, from the hashes of the transfer. */
async function imageChecksum(journal: Journal, source: Source, size: number): Promise<string> {
  const planned = journal.header.size;
  if (size !== planned) {
    // Block at the shorter end, which was hashed with a different length.
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
