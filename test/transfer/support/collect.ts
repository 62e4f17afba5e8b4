/** All items of an asynchronous sequence, like `Array.fromAsync` in newer releases of Node. */
export async function collect<T>(sequence: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const one of sequence) found.push(one);
  return found;
}

/** Rejection of a promise. Fails if it resolves. */
export async function catchFailure(work: Promise<unknown>): Promise<Error> {
  try {
    await work;
  } catch (error) {
    if (error instanceof Error) return error;
    throw error;
  }
  throw new Error('It did not fail.');
}
