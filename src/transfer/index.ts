/** Transfer of disk images between files and image daemons (specification 4.6). */
export { backOff } from '../client/retry.ts';
export { type DiskFormat, detectImageFormat } from '../formats/image-head.ts';
export {
  type BackupDownloadOptions,
  type Content,
  type DownloadedBackup,
  downloadBackup,
} from './backup-download.ts';
export { isBlockDevice, openDevice } from './block-device.ts';
export { BACKUP_ALGORITHM } from './checksum-algorithm.ts';
export { type Compared, type CompareOptions, compare, fileChecksum } from './compare.ts';
export { type Compression, decompressed, detectCompression } from './compression.ts';
export { daemonError } from './daemon-errors.ts';
export { type Downloaded, type DownloadOptions, download } from './download.ts';
export {
  downloadToStream,
  ReaderClosedError,
  type StreamDownloadOptions,
} from './download-to-stream.ts';
export { FileSource, isSameIdentity } from './file-source.ts';
export { requireFormat, requireKnown } from './image-format.ts';
export { Journal, type JournalHeader } from './journal.ts';
export type { NewDisk } from './new-disk.ts';
export { openSource, type SourceOptions } from './open-source.ts';
export { PartialFile } from './partial-file.ts';
export type { Phase, ProgressListener, TransferEvent, TransferOptions } from './progress.ts';
export { RateLimit } from './rate-limit.ts';
export { type FileRegion, RegionSource, readImageHead } from './region-source.ts';
export type { Source } from './source.ts';
export { copyError } from './spool-to-temp-file.ts';
export { endInterrupted, TransferAborted, type TransferRemainder } from './transfer-error.ts';
export { type UploadOptions, upload } from './upload.ts';
export { isUrl } from './web-source.ts';
