/** Agreement of a database and a folder of images: that they belong together, and are of the same age. */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { imageKinds } from '../store/image-list.ts';
import type { Store } from '../store/store.ts';
import { setAside } from './aside.ts';
import { namesIn, newSite, readMark, type SiteMark, strangersIn, writeMark } from './marks.ts';
import * as refusals from './refusals.ts';

export interface AgreementSettings {
  /** Database and images are used together although they do not fit. */
  readonly adoptImages: boolean;
  readonly log: (line: string) => void;
}

/**
 * Makes sure that store and images belong together, and counts the start. `database` is what messages call
 * the database. Throws a `FolderError` where they do not.
 */
export async function agree(
  store: Store,
  database: string,
  images: string,
  settings: AgreementSettings,
): Promise<void> {
  const text = store.meta('site');
  // Whoever began the site wrote it.
  const own = text === undefined ? undefined : (JSON.parse(text) as SiteMark);
  const mark = settings.adoptImages ? undefined : readMark(images);
  // A database of a version that kept no list of its images.
  const isUpgrade = own === undefined && store.meta('filled') !== undefined;
  if (isUpgrade && !mark) await listImages(store, images);
  const known = store.read((tx) => tx.images.ids());
  const strangers = strangersIn(images, known);
  if (settings.adoptImages || (isUpgrade && !mark)) {
    if (strangers.names.length > 0) {
      const to = setAside(images, strangers.names);
      settings.log(
        `${refusals.describeStrangers(strangers)} unknown to the database moved to ${to}`,
      );
    }
  } else {
    const expected = store.read((tx) => tx.images.expected()).length;
    refuseOthers(own, mark, { database, images, expected });
    if (strangers.names.length > 0) {
      throw refusals.unknownImages(database, images, strangers);
    }
  }
  const { site, starts } = own ?? newSite();
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

/** Lists the images of the objects of a database that had no list yet. */
function listImages(store: Store, images: string): Promise<void> {
  return store.write((tx) => {
    for (const name of namesIn(images)) {
      if (!imageKinds.some((kind) => tx.get(kind, name) !== undefined)) continue;
      tx.images.written(name, lstatSync(join(images, name)).size);
    }
  });
}
