/** Deletes snapshots by number and age: machines side by side, of each one snapshot at a time. */
import { DeclinedError, UsageError } from '../../../client/errors.ts';
import { formatOf, isTable, print } from '../../output/print.ts';
import { Progress, ProgressBoard } from '../../output/progress.ts';
import { type CommandContext, wholeNumber } from '../../session/command-context.ts';
import { entryPoint } from '../../session/connect.ts';
import { canAsk, confirm } from '../../session/prompt.ts';
import { durationOf } from '../../text/duration.ts';
import { shown } from '../../verbs/change.ts';
import { collectionAt } from '../../verbs/collections.ts';
import { OperationRunner } from '../../verbs/operation-runner.ts';
import { forEach, parallelOf } from '../../verbs/parallel.ts';
import type { Found } from '../../verbs/references.ts';
import { operationNamed } from '../../verbs/references.ts';
import { expandStdin } from '../../verbs/run-verb.ts';
import { everythingSelected } from '../../verbs/selection.ts';
import { type PlannedSnapshot, planOf, type Retention } from './prune-plan.ts';

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

/** A machine, and what becomes of each of its snapshots. */
interface PlannedMachine {
  readonly vm: Found;
  readonly snapshots: readonly PlannedSnapshot[];
}

const path = '/vms/{vm}/snapshots';

/** How many machines a question names. */
const namedMachines = 20;

/** Plans, asks, and deletes. Throws `DeclinedError` where nobody agrees. */
export async function pruneSnapshots(
  cli: CommandContext,
  named: readonly string[],
  flags: PruneFlags,
): Promise<void> {
  const retention = retentionOf(flags);
  const limits = { parallel: parallelOf(flags.parallel), failFast: flags.failFast === true };
  formatOf(cli);
  const vms = await machines(cli, named, flags);
  if (vms.length === 0) return;
  const plan = await planFor(cli, vms, retention, limits.parallel);
  if (cli.dryRunMode) {
    await showPlan(cli, plan);
    return;
  }
  const affected = plan
    .map(({ vm, snapshots }) => ({ vm, doomed: oldestFirst(snapshots) }))
    .filter(({ doomed }) => doomed.length > 0);
  if (affected.length === 0) {
    cli.note('no snapshot exceeds the limits; nothing to do');
    if (!isTable(formatOf(cli))) await printDeleted(cli, []);
    return;
  }
  await agree(cli, affected);
  const deleted: Deleted[] = [];
  const board = affected.length > 1 ? new ProgressBoard(cli) : undefined;
  try {
    await forEach(cli, affected, limits, async ({ vm, doomed }) => {
      await shown(
        (progress) => deleteAll(cli, vm, doomed, flags, progress, deleted),
        new Progress(cli, board),
      );
    });
  } finally {
    await printDeleted(cli, deleted);
  }
}

function retentionOf({ keep, olderThan, description }: PruneFlags): Retention {
  if (keep === undefined && olderThan === undefined) {
    throw new UsageError('snapshots prune: no limit given', {
      hint: 'use --keep 7, --older-than 30d, or both',
    });
  }
  // None may stay, if that is what somebody wants.
  const count = keep === '0' ? 0 : wholeNumber(keep, '--keep');
  return {
    ...(count === undefined ? {} : { keep: count }),
    ...(olderThan === undefined ? {} : { olderThan: durationOf(olderThan, '--older-than') }),
    ...(description === undefined ? {} : { description }),
  };
}

async function machines(
  cli: CommandContext,
  named: readonly string[],
  { search, searchCheck, all }: PruneFlags,
): Promise<readonly Found[]> {
  const isSelected = all === true || search !== undefined;
  if (isSelected === named.length > 0) {
    throw new UsageError(
      isSelected
        ? `snapshots prune: ${all ? '--all' : '--search'} and ${named.join(' ')} exclude each other`
        : 'snapshots prune: no VM given',
      { hint: 'name VMs, or use --search or --all' },
    );
  }
  const collection = collectionAt('/vms');
  if (isSelected) {
    const operation = operationNamed('/vms', 'list');
    if (!operation) throw new Error('The model has no list of machines.');
    return await everythingSelected({
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
  const runner = await OperationRunner.begin(cli, {});
  const found = new Map<string, Found>();
  for (const word of words) {
    const vm = await runner.find(word, '/vms');
    found.set(vm.id, vm);
  }
  return [...found.values()];
}

async function planFor(
  cli: CommandContext,
  vms: readonly Found[],
  retention: Retention,
  parallel: number,
): Promise<readonly PlannedMachine[]> {
  const runner = await OperationRunner.begin(cli, {});
  // The clock of this machine may be wrong, and the dates are those of the service.
  const { time } = await entryPoint(await cli.client());
  const now = Date.parse(String(time ?? '')) || Date.now();
  return await forEach(cli, vms, { parallel, failFast: true }, async (vm) => ({
    vm,
    snapshots: planOf(await runner.list({ path, ids: { vm: vm.id } }), retention, now),
  }));
}

function oldestFirst(snapshots: readonly PlannedSnapshot[]): readonly PlannedSnapshot[] {
  return snapshots.filter(({ action }) => action === 'delete').toReversed();
}

interface Affected {
  readonly vm: Found;
  readonly doomed: readonly PlannedSnapshot[];
}

async function agree(cli: CommandContext, affected: readonly Affected[]): Promise<void> {
  if (cli.on('yes')) return;
  const count = affected.reduce((sum, { doomed }) => sum + doomed.length, 0);
  const what = `${count} snapshot${count === 1 ? '' : 's'} of ${affected.length} VM${affected.length === 1 ? '' : 's'}`;
  if (!canAsk(cli.io, cli.on('noInput'))) {
    throw new DeclinedError(`this would delete ${what}`, {
      hint: 'confirm with --yes; --dry-run lists the snapshots',
    });
  }
  const lines = affected
    .slice(0, namedMachines)
    .map(({ vm, doomed }) => `  ${vm.label}: ${doomed.length}`);
  const more =
    affected.length > namedMachines ? [`  and ${affected.length - namedMachines} more`] : [];
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

/** Deletes one after the other: the service locks the machine while one goes. */
async function deleteAll(
  cli: CommandContext,
  vm: Found,
  doomed: readonly PlannedSnapshot[],
  { waitTimeout }: PruneFlags,
  progress: Progress,
  deleted: Deleted[],
): Promise<void> {
  const options = waitTimeout === undefined ? {} : { waitTimeout };
  const runner = await OperationRunner.begin(cli, options, progress);
  for (const { id, description, date } of doomed) {
    cli.signal.throwIfAborted();
    const label = `${vm.label}/snapshots/${description === '' ? id : description}`;
    const ids = { vm: vm.id };
    await runner.change(
      { path: `${path}/{snapshot}`, name: 'remove', verb: 'delete', ids },
      { id, label },
    );
    deleted.push({ vm: nameOf(vm), id, description, date });
  }
}

function nameOf({ label }: Found): string {
  return label.slice(label.indexOf('/') + 1);
}

/** People have seen each one go; programs are told which. */
async function printDeleted(cli: CommandContext, deleted: readonly Deleted[]): Promise<void> {
  if (isTable(formatOf(cli))) return;
  await print(cli, {
    noun: 'snapshots',
    items: deleted.map((one) => ({ ...one })),
    columns: ['vm', 'id', 'description', 'date'],
  });
}

async function showPlan(cli: CommandContext, plan: readonly PlannedMachine[]): Promise<void> {
  await print(cli, {
    noun: 'snapshots',
    items: plan.flatMap(({ vm, snapshots }) =>
      snapshots.map(({ description, date, action, reason, id }) => ({
        ...{ vm: nameOf(vm), description, date, action, reason, id },
      })),
    ),
    columns: ['vm', 'description', 'date', 'action', 'reason', 'id'],
    meanings: { date: 'date' },
  });
}
