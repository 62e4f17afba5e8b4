/** A site in PostgreSQL: the database, and the image folder that its servers share. */
import type { DataFolder, FolderSettings } from '../../server/core/opened-site.ts';
import { FolderError, restrictFolder } from '../../server/files/access.ts';
import { createSiteMark, parseSiteMark, readMark } from '../../server/folder/marks.ts';
import { clearPartial, moveImagesAside } from '../../server/folder/move-aside.ts';
import { agree, writeSite } from '../../server/folder/site-check.ts';
import type { Store } from '../../server/store/store.ts';
import { maskAddress } from './address.ts';
import { PostgresCoordination } from './coordination.ts';
import { openPostgresStore } from './open.ts';

/**
 * Opens the site in a database, with its images in a folder; `alone` refuses other users. Throws a
 * `FolderError` if that could lose data.
 */
export async function openSharedSite(
  address: string,
  { images, frozen }: Pick<DataFolder, 'images' | 'frozen'>,
  settings: FolderSettings & { readonly alone?: boolean },
): Promise<DataFolder> {
  restrictFolder(images);
  // The database is opened first: if other servers use it, the images must not be moved.
  const store = openPostgresStore(address, settings);
  try {
    if (settings.newSite) moveImagesAside(images, settings.log);
    if (!store.isFirst) requireSame(store, maskAddress(address), images);
    else {
      clearPartial(frozen);
      if (settings.inMemory) await writeSite(store, { ...createSiteMark(), starts: 1 });
      else await agree(store, maskAddress(address), images, settings);
    }
  } catch (error) {
    await store.close();
    throw error;
  }
  const coordination = new PostgresCoordination(store);
  return { store, images, frozen, coordination, close: () => store.close() };
}

/**
 * Requires that the image folder of this server belongs to the same site as those of running
 * servers.
 */
function requireSame(store: Store, database: string, images: string): void {
  const own = parseSiteMark(store.meta('site') ?? '{}');
  const mark = readMark(images);
  if (mark !== undefined && mark.site === own.site) return;
  throw new FolderError(
    `${images} is not the image folder of the servers of ${database}.`,
    'mount that folder, and name it with --images',
  );
}
