/** Limit of concurrent disk operations, because the process has one small thread pool. */
import pLimit from 'p-limit';

/**
 * Limit of this thread. One thread of the pool remains free, so that a disk that hangs does not
 * block name lookups and key derivations of the process.
 */
export const diskLimit = pLimit(Math.max(1, (Number(process.env['UV_THREADPOOL_SIZE']) || 4) - 1));
