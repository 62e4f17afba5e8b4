/** Works that take turns, so that whatever else the machine does disturbs all of them alike. */
import { type Direction, type Row, rowOf } from '../report/row.ts';
import { quick } from './settings.ts';

/** What one turn of a work cost. */
export interface Turn {
  readonly seconds: number;
  /** CPU seconds of the program that is measured: a client, or a server for it. */
  readonly cpu: number;
  /** CPU seconds of the server meanwhile. */
  readonly served?: number;
  /** MiB, at most. */
  readonly memory?: number;
}

export type Work<Result = Turn> = () => Promise<Result>;

/** Results of all works by name, a value for each round. */
export type Turns<Result = Turn> = ReadonlyMap<string, readonly Result[]>;

/** Runs all works in turn; a round that warms up comes first, but in a quick run. */
export async function takeTurns<Result>(
  works: ReadonlyMap<string, Work<Result>>,
  rounds: number,
): Promise<Turns<Result>> {
  const turns = new Map([...works.keys()].map((name) => [name, [] as Result[]]));
  for (let round = quick ? 1 : 0; round <= rounds; round += 1) {
    for (const [name, work] of works) {
      const turn = await work();
      if (round > 0) turns.get(name)?.push(turn);
    }
  }
  return turns;
}

/** Two works to be compared, by their names. */
export interface Pair {
  readonly name: string;
  readonly ours: string;
  readonly peer: string;
  /** What the peer is called in the table; its name where nothing is said. */
  readonly beside?: string;
  readonly reach: number | null;
  readonly direction: Direction;
}

/**
 * Row of two works that took turns; undefined where one of them did not. `figure` makes the figure of
 * a result, in `unit`.
 */
export function pairRow<Result>(
  turns: Turns<Result>,
  { name, ours, peer, beside = peer, reach, direction }: Pair,
  unit: string,
  figure: (result: Result) => number,
): Row | undefined {
  const [a, b] = [turns.get(ours), turns.get(peer)];
  if (!a || !b) return undefined;
  return rowOf({
    ...{ name, beside, unit, reach, direction },
    ...{ ours: a.map(figure), peer: b.map(figure) },
  });
}
