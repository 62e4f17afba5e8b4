/** Rules of statistics: values that move plausibly, the same for the same seed, object and time. */
import type { Resource } from '../../model/resource.ts';
import { type StatisticRow, statistics } from '../../model/statistics.ts';
import { type StoredObject, valueAt } from '../store/document.ts';
import { typeOfKind } from '../store/kinds.ts';
import type { RuleContext } from './context.ts';
import { digestOf, namedId } from './digest.ts';
import { find } from './generic.ts';
import { capacityOf } from './gluster/brick-details.ts';
import { progressOf } from './gluster/progress.ts';
import { rules } from './notation.ts';
import { type Place, placeOf } from './places.ts';

type Statistic = Resource<'statistic'>;

/** Seconds for which a value stays, so that two reads in a row agree. */
const step = 15;
const idle = new Set(['down', 'suspended', 'image_locked', 'maintenance', 'unassigned']);

export const statisticRules = rules({
  kind: 'statistic',

  compute(ctx, place) {
    const { owner } = place;
    const type = owner ? typeOfKind(owner.kind) : '';
    if (owner?.kind === 'step') return ofStep(ctx, place);
    const object = owner && (ctx.tx.get(owner.kind, owner.id) as StoredObject | undefined);
    if (!owner || !object) return [];
    const known =
      type === 'gluster_volume' || type === 'gluster_brick' ? roomOf(ctx, type, object) : undefined;
    const source = new Source(ctx, object, known);
    return (statistics[type] ?? []).map((row) => statisticOf(row, source, place.implied));
  },
});

/** Only steps that move data are measured. Steps are not stored: they follow from their job. */
function ofStep(ctx: RuleContext, place: Place): Statistic[] {
  const [job = '', step = ''] = place.collection
    .split('/')
    .filter((_, index) => index % 2 === 0)
    .slice(1);
  const { object } = find(ctx, placeOf(ctx.tx, '/jobs/{job}/steps', [job]), step);
  const known = progressOf(ctx, object);
  if (!known) return [];
  const source = new Source(ctx, object, known);
  return (statistics['step'] ?? []).map((row) => statisticOf(row, source, place.implied));
}

/** Room on the disks of a volume or brick, there also while nothing runs. */
function roomOf(
  ctx: RuleContext,
  kind: 'gluster_volume' | 'gluster_brick',
  object: StoredObject,
): Known {
  const { total, used } = capacityOf(ctx, kind, object);
  return {
    'memory.total.size': total,
    'memory.used.size': used,
    'memory.free.size': total - used,
    'memory.block.size': 4096,
  };
}

function statisticOf(row: StatisticRow, source: Source, owner: StoredObject): Statistic {
  const [name, kind, unit, type, description] = row;
  const values = name.endsWith('.history')
    ? []
    : type === 'string'
      ? [{ detail: source.text(name) }]
      : [{ datum: source.value(row) }];
  // Ids come from names, so a statistic has the same one on every object.
  return { id: namedId(name), name, description, kind, unit, type, values, ...owner };
}

/** One measured value of an object now; also of names that its list of statistics lacks. */
export function measure(
  ctx: RuleContext,
  object: object,
  name: string,
  unit: StatisticRow[2],
): number {
  return new Source(ctx, object as StoredObject).value([name, 'gauge', unit, 'decimal', '']);
}

/** Values that are not made up, by the names of their statistics. */
type Known = Readonly<Record<string, number | string>>;

/** Values of one object at one time. */
class Source {
  readonly #object: StoredObject;
  readonly #known: Known;
  readonly #seconds: number;
  readonly #idle: boolean;

  constructor(ctx: RuleContext, object: StoredObject, known: Known = {}) {
    this.#object = object;
    this.#known = known;
    this.#seconds = Math.floor(ctx.now.getTime() / 1000);
    this.#idle = idle.has(String(object['status'] ?? ''));
  }

  text(name: string): string {
    if (name === 'status') return String(this.#known[name] ?? this.#object['status'] ?? '');
    return '[]';
  }

  value([name, kind, unit, type]: StatisticRow): number {
    const value = this.#number(name, kind, unit);
    return type === 'integer' ? Math.floor(value) : Math.round(value * 100) / 100;
  }

  #number(name: string, kind: string, unit: string): number {
    const memory = Number(this.#object['memory'] ?? 0);
    if (name === 'memory.installed' || name === 'memory.total') return memory;
    const known = this.#known[name];
    if (typeof known === 'number') return known;
    if (this.#idle) return 0;
    switch (name) {
      case 'memory.used':
        return memory * this.#usedMemory();
      case 'memory.free':
        return memory * (1 - this.#usedMemory());
      case 'cpu.current.total':
        return this.#percent('cpu.current.guest') + this.#percent('cpu.current.hypervisor');
      case 'cpu.current.idle':
        return 100 - this.#percent('cpu.current.user') - this.#percent('cpu.current.system');
      case 'elapsed.time':
        return this.#since(valueAt(this.#object, ['start_time']));
      case 'boot.time':
        return this.#seconds - (this.#seconds % 86_400);
      case 'migration.progress':
      case 'errors.total.rx':
      case 'errors.total.tx':
        return 0;
      default:
        return this.#plausible(name, kind, unit);
    }
  }

  #plausible(name: string, kind: string, unit: string): number {
    const share = this.#wave(name);
    if (kind === 'counter') return this.#growing(name);
    switch (unit) {
      case 'percent':
        return this.#percent(name);
      case 'bytes':
        return Math.floor(share * 2 ** 30);
      case 'bytes_per_second':
        return Math.floor(share * 2 ** 20);
      case 'bits_per_second':
        return 8 * Math.floor(this.#wave(name.replace('.bps', '')) * 2 ** 20);
      case 'seconds':
        return share / 100;
      default:
        return 0;
    }
  }

  /** Between a fifth and four fifths of the memory. */
  #usedMemory(): number {
    return 0.2 + 0.6 * this.#wave('memory');
  }

  #percent(name: string): number {
    return Math.round(this.#wave(name) * 40 * 100) / 100;
  }

  /** Never falls while the object runs. */
  #growing(name: string): number {
    return Math.floor((0.5 + this.#phase(name)) * 1_000 * (this.#seconds % 10_000_000));
  }

  /** A share that rises and falls slowly, apart for each object and value. */
  #wave(name: string): number {
    const at = Math.floor(this.#seconds / step) * step;
    const phase = this.#phase(name);
    return 0.5 + 0.5 * Math.sin(2 * Math.PI * (at / (600 + 600 * phase) + phase));
  }

  /** A number from 0 to 1 that depends on object and name alone. */
  #phase(name: string): number {
    const id = String(this.#object['id'] ?? '');
    return digestOf(id, name).readUInt32LE(0) / 2 ** 32;
  }

  #since(start: unknown): number {
    return typeof start === 'string'
      ? Math.max(0, this.#seconds - Math.floor(Date.parse(start) / 1000))
      : 0;
  }
}
