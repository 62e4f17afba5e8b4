/** Checks that an image fits its disk and storage domain, and their errors. */
import { describe, expect, it } from 'vitest';
import { ConflictError, UsageError } from '../../src/client/errors.ts';
import type { NewDisk } from '../../src/transfer/new-disk.ts';
import {
  newDiskSize,
  requireFitsDisk,
  requireFitsDomain,
  requirePlausibleQcow2Size,
  requireRoomOnDisk,
} from '../../src/transfer/size-checks.ts';
import type { Source } from '../../src/transfer/source.ts';

const MiB = 2 ** 20;

/** Source with only the checked properties; its data are never read. */
function createSource(some: Partial<Source>): Source {
  return {
    path: '/images/a',
    identity: { size: 0, modified: '', inode: '' },
    content: { format: 'raw', virtualSize: 0, hasBackingFile: false },
    size: 0,
    storedSize: 0,
    repeatable: true,
    extents: () => Promise.reject(new Error('Nobody reads.')),
    read: () => Promise.reject(new Error('Nobody reads.')),
    requireUnchanged: async () => undefined,
    close: async () => undefined,
    ...some,
  };
}

function createDisk(some: Partial<NewDisk> = {}): NewDisk {
  return { name: 'new', storageDomain: 'domain', onBlockStorage: false, ...some };
}

describe('a qcow2 file', () => {
  const virtualSize = 100 * MiB;
  const content = { format: 'cow', virtualSize, hasBackingFile: false } as const;
  // A tenth more and a MiB; the tenth is rounded up.
  const limit = 115_343_361 + MiB;

  it.each([0, virtualSize, limit])('of %i bytes can contain 100 MiB', (size) => {
    expect(() => requirePlausibleQcow2Size(createSource({ content, size }))).not.toThrow();
  });

  it('that is larger than services permit is refused', () => {
    const check = () => requirePlausibleQcow2Size(createSource({ content, size: limit + 1 }));
    expect(check).toThrow(UsageError);
    expect(check).toThrow(
      expect.objectContaining({
        message: `/images/a has ${limit + 1} bytes; a qcow2 disk of ${virtualSize} bytes has at most ${limit}`,
        code: 'too_large',
        hint: 'the file may have internal snapshots; remove them with qemu-img convert -O qcow2',
      }),
    );
  });
});

describe('the size of a new disk', () => {
  it.each([
    ['is that of the image', undefined, 'raw', 1024, 1024],
    ['is that of the image, rounded up to sectors', undefined, 'raw', 1025, 1536],
    ['is the requested one', 4096, 'raw', 1024, 4096],
    ['is the requested one, rounded up to sectors', 4097, 'raw', 1, 4608],
    ['can be requested with the same value', 1024, 'raw', 1024, 1024],
    ['can be requested with the value of the qcow2 image', 1024, 'cow', 1024, 1024],
    ['may be the same number of sectors', 1536, 'cow', 1025, 1536],
    ['is 0 for an empty image', undefined, 'raw', 0, 0],
  ] as const)('%s', (_, size, format, virtual, expected) => {
    const disk = createDisk(size === undefined ? {} : { size });
    expect(newDiskSize(disk, format, virtual)).toBe(expected);
  });

  it.each([
    [
      1023,
      'raw',
      'the image has 1024 bytes, 1 more than --size (1023)',
      'too_large',
      'remove --size, or increase it',
    ],
    [
      512,
      'cow',
      'the image has 1024 bytes, 512 more than --size (512)',
      'too_large',
      'remove --size, or increase it',
    ],
    [
      1025,
      'cow',
      'the qcow2 image has a size of 1024 bytes, not 1025',
      'wrong_size',
      'upload it without --size, and resize the disk afterwards',
    ],
  ] as const)('cannot be %i (%s)', (size, format, message, code, hint) => {
    const check = () => newDiskSize(createDisk({ size }), format, 1024);
    expect(check).toThrow(UsageError);
    expect(check).toThrow(expect.objectContaining({ message, code, hint }));
  });
});

describe('the space in a storage domain', () => {
  const file = createSource({ size: 5_000, storedSize: 3_000 });
  const may =
    'not enough space in the storage domain: 2999 bytes available, disk new may need 1 more';

  it.each<[string, Partial<NewDisk>, 'raw' | 'cow', string | undefined]>([
    ['is unknown', {}, 'raw', undefined],
    ['is enough for the data of the file', { availableSpace: 3_000 }, 'raw', undefined],
    ['may not be enough if zeros are not stored', { availableSpace: 2_999 }, 'raw', may],
    ['is enough for the complete file', { availableSpace: 5_000 }, 'cow', undefined],
    [
      'is enough for a preallocated disk',
      { availableSpace: 8_192, preallocated: true },
      'raw',
      undefined,
    ],
    [
      'is enough for a raw disk on block storage',
      { availableSpace: 8_192, onBlockStorage: true },
      'raw',
      undefined,
    ],
    [
      'is enough for a qcow2 file with a disk of any size',
      { availableSpace: 5_000, onBlockStorage: true, preallocated: true },
      'cow',
      undefined,
    ],
  ])('%s', (_, some, format, warning) => {
    expect(requireFitsDomain(createDisk(some), format, file, 8_192)).toBe(warning);
  });

  it.each<[string, Partial<NewDisk>, 'raw' | 'cow', string]>([
    [
      'a qcow2 file',
      { availableSpace: 4_998 },
      'cow',
      '4998 bytes available, disk new needs 2 more',
    ],
    [
      'a preallocated disk',
      { availableSpace: 8_191, preallocated: true },
      'raw',
      '8191 bytes available, disk new needs 1 more',
    ],
    [
      'a raw disk on block storage',
      { availableSpace: 8_191, onBlockStorage: true },
      'raw',
      '8191 bytes available, disk new needs 1 more',
    ],
    ['anything', { availableSpace: 0 }, 'cow', '0 bytes available, disk new needs 5000 more'],
  ])('does not suffice for %s', (_, some, format, short) => {
    const check = () => requireFitsDomain(createDisk(some), format, file, 8_192);
    expect(check).toThrow(ConflictError);
    expect(check).toThrow(
      expect.objectContaining({
        message: `not enough space in the storage domain: ${short}`,
        code: 'no_room',
        hint: 'find a storage domain with enough space: vmctl storagedomains list',
      }),
    );
  });
});

describe('an existing disk', () => {
  const disk = { id: '1', alias: 'old', format: 'raw', provisioned_size: 1024 } as const;

  it('accepts an image of its format that is not larger', () => {
    expect(() => requireFitsDisk(disk, 'raw', 1024)).not.toThrow();
    expect(() => requireRoomOnDisk(disk, 1024)).not.toThrow();
    expect(() => requireRoomOnDisk({ id: '1' }, 0)).not.toThrow();
  });

  it('refuses an image of another format', () => {
    const check = () => requireFitsDisk(disk, 'cow', 1);
    expect(check).toThrow(UsageError);
    expect(check).toThrow(
      expect.objectContaining({
        message: 'disk old has format raw, but the file is cow',
        code: 'wrong_format',
        hint: 'upload it to a disk with the same format, or convert it',
      }),
    );
  });

  it('refuses a larger image', () => {
    for (const check of [
      () => requireFitsDisk(disk, 'raw', 1027),
      () => requireRoomOnDisk(disk, 1027),
    ]) {
      expect(check).toThrow(UsageError);
      expect(check).toThrow(
        expect.objectContaining({
          message: 'the image has 1027 bytes, 3 more than disk old (1024)',
          code: 'too_large',
          hint: 'upload it to a new disk, or resize the disk',
        }),
      );
    }
  });
});
