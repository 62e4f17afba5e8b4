/** A disk that an upload is to make. */
export interface NewDisk {
  readonly name: string;
  /** Bytes; those of the image without it. */
  readonly size?: number;
  /** Take all of its room at once. */
  readonly preallocated?: boolean;
  /** Bytes that its storage domain has left, as far as that is known. */
  readonly availableSpace?: number;
  readonly description?: string;
  readonly storageDomain: string;
  /** The domain hands out blocks instead of files: what is not written may be anything. */
  readonly onBlockStorage: boolean;
}
