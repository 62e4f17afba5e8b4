/** Confirmation of actions that delete data in addition to the named object, and its help text. */

import type { ApiObject } from '../../client/client.ts';
import { DeclinedError } from '../../client/errors.ts';
import { alsoDeletedByType } from '../../model/derive/also-deletes.ts';
import { requireOperation } from '../../model/index.ts';
import { canPrompt, confirm } from '../session/prompt.ts';
import type { Verb } from './derive-verbs.ts';
import type { FoundObject } from './references.ts';
import type { Run } from './run.ts';

/** Deleted objects by verb, for the question. */
const listers: Readonly<
  Record<string, (run: Run, target: FoundObject) => Promise<readonly ApiObject[]>>
> = {
  'snapshots restore': ({ client, ids }, { id }) =>
    listLaterSnapshots(client, ids['vm'] ?? '', (one) => one['id'] === id),
  'vms commit-snapshot': ({ client }, { id }) =>
    listLaterSnapshots(client, id, (one) => one['snapshot_status'] === 'in_preview'),
};

/** Lists the snapshots of users that are later than the first one that matches. */
async function listLaterSnapshots(
  client: Run['client'],
  vm: string,
  isRestored: (snapshot: ApiObject) => boolean,
): Promise<readonly ApiObject[]> {
  const operation = requireOperation('/vms/{vm}/snapshots', 'list');
  const all = await client.list({ operation, ids: { vm }, what: 'list snapshots' });
  const byDate = all.toSorted(
    (a, b) => Date.parse(String(a['date'])) - Date.parse(String(b['date'])),
  );
  const at = byDate.findIndex(isRestored);
  return byDate.filter((one, index) => index > at && at >= 0 && one['snapshot_type'] === 'regular');
}

/**
 * Returns the data that a verb deletes in addition to its object; undefined if there is none.
 * Verbs such as `detach` and `remove-vm` only remove an object from another one.
 */
export function findAdditionalDeletions({ kind, name, candidates }: Verb): string | undefined {
  if (kind === 'remove' && name !== 'delete') return undefined;
  const [found] = candidates.flatMap(
    ({ operation }) => alsoDeletedByType[operation.type]?.[operation.name] ?? [],
  );
  return found;
}

/** Whether a verb asks before it deletes more than its object: actions, but not deletions. */
export function asksBeforeDeletions(verb: Verb): boolean {
  return verb.kind === 'action' && findAdditionalDeletions(verb) !== undefined;
}

/** Returns the paragraph of help about additional deletions. */
export function formatDeletionNotes(verb: Verb): string | undefined {
  const deleted = findAdditionalDeletions(verb);
  if (deleted === undefined) return undefined;
  const sentence = `The command ${deleted}.`;
  return asksBeforeDeletions(verb) ? `${sentence} It asks first; --yes confirms.` : sentence;
}

/** Asks before an action that deletes more than its objects. Without a terminal, `--yes` confirms. */
export async function confirmAdditionalDeletions(
  run: Run,
  targets: readonly FoundObject[],
): Promise<void> {
  const { cli, verb } = run;
  if (targets.length === 0 || !asksBeforeDeletions(verb)) return;
  if (cli.isOn('yes') || cli.dryRunMode) return;
  const deleted = findAdditionalDeletions(verb);
  const list = listers[`${verb.noun} ${verb.name}`];
  const lists = await Promise.all(targets.map((target) => list?.(run, target) ?? []));
  const named = lists.flat().map((one) => String(one['description'] ?? one['id']));
  const labels = targets.map(({ label }) => label).join(', ');
  const names = named.length > 0 ? `: ${named.join(', ')}` : '';
  if (!canPrompt(cli.io, cli.isOn('noInput'))) {
    throw new DeclinedError(`${verb.name} ${labels} ${deleted}${names}`, {
      hint: 'confirm with --yes; --dry-run shows the request',
    });
  }
  const question = `${verb.name} ${labels} ${deleted}${names}\nContinue?`;
  if (await confirm(cli.io, question, cli.signal)) return;
  throw new DeclinedError('declined; nothing changed');
}
