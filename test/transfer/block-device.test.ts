/** Block devices: size, and other files. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UsageError } from '../../src/client/errors.ts';
import { deviceSize, isBlockDevice, openDevice } from '../../src/transfer/block-device.ts';
import { catchFailure } from './support/collect.ts';

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'vmctl-devices-'));
  file = join(folder, 'image');
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('a device', () => {
  const devices = '/sys/dev/block';
  let known: string[] = [];
  try {
    known = readdirSync(devices);
  } catch {
    // Systems that report none.
  }

  it.skipIf(known.length === 0)('has the size that the system reports', async () => {
    for (const name of known) {
      const [major = 0, minor = 0] = name.split(':').map(Number);
      const number =
        BigInt(minor & 0xff) | (BigInt(major & 0xfff) << 8n) | (BigInt(minor >>> 8) << 20n);
      const sectors = Number(readFileSync(join(devices, name, 'size'), 'utf8'));
      expect(await deviceSize(Number(number), 'a')).toBe(sectors * 512);
    }
  });

  it('without a reported size is refused', async () => {
    expect(await catchFailure(deviceSize(0xfff00, '/dev/a'))).toMatchObject({
      message: '/dev/a is a block device of unknown size',
      code: 'unreadable_file',
      hint: 'use a pipe: cat DEVICE | vmctl disks upload - --size SIZE ...',
    });
  });

  it('is not a file, a folder, or a missing path', async () => {
    writeFileSync(file, 'some');
    expect(await isBlockDevice(file)).toBe(false);
    expect(await isBlockDevice(folder)).toBe(false);
    expect(await isBlockDevice(`${file}x`)).toBe(false);
  });

  it('that cannot be opened is reported with the reason', async () => {
    const error = await catchFailure(openDevice(file));
    expect(error).toBeInstanceOf(UsageError);
    expect(error).toMatchObject({
      message: expect.stringMatching(/^cannot write ".*image": ENOENT/),
      ...{ code: 'unwritable_file', hint: undefined },
    });
    writeFileSync(file, 'some');
    await expect(openDevice(file)).rejects.toThrow('is a block device of unknown size');
    expect(readFileSync(file, 'utf8')).toBe('some');
  });
});
