/** Choice of the hash algorithm for verification. */
import { FAST_ALGORITHM } from '../hash/algorithms.ts';
import type { Capabilities, RemoteImage } from './remote-image.ts';

/** Hash algorithms for images: one that every daemon supports, and a faster one. */
export type Algorithm = 'sha256' | typeof FAST_ALGORITHM;

/**
 * Algorithm of backups. Every daemon supports it, because checksums are stored next to backups for
 * years.
 */
export const BACKUP_ALGORITHM: Algorithm = 'sha256';

/** Bytes of a digest. */
export const digestLengths: Readonly<Record<Algorithm, number>> = {
  sha256: 32,
  [FAST_ALGORITHM]: 16,
};

/**
 * Fastest supported algorithm. XXH128 is at least three times as fast as SHA-256 with processor
 * instructions.
 */
export function selectFastest(offered: ReadonlySet<string>): Algorithm {
  return offered.has(FAST_ALGORITHM) ? FAST_ALGORITHM : 'sha256';
}

/** Whether a name is a supported algorithm. */
export function isAlgorithm(name: unknown): name is Algorithm {
  return typeof name === 'string' && Object.hasOwn(digestLengths, name);
}

/** Fastest algorithm that the daemon supports. Queries the daemon if necessary. */
export async function fastestAlgorithm(
  image: RemoteImage,
  { features }: Capabilities,
): Promise<Algorithm> {
  if (!features.has('checksum')) return 'sha256';
  return selectFastest(await image.algorithms());
}
