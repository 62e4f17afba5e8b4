/** Disk formats for images, and unsupported files. */

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
    ['raw on request', raw, 'raw', 'raw'],
    ['qcow2', cow, undefined, 'cow'],
    ['qcow2 on request', cow, 'cow', 'cow'],
    ['raw for the bytes of a qcow2 image', cow, 'raw', 'raw'],
    ['raw for an overlay, on request', { ...cow, hasBackingFile: true }, 'raw', 'raw'],
    ['raw for an encrypted image, on request', { ...cow, obstacle: 'encrypted' }, 'raw', 'raw'],
  ] as const)('is %s', (_, content, asked, format) => {
    expect(requireFormat(content, asked, 'a')).toBe(format);
  });

  it.each([
    [
      'a raw image',
      raw,
      'cow',
      'a is not a qcow2 image',
      'wrong_format',
      'remove --format, or convert it: qemu-img convert -O qcow2',
    ],
    [
      'a difference',
      { ...cow, hasBackingFile: true },
      undefined,
      'a is the overlay of another image',
      'has_backing_file',
      'flatten it: qemu-img convert -O qcow2',
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
      'a has an external data file',
      'unusable_image',
      'convert it first: qemu-img convert -O qcow2',
    ],
  ] as const)('does not exist for %s', (_, content, asked, message, code, hint) => {
    expect(refusal(() => requireFormat(content, asked, 'a'))).toEqual({ message, code, hint });
  });
});

describe('an unsupported file', () => {
  const convert =
    'convert it first: qemu-img convert -O qcow2; or upload it unchanged with --format raw';
  const known = (head: Buffer, path: string, content = raw) => requireKnown(head, content, path);

  it.each([
    ['KDMV', 'a VMDK image', convert],
    [
      'BZh',
      'compressed with bzip2',
      'decompress it: bunzip2; or upload it unchanged with --format raw',
    ],
    ['PK\x03\x04', 'a ZIP archive', 'extract it: unzip; or upload it unchanged with --format raw'],
    [
      "7z\xbc\xaf'\x1c",
      'a 7-Zip archive',
      'extract it: 7z x; or upload it unchanged with --format raw',
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

  it.each(['a.qcow2', 'a.qcow', '/b/a.QCOW2'])('is a raw image named %s', (path) => {
    expect(refusal(() => known(Buffer.from('raw'), path))).toEqual({
      message: `${path} is not a qcow2 image, despite its name`,
      code: 'wrong_format',
      hint: 'check its contents; --format raw uploads it unchanged',
    });
    expect(() => known(qcow2Image(), path, cow)).not.toThrow();
  });

  it.each(['a', 'a.raw', 'qcow2', 'a.qcow2.old', 'aqcow2'])('is not %s', (path) => {
    expect(() => known(Buffer.from('raw'), path)).not.toThrow();
  });
});
