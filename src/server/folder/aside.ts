/** Files of a site that are moved aside, and those of unfinished work that are removed. */
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { FolderError, ownFolder } from '../files/access.ts';
import { syncFolder } from '../files/durable-file.ts';
import { systemError } from '../files/system-error.ts';
import { namesIn } from './marks.ts';

/** Moves images into a folder of their own beside the others. Returns its path. */
export function setAside(images: string, names: readonly string[]): string {
  const target = unused(`${images}.aside`);
  mkdirSync(target, { mode: 0o700 });
  for (const name of names) renameSync(join(images, name), join(target, name));
  syncFolder(target);
  syncFolder(images);
  return target;
}

/** A path that nothing has yet: with the time of day, and a number where that is not enough. */
export function unused(path: string): string {
  const stamp = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
  for (let number = 1; ; number++) {
    const name = `${path}-${stamp}${number === 1 ? '' : `-${number}`}`;
    if (!existsSync(name)) return name;
  }
}

/** Moves a file or folder of a site aside. Throws a `FolderError` where it is a file system of its own. */
export function moved(from: string, to: string): void {
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

/** Gives the folder of the images of a site another name, where there is something in it. */
export function moveImagesAside(images: string, log: (line: string) => void): void {
  if (namesIn(images).length === 0) return;
  const target = unused(`${images}.before-new-site`);
  moved(images, target);
  ownFolder(images);
  log(`${images} moved to ${target}`);
}

/** Folders of backups that are being made begin with this. */
export const frozenPrefix = 'backup.partial-';

/** Takes away what a crash left of a backup: it was a copy. */
export function clearPartial(folder: string): void {
  for (const name of namesIn(folder)) {
    if (name.startsWith(frozenPrefix)) rmSync(join(folder, name), { recursive: true, force: true });
  }
}
