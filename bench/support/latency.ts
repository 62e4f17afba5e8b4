/** Latency of requests during other work. */

/**
 * Sends at least `count` requests sequentially, until the work ends. Returns the 99th percentile in
 * milliseconds.
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
