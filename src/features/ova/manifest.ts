/** The digests that a package has of its files, compared with them. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { ConflictError, UsageError } from '../../client/errors.ts';
import type { FileRegion } from '../../transfer/index.ts';
import type { OvaPackage } from './package.ts';

/** A line of a manifest: `SHA256(disk.vmdk)= 0a1b...` */
const line = /^(SHA-?(?:1|256|384|512))\s*\((.+)\)\s*=\s*([0-9a-f]+)\s*$/i;

export interface Digest {
  readonly file: string;
  /** As the standard library names it: `sha256`. */
  readonly algorithm: string;
  readonly hex: string;
}

/** Reads a manifest (OVF, section 5.1). Throws usage errors with the number of the line. */
export function readManifest(text: string, name: string): readonly Digest[] {
  return text.split(/\r?\n/).flatMap((one, index) => {
    if (one.trim() === '') return [];
    const [, algorithm, file, hex] = line.exec(one) ?? [];
    if (algorithm === undefined || file === undefined || hex === undefined) {
      throw new UsageError(`${name}, line ${index + 1}: not a digest of a file`, {
        code: 'wrong_format',
        hint: 'use --no-verify to ignore the digests',
      });
    }
    return [{ file, algorithm: algorithm.toLowerCase().replace('-', ''), hex: hex.toLowerCase() }];
  });
}

/**
 * Throws unless all files are as the manifest says; `onRead` is told of the bytes of each that have been
 * read.
 */
export async function requireDigests(
  source: OvaPackage,
  onRead: (file: string, bytes: number, size: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const { manifest } = source;
  if (!manifest) return;
  for (const { file, algorithm, hex } of readManifest(manifest.text, manifest.name)) {
    const report = (bytes: number, size: number) => onRead(file, bytes, size);
    const found = await digestOf(regionOf(source, file, manifest.name), algorithm, report, signal);
    if (found === hex) continue;
    throw new ConflictError(`${file} does not match ${manifest.name}: ${algorithm} is ${found}`, {
      code: 'different',
      hint: 'the file was changed or damaged; download it again, or import it with --no-verify',
    });
  }
}

function regionOf(source: OvaPackage, file: string, manifest: string): FileRegion {
  try {
    return source.fileAt(file);
  } catch (cause) {
    throw new UsageError(`${manifest} has a digest of ${file}, which is missing`, {
      code: 'missing_file',
      hint: 'download everything again, or import without it with --no-verify',
      cause,
    });
  }
}

async function digestOf(
  { path, offset, size }: FileRegion,
  algorithm: string,
  onRead: (bytes: number, size: number) => void,
  signal: AbortSignal,
): Promise<string> {
  const hash = createHash(algorithm);
  if (size === 0) return hash.digest('hex');
  const options = { start: offset, end: offset + size - 1, highWaterMark: 2 ** 20, signal };
  let seen = 0;
  for await (const chunk of createReadStream(path, options)) {
    hash.update(chunk as Buffer);
    seen += (chunk as Buffer).length;
    onRead(seen, size);
  }
  return hash.digest('hex');
}
