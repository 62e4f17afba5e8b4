/** Limit of concurrent disk operations: the whole process shares one small thread pool. */
import pLimit from 'p-limit';

/**
 * The limit of this thread: one thread of the pool stays free, so that a disk that hangs cannot
 * stop name look-ups and key derivations elsewhere in the process.
 */
export const diskLimit = pLimit(Math.max(1, (Number(process.env['UV_THREADPOOL_SIZE']) || 4) - 1));
