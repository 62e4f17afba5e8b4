/** Consistency check of a database and a folder of images: same site and same age. */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { FolderSettings } from '../core/opened-site.ts';
import { imageKinds } from '../store/image-list.ts';
import type { Store } from '../store/store.ts';
import {
  createSiteMark,
  findUnlistedImages,
  listNamesIn,
  readMark,
  type SiteMark,
  writeMark,
} from './marks.ts';
import { setAside } from './move-aside.ts';
import * as refusals from './refusals.ts';

/**
 * Checks that store and images belong together, and counts the start. `database` is the name of the
 * database in messages. Throws a `FolderError` if they do not.
 */
export async function agree(
  store: Store,
  database: string,
  images: string,
  settings: Pick<FolderSettings, 'adoptImages' | 'log'>,
): Promise<void> {
  const text = store.meta('site');
  // `writeSite` stored this text.
  const own = text === undefined ? undefined : (JSON.parse(text) as SiteMark);
  const mark = settings.adoptImages ? undefined : readMark(images);
  // A database of a version without a list of images.
  const isUpgrade = own === undefined && store.meta('filled') !== undefined;
  if (isUpgrade && !mark) await listImages(store, images);
  const known = store.read((tx) => tx.images.ids());
  const unlisted = findUnlistedImages(images, known);
  if (settings.adoptImages || (isUpgrade && !mark)) {
    if (unlisted.names.length > 0) {
      const to = setAside(images, unlisted.names);
      settings.log(
        `${refusals.describeUnlistedImages(unlisted)} unknown to the database moved to ${to}`,
      );
    }
  } else {
    const expected = store.read((tx) => tx.images.expected()).length;
    refuseOthers(own, mark, { database, images, expected });
    if (unlisted.names.length > 0) {
      throw refusals.unknownImages(database, images, unlisted);
    }
  }
  const { site, starts } = own ?? createSiteMark();
  const next: SiteMark = { site, starts: Math.max(starts, mark?.starts ?? 0) + 1 };
  await writeSite(store, next);
  writeMark(images, next);
}

/** Stores the mark of the site. */
export function writeSite(store: Store, site: SiteMark): Promise<void> {
  return store.write(() => store.setMeta('site', JSON.stringify(site)));
}

function refuseOthers(
  own: SiteMark | undefined,
  mark: SiteMark | undefined,
  { database, images, expected }: { database: string; images: string; expected: number },
): void {
  if (!mark) {
    if (expected > 0) throw refusals.noImages(images, expected);
    return;
  }
  if (own?.site !== mark.site) throw refusals.otherSite(images, own?.site, mark);
  if (own.starts < mark.starts) {
    throw refusals.olderStore(database, images, own.starts, mark.starts);
  }
  if (own.starts > mark.starts + 1) throw refusals.olderImages(images, own.starts, mark.starts);
}

/** Lists the images of the objects in a database without a list. */
function listImages(store: Store, images: string): Promise<void> {
  return store.write((tx) => {
    for (const name of listNamesIn(images)) {
      if (!imageKinds.some((kind) => tx.get(kind, name) !== undefined)) continue;
      tx.images.written(name, lstatSync(join(images, name)).size);
    }
  });
}
