/** The end of a backup of the service that nobody goes on with: its transfers are cancelled first. */

import { operationNamed } from '../../cli/verbs/references.ts';
import type { ApiObject, Client } from '../../client/client.ts';
import { pause } from '../../client/retry.ts';
import type { Operation } from '../../model/index.ts';

const minPause = 100;
const maxPause = 2_000;

/** Phases of a backup that has ended: before that it locks the machine. */
const over: ReadonlySet<string> = new Set(['succeeded', 'failed']);

/**
 * Ends a backup of a machine, and waits until it has ended; one that has, or is gone, is no failure. One
 * that is still beginning is waited for. Throws when `signal` is aborted before that.
 */
export async function endBackup(
  client: Client,
  vm: string,
  backup: string,
  signal: AbortSignal,
): Promise<void> {
  for (let delay = minPause; ; delay = Math.min(2 * delay, maxPause)) {
    const operation = named('/vms/{vm}/backups', 'list');
    const all = await client.list({ operation, ids: { vm }, query: {}, signal });
    const phase = all.find(({ id }) => id === backup)?.['phase'];
    if (phase === undefined || over.has(String(phase))) return;
    if (phase !== 'finalizing') await cancelTransfers(client, backup, signal);
    if (phase === 'ready') await finalize(client, { vm, backup }, signal);
    await pause(delay, signal);
  }
}

async function cancelTransfers(client: Client, backup: string, signal: AbortSignal): Promise<void> {
  const operation = named('/imagetransfers', 'list');
  const transfers = await client.list({ operation, query: {}, signal });
  for (const transfer of transfers) {
    if ((transfer['backup'] as ApiObject | undefined)?.['id'] !== backup) continue;
    const cancel = named('/imagetransfers/{imagetransfer}', 'cancel');
    const ids = { imagetransfer: String(transfer['id']) };
    // One that is ending already refuses, and is gone at the next look.
    await client.action({ operation: cancel, ids, signal }).catch(() => undefined);
  }
}

/** Asks for the end of a backup: the service refuses while a transfer is still ending, and is asked again. */
async function finalize(
  client: Client,
  ids: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<void> {
  const operation = named('/vms/{vm}/backups/{backup}', 'finalize');
  await client.action({ operation, ids, signal }).catch(() => undefined);
}

function named(path: string, name: string): Operation {
  const operation = operationNamed(path, name);
  if (!operation) throw new Error(`The model has no ${name} of ${path}.`);
  return operation;
}
