/** Cost of a start: CPU time of complete commands relative to bare Node. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Pair, pairRow, takeTurns, type Work } from './support/rounds.ts';
import { type Cost, run } from './support/run.ts';
import { answer, roundsOr } from './support/settings.ts';
import { startSite, vmctl } from './support/site.ts';

/** Minimal program for the same list: one request, with the same CA. */
const bareGet = `
const { get } = require('node:https');
const { readFileSync } = require('node:fs');
const { API, VMCTL_CA_FILE, VMCTL_PASSWORD } = process.env;
const headers = { Accept: 'application/json' };
const auth = 'admin@internal:' + VMCTL_PASSWORD;
get(API + '/vms', { ca: readFileSync(VMCTL_CA_FILE), headers, auth }, (response) => {
  if (response.statusCode !== 200) throw new Error(String(response.statusCode));
  let text = '';
  response.on('data', (piece) => { text += piece; });
  response.on('end', () => {
    for (const { name, status } of JSON.parse(text).vm) console.log(name, status);
  });
});`;

const node = process.execPath;
const bare = 'node -e 0';
const plainly = 'bare node:https GET';
const complete = (...words: string[]) => [node, vmctl, '__complete', ...words];
const commands: Readonly<Record<string, { command: readonly string[]; reach: number }>> = {
  'vmctl --version': { command: [node, vmctl, '--version'], reach: 1.25 },
  'vmctl --help': { command: [node, vmctl, '--help'], reach: 1.8 },
  'completion of a noun': { command: complete('v'), reach: 1.8 },
  'completion of a flag': { command: complete('vms', 'create', '--'), reach: 1.8 },
  'completion of a name from cache': { command: complete('vms', 'show', ''), reach: 1.8 },
};
const list = 'vmctl vms list, TLS';
const firstList = 'vmctl vms list, TLS, first use';

const site = await startSite();
const env = { ...site.env, API: site.apiUrl };
try {
  const work = (command: readonly string[]) => () => run(command, env);
  // Separate state, so that certificate and tokens of the other works remain.
  const firstState = join(site.env['XDG_STATE_HOME'] ?? '', 'first-use');
  /** Without a stored token: user and password come from the environment, as in a CI job. */
  const listAtFirst = () => {
    rmSync(firstState, { recursive: true, force: true });
    return run([node, vmctl, 'vms', 'list'], { ...env, XDG_STATE_HOME: firstState });
  };
  const works = new Map<string, Work<Cost>>([
    [bare, work([node, '-e', '0'])],
    // The warm-up round also signs in and fills the cache of names.
    [list, work([node, vmctl, 'vms', 'list'])],
    [firstList, listAtFirst],
    [plainly, work([node, '-e', bareGet])],
    ...Object.entries(commands).map(([name, { command }]): [string, Work<Cost>] => [
      name,
      work(command),
    ]),
  ]);
  const turns = await takeTurns(works, roundsOr(15));
  const pairs: readonly Pair[] = [
    ...Object.entries(commands).map(([name, { reach }]) => ({
      ...{ name: `${name}, CPU`, ours: name, peer: bare, reach },
      direction: 'at most' as const,
    })),
    ...[list, firstList].map((ours) => ({
      ...{ name: `${ours}, CPU`, ours, peer: plainly, reach: 1.75 },
      direction: 'at most' as const,
    })),
  ];
  answer(pairs.flatMap((pair) => pairRow(turns, pair, 's', ({ cpu }) => cpu) ?? []));
} finally {
  await site.stop();
}
