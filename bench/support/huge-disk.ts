/** Huge disk with little data, compared with a full one. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { MiB, makeImage } from '../../test/transfer/support/images.ts';
import { createRow, type Row } from '../report/row.ts';
import type { ImageSite } from './image-site.ts';
import { pairRow, type Turn, takeTurns, type Work } from './rounds.ts';
import { run } from './run.ts';
import { quick, roundsOr } from './settings.ts';
import { vmctl } from './site.ts';
import { uploaded } from './transfer-works.ts';

/**
 * Uploads and downloads of both disks, with at most `size` bytes of data, and memory of the client.
 */
export async function hugeDisk(folder: string, site: ImageSite, size: number): Promise<Row[]> {
  const bytes = quick ? 32 * MiB : Math.min(size, 1024 * MiB);
  const huge = quick ? 2 ** 34 : 2 ** 40;
  const parts = 64;
  const runs = Array.from({ length: parts }, (_, part): [number, number] => [
    (part * huge) / parts,
    bytes / parts,
  ]);
  const [dense, sparse] = [join(folder, 'dense.raw'), join(folder, 'huge.raw')];
  const target = join(folder, 'target.raw');
  makeImage(dense, bytes);
  makeImage(sparse, huge, runs);
  const disks = (...words: string[]) => run([process.execPath, vmctl, 'disks', ...words], site.env);
  for (const [name, file] of Object.entries({ dense, huge: sparse })) {
    await disks('upload', file, '--name', name, '--storage-domain', 'data1');
  }
  site.takeWay('unix');
  const download = (name: string) => async () => {
    const turn = await disks('download', name, target);
    rmSync(target);
    return turn;
  };
  const works = new Map<string, Work<Turn>>([
    ['dense upload', () => uploaded({ site, folder }, 'unix', dense, [])],
    ['huge upload', () => uploaded({ site, folder }, 'unix', sparse, [])],
    ['dense download', download('dense')],
    ['huge download', download('huge')],
  ]);
  const turns = await takeTurns(works, roundsOr(5));
  const what = `disk of ${huge / 2 ** 30} GiB with ${bytes / MiB} MiB of data`;
  const ways = ['upload', 'download'].flatMap((way) => {
    const pair = {
      ...{ name: `${way}, ${what}`, ours: `huge ${way}`, peer: `dense ${way}`, reach: 1.3 },
      ...{ beside: 'the data alone', direction: 'at most' as const },
    };
    return pairRow(turns, pair, 's', ({ seconds }) => seconds) ?? [];
  });
  const memory = ['huge upload', 'huge download'].flatMap((name) =>
    (turns.get(name) ?? []).map((turn) => turn.memory ?? 0),
  );
  return [
    ...ways,
    createRow({
      ...{ name: `memory of the client, ${what}`, unit: 'MiB', reach: 250 },
      ...{ ours: [Math.max(...memory)], direction: 'at most' },
    }),
  ];
}
