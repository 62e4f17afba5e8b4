/** Memory of a server with many VMs after many requests: size and growth. */
import { createRow, median } from './report/row.ts';
import { MeasuredServer } from './support/server.ts';
import { answer, quick } from './support/settings.ts';

const [vms, requests] = quick ? [100, 400] : [100_000, 100_000];
const clients = 16;
/** Requests between two samples. */
const step = requests / 50;

const server = await MeasuredServer.start(['--inventory', `hosts=100,vms=${vms}`]);
try {
  const ids = await server.vmIds(1_000);
  const pages = Math.ceil(vms / 100);
  /** Mostly objects, some searches, some pages, each at a different position. */
  const getPath = (number: number): string => {
    const id = ids[(number * 7) % ids.length] ?? '';
    if (number % 10 < 7) return `/vms/${id}`;
    if (number % 10 < 9) return `/vms?search=name%3Dvm-${(number * 13) % vms}`;
    return `/vms?search=sortby%20name%20asc%20page%20${1 + ((number * 17) % pages)}&max=100`;
  };
  let sent = 0;
  const send = async (until: number) => {
    const client = async () => {
      while (sent < until) {
        sent += 1;
        await server.get(getPath(sent));
      }
    };
    await Promise.all(Array.from({ length: clients }, client));
  };
  // Compiled code and caches grow at first. This growth ends.
  const before = requests / 5;
  await send(before);
  const seen: { readonly requests: number; readonly memory: number }[] = [];
  while (sent < before + requests) {
    await send(sent + step);
    seen.push({ requests: sent, memory: server.memory() });
  }
  const common = { direction: 'at most' } as const;
  answer([
    createRow({
      ...{ ...common, name: `memory with ${vms} VMs after ${requests} requests`, unit: 'MiB' },
      ...{ ours: [seen.at(-1)?.memory ?? 0], reach: 400 },
    }),
    createRow({
      ...{ ...common, name: `its growth over ${requests} requests`, unit: 'KB/1,000 requests' },
      ...{ ours: [slope(seen)], reach: 1 },
    }),
  ]);
} finally {
  await server.stop();
}

/**
 * KB for each 1,000 requests: the median of the slopes between all pairs, because samples are
 * before or after a garbage collection.
 */
function slope(seen: readonly { readonly requests: number; readonly memory: number }[]): number {
  const slopes = seen.flatMap((one, index) =>
    seen
      .slice(index + 1)
      .map((other) => (other.memory - one.memory) / (other.requests - one.requests)),
  );
  return median(slopes) * 1024 * 1_000;
}
