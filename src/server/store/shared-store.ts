/** Stores that several servers share, in a database server. */
import type { Store } from './store.ts';

export interface SharedStore extends Store {
  /** Whether no other server used the store when it was opened. */
  readonly isFirst: boolean;
  /** Permits other servers to start. */
  started(): void;
}

export interface SharedStoreSettings {
  /** Refuses other users of the store while it is open. */
  readonly alone?: boolean;
  /** Renames existing tables, for an empty site. */
  readonly newSite?: boolean;
  readonly log?: (line: string) => void;
}

export interface StoreDriver {
  /** Returns the address without its password. */
  maskAddress(address: string): string;
  /**
   * Opens the store, and creates missing tables. Waits while another server starts. Throws `FolderInUse` if
   * another process uses it alone, and `FolderError` if it is unusable.
   */
  openStore(address: string, settings?: SharedStoreSettings): SharedStore;
}

/** A shared store, and the driver that opens it. */
export interface StoreAddress {
  readonly address: string;
  readonly driver: StoreDriver;
}
