/** Delay of other requests while many VMs start at the same time. */
import { createRow } from './report/row.ts';
import { MeasuredServer } from './support/server.ts';
import { answer, quick, roundsOr } from './support/settings.ts';

const vms = quick ? 10 : 1_000;
const clients = 16;

/** Transitions take some seconds, so that those of the first VMs are due while others start. */
const speed = 1;

interface Storm {
  /** Longest event loop delay in milliseconds. */
  readonly hold: number;
  /** Seconds until the last VM was up. */
  readonly seconds: number;
}

async function storm(): Promise<Storm> {
  const server = await MeasuredServer.start(['--inventory', `hosts=100,vms=${vms}`], { speed });
  try {
    const down = await vmsThat(server, 'status=down');
    if (down.length === 0) throw new Error('no machine is down');
    await server.watchLoop();
    const began = performance.now();
    const client = async () => {
      for (let id = down.pop(); id !== undefined; id = down.pop()) {
        await server.ask('POST', `/vms/${id}/start`, { body: {} });
      }
    };
    await Promise.all(Array.from({ length: clients }, client));
    while ((await vmsThat(server, 'status!=up', 1)).length > 0) {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    return { hold: await server.longestHold(), seconds: (performance.now() - began) / 1_000 };
  } finally {
    await server.stop();
  }
}

async function vmsThat(server: MeasuredServer, search: string, max = vms): Promise<string[]> {
  const path = `/vms?max=${max}&search=${encodeURIComponent(search)}`;
  const { vm = [] } = JSON.parse(String(await server.get(path))) as { vm?: { id: string }[] };
  return vm.map(({ id }) => id);
}

const storms: Storm[] = [];
for (let round = 0; round < roundsOr(3); round += 1) storms.push(await storm());
const common = { direction: 'at most' } as const;
answer([
  createRow({
    ...{ ...common, name: `${vms} VMs started, loop held longest`, unit: 'ms', reach: 50 },
    ours: storms.map(({ hold }) => hold),
  }),
  createRow({
    ...{ ...common, name: `${vms} VMs started, until all are up`, unit: 's', reach: null },
    ours: storms.map(({ seconds }) => seconds),
  }),
]);
