/** What is gathered before it is printed has a bound: the memory that this process may have. */
import { VmctlError } from '../../client/errors.ts';

/** The part of the heap that may be in use; the rest is for what is under way, and for garbage. */
const usable = 0.6;

/**
 * Call it after each batch that is kept. Throws `VmctlError` (`too_much_to_hold`) when hardly any
 * memory is left, instead of letting the process die without a word.
 * @param what is kept, and why: `all rows are kept to align the columns`
 */
export function checkMemory(count: number, what: string, hint: string): void {
  const { getHeapStatistics } = process.getBuiltinModule('node:v8');
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
  if (used < limit * usable) return;
  throw new VmctlError(
    `${count} objects have come and no end is in sight, but there is memory for no more: ${what}`,
    { code: 'too_much_to_hold', hint: `${hint}, or ask for less with --max or --search` },
  );
}
