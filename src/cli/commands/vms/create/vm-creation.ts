/** Creation of one VM: VM, disk, NICs, start and wait. */

import { type DryRunRequest, DryRunStop, placeholderPrefix } from '../../../../client/dry-run.ts';
import type { EnumValue } from '../../../../model/enums.ts';
import type { Resource } from '../../../../model/resource.ts';
import type { Progress } from '../../../output/progress.ts';
import type { CommandContext } from '../../../session/command-context.ts';
import { maskObject } from '../../../session/mask-secrets.ts';
import { getObject } from '../../../text/objects.ts';
import { addObject } from '../../../verbs/change.ts';
import { findNamesake } from '../../../verbs/if-needed.ts';
import { OperationRunner } from '../../../verbs/operation-runner.ts';
import type { Outcome } from '../../../verbs/outcomes.ts';
import type { Run } from '../../../verbs/run.ts';
import { findAddresses } from '../addresses.ts';
import { CreatedObjects } from './cleanup.ts';
import { createStartBody } from './initialization.ts';
import type { VmParts } from './parts.ts';

export interface CreationOptions {
  readonly diskInterface: EnumValue<'disk_interface'>;
  readonly start: boolean;
  /** Milliseconds to wait for an address; undefined without a wait. */
  readonly addressTimeoutMs?: number;
  readonly cleanup: boolean;
  readonly verify: boolean;
  /** Whether several VMs are created; upload progress then appears in the line of the VM. */
  readonly isOneOfMany: boolean;
}

type Body = Readonly<Record<string, unknown>>;

export class VmCreation {
  readonly #run: Run;
  readonly #parts: VmParts;
  readonly #options: CreationOptions;
  readonly #created: CreatedObjects;
  readonly #name: string;
  /** Requests of a dry run. */
  readonly #dryRunRequests: DryRunRequest[] = [];

  constructor(run: Run, parts: VmParts, wishes: CreationOptions) {
    this.#run = run;
    this.#parts = parts;
    this.#options = wishes;
    this.#created = new CreatedObjects(run.cli, run.client);
    this.#name = String(parts.body['name'] ?? '');
  }

  get #cli(): CommandContext {
    return this.#run.cli;
  }

  /** Creates the VM. After a failure, reports remaining objects, or removes them if requested. */
  async create(progress: Progress): Promise<Outcome> {
    const { options } = this.#run;
    const present =
      options['ifNeeded'] === true ? await findNamesake(this.#run, this.#parts.body) : undefined;
    if (present) return present;
    try {
      const item = await this.#runSteps(progress);
      if (this.#dryRunRequests.length > 0) throw new DryRunStop(this.#dryRunRequests);
      // Some services return the password.
      return { item: maskObject(item), isWhole: true };
    } catch (error) {
      if (error instanceof DryRunStop) throw error;
      progress.clear();
      if (this.#options.cleanup) await this.#created.removeAll(error);
      else this.#created.reportRemaining(error);
      throw error;
    }
  }

  async #runSteps(progress: Progress): Promise<Resource<'vm'>> {
    const { options } = this.#run;
    const { body, image } = this.#parts;
    const { start } = this.#options;
    // --for applies to the last step.
    const { for: goal, ...plain } = options;
    const made = await this.#addVm(body, progress, start ? plain : options);
    const vm = String(made.id);
    const runner = await OperationRunner.create(this.#cli, plain, progress);
    if (image) await this.#attach(runner, vm, progress);
    await this.#connectNics(runner, vm);
    if (!start) return made;
    const target = { id: vm, label: `vms/${this.#name}`, item: made };
    const initialization = getObject(body, 'initialization');
    const os = made.os ?? getObject(body, 'os');
    const step = {
      path: '/vms/{vm}' as const,
      name: 'start' as const,
      body: createStartBody(initialization, os?.type),
    };
    const starter = await OperationRunner.create(
      this.#cli,
      goal === undefined ? plain : { ...plain, for: goal },
      progress,
    );
    this.#created.recordStart();
    const up = await this.#runStep(async () => await starter.change(step, target), made);
    const { addressTimeoutMs: timeout } = this.#options;
    if (timeout === undefined || this.#cli.dryRunMode) return up;
    const wait = { timeout, progress };
    const found = await findAddresses(this.#cli, this.#run.client, target, { wait });
    progress.reportResult(target.label, found.map(({ address }) => address).join(', '));
    return up;
  }

  async #addVm(body: Body, progress: Progress, options: Run['options']): Promise<Resource<'vm'>> {
    const run = { ...this.#run, options };
    const standIn = { ...body, id: `${placeholderPrefix}${this.#name}` };
    const { item } = await this.#runStep(
      async () =>
        await addObject(run, body, progress, undefined, (added) => this.#created.recordVm(added)),
      { item: standIn, isWhole: true },
    );
    return item;
  }

  /** Changes the profiles of the NICs from the template, and adds the other NICs. */
  async #connectNics(runner: OperationRunner, vm: string): Promise<void> {
    const ids = { vm };
    const path = '/vms/{vm}/nics';
    for (const { name, isOfTemplate, profile } of this.#parts.nics) {
      const body = { vnic_profile: { id: profile } };
      if (!isOfTemplate) {
        const nic = { name, interface: 'virtio' as const, ...body };
        await this.#runStep(
          async () => await runner.add({ path, name: 'add', ids, body: nic }),
          {},
        );
        continue;
      }
      const standIn = { id: `${placeholderPrefix}${name}`, label: `nics/${name}` };
      const target = this.#cli.dryRunMode ? standIn : await runner.find(name, path, ids);
      const step = { path: `${path}/{nic}` as const, name: 'update' as const, ids, body };
      await this.#runStep(async () => await runner.change(step, target), {});
    }
  }

  /** Uploads the image or uses the existing disk, and attaches it as boot disk. */
  async #attach(runner: OperationRunner, vm: string, progress: Progress): Promise<void> {
    const { image } = this.#parts;
    if (!image) return;
    const isBorrowed = 'disk' in image;
    const disk = isBorrowed ? image.disk.id : await this.#uploadDisk(image, progress);
    const body = {
      disk: { id: disk },
      interface: this.#options.diskInterface,
      bootable: true,
      active: true,
    };
    const path = '/vms/{vm}/diskattachments';
    await this.#runStep(
      async () => await runner.add({ path, name: 'add', verb: 'attach', ids: { vm }, body }),
      {},
    );
    this.#created.recordAttachment(disk, isBorrowed);
  }

  async #uploadDisk(
    { file, domain }: { readonly file: string; readonly domain: Resource<'storage_domain'> },
    progress: Progress,
  ): Promise<string> {
    const { uploadImage } = await import('./upload-image.ts');
    const name = `${this.#name}_Disk1`;
    const { verify, cleanup, isOneOfMany } = this.#options;
    const image = {
      ...{ file, domain, name, verify, discardPartial: cleanup },
      onRemaining: (disk: string, transfer?: string) => this.#created.recordDisk(disk, transfer),
      ...(isOneOfMany ? { progressLine: { progress, label: `vms/${this.#name}` } } : {}),
    };
    const disk = await this.#runStep(
      async () => await uploadImage(this.#cli, this.#run.client, image),
      { id: `${placeholderPrefix}${name}` },
    );
    const id = String(disk.id);
    if (!this.#cli.dryRunMode) this.#created.recordDisk(id);
    return id;
  }

  /** Runs a step. In a dry run, collects its requests and returns `standIn`. */
  async #runStep<T>(work: () => Promise<T>, standIn: T): Promise<T> {
    if (!this.#cli.dryRunMode) return await work();
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof DryRunStop)) throw error;
      this.#dryRunRequests.push(...error.requests);
      return standIn;
    }
  }
}
