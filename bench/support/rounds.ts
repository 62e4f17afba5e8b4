/** Works that take turns, so that whatever else the machine does disturbs all of them alike. */
import { median } from './site.ts';

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

export type Work = () => Promise<Turn>;

/** Medians of all works; the first round warms up unless it is the only one. */
export async function takeTurns(
  works: ReadonlyMap<string, Work>,
  rounds: number,
): Promise<Map<string, Turn>> {
  const turns = new Map([...works.keys()].map((name) => [name, [] as Turn[]]));
  for (let round = rounds === 1 ? 1 : 0; round <= rounds; round += 1) {
    for (const [name, work] of works) {
      const turn = await work();
      if (round > 0) turns.get(name)?.push(turn);
    }
  }
  const middle = (all: readonly Turn[], part: (turn: Turn) => number | undefined) =>
    median(all.map((turn) => part(turn) ?? 0));
  return new Map(
    [...turns].map(([name, all]) => [
      name,
      {
        seconds: middle(all, ({ seconds }) => seconds),
        cpu: middle(all, ({ cpu }) => cpu),
        served: middle(all, ({ served }) => served),
        memory: Math.max(...all.map(({ memory }) => memory ?? 0)),
      },
    ]),
  );
}
