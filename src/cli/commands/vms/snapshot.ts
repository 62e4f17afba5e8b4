/** `vmctl vms snapshot`: `snapshots create` for one or more VMs. */
import { UsageError } from '../../../client/errors.ts';
import type { CommandContext } from '../../session/command-context.ts';
import { getCollection } from '../../verbs/collections.ts';
import { findVerb } from '../../verbs/derive-verbs.ts';
import { deriveFlags } from '../../verbs/flags.ts';
import { parseReference } from '../../verbs/identifiers.ts';
import { findOperation } from '../../verbs/references.ts';
import { expandStdin, runVerb } from '../../verbs/run-verb.ts';
import { selectAllConfirmed, validateAll } from '../../verbs/selection.ts';

interface SnapshotFlags {
  readonly description?: string;
  readonly memory?: boolean;
  readonly wait: boolean;
  readonly waitTimeout?: string;
  readonly all?: boolean;
  readonly search?: string;
  readonly parallel?: string;
  readonly failFast?: boolean;
}

const snapshotVerb = { noun: 'vms', name: 'snapshot' };

/** Creates a snapshot of each named VM, or of all. */
export async function takeSnapshots(
  cli: CommandContext,
  named: readonly string[],
  flags: SnapshotFlags,
): Promise<void> {
  const all = validateAll(snapshotVerb, flags, named, true);
  if (!all && named.length === 0) {
    throw new UsageError('vms snapshot: no VM given', {
      hint: 'vmctl vms snapshot --help',
    });
  }
  const words = all ? await selectVms(cli, flags) : await expandStdin(cli, named);
  if (words.length === 0) {
    if (!all) cli.note('no VMs on standard input; nothing to do');
    return;
  }
  const verb = findVerb('snapshots', 'create');
  if (!verb) throw new Error('The model has no snapshots.');
  const given = new Map([
    ['description', [flags.description ?? 'vmctl']],
    ['persistmemorystate', [String(flags.memory === true)]],
  ]);
  const { all: _all, search: _search, ...options } = flags;
  const on = words.map((word) => `vms/${parseReference(word, 'vms')}`);
  await runVerb(cli, verb, deriveFlags(verb), given, [], { ...options, on });
}

async function selectVms(
  cli: CommandContext,
  { all, search }: SnapshotFlags,
): Promise<readonly string[]> {
  const collection = getCollection('/vms');
  const operation = findOperation('/vms', 'list');
  if (!operation) throw new Error('The model has no list of VMs.');
  const client = await cli.client();
  const resolved = { candidate: { collection, operation } };
  const run = { cli, client, ids: {}, options: { all, search }, verb: snapshotVerb, resolved };
  return (await selectAllConfirmed(run, true)).map(({ id }) => id);
}
