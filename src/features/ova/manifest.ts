/** Digest check of the files in a package. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { ConflictError, UsageError } from '../../client/errors.ts';
import type { FileRegion } from '../../transfer/index.ts';
import type { OvaPackage } from './package.ts';

/** Line of a manifest: `SHA256(disk.vmdk)= 0a1b...`. */
const linePattern = /^(SHA-?(?:1|256|384|512))\s*\((.+)\)\s*=\s*([0-9a-f]+)\s*$/i;

export interface Digest {
  readonly file: string;
  /** Algorithm name of `node:crypto`: `sha256`. */
  readonly algorithm: string;
  readonly hex: string;
}

/** Parses a manifest (OVF, section 5.1). Throws `UsageError` with the line number. */
export function readManifest(text: string, name: string): readonly Digest[] {
  return text.split(/\r?\n/).flatMap((one, index) => {
    if (one.trim() === '') return [];
    const [, algorithm, file, hex] = linePattern.exec(one) ?? [];
    if (algorithm === undefined || file === undefined || hex === undefined) {
      throw new UsageError(`${name}, line ${index + 1}: not a digest of a file`, {
        code: 'wrong_format',
        hint: 'use --no-verify to ignore the digests',
      });
    }
    return [{ file, algorithm: algorithm.toLowerCase().replace('-', ''), hex: hex.toLowerCase() }];
  });
}

/** Throws unless all files match the manifest. Calls `onRead` with the bytes read of each file. */
export async function requireDigests(
  source: OvaPackage,
  onRead: (file: string, bytes: number, size: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const { manifest } = source;
  if (!manifest) return;
  for (const { file, algorithm, hex } of readManifest(manifest.text, manifest.name)) {
    const report = (bytes: number, size: number) => onRead(file, bytes, size);
    const found = await computeDigest(
      findRegion(source, file, manifest.name),
      algorithm,
      report,
      signal,
    );
    if (found === hex) continue;
    throw new ConflictError(`${file} does not match ${manifest.name}: ${algorithm} is ${found}`, {
      code: 'different',
      hint: 'the file was changed or damaged; download it again, or import it with --no-verify',
    });
  }
}

function findRegion(source: OvaPackage, file: string, manifest: string): FileRegion {
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

async function computeDigest(
  { path, offset, size }: FileRegion,
  algorithm: string,
  onRead: (bytes: number, size: number) => void,
  signal: AbortSignal,
): Promise<string> {
  const hash = createHash(algorithm);
  if (size === 0) return hash.digest('hex');
  const options = { start: offset, end: offset + size - 1, highWaterMark: 2 ** 20, signal };
  let seen = 0;
  const chunks: AsyncIterable<Buffer> = createReadStream(path, options);
  for await (const chunk of chunks) {
    hash.update(chunk);
    seen += chunk.length;
    onRead(seen, size);
  }
  return hash.digest('hex');
}
