/** Many VMs started by one command, compared with sequential requests of curl. */

import { missingRow } from './report/row.ts';
import { type Pair, pairRow, takeTurns, type Work } from './support/rounds.ts';
import { isThere, run } from './support/run.ts';
import { answer, quick, roundsOr } from './support/settings.ts';
import { startSite, vmctl } from './support/site.ts';

const vms = quick ? 10 : 200;
const pair: Pair & { readonly beside: string } = {
  ...{ name: `${vms} VMs started, --parallel 8, wall`, ours: 'vmctl', peer: 'curl', reach: 0.5 },
  ...{ beside: `${vms} sequential curl POSTs`, direction: 'at most' },
};

async function measure(): Promise<void> {
  const inventory = `hosts=50,vms=${vms}`;
  const site = await startSite('--inventory', inventory, '--speed', '0');
  const env = { ...site.env, API: site.apiUrl };
  const command = (...words: string[]) => run([process.execPath, vmctl, ...words], env);
  try {
    const list = await command('vms', 'list', '-o', 'json');
    const found = JSON.parse(list.stdout) as readonly { id: string; name: string }[];
    const ids = found.map(({ id }) => id);
    if (ids.length !== vms) throw new Error(`${ids.length} VMs instead of ${vms}`);
    const stop = () => command('vms', 'stop', ...ids, '--parallel', '16', '--if-needed');
    // Runs a work with all VMs down. Stopping them does not count.
    const afterStop = (work: () => Promise<number>) => async () => {
      await stop();
      return await work();
    };
    const post =
      'for id; do curl -sSf --cacert "$VMCTL_CA_FILE" -u "admin@internal:$VMCTL_PASSWORD" -o /dev/null -H "Content-Type: application/json" -H "Accept: application/json" -d "{}" "$API/vms/$id/start"; done';
    const works = new Map<string, Work<number>>([
      [
        'vmctl',
        afterStop(async () => (await command('vms', 'start', ...ids, '--parallel', '8')).seconds),
      ],
      ['curl', afterStop(async () => (await run(['sh', '-c', post, 'sh', ...ids], env)).seconds)],
    ]);
    const turns = await takeTurns(works, roundsOr(5));
    answer([pairRow(turns, pair, 's', (seconds) => seconds)].flatMap((row) => row ?? []));
  } finally {
    await site.stop();
  }
}

if (isThere('curl')) await measure();
else answer([missingRow({ ...pair, unit: 's' }, 'curl is not installed')]);
