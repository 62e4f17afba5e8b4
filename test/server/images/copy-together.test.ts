/** Atomic copies that replace several images: all of them, or none. */
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { DiskFiles } from '../../../src/server/images/disk-files.ts';
import { openStore, type Store } from '../../../src/server/store/store.ts';

let folder: string;
let store: Store;
let files: DiskFiles;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'vmctl-copy-together-'));
  store = await openStore(':memory:');
  files = new DiskFiles(folder, store);
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

async function image(text: string): Promise<string> {
  const id = randomUUID();
  await writeFile(files.path(id), text);
  await store.write((tx) => tx.images.written(id, text.length));
  return id;
}
const text = (id: string) => readFile(files.path(id), 'utf8');

it('replace all targets, and empty those whose source was never written', async () => {
  const [a, b] = [await image('new a'), await image('the new b')];
  const [to, other, empty] = [await image('old'), await image('old b'), await image('old c')];
  const unwritten = randomUUID();
  await files.copyTogether([
    { from: a, to },
    { from: b, to: other },
    { from: unwritten, to: empty },
  ]);
  expect([await text(to), await text(other)]).toEqual(['new a', 'the new b']);
  expect(existsSync(files.path(empty))).toBe(false);
  const records = store.read((tx) => [other, empty].map((id) => tx.images.get(id)));
  expect(records).toMatchObject([
    { written: true, length: 9 },
    { written: false, length: 0 },
  ]);
});

it('change no target if one copy fails, and leave no partial files', async () => {
  const [a, b] = [await image('new a'), randomUUID()];
  const [to, other] = [await image('old a'), await image('old b')];
  // The second source is a folder, which cannot be read.
  mkdirSync(files.path(b));
  const copied = files.copyTogether([
    { from: a, to },
    { from: b, to: other },
  ]);
  await expect(copied).rejects.toThrow(`Cannot read or write image ${other}`);
  expect([await text(to), await text(other)]).toEqual(['old a', 'old b']);
  expect(readdirSync(folder).sort()).toEqual([a, b, to, other].sort());
});
