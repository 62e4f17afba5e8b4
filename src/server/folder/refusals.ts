/** Reasons not to start with a data folder, and remedies. */
import { FolderError } from '../files/access.ts';
import type { LostCommits } from '../store/commit-position.ts';
import type { SiteMark, UnlistedImages } from './marks.ts';

const restore =
  'restore the database of these images (vmctl serve --restore restores a backup to an empty folder)';
const aside = '--new-site moves existing files aside and starts an empty site; nothing is deleted';
const adopt =
  '--adopt-images uses both: images unknown to the database are moved aside, disks without an image become illegal';

const acceptLoss =
  '--accept-loss opens the database without the lost changes, and keeps a copy of the log';

function hint(...ways: readonly string[]): string {
  return ways.join('; or ');
}

/** Description of unlisted image files in messages. */
export function describeUnlistedImages({ names, bytes }: UnlistedImages): string {
  const count = names.length === 1 ? '1 image' : `${names.length} images`;
  const space =
    bytes < 2 ** 20 ? `${Math.ceil(bytes / 1024)} KiB` : `${Math.ceil(bytes / 2 ** 20)} MiB`;
  return `${count} (${space})`;
}

export function noStore(
  database: string,
  isThere: boolean,
  images: string,
  mark: SiteMark | undefined,
  found: UnlistedImages,
): FolderError {
  const state = isThere ? 'is empty' : 'is missing';
  const beside = found.names.length > 0 || !mark ? ` with ${describeUnlistedImages(found)}` : '';
  const whose = mark ? ` of the site ${mark.site}` : '';
  return new FolderError(
    `The database ${database} ${state}, but the folder ${images}${whose}${beside} exists.`,
    hint(restore, aside),
  );
}

export function noStoreBesideLog(database: string, log: string): FolderError {
  return new FolderError(
    `The database ${database} is missing or empty, but ${log} has changes for it.`,
    hint('restore the database that belongs to the log', aside),
  );
}

export function damagedLog(log: string, damage: string): FolderError {
  return new FolderError(
    `${log} is damaged: ${damage}. Changes acknowledged after that would be lost.`,
    hint('restore a backup to an empty folder with vmctl serve --restore', acceptLoss),
  );
}

/** Description of missing commits in messages. */
export function describeLoss(database: string, { found, acknowledged }: LostCommits): string {
  const count = acknowledged - found;
  const commits = count === 1 ? '1 acknowledged commit' : `${count} acknowledged commits`;
  return `${database} lacks ${commits} (it ends at ${found}, the server acknowledged ${acknowledged})`;
}

export function lostChanges(database: string, lost: LostCommits): FolderError {
  const log = `${database}-wal`;
  return new FolderError(
    `${describeLoss(database, lost)}: ${log} was removed, cut or replaced after the server stopped.`,
    hint(
      `put ${log} back`,
      'restore a backup to an empty folder with vmctl serve --restore',
      acceptLoss,
    ),
  );
}

export function changedStore(database: string, mark: string, problem: string): FolderError {
  return new FolderError(
    `${database} was changed or damaged after the last server stopped (${problem}).`,
    hint(
      'restore a backup to an empty folder with vmctl serve --restore',
      `if you changed it yourself, remove ${mark} and start again`,
    ),
  );
}

export function damagedStore(database: string, problem: string): FolderError {
  return new FolderError(
    `${database} is damaged: ${problem}.`,
    hint('restore a backup to an empty folder with vmctl serve --restore', aside),
  );
}

export function otherSite(images: string, own: string | undefined, mark: SiteMark): FolderError {
  return new FolderError(
    `The images in ${images} belong to site ${mark.site}, the database to ${own ?? 'an older site without an id'}.`,
    hint(restore, 'restore the images of the database', adopt),
  );
}

export function noImages(images: string, expected: number): FolderError {
  const count = expected === 1 ? '1 disk image' : `${expected} disk images`;
  return new FolderError(
    `The database expects ${count} in ${images}, which is missing or another folder.`,
    hint('mount it, or restore the images', adopt),
  );
}

export function olderStore(
  database: string,
  images: string,
  store: number,
  found: number,
): FolderError {
  return new FolderError(
    `The database ${database} is older than the images in ${images}: database from start ${store}, images from start ${found}.`,
    hint(restore, adopt, aside),
  );
}

export function olderImages(images: string, store: number, found: number): FolderError {
  return new FolderError(
    `The images in ${images} are older than the database: images from start ${found}, database from start ${store}.`,
    hint('restore the images that belong to the database', adopt),
  );
}

export function unknownImages(
  database: string,
  images: string,
  found: UnlistedImages,
): FolderError {
  const names = found.names.slice(0, 3).join(', ');
  return new FolderError(
    `The folder ${images} has ${describeUnlistedImages(found)} unknown to the database ${database} (${names}${found.names.length > 3 ? ', ...' : ''}): the database is older, or the images belong to another site.`,
    hint(restore, adopt),
  );
}
