/** An open site: its store, image folders and coordination; and drivers of stores. */
import type { Store } from '../store/store.ts';
import type { Coordination } from './coordination.ts';

export interface DataFolder {
  readonly store: Store;
  /** Folder of the image files. */
  readonly images: string;
  /** Folder on the same file system for hard links of frozen images. */
  readonly frozen: string;
  readonly coordination: Coordination;
  /** Closes the database and marks it as closed. */
  close(): Promise<void>;
}

export interface FolderSettings {
  /** Whether the database is in memory, without persistence. */
  readonly inMemory: boolean;
  /** Opens a database that lacks acknowledged changes. */
  readonly acceptLoss?: boolean | undefined;
  /** Moves existing files aside and starts an empty site. */
  readonly newSite: boolean;
  /** Uses a database and images that do not belong together. */
  readonly adoptImages: boolean;
  /** Store of a feature with the state; undefined for a store in the folder. */
  readonly store?: StoreAddress | undefined;
  /** Folder of the images; undefined for a subfolder of the data folder. */
  readonly images?: string | undefined;
  readonly log: (line: string) => void;
}

/** Driver of stores outside of the data folder. */
export interface StoreDriver {
  /**
   * Opens the site at an address, with its images in a folder, and creates missing tables. Throws
   * `FolderInUse` if another process uses the site alone, and `FolderError` if opening it could lose
   * data or fails.
   */
  openSite(
    address: string,
    folders: Pick<DataFolder, 'images' | 'frozen'>,
    settings: FolderSettings,
  ): Promise<DataFolder>;
}

/** A site outside of the data folder, and the driver of its store. */
export interface StoreAddress {
  readonly address: string;
  readonly driver: StoreDriver;
}
