/** `vmctl glusterbricks decommission`: migration of data off bricks, then their removal. */

import { ConflictError, WaitTimeoutError } from '../../client/errors.ts';
import { poll } from '../../client/poll.ts';
import { defineCommand, defineNoun } from '../args/command.ts';
import { defineArgument, defineFlag } from '../args/parameters.ts';
import { getFormat, isTable, printView } from '../output/print.ts';
import { Progress } from '../output/progress.ts';
import type { CommandContext } from '../session/command-context.ts';
import { parseDuration } from '../text/duration.ts';
import { OperationRunner } from '../verbs/operation-runner.ts';
import { createBrickReferences } from '../verbs/references.ts';

interface DecommissionFlags {
  readonly cluster: string;
  readonly volume: string;
  readonly waitTimeout: string;
}

const bricksPath = '/clusters/{cluster}/glustervolumes/{volume}/glusterbricks' as const;
const interval = { firstMs: 200, factor: 1.4, maxMs: 5_000 };

async function decommission(
  cli: CommandContext,
  bricks: readonly string[],
  flags: DecommissionFlags,
): Promise<void> {
  const timeout = parseDuration(flags.waitTimeout, '--wait-timeout');
  const runner = await OperationRunner.create(cli, {});
  const { id: cluster } = await runner.find(flags.cluster, '/clusters');
  const { id: volume } = await runner.find(flags.volume, '/clusters/{cluster}/glustervolumes', {
    cluster,
  });
  const step = { path: bricksPath, ids: { cluster, volume }, body: createBrickReferences(bricks) };
  const { job } = await runner.call({ ...step, name: 'migrate' });
  const where = `--volume ${flags.volume} --cluster ${flags.cluster}`;
  if (job?.id !== undefined) {
    try {
      await waitForMigration(cli, runner, job.id, timeout, bricks);
    } catch (error) {
      cli.note(
        `the bricks still exist; cancel with vmctl glusterbricks stop-migrate ${bricks.join(' ')} ${where}`,
      );
      throw error;
    }
  }
  await runner.call({ ...step, name: 'remove' });
  cli.note(`removed: ${bricks.join(', ')}`);
  if (isTable(getFormat(cli))) return;
  await printView(cli, { noun: 'glusterbricks', items: bricks.map((name) => ({ name })) });
}

/** Waits for the data migration. Throws if it fails. */
async function waitForMigration(
  cli: CommandContext,
  runner: OperationRunner,
  job: string,
  timeout: number,
  bricks: readonly string[],
): Promise<void> {
  const progress = new Progress(cli);
  let lastStatus: unknown;
  const read = () => runner.call({ path: '/jobs/{job}', name: 'get', ids: { job } });
  const createError = () =>
    new WaitTimeoutError(`job ${job} is still moving data`, {
      hint: `vmctl wait jobs/${job} --for status=finished`,
    });
  const limits = { signal: cli.signal, timeout: { ms: timeout, createError } };
  try {
    for await (const { status } of poll({ read, interval, ...limits })) {
      if (status !== lastStatus) progress.show(bricks.join(', '), `moving data: ${String(status)}`);
      lastStatus = status;
      if (status === 'finished') return;
      if (status !== 'started') {
        throw new ConflictError(`cannot move the data: job ${String(status)}`, {
          hint: `vmctl jobs get ${job}`,
        });
      }
    }
  } finally {
    progress.clear();
  }
}

const decommissionCommand = defineCommand({
  verb: 'decommission',
  purpose: 'Move data off bricks, then remove them',
  arguments: [defineArgument('<brick...>', 'HOST:/DIRECTORY, or ids')],
  flags: [
    defineFlag('--cluster <ref>', 'cluster (name or id)', { required: true }),
    defineFlag('--volume <ref>', 'volume (name or id)', { required: true }),
    defineFlag('--wait-timeout <duration>', 'timeout for the data migration', {
      default: '24h',
    }),
  ],
  examples: [
    'vmctl glusterbricks decommission node3.example.com:/bricks/b1 --volume vol1 --cluster Default',
  ],
  prints: 'report',
  run: (cli, [bricks], flags) => decommission(cli, bricks, flags),
});

export default defineNoun({ name: 'glusterbricks', commands: [decommissionCommand] });
