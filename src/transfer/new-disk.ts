/** Disk that an upload creates. */
export interface NewDisk {
  readonly name: string;
  /** Size in bytes (default: that of the image). */
  readonly size?: number;
  /** Allocates all space on creation. */
  readonly preallocated?: boolean;
  /** Free space of the storage domain in bytes, if known. */
  readonly availableSpace?: number;
  readonly description?: string;
  readonly storageDomain: string;
  /** Whether the domain is on block storage, where unwritten blocks have arbitrary content. */
  readonly onBlockStorage: boolean;
}
