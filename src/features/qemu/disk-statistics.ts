/** Statistics of the disks of running VMs, from the counters of QEMU. */
import { toRecord } from '../../records.ts';
import type { DiskMeasures } from '../../server/core/hypervisor.ts';
import type { RunningVm } from './running-vm.ts';

/** Counters of a disk since the start of its process. Times in nanoseconds. */
interface Counters {
  readonly readBytes: number;
  readonly writtenBytes: number;
  readonly reads: number;
  readonly writes: number;
  readonly flushes: number;
  readonly readTime: number;
  readonly writeTime: number;
  readonly flushTime: number;
}

interface Sample {
  /** Milliseconds of a monotonic clock. */
  readonly at: number;
  readonly disks: ReadonlyMap<string, Counters>;
}

const diskId = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const nanosecondsPerSecond = 1e9;

export class DiskStatistics {
  readonly #samples = new WeakMap<RunningVm, Sample>();

  /** Measures the disks of a VM by id. Rates and latencies are those since the last call. */
  async measure(vm: RunningVm, now: number): Promise<ReadonlyMap<string, DiskMeasures>> {
    const disks = await readCounters(vm);
    const before = this.#samples.get(vm);
    this.#samples.set(vm, { at: now, disks });
    const seconds = before ? (now - before.at) / 1000 : 0;
    return new Map(
      [...disks].map(([id, counters]) => [
        id,
        compare(before?.disks.get(id) ?? counters, counters, seconds),
      ]),
    );
  }
}

function compare(before: Counters, now: Counters, seconds: number): DiskMeasures {
  const rate = (what: 'readBytes' | 'writtenBytes') =>
    seconds > 0 ? Math.max(0, now[what] - before[what]) / seconds : 0;
  const latency = (time: 'readTime' | 'writeTime' | 'flushTime', count: number) =>
    count > 0 ? Math.max(0, now[time] - before[time]) / count / nanosecondsPerSecond : 0;
  return {
    ...{ readRate: rate('readBytes'), writeRate: rate('writtenBytes') },
    ...{ reads: now.reads, writes: now.writes },
    readLatency: latency('readTime', now.reads - before.reads),
    writeLatency: latency('writeTime', now.writes - before.writes),
    flushLatency: latency('flushTime', now.flushes - before.flushes),
  };
}

/** Counters by the id of the disk, which is the name of its image file. */
async function readCounters(vm: RunningVm): Promise<Map<string, Counters>> {
  const [drives, statistics] = [
    await vm.execute('query-block'),
    await vm.execute('query-blockstats'),
  ];
  const byDevice = new Map(listRecords(statistics).map((one) => [one['qdev'], one['stats']]));
  const found = new Map<string, Counters>();
  for (const { qdev, inserted } of listRecords(drives)) {
    const { file } = toRecord(inserted);
    const id = typeof file === 'string' ? file.match(diskId)?.at(-1) : undefined;
    const counters = byDevice.get(qdev);
    if (id !== undefined && counters !== undefined) found.set(id, readStats(toRecord(counters)));
  }
  return found;
}

function readStats(stats: Record<string, unknown>): Counters {
  const read = (name: string) => Number(stats[name] ?? 0);
  return {
    ...{ readBytes: read('rd_bytes'), writtenBytes: read('wr_bytes') },
    ...{ reads: read('rd_operations'), writes: read('wr_operations') },
    ...{ flushes: read('flush_operations'), readTime: read('rd_total_time_ns') },
    ...{ writeTime: read('wr_total_time_ns'), flushTime: read('flush_total_time_ns') },
  };
}

function listRecords(list: unknown): Record<string, unknown>[] {
  return Array.isArray(list) ? list.map(toRecord) : [];
}
