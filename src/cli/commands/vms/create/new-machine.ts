/** One new machine: made, given its disk and interfaces, started, waited for. */
import type { ApiObject } from '../../../../client/client.ts';
import { type DryRunRequest, DryRunStop } from '../../../../client/dry-run.ts';
import type { Progress } from '../../../output/progress.ts';
import type { CommandContext } from '../../../session/command-context.ts';
import { masked } from '../../../session/mask-secrets.ts';
import { add } from '../../../verbs/change.ts';
import { namesake } from '../../../verbs/if-needed.ts';
import { OperationRunner } from '../../../verbs/operation-runner.ts';
import type { Outcome } from '../../../verbs/outcomes.ts';
import type { Run } from '../../../verbs/run.ts';
import { addressesOf } from '../addresses.ts';
import { startBody } from './initialization.ts';
import { Leftovers } from './leftovers.ts';
import type { Parts } from './parts.ts';

export interface MachineWishes {
  readonly diskInterface: string;
  readonly start: boolean;
  /** Milliseconds to wait for an address; not at all without. */
  readonly addressPatience?: number;
  readonly cleanup: boolean;
  readonly verify: boolean;
  /** One of several: how far an upload is stands in its line. */
  readonly isOneOfMany: boolean;
}

type Body = Readonly<Record<string, unknown>>;

export class NewMachine {
  readonly #run: Run;
  readonly #parts: Parts;
  readonly #wishes: MachineWishes;
  readonly #leftovers: Leftovers;
  readonly #name: string;
  /** What a dry run would have sent. */
  readonly #held: DryRunRequest[] = [];

  constructor(run: Run, parts: Parts, wishes: MachineWishes) {
    this.#run = run;
    this.#parts = parts;
    this.#wishes = wishes;
    this.#leftovers = new Leftovers(run.cli, run.client);
    this.#name = String(parts.body['name'] ?? '');
  }

  get #cli(): CommandContext {
    return this.#run.cli;
  }

  /** Makes it. What a failure leaves is named, or taken back where that was asked for. */
  async make(progress: Progress): Promise<Outcome> {
    const { options } = this.#run;
    const present =
      options['ifNeeded'] === true ? await namesake(this.#run, this.#parts.body) : undefined;
    if (present) return present;
    try {
      const item = await this.#steps(progress);
      if (this.#held.length > 0) throw new DryRunStop(this.#held);
      // Some services show the password that they were given.
      return { item: masked(item) as ApiObject, isWhole: true };
    } catch (error) {
      if (error instanceof DryRunStop) throw error;
      progress.clear();
      if (this.#wishes.cleanup) await this.#leftovers.takeBack(error);
      else this.#leftovers.tell(error);
      throw error;
    }
  }

  async #steps(progress: Progress): Promise<ApiObject> {
    const { options } = this.#run;
    const { body, image, nics } = this.#parts;
    const { start } = this.#wishes;
    // What --for says is about the last step.
    const { for: goal, ...plain } = options;
    const made = await this.#added(body, progress, start ? plain : options);
    const vm = String(made['id']);
    const ids = { vm };
    const runner = await OperationRunner.begin(this.#cli, plain, progress);
    if (image) await this.#attach(runner, vm, progress);
    for (const nic of nics) {
      const step = { path: '/vms/{vm}/nics', name: 'add', ids, body: { ...nic } };
      await this.#step(async () => await runner.add(step), {});
    }
    if (!start) return made;
    const target = { id: vm, label: `vms/${this.#name}`, item: made };
    const initialization = body['initialization'] as Body | undefined;
    const osType = (made['os'] ?? body['os']) as ApiObject | undefined;
    const step = {
      path: '/vms/{vm}',
      name: 'start',
      body: startBody(initialization, osType?.['type']),
    };
    const starter = await OperationRunner.begin(
      this.#cli,
      goal === undefined ? plain : { ...plain, for: goal },
      progress,
    );
    this.#leftovers.started();
    const up = await this.#step(async () => await starter.change(step, target), made);
    const { addressPatience: timeout } = this.#wishes;
    if (timeout === undefined || this.#cli.dryRunMode) return up;
    const wait = { timeout, progress };
    const found = await addressesOf(this.#cli, this.#run.client, target, { wait });
    progress.tell(target.label, found.map(({ address }) => address).join(', '));
    return up;
  }

  async #added(body: Body, progress: Progress, options: Run['options']): Promise<ApiObject> {
    const run = { ...this.#run, options };
    const standIn = { ...body, id: `ID-of-${this.#name}` };
    const { item } = await this.#step(
      async () =>
        await add(run, body, progress, undefined, (added) => this.#leftovers.madeMachine(added)),
      { item: standIn, isWhole: true },
    );
    return item;
  }

  /** Uploads the image, or takes the disk that there is, and lets the machine boot from it. */
  async #attach(runner: OperationRunner, vm: string, progress: Progress): Promise<void> {
    const { image } = this.#parts;
    if (!image) return;
    const isBorrowed = 'disk' in image;
    const disk = isBorrowed ? image.disk.id : await this.#uploaded(image, progress);
    const body = {
      disk: { id: disk },
      interface: this.#wishes.diskInterface,
      bootable: true,
      active: true,
    };
    const step = { path: '/vms/{vm}/diskattachments', name: 'add', ids: { vm }, body };
    await this.#step(async () => await runner.add({ ...step, verb: 'attach' }), {});
    this.#leftovers.attached(disk, isBorrowed);
  }

  async #uploaded(
    { file, domain }: { readonly file: string; readonly domain: ApiObject },
    progress: Progress,
  ): Promise<string> {
    const { uploadImage } = await import('./upload-image.ts');
    const name = `${this.#name}_Disk1`;
    const { verify, cleanup, isOneOfMany } = this.#wishes;
    const image = {
      ...{ file, domain, name, verify, discardPartial: cleanup },
      onLeft: (disk: string, transfer?: string) => this.#leftovers.madeDisk(disk, transfer),
      ...(isOneOfMany ? { showIn: { progress, label: `vms/${this.#name}` } } : {}),
    };
    const disk = await this.#step(
      async () => await uploadImage(this.#cli, this.#run.client, image),
      { id: `ID-of-${name}` },
    );
    const id = String(disk['id']);
    if (!this.#cli.dryRunMode) this.#leftovers.madeDisk(id);
    return id;
  }

  /** Does a step; in a dry run its requests are noted, and `standIn` is what comes of it. */
  async #step<T>(work: () => Promise<T>, standIn: T): Promise<T> {
    if (!this.#cli.dryRunMode) return await work();
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof DryRunStop)) throw error;
      this.#held.push(...error.requests);
      return standIn;
    }
  }
}
