/** Why a folder of data is not started on: what was found there, and what can be done. */
import { FolderError } from '../files/access.ts';
import type { LostCommits } from '../store/commit-position.ts';
import type { SiteMark, Strangers } from './marks.ts';

const restore =
  'put the database back that belongs to these images (vmctl serve --restore brings a backup into an empty folder)';
const aside = '--new-site moves what is there aside and begins an empty site; nothing is deleted';
const adopt =
  '--adopt-images goes on with both: images that the database does not know are moved aside, disks whose image is missing become illegal';

const acceptLoss =
  '--accept-loss opens the database without the lost changes, and keeps a copy of the log';

function hint(...ways: readonly string[]): string {
  return ways.join('; or ');
}

/** The words for image files that the database does not know. */
export function describeStrangers({ names, bytes }: Strangers): string {
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
  found: Strangers,
): FolderError {
  const state = isThere ? 'is empty' : 'is missing';
  const beside = found.names.length > 0 || !mark ? ` with ${describeStrangers(found)}` : '';
  const whose = mark ? ` of the site ${mark.site}` : '';
  return new FolderError(
    `The database ${database} ${state}, but beside it is the folder ${images}${whose}${beside}.`,
    hint(restore, aside),
  );
}

export function noStoreBesideLog(database: string, log: string): FolderError {
  return new FolderError(
    `The database ${database} is missing or empty, but ${log} holds changes that belong to it.`,
    hint('put back the database that belongs to the log', aside),
  );
}

export function damagedLog(log: string, damage: string): FolderError {
  return new FolderError(
    `${log} is damaged: ${damage}. What was acknowledged after that would be lost.`,
    hint('bring a backup into an empty folder with vmctl serve --restore', acceptLoss),
  );
}

/** The words for changes that a database lacks. */
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
      'bring a backup into an empty folder with vmctl serve --restore',
      acceptLoss,
    ),
  );
}

export function changedStore(database: string, mark: string, problem: string): FolderError {
  return new FolderError(
    `${database} was changed or damaged after it was closed: its content is not what the last server left (${problem}).`,
    hint(
      'bring a backup into an empty folder with vmctl serve --restore',
      `where you changed it yourself, remove ${mark} and start again`,
    ),
  );
}

export function damagedStore(database: string, problem: string): FolderError {
  return new FolderError(
    `${database} is damaged: ${problem}.`,
    hint('bring a backup into an empty folder with vmctl serve --restore', aside),
  );
}

export function otherSite(images: string, own: string | undefined, mark: SiteMark): FolderError {
  return new FolderError(
    `The images in ${images} belong to the site ${mark.site}, and the database to ${own ?? 'an older one without an id'}.`,
    hint(restore, 'put back the images of the database', adopt),
  );
}

export function noImages(images: string, expected: number): FolderError {
  const count = expected === 1 ? '1 disk image' : `${expected} disk images`;
  return new FolderError(
    `The database expects ${count} in ${images}, and that is not there or not the folder that it knows.`,
    hint('mount it, or put the images back', adopt),
  );
}

export function olderStore(
  database: string,
  images: string,
  store: number,
  found: number,
): FolderError {
  return new FolderError(
    `The database ${database} is older than the images in ${images}: it is from start ${store} of the site, they are from start ${found}.`,
    hint(restore, adopt, aside),
  );
}

export function olderImages(images: string, store: number, found: number): FolderError {
  return new FolderError(
    `The images in ${images} are older than the database: they are from start ${found} of the site, it is from start ${store}.`,
    hint('put back the images that belong to the database', adopt),
  );
}

export function unknownImages(database: string, images: string, found: Strangers): FolderError {
  const names = found.names.slice(0, 3).join(', ');
  return new FolderError(
    `The folder ${images} holds ${describeStrangers(found)} that the database ${database} does not know (${names}${found.names.length > 3 ? ', ...' : ''}): the database is older than they are, or they are not its own.`,
    hint(restore, adopt),
  );
}
