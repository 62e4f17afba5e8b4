/** Rows of transfers: compared works and targets. */
import { missingRow, type Row } from '../report/row.ts';
import type { Way } from './image-site.ts';
import { type Pair, pairRow, type Turn, type Turns } from './rounds.ts';

/** Two works to compare by time, or by CPU time of the server. */
interface Comparison extends Pair {
  readonly by?: 'served';
}

const direction = 'at least';
const ways: readonly Way[] = ['TLS', 'unix'];

/** Flags of the client with verification, the default, and without. */
const verified = ['', ' --no-verify'];

function listComparisons(way: Way): readonly Comparison[] {
  const reachBesideCurl = way === 'TLS' ? 1.4 : 2;
  const common = { direction } as const;
  return [
    ...(['wall', 'CPU'] as const).map((by) => ({
      ...{ ...common, name: `GET whole image, ${way}, ${by}`, ours: `curl GET, ${way}` },
      ...{ peer: `plain server, curl GET, ${way}`, reach: way === 'TLS' ? 2.2 : 4.5 },
      ...(by === 'CPU' ? { by: 'served' as const } : {}),
    })),
    {
      ...{ ...common, name: `PUT whole image, ${way}`, ours: `curl PUT, ${way}` },
      ...{ peer: `plain server, curl PUT, ${way}`, reach: way === 'TLS' ? 1.3 : 1.6 },
    },
    ...['GET', 'PUT'].map((method) => ({
      ...{ ...common, name: `${method} whole image, ${way}`, ours: `curl ${method}, ${way}` },
      peer: `reference daemon, curl ${method}, ${way}`,
      // The other rows are only shown, without a target.
      reach: method === 'GET' && way === 'TLS' ? 1.05 : null,
    })),
    ...verified.flatMap((flag) => [
      {
        ...{ ...common, name: `vmctl disks download${flag}, ${way}`, reach: reachBesideCurl },
        ...{ ours: `vmctl download${flag}, ${way}`, peer: `curl GET into a file, ${way}` },
      },
      {
        ...{ ...common, name: `vmctl disks upload${flag}, ${way}`, reach: reachBesideCurl },
        ...{ ours: `vmctl upload${flag}, ${way}`, peer: `curl PUT, ${way}` },
      },
    ]),
    ...['download', 'upload'].map((what) => ({
      ...{ ...common, name: `vmctl disks ${what}, ${way}`, ours: `vmctl ${what}, ${way}` },
      ...{ peer: `reference daemon and client, ${what}, ${way}`, reach: 1.2 },
    })),
    ...['GET', 'PUT'].map((method) => ({
      ...{ ...common, name: `16 transfers at once, ${method}, ${way}` },
      ...{ ours: `16 x ${method}, ${way}`, peer: `curl ${method}, ${way}`, reach: 0.9 },
    })),
  ];
}

const comparisons: readonly Comparison[] = [
  ...ways.flatMap(listComparisons),
  ...verified.map((flag) => ({
    ...{ name: `vmctl disks download${flag}, unix`, ours: `vmctl download${flag}, unix` },
    ...({ peer: 'nbdcopy from qemu-nbd', reach: 0.8, direction } as const),
  })),
  {
    ...{ name: 'checksum of a sparse image', ours: 'vmctl images checksum' },
    ...({ peer: 'b2sum of the data', reach: 0.9, direction } as const),
  },
];

/**
 * Rows of works that took turns, and reasons of missing programs. `missing` contains the reasons by
 * name of the work. `isChosen` tests whether a work was selected.
 */
export function createTransferRows(
  turns: Turns<Turn>,
  missing: ReadonlyMap<string, string>,
  size: number,
  isChosen: (name: string) => boolean,
): Row[] {
  return comparisons.flatMap(({ by, ...pair }): Row[] => {
    const unit = by === 'served' ? 'GiB/CPU-s' : 'GiB/s';
    const reason = missing.get(pair.ours) ?? missing.get(pair.peer);
    if (reason !== undefined) {
      if (!isChosen(pair.ours) || !isChosen(pair.peer)) return [];
      return [missingRow({ ...pair, beside: pair.peer, unit }, reason)];
    }
    const rate = (turn: Turn) => size / 2 ** 30 / (by ? (turn[by] ?? 0) : turn.seconds);
    const row = pairRow(turns, pair, unit, rate);
    return row ? [row] : [];
  });
}
