/** Maximum size of a disk, by type of storage. */

const gibibyte = 2 ** 30;

/**
 * Maximum size in GiB on block storage (iSCSI, Fibre Channel): MaxBlockDiskSizeInGibiBytes of the
 * engine.
 */
export const largestBlockDiskGib = 8_192;

/** Maximum size in bytes, by type of storage. */
export const largestDisk = {
  block: largestBlockDiskGib * gibibyte,
  /**
   * NFS, local, POSIX and GlusterFS storage: the largest qcow2 image with clusters of 64 KiB,
   * because QEMU loads L1 tables of at most 32 MiB. Raw disks have the same limit, so that they can
   * be converted.
   */
  file: 2 ** 51,
} as const;
