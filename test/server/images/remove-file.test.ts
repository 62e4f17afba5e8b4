/** Removal of files: their names disappear immediately, and missing files are no error. */
import { execFileSync } from 'node:child_process';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { removeFile } from '../../../src/server/images/remove-file.ts';

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'vmctl-remove-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** Files that this process has open. */
function openFiles(): string[] {
  return readdirSync('/proc/self/fd').flatMap((descriptor) => {
    try {
      return [readlinkSync(`/proc/self/fd/${descriptor}`)];
    } catch {
      return [];
    }
  });
}

it('removes a file before it returns, so that its name can be used again and no descriptor stays open', async () => {
  const folder = makeFolder();
  const file = join(folder, 'image');
  writeFileSync(file, 'old');
  removeFile(file);
  expect(readdirSync(folder)).toEqual([]);
  writeFileSync(file, 'new', { flag: 'wx' });
  await vi.waitFor(() => expect(openFiles().filter((path) => path.startsWith(file))).toEqual([]));
});

it.runIf(process.platform === 'linux')(
  'releases the space in a thread, however long that takes',
  async () => {
    const folder = makeFolder();
    const file = join(folder, 'image');
    writeFileSync(file, 'old');
    // All threads wait for a writer on a pipe.
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const waiting = Array.from({ length: 64 }, () => open(pipe, 'r'));
    removeFile(file);
    expect(readdirSync(folder)).toEqual(['pipe']);
    expect(openFiles()).toContain(`${file} (deleted)`);
    const both = openSync(pipe, 'r+');
    for (const opened of waiting) await (await opened).close();
    closeSync(both);
    await vi.waitFor(() => expect(openFiles()).not.toContain(`${file} (deleted)`));
  },
);

it('ignores a missing file, and refuses a folder', () => {
  const folder = makeFolder();
  removeFile(join(folder, 'missing'));
  mkdirSync(join(folder, 'folder'));
  expect(() => removeFile(join(folder, 'folder'))).toThrow(/EISDIR|EPERM/);
  expect(readdirSync(folder)).toEqual(['folder']);
});
