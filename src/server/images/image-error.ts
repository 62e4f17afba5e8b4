/** Failures of the files of images, as the faults that they become. */
import { causeOf } from '../folder/cause.ts';
import { StoreError } from '../store/store.ts';

/** Runs what works with an image file. What the system refuses becomes a fault that names the cause. */
export function onImage<T>(id: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw imageError(id, error);
  }
}

/** The fault for what went wrong with an image file; errors that are not the system's stay. */
export function imageError(id: string, error: unknown): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code === undefined || syscall === undefined) return error;
  return new StoreError(`The image ${id} cannot be written or read: ${causeOf(error)}.`, {
    cause: error,
  });
}
