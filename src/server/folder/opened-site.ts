/** A site that is open: its state, and the folders of its bytes. */
import type { StoreAddress } from '../store/shared-store.ts';
import type { Store } from '../store/store.ts';
import type { AgreementSettings } from './agreement.ts';

export interface DataFolder {
  readonly store: Store;
  /** Folder of the image files. */
  readonly images: string;
  /** Folder on the same file system as these, for what second names of them are kept in. */
  readonly frozen: string;
  /** No other server uses the site. */
  readonly isFirst: boolean;
  /** Others that wait for this one may start. */
  started(): void;
  /** Closes the database, and notes that it was closed. */
  close(): Promise<void>;
}

export interface FolderSettings extends AgreementSettings {
  /** Nothing is kept: the database is in memory. */
  readonly inMemory: boolean;
  /** Opens a database that lacks acknowledged changes. */
  readonly acceptLoss?: boolean | undefined;
  /** What is there is moved aside, for an empty site. */
  readonly newSite: boolean;
  /** Shared store with the state; undefined: the state is in the folder. */
  readonly store?: StoreAddress | undefined;
  /** Folder of the images; undefined: below that of the data. */
  readonly images?: string | undefined;
}
