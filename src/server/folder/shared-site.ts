/** A site whose state is in PostgreSQL: the database, and the folder with the bytes of its disks. */
import { ownFolder } from '../files/access.ts';
import { maskedAddress } from '../store/postgres/address.ts';
import { openPostgresStore } from '../store/postgres/store.ts';
import { agree, writeSite } from './agreement.ts';
import { clearPartial, moveImagesAside } from './aside.ts';
import type { DataFolder, FolderSettings } from './data-folder.ts';
import { newSite } from './marks.ts';

/**
 * Opens the site in the database at an address of PostgreSQL, with its images in a folder. Throws a
 * `FolderError` where that could lose something.
 */
export async function openSharedSite(
  address: string,
  { images, frozen }: Pick<DataFolder, 'images' | 'frozen'>,
  settings: FolderSettings,
): Promise<DataFolder> {
  ownFolder(images);
  // The database is looked at first: where another server has it, its images stay.
  const store = openPostgresStore(address, { newSite: settings.newSite, log: settings.log });
  try {
    if (settings.newSite) moveImagesAside(images, settings.log);
    clearPartial(frozen);
    if (settings.inMemory) await writeSite(store, { ...newSite(), starts: 1 });
    else await agree(store, maskedAddress(address), images, settings);
  } catch (error) {
    await store.close();
    throw error;
  }
  return { store, images, frozen, close: () => store.close() };
}
