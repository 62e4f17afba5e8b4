/** Check for updates of hosts, in parallel, until all checks end. */

import { ConflictError, WaitTimeoutError } from '../../../client/errors.ts';
import { highestEvent, listEventsAbove } from '../../../client/follow-events.ts';
import { poll } from '../../../client/poll.ts';
import type { Resource } from '../../../model/resource.ts';
import { Progress } from '../../output/progress.ts';
import type { OperationRunner } from '../../verbs/operation-runner.ts';
import type { Run } from '../../verbs/run.ts';

/** Event codes for the end of a check: finished, failed. */
const finishedCode = 885;
const failedCode = 839;

/** Milliseconds until a check times out. */
const timeoutMs = 10 * 60_000;

/** Milliseconds between polls. */
const interval = 1_000;

/** Throws `ConflictError` if a check fails, `WaitTimeoutError` if it does not end. */
export async function checkForUpdates(
  { cli, client }: Run,
  runner: OperationRunner,
  hosts: readonly Resource<'host'>[],
): Promise<void> {
  const waiting = new Map(hosts.map(({ id, name }) => [String(id), String(name ?? id)]));
  if (waiting.size === 0) return;
  let from = await highestEvent(client, cli.signal);
  const progress = new Progress(cli);
  const showProgress = () => {
    const labels = [...waiting.values()].map((name) => `hosts/${name}`);
    progress.show(labels.join(', '), 'checking for updates');
  };
  for (const host of waiting.keys()) {
    await runner.call({ path: '/hosts/{host}', name: 'upgrade_check', ids: { host } });
  }
  const read = () => listEventsAbove(client, from, { signal: cli.signal });
  const createError = () =>
    new WaitTimeoutError(`timed out checking for updates: ${[...waiting.values()].join(', ')}`, {
      code: 'timeout',
      hint: 'use --no-check to skip the check',
    });
  const timeout = { ms: timeoutMs, createError };
  try {
    showProgress();
    for await (const events of poll({ read, interval, signal: cli.signal, timeout })) {
      from = Math.max(from, ...events.map(({ id }) => Number(id)));
      for (const event of events) {
        const host = String(event.host?.id);
        const code = Number(event.code);
        if (code === failedCode && waiting.has(host)) {
          throw new ConflictError(String(event.description ?? 'the check for updates failed'), {
            code: 'check_failed',
            hint: 'use --no-check to skip the check, or --skip to exclude the host',
          });
        }
        if (code === finishedCode) waiting.delete(host);
      }
      if (waiting.size === 0) return;
      showProgress();
    }
  } finally {
    progress.clear();
  }
}
