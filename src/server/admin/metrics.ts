/** Request metrics in the Prometheus text format. */
import { storedKinds } from '../store/kinds.ts';
import type { Store } from '../store/store.ts';

/** Upper bounds of the histogram buckets in seconds. */
const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

export class Metrics {
  readonly #requests = new Map<string, number>();
  readonly #buckets = bounds.map(() => 0);
  #seconds = 0;
  #count = 0;

  /** Counts an answered request. */
  answered(method: string, status: number, seconds: number): void {
    const key = `method="${method}",code="${status}"`;
    this.#requests.set(key, (this.#requests.get(key) ?? 0) + 1);
    this.#count += 1;
    this.#seconds += seconds;
    bounds.forEach((bound, index) => {
      if (seconds <= bound) this.#buckets[index] = (this.#buckets[index] ?? 0) + 1;
    });
  }

  /** The metrics, including current counts of the store. */
  text(store: Store): string {
    const lines = [
      ...family('vmctl_requests_total', 'counter', 'Number of answered requests.', this.#requests),
      ...this.#histogram(),
      ...family('vmctl_objects', 'gauge', 'Number of stored objects.', countObjects(store)),
      ...family(
        'vmctl_tasks',
        'gauge',
        'Number of state transitions and tasks in progress.',
        new Map([['', store.read((tx) => tx.tasks.count())]]),
      ),
      ...family(
        'process_resident_memory_bytes',
        'gauge',
        'Memory of the process in bytes.',
        new Map([['', process.memoryUsage.rss()]]),
      ),
      ...family(
        'process_uptime_seconds',
        'gauge',
        'Start time of the process.',
        new Map([['', process.uptime()]]),
      ),
    ];
    return `${lines.join('\n')}\n`;
  }

  #histogram(): string[] {
    const name = 'vmctl_request_duration_seconds';
    return [
      `# HELP ${name} Duration of requests.`,
      `# TYPE ${name} histogram`,
      ...bounds.map((bound, index) => `${name}_bucket{le="${bound}"} ${this.#buckets[index]}`),
      `${name}_bucket{le="+Inf"} ${this.#count}`,
      `${name}_sum ${this.#seconds}`,
      `${name}_count ${this.#count}`,
    ];
  }
}

function countObjects(store: Store): Map<string, number> {
  return store.read((tx) => {
    const counts = storedKinds().map((kind) => [`kind="${kind}"`, tx.count(kind)] as const);
    return new Map(counts.filter(([, count]) => count > 0));
  });
}

function family(
  name: string,
  type: string,
  help: string,
  values: ReadonlyMap<string, number>,
): string[] {
  return [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} ${type}`,
    ...[...values].map(([labels, value]) => `${name}${labels ? `{${labels}}` : ''} ${value}`),
  ];
}
