/** Damaged tar archives are refused without endless reads. */
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTar, tarEnd, tarEntries, tarHeader, tarPadding } from '../../src/formats/tar.ts';

const time = new Date(0);
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'vmctl-tar-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function entries(archive: Buffer): readonly { name: string; size: number }[] {
  const path = join(folder, 'a.tar');
  writeFileSync(path, archive);
  const file = openSync(path, 'r');
  try {
    return [...tarEntries(file)].map(({ name, size }) => ({ name, size }));
  } finally {
    closeSync(file);
  }
}

/** Changes a header and corrects its checksum. */
function changed(header: Buffer, change: (header: Buffer) => void): Buffer {
  change(header);
  header.write(' '.repeat(8), 148, 'latin1');
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return header;
}

function withPax(record: string, size = 3): Buffer {
  const head = changed(tarHeader('pax', record.length, time), (bytes) => bytes.write('x', 156));
  const parts = [head, Buffer.from(record), tarPadding(record.length)];
  const file = [tarHeader('a.ovf', size, time), Buffer.from('abc'), tarPadding(3)];
  return Buffer.concat([...parts, ...file, tarEnd()]);
}

/** Pax record with its length. */
function record(text: string): string {
  const length = text.length + 2;
  const digits = String(length + String(length).length).length;
  return `${length + digits} ${text}\n`;
}

describe('sizes of pax headers', () => {
  it('are used if they are numbers', () => {
    expect(entries(withPax(record('size=3'), 0))).toEqual([{ name: 'a.ovf', size: 3 }]);
    const both = record('path=b.ovf') + record('size=3');
    expect(entries(withPax(both, 0))).toEqual([{ name: 'b.ovf', size: 3 }]);
  });

  it.each(['-1536', 'abc', '1.5', '1e300', '', ' 3', '0x10', 'Infinity', '9007199254740993'])(
    'are refused as %j',
    (size) =>
      expect(() => entries(withPax(record(`size=${size}`)))).toThrow(
        'The archive has the invalid size "',
      ),
  );

  it('are ignored inside of another record', () => {
    expect(entries(withPax(record('comment=x\n9 size=-1'))).map(({ size }) => size)).toEqual([3]);
  });

  it.each(['99 size=3\n', 'size=3\n', '0 size=3\n', '9 size=3', '3\n'])(
    'are refused in the damaged record %j',
    (text) => expect(() => entries(withPax(text))).toThrow('The archive has a damaged pax header.'),
  );
});

describe('sizes of headers', () => {
  it.each([
    ['after the end of the archive', 1 << 20],
    ['of 2^52 bytes', 2 ** 52],
  ])('are refused: %s', (_, size) =>
    expect(() => entries(Buffer.concat([tarHeader('a', size, time), tarEnd()]))).toThrow(
      'The archive is truncated in a: ',
    ),
  );

  it.each([0xff, 0xc0, 0x81])('are refused if they are negative or too long (%i)', (first) => {
    const header = changed(tarHeader('a', 0, time), (bytes) => {
      bytes.fill(0, 124, 136);
      bytes[124] = first;
    });
    expect(() => entries(Buffer.concat([header, tarEnd()]))).toThrow(
      'The archive has an invalid size.',
    );
  });
});

it('ends for every change of an archive', () => {
  const files = ['a.ovf', 'disk1', 'disk2'].map((name) => ({ name, content: name.repeat(100) }));
  const archive = Buffer.concat([
    withPax(record('size=3')).subarray(0, -1024),
    createTar(files, time),
  ]);
  const change = fc.record({ at: fc.nat(archive.length - 1), byte: fc.nat(255) });
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 3 }), fc.boolean(), (changes, mend) => {
      const bytes = Buffer.from(archive);
      for (const { at, byte } of changes) bytes[at] = byte;
      if (mend) {
        for (let at = 0; at < bytes.length; at += 512) {
          if (bytes.toString('latin1', at + 257, at + 262) === 'ustar') {
            changed(bytes.subarray(at, at + 512), () => undefined);
          }
        }
      }
      try {
        for (const { size } of entries(bytes)) expect(size).toBeLessThanOrEqual(bytes.length);
      } catch (error) {
        expect((error as Error).message).toMatch(/archive/);
      }
    }),
    { numRuns: 1_000 },
  );
});
