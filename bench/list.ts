/** Cost of a long list: time compared with `curl | jq .` for the same list, and memory. */
import { createRow, missingRow, type Row } from './report/row.ts';
import { pairRow, takeTurns, type Work } from './support/rounds.ts';
import { type Cost, isThere, run } from './support/run.ts';
import { answer, quick, roundsOr } from './support/settings.ts';
import { startSite, vmctl } from './support/site.ts';

const vms = quick ? 100 : 10_000;
const peer = 'curl | jq .';
const yardstick =
  'curl -sSf --cacert "$VMCTL_CA_FILE" -u admin@internal:bench -H "Accept: application/json" "$API/vms" | jq .';
const variants: Readonly<Record<string, readonly string[]>> = {
  'vms list -o json': ['-o', 'json'],
  'vms list -o json --page-size 1000': ['-o', 'json', '--page-size', '1000'],
  'vms list -o csv': ['-o', 'csv'],
  'vms list -o xml': ['-o', 'xml'],
  'vms list, a table off a terminal': [],
};
const missing = ['curl', 'jq'].filter((program) => !isThere(program));

const site = await startSite('--inventory', `hosts=50,vms=${vms}`, '--speed', '0');
const env = { ...site.env, API: site.apiUrl };
try {
  // Both sides discard their output.
  const away = (script: string, ...words: string[]) =>
    run(['bash', '-c', `${script} > /dev/null`, 'bash', ...words], env);
  const works = new Map<string, Work<Cost>>(
    Object.entries(variants).map(([name, more]) => [
      name,
      () => away('exec "$@"', process.execPath, vmctl, 'vms', 'list', ...more),
    ]),
  );
  if (missing.length === 0) works.set(peer, () => away(`set -o pipefail; ${yardstick}`));
  const turns = await takeTurns(works, roundsOr(5));
  const rows = Object.keys(variants).flatMap((name): Row[] => {
    const common = { name: `${name}, ${vms} VMs, wall`, reach: 1, direction: 'at most' as const };
    const compared =
      pairRow(turns, { ...common, ours: name, peer }, 's', ({ seconds }) => seconds) ??
      missingRow({ ...common, beside: peer, unit: 's' }, `not installed: ${missing.join(', ')}`);
    const memory = createRow({
      ...{ name: `${name}, ${vms} VMs, memory`, unit: 'MiB', reach: 150, direction: 'at most' },
      ours: (turns.get(name) ?? []).map((cost) => cost.memory),
    });
    return [compared, memory];
  });
  answer(rows);
} finally {
  await site.stop();
}
