/** Which disk an image fits into, and what fits into none. */

import { describe, expect, it } from 'vitest';
import { UsageError } from '../../src/client/errors.ts';
import type { ImageFormat } from '../../src/formats/image-head.ts';
import { requireFormat, requireKnown } from '../../src/transfer/image-format.ts';
import { qcow2Image } from '../support/hostile-images.ts';

const raw: ImageFormat = { format: 'raw', virtualSize: 1024, hasBackingFile: false };
const cow: ImageFormat = { ...raw, format: 'cow' };

function refusal(check: () => unknown): object {
  try {
    check();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const { message, code, hint } = error;
    return { message, code, hint };
  }
  throw new Error('It was accepted.');
}

describe('the format of the disk', () => {
  it.each([
    ['raw', raw, undefined, 'raw'],
    ['raw, as asked', raw, 'raw', 'raw'],
    ['qcow2', cow, undefined, 'cow'],
    ['qcow2, as asked', cow, 'cow', 'cow'],
    ['raw for the bytes of a qcow2 image', cow, 'raw', 'raw'],
    ['raw for a difference, as asked', { ...cow, hasBackingFile: true }, 'raw', 'raw'],
    ['raw for what is encrypted, as asked', { ...cow, obstacle: 'encrypted' }, 'raw', 'raw'],
  ] as const)('is %s', (_, content, asked, format) => {
    expect(requireFormat(content, asked, 'a')).toBe(format);
  });

  it.each([
    [
      'a raw image',
      raw,
      'cow',
      'a is no qcow2 image',
      'wrong_format',
      'leave --format out, or convert it: qemu-img convert -O qcow2',
    ],
    [
      'a difference',
      { ...cow, hasBackingFile: true },
      undefined,
      'a is only the difference to another image',
      'has_backing_file',
      'make it whole first: qemu-img convert -O qcow2',
    ],
    [
      'an encrypted image',
      { ...cow, obstacle: 'encrypted' },
      'cow',
      'a is encrypted',
      'unusable_image',
      'convert it first: qemu-img convert -O qcow2',
    ],
    [
      'an image without its data',
      { ...cow, obstacle: 'external data' },
      undefined,
      'a has its data in another file',
      'unusable_image',
      'convert it first: qemu-img convert -O qcow2',
    ],
  ] as const)('is none for %s', (_, content, asked, message, code, hint) => {
    expect(refusal(() => requireFormat(content, asked, 'a'))).toEqual({ message, code, hint });
  });
});

describe('what no machine could start from', () => {
  const convert = 'convert it first: qemu-img convert -O qcow2; --format raw uploads it as it is';
  const known = (head: Buffer, path: string, content = raw) => requireKnown(head, content, path);

  it.each([
    ['KDMV', 'a VMDK image', convert],
    ['BZh', 'packed with bzip2', 'unpack it first: bunzip2; --format raw uploads it as it is'],
    ['PK\x03\x04', 'a ZIP archive', 'unpack it first: unzip; --format raw uploads it as it is'],
    [
      "7z\xbc\xaf'\x1c",
      'a 7-Zip archive',
      'unpack it first: 7z x; --format raw uploads it as it is',
    ],
  ])('is %j: %s', (magic, what, hint) => {
    const refused = { message: `a is ${what}`, code: 'wrong_format', hint };
    for (const end of ['', ' and so on']) {
      const head = Buffer.from(magic + end, 'latin1');
      expect(refusal(() => known(head, 'a'))).toEqual(refused);
    }
    expect(() => known(Buffer.from(magic, 'latin1').subarray(0, -1), 'a')).not.toThrow();
    expect(() => known(Buffer.from(` ${magic}`, 'latin1'), 'a')).not.toThrow();
  });

  it.each(['a.qcow2', 'a.qcow', '/b/a.QCOW2'])('is a raw image that is called %s', (path) => {
    expect(refusal(() => known(Buffer.from('raw'), path))).toEqual({
      message: `${path} is no qcow2 image, whatever its name says`,
      code: 'wrong_format',
      hint: 'look at what is in it; --format raw uploads it as it is',
    });
    expect(() => known(qcow2Image(), path, cow)).not.toThrow();
  });

  it.each(['a', 'a.raw', 'qcow2', 'a.qcow2.old', 'aqcow2'])('is not %s', (path) => {
    expect(() => known(Buffer.from('raw'), path)).not.toThrow();
  });
});
