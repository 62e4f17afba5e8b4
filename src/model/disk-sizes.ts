/** Largest size of a disk, by the sort of storage that it is on. */

const gibibyte = 2 ** 30;

/** GiB of the largest disk on block storage (iSCSI, Fibre Channel): the engine's MaxBlockDiskSizeInGibiBytes. */
export const largestBlockDiskGib = 8_192;

/** Bytes of the largest disk, by the sort of its storage. */
export const largestDisk = {
  block: largestBlockDiskGib * gibibyte,
  /**
   * NFS, local, POSIX and GlusterFS storage: the largest qcow2 image with clusters of 64 KiB, because QEMU
   * loads L1 tables of at most 32 MiB. Raw disks have the same limit, so that each can be converted.
   */
  file: 2 ** 51,
} as const;
