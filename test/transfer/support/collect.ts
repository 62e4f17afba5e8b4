/** Everything that an asynchronous sequence hands out; `Array.fromAsync` of newer releases of Node. */
export async function collect<T>(sequence: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const one of sequence) found.push(one);
  return found;
}

/** What a promise is rejected with; fails when it is not. */
export async function failureOf(work: Promise<unknown>): Promise<Error> {
  try {
    await work;
  } catch (error) {
    if (error instanceof Error) return error;
    throw error;
  }
  throw new Error('It did not fail.');
}
