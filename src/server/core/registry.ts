/** All behavior of a server by kind, with the deadlines and the background work that it begins. */
import type { KindName } from '../store/kinds.ts';
import type { Work } from './background-work.ts';
import type { Behavior } from './behavior.ts';
import type { Deadline } from './deadlines.ts';

/** Looks up what is declared for a kind, or under the name of a task. */
export class BehaviorRegistry {
  readonly #behaviors: ReadonlyMap<KindName, Behavior>;
  readonly #deadlines: ReadonlyMap<string, Deadline>;
  readonly #work: ReadonlyMap<string, Work>;

  /** Throws where a kind or a name is declared twice. */
  constructor(
    behaviors: readonly Behavior[],
    deadlines: readonly Deadline[],
    work: readonly Work[],
  ) {
    this.#behaviors = unique(behaviors, ({ kind }) => kind);
    this.#deadlines = unique(deadlines, ({ name }) => name);
    this.#work = unique(work, ({ name }) => name);
  }

  /** The behavior of a kind; undefined where the generic handling does all. */
  of(kind: KindName): Behavior | undefined {
    return this.#behaviors.get(kind);
  }

  /** The deadline that a task is; undefined where it is none. */
  deadline(taskName: string): Deadline | undefined {
    return this.#deadlines.get(taskName);
  }

  /** The kind of work that a task is; undefined where it is none. */
  work(taskName: string): Work | undefined {
    return this.#work.get(taskName);
  }
}

function unique<K, T>(declared: readonly T[], keyOf: (one: T) => K): ReadonlyMap<K, T> {
  const found = new Map<K, T>();
  for (const one of declared) {
    const key = keyOf(one);
    if (found.has(key)) throw new Error(`${String(key)} is declared twice.`);
    found.set(key, one);
  }
  return found;
}
