/** File names from foreign data. */
import { basename, join, resolve, win32 } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chooseFileNames } from '../../../src/features/backups/manifest.ts';
import { fileNameFrom, isFileName } from '../../../src/formats/file-name.ts';

const hostile = [
  ...[
    '',
    '.',
    '..',
    '.hidden',
    'a/b',
    '../a',
    '../../../../pwn',
    '/etc/passwd',
    'a\\b',
    '..\\a',
    'C:a',
  ],
  ...[
    'a\0b',
    'a\nb',
    'a\u001b[2J',
    'a\u202eb',
    'a\u2028b',
    'a\u0085b',
    '\ud800',
    'a.',
    'a ',
    'a|b',
    'a?',
  ],
  ...['con', 'NUL', 'nul.raw', 'Com1.txt', 'lpt9', 'x'.repeat(256), 'ü'.repeat(128)],
];
const plain = ['root.raw', 'web 01.vv', 'Übung.png', 'a-b_c.d', 'console', 'x'.repeat(255)];

describe('file names', () => {
  it.each(hostile)('refuses %j', (name) => expect(isFileName(name)).toBe(false));
  it.each(plain)('accepts %j', (name) => expect(isFileName(name)).toBe(true));

  it('never lead out of the folder, for any data of a server', () => {
    const part = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(...hostile));
    fc.assert(
      fc.property(fc.array(part, { maxLength: 4 }), (parts) => {
        const name = parts.join('');
        if (!isFileName(name)) return;
        expect(resolve(join('/folder', name))).toBe(`/folder/${name}`);
        expect(win32.basename(name)).toBe(basename(name));
      }),
      { numRuns: 2_000 },
    );
  });

  it('use the first valid stem, or name the object without one', () => {
    expect(fileNameFrom(['../web01', 'b7'], 'vv', 'VM')).toBe('b7.vv');
    expect(() => fileNameFrom(['../web01', 'a/b'], 'vv', 'VM')).toThrow(
      'the VM "a/b" is not a valid file name',
    );
  });
});

describe('files of backups', () => {
  it('refuses a disk whose id leads out of the folder', () => {
    const disks = [{ id: '../../../../pwn', name: 'a/b' }];
    expect(() => chooseFileNames(disks)).toThrow(
      'the disk id "../../../../pwn" is not a valid file name',
    );
  });

  it('gives separate files to disks whose names differ only in case', () => {
    const names = chooseFileNames([
      { id: '1', name: 'Data' },
      { id: '2', name: 'data' },
      { id: '3', name: 'root' },
    ]);
    expect([...names.values()]).toEqual(['1.raw', '2.raw', 'root.raw']);
  });
});
