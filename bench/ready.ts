/** Time until a server responds: with existing state, and with a new inventory. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRow } from './report/row.ts';
import { fillGreatSite } from './support/great-site.ts';
import { type Pair, pairRow, takeTurns, type Work } from './support/rounds.ts';
import { run } from './support/run.ts';
import { MeasuredServer } from './support/server.ts';
import { answer, quick, roundsOr } from './support/settings.ts';

interface Start {
  /** Seconds until the first response, or until the exit. */
  readonly seconds: number;
  readonly cpu: number;
}

const [few, many, events] = quick ? [10, 20, 100] : [1_000, 10_000, 1_000_000];

async function started(options: readonly string[], data?: string): Promise<Start> {
  const server = await MeasuredServer.start(options, data === undefined ? {} : { data });
  try {
    return { seconds: server.readyAfter, cpu: await server.cpu() };
  } finally {
    await server.stop();
  }
}

const folder = mkdtempSync(join(tmpdir(), 'vmctl-bench-'));
const data = join(folder, 'data');
try {
  await started(['--inventory', `hosts=10,vms=${few}`], data);
  const long = join(folder, 'long');
  await fillGreatSite(long, { vms: many, events });
  // The first server checks a database that was not closed.
  await started([], long);
  const works = new Map<string, Work<Start>>([
    ['node -e 0', () => run([process.execPath, '-e', '0'], process.env)],
    ['existing', () => started([], data)],
    ['long', () => started([], long)],
    ['generated', () => started(['--inventory', `hosts=100,vms=${many}`])],
  ]);
  const turns = await takeTurns(works, roundsOr(5));
  const common = { peer: 'node -e 0', direction: 'at most' } as const;
  const existing: Pair = {
    ...common,
    ...{ name: `ready with existing ${few} VMs, wall`, ours: 'existing', reach: 6 },
  };
  const generated: Pair = {
    ...common,
    ...{ name: `inventory of ${many} VMs, disks, NICs, CPU`, ours: 'generated', reach: 60 },
  };
  const history = createRow({
    ...{ name: `ready with existing ${many} VMs, ${events} events, wall`, unit: 's' },
    ...{ ours: (turns.get('long') ?? []).map(({ seconds }) => seconds) },
    ...{ reach: 0.5, direction: 'at most' },
  });
  answer(
    [
      history,
      pairRow(turns, existing, 's', ({ seconds }) => seconds),
      pairRow(turns, generated, 's', ({ cpu }) => cpu),
    ].flatMap((row) => row ?? []),
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
