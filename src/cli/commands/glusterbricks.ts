/** `vmctl glusterbricks decommission`: moves the data off bricks, then removes them. */
import { ConflictError, WaitTimeoutError } from '../../client/errors.ts';
import { pause } from '../../client/retry.ts';
import { command, noun } from '../args/command.ts';
import { argument, flag } from '../args/parameters.ts';
import { formatOf, isTable, print } from '../output/print.ts';
import { Progress } from '../output/progress.ts';
import type { CommandContext } from '../session/command-context.ts';
import { durationOf } from '../text/duration.ts';
import { collectionAt } from '../verbs/collections.ts';
import { OperationRunner } from '../verbs/operation-runner.ts';
import { brickNames } from '../verbs/references.ts';

interface DecommissionFlags {
  readonly cluster: string;
  readonly volume: string;
  readonly waitTimeout: string;
}

const bricksOf = '/clusters/{cluster}/glustervolumes/{volume}/glusterbricks';
const firstPause = 200;
const longestPause = 5_000;

async function decommission(
  cli: CommandContext,
  bricks: readonly string[],
  flags: DecommissionFlags,
): Promise<void> {
  const timeout = durationOf(flags.waitTimeout, '--wait-timeout');
  const runner = await OperationRunner.begin(cli, {});
  const { id: cluster } = await runner.find(flags.cluster, '/clusters');
  const volumes = '/clusters/{cluster}/glustervolumes';
  const { id: volume } = await runner.find(flags.volume, volumes, { cluster });
  const step = { path: bricksOf, ids: { cluster, volume }, body: brickNames(bricks) };
  const begun = await runner.call({ ...step, name: 'migrate' });
  const job = (begun['job'] as { readonly id?: string } | undefined)?.id;
  const where = `--volume ${flags.volume} --cluster ${flags.cluster}`;
  if (job !== undefined) {
    try {
      await finished(cli, runner, job, timeout, bricks);
    } catch (error) {
      cli.note(
        `the bricks still exist; cancel with vmctl glusterbricks stop-migrate ${bricks.join(' ')} ${where}`,
      );
      throw error;
    }
  }
  await runner.call({ ...step, name: 'remove' });
  cli.note(`removed: ${bricks.join(', ')}`);
  if (isTable(formatOf(cli))) return;
  await print(cli, { noun: 'glusterbricks', items: bricks.map((name) => ({ name })) });
}

/** Waits until the data has moved. Throws when it could not. */
async function finished(
  cli: CommandContext,
  runner: OperationRunner,
  job: string,
  timeout: number,
  bricks: readonly string[],
): Promise<void> {
  const progress = new Progress(cli);
  const began = Date.now();
  let lastStatus: unknown;
  try {
    for (let delay = firstPause; ; delay = Math.min(delay * 1.4, longestPause)) {
      const { status } = await runner.call({
        path: collectionAt('/jobs').object ?? '',
        name: 'get',
        ids: { job },
      });
      if (status !== lastStatus) progress.show(bricks.join(', '), `moving data: ${String(status)}`);
      lastStatus = status;
      if (status === 'finished') return;
      if (status !== 'started') {
        throw new ConflictError(`cannot move the data: job ${String(status)}`, {
          hint: `vmctl jobs get ${job}`,
        });
      }
      if (Date.now() - began > timeout) {
        throw new WaitTimeoutError(`job ${job} is still moving data`, {
          hint: `vmctl wait jobs/${job} --for status=finished`,
        });
      }
      await pause(delay, cli.signal);
    }
  } finally {
    progress.clear();
  }
}

const decommissionCommand = command({
  verb: 'decommission',
  purpose: 'Move data off bricks, then remove them',
  arguments: [argument('<brick...>', 'HOST:/DIRECTORY, or ids')],
  flags: [
    flag('--cluster <ref>', 'cluster (name or id)', { required: true }),
    flag('--volume <ref>', 'volume (name or id)', { required: true }),
    flag('--wait-timeout <duration>', 'timeout for the data migration', {
      default: '24h',
    }),
  ],
  examples: [
    'vmctl glusterbricks decommission node3.example.com:/bricks/b1 --volume vol1 --cluster Default',
  ],
  prints: 'report',
  run: (cli, [bricks], flags) => decommission(cli, bricks, flags),
});

export default noun({ name: 'glusterbricks', commands: [decommissionCommand] });
