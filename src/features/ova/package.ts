/** Files of an imported VM: in an archive, or next to an OVF document. */

import { closeSync, existsSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { basename, dirname, extname, isAbsolute, join, normalize, sep } from 'node:path';
import { getErrorMessage } from '../../caught-errors.ts';
import { UsageError } from '../../client/errors.ts';
import { type TarEntry, tarEntries } from '../../formats/tar.ts';
import { systemReason } from '../../system-errors.ts';
import type { FileRegion } from '../../transfer/index.ts';

/** Maximum size of documents and manifests in bytes. */
const maxTextBytes = 16 * 2 ** 20;

/** A text of a package, with its name for messages. */
interface Text {
  readonly name: string;
  readonly text: string;
}

export interface OvaPackage {
  readonly path: string;
  readonly document: Text;
  /** Digests of the files, if the package contains them. */
  readonly manifest?: Text;
  /** Position of a file by its name in the document. Throws if it is missing. */
  readonly fileAt: (name: string) => FileRegion;
}

/** Opens an archive or a document. Throws `UsageError` for other files. */
export function openPackage(path: string): OvaPackage {
  const file = openFile(path);
  try {
    const { size } = fstatSync(file);
    const head = readPart(file, { offset: 0, size: Math.min(size, 512) });
    // A file named `.ovf` is parsed as a document even if it is invalid, so that the error has a
    // position.
    if (
      extname(path).toLowerCase() === '.ovf' ||
      /^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff\0?)?\s*</.test(head.toString('latin1'))
    )
      return openDocument(path, file, size);
    return openArchive(path, file);
  } finally {
    closeSync(file);
  }
}

function openFile(path: string): number {
  if (path === '-') {
    throw new UsageError('an archive cannot be read from standard input', {
      code: 'unreadable_file',
      hint: 'use a file; ./- is a file named -',
    });
  }
  try {
    const file = openSync(path, 'r');
    if (fstatSync(file).isFile()) return file;
    closeSync(file);
  } catch (cause) {
    const reason = systemReason(cause);
    throw new UsageError(`cannot read "${path}": ${reason}`, { code: 'unreadable_file', cause });
  }
  throw new UsageError(`${path} is not a file`, {
    code: 'unreadable_file',
    hint: 'use the archive, or the OVF document next to its files',
  });
}

function openArchive(path: string, file: number): OvaPackage {
  const entries = new Map<string, TarEntry>();
  try {
    for (const entry of tarEntries(file)) entries.set(normalize(entry.name), entry);
  } catch (cause) {
    throw new UsageError(`cannot import ${path}: ${getErrorMessage(cause)}`, {
      code: 'wrong_format',
      hint: 'use an OVA archive, or an OVF document with its files next to it',
      cause,
    });
  }
  const text = (extension: string): Text | undefined => {
    const entry = [...entries.values()].find(
      // macOS archives contain metadata files with this prefix.
      ({ name }) => name.toLowerCase().endsWith(extension) && !basename(name).startsWith('._'),
    );
    return entry && { name: entry.name, text: readText(file, entry, `${path} (${entry.name})`) };
  };
  const document = text('.ovf');
  if (!document) {
    throw new UsageError(`${path} is an archive without an OVF document`, {
      code: 'wrong_format',
      hint: `tar -tf ${path}`,
    });
  }
  const manifest = text('.mf');
  return {
    path,
    document,
    ...(manifest ? { manifest } : {}),
    fileAt(name) {
      const entry = entries.get(normalize(name)) ?? entries.get(normalize(decodeName(name)));
      if (!entry) throw missingFile(path, name);
      return { path, offset: entry.offset, size: entry.size };
    },
  };
}

function openDocument(path: string, file: number, size: number): OvaPackage {
  const text = readText(file, { offset: 0, size }, path);
  const digests = join(dirname(path), `${basename(path, extname(path))}.mf`);
  const manifest = existsSync(digests) ? readFileText(digests) : undefined;
  return {
    path,
    document: { name: path, text },
    ...(manifest === undefined ? {} : { manifest: { name: basename(digests), text: manifest } }),
    fileAt(name) {
      const found = [name, decodeName(name)].map((one) => resolveNextTo(path, one)).find(isFile);
      if (found === undefined) throw missingFile(path, name);
      return { path: found, offset: 0, size: statSync(found).size };
    },
  };
}

function readFileText(path: string): string {
  const file = openFile(path);
  try {
    return readText(file, { offset: 0, size: fstatSync(file).size }, path);
  } finally {
    closeSync(file);
  }
}

/**
 * Path of a file named in the document. Throws if the file is outside of the folder of the
 * document.
 */
function resolveNextTo(path: string, name: string): string {
  const relative = normalize(name);
  const isOutside = isAbsolute(relative) || relative.split(sep)[0] === '..';
  if (!isOutside && !/^[a-z][a-z0-9+.-]+:/i.test(name)) return join(dirname(path), relative);
  throw new UsageError(`${path} refers to the file ${name}, which is not next to it`, {
    code: 'wrong_format',
    hint: 'put the file into the folder of the document, and use its plain name there',
  });
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** File names in documents are URI references and may be percent-encoded. */
function decodeName(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

function missingFile(path: string, name: string): UsageError {
  return new UsageError(`${path} refers to the file ${name}, which is missing`, {
    code: 'missing_file',
    hint: 'list the archive with tar -tf, and download it again',
  });
}

type Part = Pick<FileRegion, 'offset' | 'size'>;

function readText(file: number, part: Part, name: string): string {
  if (part.size <= maxTextBytes) {
    const bytes = readPart(file, part);
    const encoding = { fffe: 'utf-16le', feff: 'utf-16be' }[bytes.toString('hex', 0, 2)];
    // `TextDecoder` removes the byte order mark.
    return new TextDecoder(encoding ?? 'utf-8').decode(bytes);
  }
  throw new UsageError(`${name} has ${part.size} bytes, too many for this document`, {
    code: 'wrong_format',
  });
}

function readPart(file: number, { offset, size }: Part): Buffer {
  const bytes = Buffer.alloc(size);
  let filled = 0;
  while (filled < size) {
    const count = readSync(file, bytes, filled, size - filled, offset + filled);
    if (count === 0) break;
    filled += count;
  }
  return bytes.subarray(0, filled);
}
