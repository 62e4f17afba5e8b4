// Signature of an executable for Windows (Authenticode), in the format PE32+.

/** Offset of the address of the PE header. */
const headerPointer = 0x3c;
/** Bytes of the PE mark and the COFF header, before the optional header. */
const headerSize = 24;
/** Offset in the optional header of the data directory of certificates. */
const certificateEntry = 112 + 4 * 8;
/** Mark of an optional header with 64-bit addresses. */
const isPe32Plus = 0x20b;

/**
 * Removes the signature of an executable for Windows x64. Returns its bytes; throws if they are
 * another format.
 */
export function removeSignature(bytes) {
  const entry = findCertificateEntry(bytes);
  const offset = bytes.readUInt32LE(entry);
  const size = bytes.readUInt32LE(entry + 4);
  if (offset === 0) return bytes;
  if (offset + size !== bytes.length) throw new Error('the signature is not at the end');
  const rest = Buffer.from(bytes.subarray(0, offset));
  rest.fill(0, entry, entry + 8);
  return rest;
}

/** Position of the address and size of the certificates. */
function findCertificateEntry(bytes) {
  const header = bytes.length > headerPointer + 4 ? bytes.readUInt32LE(headerPointer) : 0;
  const optional = header + headerSize;
  const isWindows =
    bytes.toString('latin1', 0, 2) === 'MZ' &&
    bytes.toString('latin1', header, header + 4) === 'PE\0\0' &&
    bytes.readUInt16LE(optional) === isPe32Plus;
  if (!isWindows) throw new Error('not an executable for Windows x64');
  return optional + certificateEntry;
}
