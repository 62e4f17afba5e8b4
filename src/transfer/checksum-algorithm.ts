/** Choice of the hash algorithm that a transfer is verified with. */
import { FAST_ALGORITHM } from '../hash/algorithms.ts';
import type { Capabilities, RemoteImage } from './remote-image.ts';

/** Algorithms that images are verified with: one that every daemon knows, and a faster one. */
export type Algorithm = 'sha256' | typeof FAST_ALGORITHM;

/** That of backups, whose checksums are written down beside their files for years: every daemon has it. */
export const BACKUP_ALGORITHM: Algorithm = 'sha256';

/** Bytes of a digest. */
export const digestLengths: Readonly<Record<Algorithm, number>> = {
  sha256: 32,
  [FAST_ALGORITHM]: 16,
};

/**
 * The fastest algorithm of those that a daemon has: XXH128 hashes three times as many bytes in a second as
 * SHA-256 with instructions of the processor, and more without.
 */
export function fastestOf(offered: ReadonlySet<string>): Algorithm {
  return offered.has(FAST_ALGORITHM) ? FAST_ALGORITHM : 'sha256';
}

/** Whether a name is that of an algorithm that images are verified with. */
export function isAlgorithm(name: unknown): name is Algorithm {
  return typeof name === 'string' && Object.hasOwn(digestLengths, name);
}

/** The fastest algorithm for checksums that the daemon has as well; it is asked where that matters. */
export async function fastestAlgorithm(
  image: RemoteImage,
  { features }: Capabilities,
): Promise<Algorithm> {
  if (!features.has('checksum')) return 'sha256';
  return fastestOf(await image.algorithms());
}
