/** Moves files of a site aside, and removes those of unfinished work. */
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { FolderError, restrictFolder } from '../files/access.ts';
import { syncFolder } from '../files/durable-file.ts';
import { systemError } from '../files/system-error.ts';
import { listNamesIn } from './marks.ts';

/** Moves images into a new folder with the suffix `.aside`. Returns its path. */
export function setAside(images: string, names: readonly string[]): string {
  const target = findUnusedPath(`${images}.aside`);
  mkdirSync(target, { mode: 0o700 });
  for (const name of names) renameSync(join(images, name), join(target, name));
  syncFolder(target);
  syncFolder(images);
  return target;
}

/** An unused path: with the time of day, and a number if necessary. */
export function findUnusedPath(path: string): string {
  const stamp = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
  for (let number = 1; ; number++) {
    const name = `${path}-${stamp}${number === 1 ? '' : `-${number}`}`;
    if (!existsSync(name)) return name;
  }
}

/** Moves a file or folder of a site aside. Throws a `FolderError` if it is a mount point. */
export function moveFileAside(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    const { code } = systemError(error);
    if (code !== 'EBUSY' && code !== 'EXDEV') throw error;
    throw new FolderError(
      `cannot move ${from}: it is a mounted file system.`,
      `move the contents of ${from} away, or mount another file system there`,
      error,
    );
  }
}

/** Renames the image folder of a site, unless it is empty. */
export function moveImagesAside(images: string, log: (line: string) => void): void {
  if (listNamesIn(images).length === 0) return;
  const target = findUnusedPath(`${images}.before-new-site`);
  moveFileAside(images, target);
  restrictFolder(images);
  log(`${images} moved to ${target}`);
}

/** Prefix of folders of running backups. */
export const frozenPrefix = 'backup.partial-';

/** Removes the folders of interrupted backups, which contain copies only. */
export function clearPartial(folder: string): void {
  for (const name of listNamesIn(folder)) {
    if (name.startsWith(frozenPrefix)) rmSync(join(folder, name), { recursive: true, force: true });
  }
}
