/** Execution of `vmctl clusters upgrade`, until its end or the first failure. */

import { ConflictError, UsageError, VmctlError } from '../../../client/errors.ts';
import { shellQuote } from '../../../client/shell-quote.ts';
import { requireOperation } from '../../../model/index.ts';
import type { Resource } from '../../../model/resource.ts';
import { getFormat, isTable, printView } from '../../output/print.ts';
import type { CommandContext } from '../../session/command-context.ts';
import { runChange } from '../../verbs/change.ts';
import { findVerb } from '../../verbs/derive-verbs.ts';
import { OperationRunner } from '../../verbs/operation-runner.ts';
import type { FoundObject } from '../../verbs/references.ts';
import type { Run } from '../../verbs/run.ts';
import { createVerbCommand } from '../../verbs/verb-command.ts';
import { checkForUpdates } from './check-for-updates.ts';
import { type PlannedHost, planUpgrade } from './upgrade-plan.ts';

/** Flags in addition to those of the model. */
interface UpgradeFlags {
  readonly check: boolean;
  readonly skip?: readonly string[];
  readonly reboot: boolean;
  readonly waitTimeout?: string;
}

/** Includes migrations and a reboot. */
const hostTimeout = '1h';

/** Flags that only change the upgrade state of the service, or apply to several clusters. */
const stateFlags: readonly string[] = [
  ...['upgradeAction', 'correlationId', 'upgradePercentComplete', 'fromFile', 'all', 'glob'],
];

/** Upgrades a cluster. With flags of the operation, only sends the operation. */
export async function runUpgrade(
  cli: CommandContext,
  words: readonly unknown[],
  flags: UpgradeFlags,
): Promise<void> {
  const verb = findVerb('clusters', 'upgrade');
  if (!verb) throw new Error('The model cannot upgrade clusters.');
  const { skip = [], check, reboot, waitTimeout = hostTimeout, ...others } = flags;
  const perform = async (run: Run) => {
    const { options, input, words: named } = run;
    const isPlain = stateFlags.some((name) => options[name] !== undefined) || input.sets.length > 0;
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
  await createVerbCommand(verb, {}, perform).run(cli, words, others, {});
}

class ClusterUpgrade {
  readonly #run: Run;
  readonly #cluster: FoundObject;
  readonly #flags: Required<UpgradeFlags>;

  constructor(run: Run, cluster: FoundObject, flags: Required<UpgradeFlags>) {
    this.#run = run;
    this.#cluster = cluster;
    this.#flags = flags;
  }

  get #cli(): CommandContext {
    return this.#run.cli;
  }

  async run(): Promise<void> {
    const runner = await OperationRunner.create(this.#cli, {
      waitTimeout: this.#flags.waitTimeout,
    });
    const begun = await this.#findInterruptedRun(runner);
    let hosts = await this.#listHosts(runner);
    const skipped = await this.#resolveSkipped(runner);
    if (this.#flags.check && !this.#cli.dryRunMode) {
      const able = hosts.filter(
        ({ id, status }) =>
          !skipped.has(String(id)) && (status === 'up' || status === 'maintenance'),
      );
      await checkForUpdates(this.#run, runner, able);
      hosts = await this.#listHosts(runner);
    }
    const plan = planUpgrade(hosts, { skipped, begun: begun ?? new Set() });
    if (this.#cli.dryRunMode) {
      await this.#printPlan(plan);
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
      if (begun) await this.#updateState(runner, 'finish');
      return;
    }
    if (!begun) await this.#updateState(runner, 'start');
    await this.#upgradeAll(runner, work);
    await this.#updateState(runner, 'finish');
    const s = work.length === 1 ? '' : 's';
    this.#cli.note(`${this.#cluster.label}: ${work.length} host${s} upgraded`);
    if (isTable(getFormat(this.#cli))) return;
    const items = work.map(({ id, name, action }) => ({ id, name, action }));
    await printView(this.#cli, { noun: 'hosts', items, columns: ['name', 'id', 'action'] });
  }

  /**
   * Returns the hosts of an interrupted run; undefined if none exists. Throws `ConflictError` if
   * another client runs an upgrade.
   */
  async #findInterruptedRun(runner: OperationRunner): Promise<ReadonlySet<string> | undefined> {
    const cluster = await runner.call({
      path: '/clusters/{cluster}',
      name: 'get',
      ids: { cluster: this.#cluster.id },
    });
    if (cluster.upgrade_in_progress !== true) return undefined;
    const id = String(cluster.upgrade_correlation_id ?? '');
    const { label } = this.#cluster;
    if (!id.startsWith('vmctl-')) {
      throw new ConflictError(`${label}: another client is already upgrading it`, {
        code: 'upgrade_in_progress',
        hint: `if that client has stopped: vmctl clusters upgrade ${shellQuote(this.#word)} --upgrade-action finish`,
      });
    }
    this.#cli.note(`${label}: resuming upgrade ${id}`);
    this.#run.client.correlateWith(id);
    const operation = requireOperation('/events', 'list');
    const query = { search: `correlation_id=${id}` };
    const events = await this.#run.client.list({ operation, query });
    return new Set(
      events.flatMap((event) => {
        const host = event.host?.id;
        return event.correlation_id === id && host !== undefined ? [host] : [];
      }),
    );
  }

  get #word(): string {
    const { label } = this.#cluster;
    return label.slice(label.indexOf('/') + 1);
  }

  async #listHosts(runner: OperationRunner): Promise<readonly Resource<'host'>[]> {
    const all = await runner.list({ path: '/hosts' });
    return all.filter(({ cluster }) => cluster?.id === this.#cluster.id);
  }

  /** Resolves the ids of excluded hosts. Unknown names are errors. */
  async #resolveSkipped(runner: OperationRunner): Promise<ReadonlySet<string>> {
    const ids = new Set<string>();
    for (const word of this.#flags.skip) ids.add((await runner.find(word, '/hosts')).id);
    return ids;
  }

  /** Updates the upgrade state of the cluster on the service. */
  async #updateState(
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
        this.#reportProgress(work, index);
        throw this.#addResumeHint(error);
      }
      const percent = Math.round((100 * (index + 1)) / work.length);
      if (index < work.length - 1) await this.#updateState(runner, 'update_progress', percent);
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
    if (after.status === 'maintenance' && (status !== 'maintenance' || isBegun)) {
      after = await runner.change({ path, name: 'activate' }, target);
    }
    const now = String(after.status ?? 'unknown');
    if (now !== 'up' && !(now === 'maintenance' && status === 'maintenance')) {
      throw new ConflictError(`hosts/${name} is ${now} after its upgrade`, {
        code: 'wrong_state',
      });
    }
    if (action === 'upgrade' && after.update_available === true) {
      throw new ConflictError(`hosts/${name} is up but was not upgraded`, {
        code: 'not_upgraded',
        hint: `vmctl events list --search 'host.name=${name}' shows the cause, often a VM that cannot migrate`,
      });
    }
  }

  #reportProgress(work: readonly PlannedHost[], index: number): void {
    const names = (hosts: readonly PlannedHost[]) => hosts.map(({ name }) => name).join(', ');
    const done = work.slice(0, index);
    const left = work.slice(index + 1);
    if (done.length > 0) this.#cli.note(`upgraded: ${names(done)}`);
    if (left.length > 0) this.#cli.note(`not started: ${names(left)}`);
  }

  /** Adds a hint to the error: running the command again resumes the upgrade. */
  #addResumeHint(error: unknown): unknown {
    if (!(error instanceof VmctlError)) return error;
    const command = `vmctl clusters upgrade ${shellQuote(this.#word)}`;
    const how = `${command} resumes; --upgrade-action finish gives up`;
    const hint = error.hint === undefined ? how : `${error.hint}; ${how}`;
    return Object.assign(error, { hint, next: [...error.next, command] });
  }

  async #printPlan(plan: readonly PlannedHost[]): Promise<void> {
    await printView(this.#cli, {
      noun: 'hosts',
      items: plan.map((host) => ({ ...host })),
      columns: ['name', 'status', 'action', 'reason'],
    });
    if (this.#flags.check) {
      this.#cli.note('based on earlier checks; a real run checks for updates first');
    }
  }
}
