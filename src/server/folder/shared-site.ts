/** A site whose state is in PostgreSQL: the database, and the folder with the bytes of its disks. */
import { readdirSync } from 'node:fs';
import { ownFolder } from '../files/access.ts';
import { maskedAddress } from '../store/postgres/address.ts';
import { openPostgresStore } from '../store/postgres/store.ts';
import { agree, moved, unused, writeSite } from './agreement.ts';
import type { DataFolder, FolderSettings } from './data-folder.ts';
import { newSite } from './marks.ts';

/**
 * Opens the site in the database at an address of PostgreSQL, with its images in a folder. Throws a
 * `FolderError` where that could lose something.
 */
export async function openSharedSite(
  address: string,
  images: string,
  settings: FolderSettings,
): Promise<DataFolder> {
  ownFolder(images);
  // The database is looked at first: where another server has it, its images stay.
  const store = openPostgresStore(address, { newSite: settings.newSite, log: settings.log });
  try {
    if (settings.newSite) setImagesAside(images, settings.log);
    if (settings.inMemory) await writeSite(store, { ...newSite(), starts: 1 });
    else await agree(store, maskedAddress(address), images, settings);
  } catch (error) {
    await store.close();
    throw error;
  }
  return { store, images, close: () => store.close() };
}

/** Gives the folder of the images of a site another name, where there is something in it. */
function setImagesAside(images: string, log: (line: string) => void): void {
  if (readdirSync(images).length === 0) return;
  const target = unused(`${images}.before-new-site`);
  moved(images, target);
  ownFolder(images);
  log(`${images} moved to ${target}`);
}
