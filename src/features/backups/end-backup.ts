/** Cleanup of an abandoned backup on the service: cancels its transfers, then finalizes it. */

import type { Client } from '../../client/client.ts';
import { poll } from '../../client/poll.ts';
import { requireOperation } from '../../model/index.ts';

const interval = { firstMs: 100, factor: 2, maxMs: 2_000 };

/** Final phases of a backup. In every other phase the backup locks the VM. */
const finalPhases: ReadonlySet<string> = new Set(['succeeded', 'failed']);

/**
 * Finalizes a backup and polls until it has ended. Returns without an error if the backup has ended
 * already or no longer exists. Waits for a backup that is still starting. Throws if `signal` is
 * aborted first.
 */
export async function endBackup(
  client: Client,
  vm: string,
  backup: string,
  signal: AbortSignal,
): Promise<void> {
  const operation = requireOperation('/vms/{vm}/backups', 'list');
  const read = () => client.list({ operation, ids: { vm }, query: {}, signal });
  for await (const all of poll({ read, interval, signal })) {
    const phase = all.find(({ id }) => id === backup)?.phase;
    if (phase === undefined || finalPhases.has(String(phase))) return;
    if (phase !== 'finalizing') await cancelTransfers(client, backup, signal);
    if (phase === 'ready') await finalize(client, { vm, backup }, signal);
  }
}

async function cancelTransfers(client: Client, backup: string, signal: AbortSignal): Promise<void> {
  const operation = requireOperation('/imagetransfers', 'list');
  const transfers = await client.list({ operation, query: {}, signal });
  for (const transfer of transfers) {
    if (transfer.backup?.id !== backup) continue;
    const cancel = requireOperation('/imagetransfers/{imagetransfer}', 'cancel');
    const ids = { imagetransfer: String(transfer.id) };
    // The service refuses to cancel a transfer that is ending; the next poll finds it deleted.
    await client.action({ operation: cancel, ids, signal }).catch(() => undefined);
  }
}

/**
 * Requests the end of a backup. The service refuses while a transfer is ending; the caller polls
 * and retries.
 */
async function finalize(
  client: Client,
  ids: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<void> {
  const operation = requireOperation('/vms/{vm}/backups/{backup}', 'finalize');
  await client.action({ operation, ids, signal }).catch(() => undefined);
}
