// Files that are removed: their names are gone at once, and what is missing is no error.
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

it('a file is gone when it returns, its name can be used again, and nothing stays open', async () => {
  const folder = makeFolder();
  const file = join(folder, 'image');
  writeFileSync(file, 'old');
  removeFile(file);
  expect(readdirSync(folder)).toEqual([]);
  writeFileSync(file, 'new', { flag: 'wx' });
  await vi.waitFor(() => expect(openFiles().filter((path) => path.startsWith(file))).toEqual([]));
});

it.runIf(process.platform === 'linux')(
  'a thread gives its space free, however long it takes',
  async () => {
    const folder = makeFolder();
    const file = join(folder, 'image');
    writeFileSync(file, 'old');
    // All threads wait for somebody who writes into a pipe.
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

it('what is not there is removed already; what is not a file is not removed', () => {
  const folder = makeFolder();
  removeFile(join(folder, 'missing'));
  mkdirSync(join(folder, 'folder'));
  expect(() => removeFile(join(folder, 'folder'))).toThrow(/EISDIR|EPERM/);
  expect(readdirSync(folder)).toEqual(['folder']);
});
