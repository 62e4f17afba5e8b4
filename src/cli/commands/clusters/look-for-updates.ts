/** Looks for updates of hosts, side by side, and waits until each look has ended. */
import type { ApiObject } from '../../../client/client.ts';
import { ConflictError, WaitTimeoutError } from '../../../client/errors.ts';
import { eventsAbove, highestEvent } from '../../../client/follow-events.ts';
import { pause } from '../../../client/retry.ts';
import { Progress } from '../../output/progress.ts';
import type { OperationRunner } from '../../verbs/operation-runner.ts';
import type { Run } from '../../verbs/run.ts';

/** Codes of the events that end a look for updates: it was finished, it failed. */
const finished = 885;
const failed = 839;

/** A look that takes longer has come to nothing; milliseconds. */
const patience = 10 * 60_000;

const interval = 1_000;

/** Throws where a look fails, or does not end. */
export async function lookForUpdates(
  { cli, client }: Run,
  runner: OperationRunner,
  hosts: readonly ApiObject[],
): Promise<void> {
  const waiting = new Map(hosts.map(({ id, name }) => [String(id), String(name ?? id)]));
  let from = await highestEvent(client, cli.signal);
  const end = Date.now() + patience;
  const progress = new Progress(cli);
  for (const host of waiting.keys()) {
    await runner.call({ path: '/hosts/{host}', name: 'upgrade_check', ids: { host } });
  }
  try {
    while (waiting.size > 0) {
      progress.show(
        [...waiting.values()].map((name) => `hosts/${name}`).join(', '),
        'checking for updates',
      );
      await pause(interval, cli.signal);
      const events = await eventsAbove(client, from, cli.signal);
      from = Math.max(from, ...events.map(({ id }) => Number(id)));
      for (const event of events) {
        const host = String((event['host'] as ApiObject | undefined)?.['id']);
        const code = Number(event['code']);
        if (code === failed && waiting.has(host)) {
          throw new ConflictError(String(event['description'] ?? 'the check for updates failed'), {
            code: 'check_failed',
            hint: 'use --no-check to skip the check, or --skip to exclude the host',
          });
        }
        if (code === finished) waiting.delete(host);
      }
      if (waiting.size > 0 && Date.now() > end) {
        throw new WaitTimeoutError(
          `timed out checking for updates: ${[...waiting.values()].join(', ')}`,
          { code: 'timeout', hint: 'use --no-check to skip the check' },
        );
      }
    }
  } finally {
    progress.clear();
  }
}
