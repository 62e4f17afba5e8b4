/** Archives of small files in the ustar form (POSIX.1-1988). */

export interface TarFile {
  /** At most 100 characters of ASCII. */
  readonly name: string;
  readonly content: string;
}

const block = 512;

/** An archive of the files, as if all had been written at the same time. */
export function tarOf(files: readonly TarFile[], time: Date): Buffer {
  const parts = files.flatMap(({ name, content }) => {
    const bytes = Buffer.from(content);
    const padding = Buffer.alloc((block - (bytes.length % block)) % block);
    return [header(name, bytes.length, time), bytes, padding];
  });
  // Two empty blocks end an archive.
  return Buffer.concat([...parts, Buffer.alloc(2 * block)]);
}

function header(name: string, length: number, time: Date): Buffer {
  const bytes = Buffer.alloc(block);
  const octal = (value: number, at: number, width: number) =>
    bytes.write(`${value.toString(8).padStart(width - 1, '0')}\0`, at, 'latin1');
  bytes.write(name, 0, 100, 'latin1');
  octal(0o644, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(length, 124, 12);
  octal(Math.floor(time.getTime() / 1000), 136, 12);
  // The sum is made with blanks in its own place.
  bytes.write(' '.repeat(8), 148, 'latin1');
  bytes.write('0', 156, 'latin1');
  bytes.write('ustar\0' + '00', 257, 'latin1');
  const sum = bytes.reduce((total, byte) => total + byte, 0);
  bytes.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return bytes;
}
