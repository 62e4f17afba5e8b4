/** A site whose state is in PostgreSQL: the database, and the folder with the bytes of its disks. */
import { ownFolder } from '../files/access.ts';
import { maskedAddress } from '../store/postgres/address.ts';
import { openPostgresStore } from '../store/postgres/store.ts';
import { agree, writeSite } from './agreement.ts';
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
  const store = openPostgresStore(address, { newSite: settings.newSite, log: settings.log });
  try {
    if (settings.inMemory) await writeSite(store, { ...newSite(), starts: 1 });
    else await agree(store, maskedAddress(address), images, settings);
  } catch (error) {
    await store.close();
    throw error;
  }
  return { store, images, close: () => store.close() };
}
