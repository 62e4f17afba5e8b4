/** Detection of QEMU. */
import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { findInstallation } from '../../../src/features/qemu/installation.ts';

it.skipIf(existsSync('/usr/libexec/qemu-kvm'))('finds no QEMU in an empty path', async () => {
  expect(await findInstallation('/nonexistent')).toBeUndefined();
});
