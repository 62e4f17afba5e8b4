/** Load of hosts, from their statistics, and its history. Runs without a DOM. */
import { asObjects, getObject, type Json } from './json.ts';

/** Percentages of a host; undefined without a measurement. */
export interface Load {
  readonly cpu: number | undefined;
  readonly memory: number | undefined;
}

export interface HostLoad extends Load {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly usedBytes: number | undefined;
  readonly totalBytes: number | undefined;
}

/** Load at a time, in milliseconds since 1970. */
export interface Sample extends Load {
  readonly at: number;
}

/**
 * Reads the load of a host that contains its statistics. The service reports 0 for the
 * measurements of a host that is not up: it has none.
 */
export function readHostLoad(host: Json): HostLoad {
  const status = String(host['status']);
  const statistics = status === 'up' ? asObjects(getObject(host, 'statistics')['statistic']) : [];
  const read = (name: string) => {
    const found = statistics.find((one) => one['name'] === name);
    const [first] = asObjects(getObject(found, 'values')['value']);
    const datum = first?.['datum'];
    return datum === undefined ? undefined : Number(datum);
  };
  const user = read('cpu.current.user');
  const system = read('cpu.current.system');
  const usedBytes = read('memory.used');
  const totalBytes = read('memory.total');
  return {
    id: String(host['id']),
    name: String(host['name']),
    status,
    cpu: user === undefined || system === undefined ? undefined : Math.min(100, user + system),
    memory: usedBytes === undefined || !totalBytes ? undefined : (100 * usedBytes) / totalBytes,
    usedBytes,
    totalBytes,
  };
}

/** Samples of each host within a period. */
export class LoadHistory {
  readonly #periodMs: number;
  #samples: ReadonlyMap<string, readonly Sample[]> = new Map();
  /** Time of the first sample. */
  since: number | undefined;

  constructor(periodMs: number) {
    this.#periodMs = periodMs;
  }

  /**
   * Adds a sample of each host and deletes the samples outside the period, including samples in the
   * future: the clock may have been set back.
   */
  add(at: number, hosts: readonly HostLoad[]): void {
    this.since = Math.min(this.since ?? at, at);
    this.#samples = new Map(
      hosts.map(({ id, cpu, memory }) => {
        const recent = this.list(id).filter((one) => one.at >= at - this.#periodMs && one.at <= at);
        return [id, [...recent, { at, cpu, memory }]];
      }),
    );
  }

  /** Samples of a host, oldest first. */
  list(hostId: string): readonly Sample[] {
    return this.#samples.get(hostId) ?? [];
  }
}
