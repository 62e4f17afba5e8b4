/** Choice of the hash algorithm that a transfer is verified with. */
import { readFileSync } from 'node:fs';
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

/** The fastest algorithm of those that a daemon has, for processors without instructions for SHA-256. */
export function fastestOf(offered: ReadonlySet<string>): Algorithm {
  return offered.has(FAST_ALGORITHM) ? FAST_ALGORITHM : 'sha256';
}

/**
 * Whether the processors have instructions for SHA-256, as `/proc/cpuinfo` tells it; where nobody tells they
 * have. With them it hashes as fast as bytes come from memory; without them at a quarter of that, and XXH128
 * at more than half.
 */
export function hasShaInstructions(cpuinfo = processors()): boolean {
  return (
    !/^(?:flags|Features)\b/m.test(cpuinfo) ||
    /^(?:flags|Features)\b.* (?:sha_ni|sha2)\b/m.test(cpuinfo)
  );
}

function processors(): string {
  try {
    return readFileSync('/proc/cpuinfo', 'utf8');
  } catch {
    return '';
  }
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
  if (!features.has('checksum') || hasShaInstructions()) return 'sha256';
  return fastestOf(await image.algorithms());
}
