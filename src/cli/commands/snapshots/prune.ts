/** Deletion of snapshots by number and age: VMs in parallel, one snapshot per VM at a time. */
import { DeclinedError, UsageError } from '../../../client/errors.ts';
import { requireOperation } from '../../../model/index.ts';
import { getFormat, isTable, printView } from '../../output/print.ts';
import { Progress, ProgressBoard } from '../../output/progress.ts';
import { type CommandContext, parseCount } from '../../session/command-context.ts';
import { fetchEntryPoint } from '../../session/connect.ts';
import { canPrompt, confirm } from '../../session/prompt.ts';
import { parseDuration } from '../../text/duration.ts';
import { runWithProgress } from '../../verbs/change.ts';
import { getCollection } from '../../verbs/collections.ts';
import { OperationRunner } from '../../verbs/operation-runner.ts';
import { forEach, parseParallel } from '../../verbs/parallel.ts';
import type { FoundObject } from '../../verbs/references.ts';
import { expandStdin } from '../../verbs/run-verb.ts';
import { selectAll } from '../../verbs/selection.ts';
import { type PlannedSnapshot, planPruning, type Retention } from './prune-plan.ts';

interface PruneFlags {
  readonly keep?: string;
  readonly olderThan?: string;
  readonly description?: string;
  readonly search?: string;
  readonly searchCheck?: boolean;
  readonly all?: boolean;
  readonly parallel?: string;
  readonly failFast?: boolean;
  readonly waitTimeout?: string;
}

/** VM with the plan for its snapshots. */
interface PlannedVm {
  readonly vm: FoundObject;
  readonly snapshots: readonly PlannedSnapshot[];
}

const path = '/vms/{vm}/snapshots';

/** Maximum number of VMs in a confirmation prompt. */
const maxPromptVms = 20;

/** Plans, asks for confirmation, and deletes. Throws `DeclinedError` without confirmation. */
export async function pruneSnapshots(
  cli: CommandContext,
  named: readonly string[],
  flags: PruneFlags,
): Promise<void> {
  const retention = parseRetention(flags);
  const limits = { parallel: parseParallel(flags.parallel), failFast: flags.failFast === true };
  getFormat(cli);
  const vms = await resolveVms(cli, named, flags);
  if (vms.length === 0) return;
  const plan = await planVms(cli, vms, retention, limits.parallel);
  if (cli.dryRunMode) {
    await showPlan(cli, plan);
    return;
  }
  const affected = plan
    .map(({ vm, snapshots }) => ({ vm, doomed: listDeletions(snapshots) }))
    .filter(({ doomed }) => doomed.length > 0);
  if (affected.length === 0) {
    cli.note('no snapshot exceeds the limits; nothing to do');
    if (!isTable(getFormat(cli))) await printDeleted(cli, []);
    return;
  }
  await confirmDeletion(cli, affected);
  const deleted: Deleted[] = [];
  const board = affected.length > 1 ? new ProgressBoard(cli) : undefined;
  try {
    await forEach(cli, affected, limits, async ({ vm, doomed }) => {
      await runWithProgress(
        (progress) => deleteAll(cli, vm, doomed, flags, progress, deleted),
        new Progress(cli, board),
      );
    });
  } finally {
    await printDeleted(cli, deleted);
  }
}

function parseRetention({ keep, olderThan, description }: PruneFlags): Retention {
  if (keep === undefined && olderThan === undefined) {
    throw new UsageError('snapshots prune: no limit given', {
      hint: 'use --keep 7, --older-than 30d, or both',
    });
  }
  // 0 is valid: it deletes all snapshots.
  const count = keep === '0' ? 0 : parseCount(keep, '--keep');
  return {
    ...(count === undefined ? {} : { keep: count }),
    ...(olderThan === undefined ? {} : { olderThan: parseDuration(olderThan, '--older-than') }),
    ...(description === undefined ? {} : { description }),
  };
}

async function resolveVms(
  cli: CommandContext,
  named: readonly string[],
  { search, searchCheck, all }: PruneFlags,
): Promise<readonly FoundObject[]> {
  const isSelected = all === true || search !== undefined;
  if (isSelected === named.length > 0) {
    throw new UsageError(
      isSelected
        ? `snapshots prune: ${all ? '--all' : '--search'} and ${named.join(' ')} exclude each other`
        : 'snapshots prune: no VM given',
      { hint: 'name VMs, or use --search or --all' },
    );
  }
  const collection = getCollection('/vms');
  if (isSelected) {
    const operation = requireOperation('/vms', 'list');
    return await selectAll({
      cli,
      client: await cli.client(),
      ids: {},
      options: { search, searchCheck },
      verb: { noun: 'snapshots', name: 'prune' },
      resolved: { candidate: { collection, operation } },
    });
  }
  const words = await expandStdin(cli, named);
  if (words.length === 0) cli.note('no VMs on standard input; nothing to do');
  const runner = await OperationRunner.create(cli, {});
  const found = new Map<string, FoundObject>();
  for (const word of words) {
    const vm = await runner.find(word, '/vms');
    found.set(vm.id, vm);
  }
  return [...found.values()];
}

async function planVms(
  cli: CommandContext,
  vms: readonly FoundObject[],
  retention: Retention,
  parallel: number,
): Promise<readonly PlannedVm[]> {
  const runner = await OperationRunner.create(cli, {});
  // Dates come from the service, so its clock determines the ages.
  const { time } = await fetchEntryPoint(await cli.client());
  const now = Date.parse(String(time ?? '')) || Date.now();
  return await forEach(cli, vms, { parallel, failFast: true }, async (vm) => ({
    vm,
    snapshots: planPruning(await runner.list({ path, ids: { vm: vm.id } }), retention, now),
  }));
}

function listDeletions(snapshots: readonly PlannedSnapshot[]): readonly PlannedSnapshot[] {
  return snapshots.filter(({ action }) => action === 'delete').toReversed();
}

interface Affected {
  readonly vm: FoundObject;
  readonly doomed: readonly PlannedSnapshot[];
}

async function confirmDeletion(cli: CommandContext, affected: readonly Affected[]): Promise<void> {
  if (cli.isOn('yes')) return;
  const count = affected.reduce((sum, { doomed }) => sum + doomed.length, 0);
  const what = `${count} snapshot${count === 1 ? '' : 's'} of ${affected.length} VM${affected.length === 1 ? '' : 's'}`;
  if (!canPrompt(cli.io, cli.isOn('noInput'))) {
    throw new DeclinedError(`this would delete ${what}`, {
      hint: 'confirm with --yes; --dry-run lists the snapshots',
    });
  }
  const lines = affected
    .slice(0, maxPromptVms)
    .map(({ vm, doomed }) => `  ${vm.label}: ${doomed.length}`);
  const more =
    affected.length > maxPromptVms ? [`  and ${affected.length - maxPromptVms} more`] : [];
  const question = [...lines, ...more, `Delete ${what}?`].join('\n');
  if (await confirm(cli.io, question, cli.signal)) return;
  throw new DeclinedError('declined; nothing changed');
}

interface Deleted {
  readonly vm: string;
  readonly id: string;
  readonly description: string;
  readonly date: string | undefined;
}

/** Deletes sequentially, because the service locks the VM during a deletion. */
async function deleteAll(
  cli: CommandContext,
  vm: FoundObject,
  doomed: readonly PlannedSnapshot[],
  { waitTimeout }: PruneFlags,
  progress: Progress,
  deleted: Deleted[],
): Promise<void> {
  const options = waitTimeout === undefined ? {} : { waitTimeout };
  const runner = await OperationRunner.create(cli, options, progress);
  for (const { id, description, date } of doomed) {
    cli.signal.throwIfAborted();
    const label = `${vm.label}/snapshots/${description === '' ? id : description}`;
    const ids = { vm: vm.id };
    await runner.change(
      { path: `${path}/{snapshot}`, name: 'remove', verb: 'delete', ids },
      { id, label },
    );
    deleted.push({ vm: getVmName(vm), id, description, date });
  }
}

function getVmName({ label }: FoundObject): string {
  return label.slice(label.indexOf('/') + 1);
}

/** Prints the deleted snapshots for programs; for people, the progress named each one. */
async function printDeleted(cli: CommandContext, deleted: readonly Deleted[]): Promise<void> {
  if (isTable(getFormat(cli))) return;
  await printView(cli, {
    noun: 'snapshots',
    items: deleted.map((one) => ({ ...one })),
    columns: ['vm', 'id', 'description', 'date'],
  });
}

async function showPlan(cli: CommandContext, plan: readonly PlannedVm[]): Promise<void> {
  await printView(cli, {
    noun: 'snapshots',
    items: plan.flatMap(({ vm, snapshots }) =>
      snapshots.map(({ description, date, action, reason, id }) => ({
        ...{ vm: getVmName(vm), description, date, action, reason, id },
      })),
    ),
    columns: ['vm', 'description', 'date', 'action', 'reason', 'id'],
    meanings: { date: 'date' },
  });
}
