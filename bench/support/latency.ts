/** How long requests take while something else goes on. */

/**
 * Sends requests one after the other, so many and for as long as the work takes; returns the
 * milliseconds that 99 of 100 do not exceed.
 */
export async function percentile99(
  request: () => Promise<unknown>,
  count: number,
  work: () => Promise<unknown> = async () => undefined,
): Promise<number> {
  let working = true;
  const worked = work().finally(() => {
    working = false;
  });
  const times: number[] = [];
  while (working || times.length < count) {
    const began = performance.now();
    await request();
    times.push(performance.now() - began);
  }
  await worked;
  times.sort((a, b) => a - b);
  return times[Math.floor(times.length * 0.99)] ?? 0;
}
