/** `vmctl vms snapshot`: `snapshots create` for one or many machines, where one thinks of it. */
import { UsageError } from '../../../client/errors.ts';
import type { CommandContext } from '../../session/command-context.ts';
import { collectionAt } from '../../verbs/collections.ts';
import { verbOf } from '../../verbs/derive-verbs.ts';
import { flagsOf } from '../../verbs/flags.ts';
import { bareWord } from '../../verbs/identifiers.ts';
import { operationNamed } from '../../verbs/references.ts';
import { expandStdin, runVerb } from '../../verbs/run-verb.ts';
import { everythingAgreed, wantsAll } from '../../verbs/selection.ts';

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

/** Takes a snapshot of every machine that is named, or of all. */
export async function takeSnapshots(
  cli: CommandContext,
  named: readonly string[],
  flags: SnapshotFlags,
): Promise<void> {
  const all = wantsAll(snapshotVerb, flags, named, true);
  if (!all && named.length === 0) {
    throw new UsageError('vms snapshot: no VM given', {
      hint: 'vmctl vms snapshot --help',
    });
  }
  const words = all ? await everyMachine(cli, flags) : await expandStdin(cli, named);
  if (words.length === 0) {
    if (!all) cli.note('no VMs on standard input; nothing to do');
    return;
  }
  const verb = verbOf('snapshots', 'create');
  if (!verb) throw new Error('The model has no snapshots.');
  const given = new Map([
    ['description', [flags.description ?? 'vmctl']],
    ['persistmemorystate', [String(flags.memory === true)]],
  ]);
  const { all: _all, search: _search, ...options } = flags;
  const on = words.map((word) => `vms/${bareWord(word, 'vms')}`);
  await runVerb(cli, verb, flagsOf(verb), given, [], { ...options, on });
}

async function everyMachine(
  cli: CommandContext,
  { all, search }: SnapshotFlags,
): Promise<readonly string[]> {
  const collection = collectionAt('/vms');
  const operation = operationNamed('/vms', 'list');
  if (!operation) throw new Error('The model has no list of machines.');
  const client = await cli.client();
  const resolved = { candidate: { collection, operation } };
  const run = { cli, client, ids: {}, options: { all, search }, verb: snapshotVerb, resolved };
  return (await everythingAgreed(run, true)).map(({ id }) => id);
}
