/** `vmctl clusters upgrade`: the upgrade of a cluster from its plan to its end, or to its first failure. */
import type { ApiObject } from '../../../client/client.ts';
import { ConflictError, UsageError, VmctlError } from '../../../client/errors.ts';
import { shellQuote } from '../../../client/shell-quote.ts';
import { formatOf, isTable, print } from '../../output/print.ts';
import type { CommandContext } from '../../session/command-context.ts';
import { runChange } from '../../verbs/change.ts';
import { verbOf } from '../../verbs/derive-verbs.ts';
import { OperationRunner } from '../../verbs/operation-runner.ts';
import { type Found, operationNamed } from '../../verbs/references.ts';
import type { Run } from '../../verbs/run.ts';
import { commandOf } from '../../verbs/verb-command.ts';
import { lookForUpdates } from './look-for-updates.ts';
import { type PlannedHost, planOf } from './upgrade-plan.ts';

/** Beside those of the model. */
interface UpgradeFlags {
  readonly check: boolean;
  readonly skip?: readonly string[];
  readonly reboot: boolean;
  readonly waitTimeout?: string;
}

/** Migrations and a reboot take their time. */
const hostTimeout = '1h';

/** Flags that are about the account of the service alone, or about several clusters. */
const plain: readonly string[] = [
  ...['upgradeAction', 'correlationId', 'upgradePercentComplete', 'fromFile', 'all', 'glob'],
];

/** Upgrades a cluster; with flags of the operation itself it is sent as it is. */
export async function runUpgrade(
  cli: CommandContext,
  words: readonly unknown[],
  flags: UpgradeFlags,
): Promise<void> {
  const verb = verbOf('clusters', 'upgrade');
  if (!verb) throw new Error('The model cannot upgrade clusters.');
  const { skip = [], check, reboot, waitTimeout = hostTimeout, ...others } = flags;
  const perform = async (run: Run) => {
    const { options, input, words: named } = run;
    const isPlain = plain.some((name) => options[name] !== undefined) || input.sets.length > 0;
    if (isPlain) {
      await runChange(run);
      return;
    }
    if (named.length !== 1) {
      throw new UsageError('clusters upgrade takes one cluster', {
        hint: 'run the command once per cluster',
      });
    }
    const found = await run.finder.find(named[0] ?? '', run.resolved.candidate.collection, run.ids);
    const upgrade = new ClusterUpgrade(run, found, { skip, check, reboot, waitTimeout });
    await upgrade.run();
  };
  await commandOf(verb, {}, perform).run(cli, words, others, {});
}

class ClusterUpgrade {
  readonly #run: Run;
  readonly #cluster: Found;
  readonly #flags: Required<UpgradeFlags>;

  constructor(run: Run, cluster: Found, flags: Required<UpgradeFlags>) {
    this.#run = run;
    this.#cluster = cluster;
    this.#flags = flags;
  }

  get #cli(): CommandContext {
    return this.#run.cli;
  }

  async run(): Promise<void> {
    const runner = await OperationRunner.begin(this.#cli, { waitTimeout: this.#flags.waitTimeout });
    const begun = await this.#begunBefore(runner);
    let hosts = await this.#hosts(runner);
    const skipped = await this.#skipped(runner);
    if (this.#flags.check && !this.#cli.dryRunMode) {
      const able = hosts.filter(
        ({ id, status }) =>
          !skipped.has(String(id)) && (status === 'up' || status === 'maintenance'),
      );
      await lookForUpdates(this.#run, runner, able);
      hosts = await this.#hosts(runner);
    }
    const plan = planOf(hosts, { skipped, begun: begun ?? new Set() });
    if (this.#cli.dryRunMode) {
      await this.#show(plan);
      return;
    }
    for (const { name, status, action } of plan) {
      if (action !== 'refuse') continue;
      throw new ConflictError(`hosts/${name} is ${status} and cannot be upgraded`, {
        code: 'wrong_state',
        hint: `activate it, or exclude it with --skip ${shellQuote(name)}; nothing was changed`,
      });
    }
    const work = plan.filter(({ action }) => action === 'upgrade' || action === 'activate');
    for (const { name, action, reason } of plan) {
      if (action === 'none') this.#cli.note(`hosts/${name}: ${reason}`);
    }
    if (work.length === 0) {
      this.#cli.note(`${this.#cluster.label}: nothing to upgrade`);
      if (begun) await this.#account(runner, 'finish');
      return;
    }
    if (!begun) await this.#account(runner, 'start');
    await this.#upgradeAll(runner, work);
    await this.#account(runner, 'finish');
    const s = work.length === 1 ? '' : 's';
    this.#cli.note(`${this.#cluster.label}: ${work.length} host${s} upgraded`);
    if (isTable(formatOf(this.#cli))) return;
    const items = work.map(({ id, name, action }) => ({ id, name, action }));
    await print(this.#cli, { noun: 'hosts', items, columns: ['name', 'id', 'action'] });
  }

  /**
   * Hosts that an earlier run has begun with, where the service says that one has not ended; nothing
   * where none has. Throws where it is somebody else's.
   */
  async #begunBefore(runner: OperationRunner): Promise<ReadonlySet<string> | undefined> {
    const cluster = await runner.call({
      path: '/clusters/{cluster}',
      name: 'get',
      ids: { cluster: this.#cluster.id },
    });
    if (cluster['upgrade_in_progress'] !== true) return undefined;
    const id = String(cluster['upgrade_correlation_id'] ?? '');
    const { label } = this.#cluster;
    if (!id.startsWith('vmctl-')) {
      throw new ConflictError(`${label}: another client is already upgrading it`, {
        code: 'upgrade_in_progress',
        hint: `if that client has stopped: vmctl clusters upgrade ${shellQuote(this.#word)} --upgrade-action finish`,
      });
    }
    this.#cli.note(`${label}: resuming upgrade ${id}`);
    this.#run.client.correlateWith(id);
    const operation = operationNamed('/events', 'list');
    if (!operation) throw new Error('The model has no events.');
    const query = { search: `correlation_id=${id}` };
    const events = await this.#run.client.list({ operation, query });
    return new Set(
      events.flatMap((event) => {
        const host = (event['host'] as ApiObject | undefined)?.['id'];
        return event['correlation_id'] === id && host !== undefined ? [String(host)] : [];
      }),
    );
  }

  get #word(): string {
    const { label } = this.#cluster;
    return label.slice(label.indexOf('/') + 1);
  }

  async #hosts(runner: OperationRunner): Promise<readonly ApiObject[]> {
    const all = await runner.list({ path: '/hosts' });
    return all.filter(
      (host) => (host['cluster'] as ApiObject | undefined)?.['id'] === this.#cluster.id,
    );
  }

  /** Ids of the hosts to leave alone; a name that is none is a mistake. */
  async #skipped(runner: OperationRunner): Promise<ReadonlySet<string>> {
    const ids = new Set<string>();
    for (const word of this.#flags.skip) ids.add((await runner.find(word, '/hosts')).id);
    return ids;
  }

  /** What the service tells others of the upgrade. */
  async #account(
    runner: OperationRunner,
    action: 'start' | 'finish' | 'update_progress',
    percent?: number,
  ): Promise<void> {
    await runner.call({
      path: '/clusters/{cluster}',
      name: 'upgrade',
      ids: { cluster: this.#cluster.id },
      body: {
        upgrade_action: action,
        ...(action === 'start' ? { correlation_id: this.#run.client.correlationId } : {}),
        ...(percent === undefined ? {} : { upgrade_percent_complete: percent }),
      },
    });
  }

  async #upgradeAll(runner: OperationRunner, work: readonly PlannedHost[]): Promise<void> {
    for (const [index, host] of work.entries()) {
      try {
        this.#cli.signal.throwIfAborted();
        await this.#upgradeOne(runner, host);
      } catch (error) {
        this.#tellWhereItStopped(work, index);
        throw this.#resumable(error);
      }
      const percent = Math.round((100 * (index + 1)) / work.length);
      if (index < work.length - 1) await this.#account(runner, 'update_progress', percent);
    }
  }

  async #upgradeOne(runner: OperationRunner, host: PlannedHost): Promise<void> {
    const { id, name, status, action, reason } = host;
    const target = { id, label: `hosts/${name}` };
    const path = '/hosts/{host}';
    if (action === 'upgrade') {
      const body = this.#flags.reboot ? {} : { reboot: false };
      await runner.change({ path, name: 'upgrade', body }, target);
    }
    let after = await runner.call({ path, name: 'get', ids: { host: id } });
    const isBegun = reason.endsWith('by an earlier run');
    if (after['status'] === 'maintenance' && (status !== 'maintenance' || isBegun)) {
      after = await runner.change({ path, name: 'activate' }, target);
    }
    const now = String(after['status'] ?? 'unknown');
    if (now !== 'up' && !(now === 'maintenance' && status === 'maintenance')) {
      throw new ConflictError(`hosts/${name} is ${now} after its upgrade`, {
        code: 'wrong_state',
      });
    }
    if (action === 'upgrade' && after['update_available'] === true) {
      throw new ConflictError(`hosts/${name} is up but was not upgraded`, {
        code: 'not_upgraded',
        hint: `vmctl events list --search 'host.name=${name}' shows the cause, often a VM that cannot migrate`,
      });
    }
  }

  #tellWhereItStopped(work: readonly PlannedHost[], index: number): void {
    const names = (hosts: readonly PlannedHost[]) => hosts.map(({ name }) => name).join(', ');
    const done = work.slice(0, index);
    const left = work.slice(index + 1);
    if (done.length > 0) this.#cli.note(`upgraded: ${names(done)}`);
    if (left.length > 0) this.#cli.note(`not started: ${names(left)}`);
  }

  /** The error with what to do: to go on is to run the same again. */
  #resumable(error: unknown): unknown {
    if (!(error instanceof VmctlError)) return error;
    const command = `vmctl clusters upgrade ${shellQuote(this.#word)}`;
    const how = `${command} resumes; --upgrade-action finish gives up`;
    const hint = error.hint === undefined ? how : `${error.hint}; ${how}`;
    return Object.assign(error, { hint, next: [...error.next, command] });
  }

  async #show(plan: readonly PlannedHost[]): Promise<void> {
    await print(this.#cli, {
      noun: 'hosts',
      items: plan.map((host) => ({ ...host })),
      columns: ['name', 'status', 'action', 'reason'],
    });
    if (this.#flags.check) {
      this.#cli.note('based on earlier checks; a real run checks for updates first');
    }
  }
}
