/** Queue of password hashes: limits, and the refusal if too many wait. */
import { availableParallelism } from 'node:os';
import { Refusal } from '../core/fault.ts';
import { type WorkLimits, WorkQueue } from '../core/work-queue.ts';

const defaultHashingLimits: WorkLimits = {
  // One processor stays free for other work; Node has four threads for files and hashes.
  atOnce: Math.max(1, Math.min(2, availableParallelism() - 1)),
  waiting: 512,
  waitingPerParty: 256,
};

/** A queue whose `run` rejects with 503 if too many hashes wait. */
export function createHashingQueue(limits: WorkLimits = defaultHashingLimits): WorkQueue {
  return new WorkQueue(limits, () => {
    const detail = 'Too many passwords are waiting to be hashed. Try again later.';
    return new Refusal(503, 'Service Unavailable', detail, { headers: { 'Retry-After': '2' } });
  });
}
