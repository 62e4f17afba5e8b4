/** Works that take turns, so that other work on the computer disturbs all of them equally. */
import { createRow, type Direction, type Row } from '../report/row.ts';
import { quick } from './settings.ts';

/** Cost of one turn. */
export interface Turn {
  readonly seconds: number;
  /** CPU seconds of the measured program: a client, or a server for it. */
  readonly cpu: number;
  /** CPU seconds of the server during the turn. */
  readonly served?: number;
  /** Peak memory in MiB. */
  readonly memory?: number;
}

export type Work<Result = Turn> = () => Promise<Result>;

/** Results of all works by name, one for each round. */
export type Turns<Result = Turn> = ReadonlyMap<string, readonly Result[]>;

/** Runs all works in turn, after a warm-up round except in a quick run. */
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

/** Names of two works to compare. */
export interface Pair {
  readonly name: string;
  readonly ours: string;
  readonly peer: string;
  /** Label of the peer in the table (default: its name). */
  readonly beside?: string;
  readonly reach: number | null;
  readonly direction: Direction;
}

/**
 * Row of two works. `undefined` if one of them did not run. `figure` converts a result to `unit`.
 */
export function pairRow<Result>(
  turns: Turns<Result>,
  { name, ours, peer, beside = peer, reach, direction }: Pair,
  unit: string,
  figure: (result: Result) => number,
): Row | undefined {
  const [a, b] = [turns.get(ours), turns.get(peer)];
  if (!a || !b) return undefined;
  return createRow({
    ...{ name, beside, unit, reach, direction },
    ...{ ours: a.map(figure), peer: b.map(figure) },
  });
}
