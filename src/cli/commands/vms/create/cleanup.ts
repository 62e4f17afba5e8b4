/** Remaining objects of an unfinished creation: report with cleanup commands, or removal. */
import { getErrorMessage } from '../../../../caught-errors.ts';
import type { Client, ObjectOf } from '../../../../client/client.ts';
import { NotFoundError, VmctlError } from '../../../../client/errors.ts';
import { getState, waitFor } from '../../../../client/wait-for-condition.ts';
import { type Operation, requireOperation } from '../../../../model/index.ts';
import type { Resource } from '../../../../model/resource.ts';
import type { TypeName } from '../../../../model/resources/index.ts';
import type { CommandContext } from '../../../session/command-context.ts';
import { formatCommandLine } from '../../../session/command-line.ts';

/** Milliseconds for the complete cleanup. */
const cleanupTimeout = 60_000;

/** States in which a VM can be neither stopped nor removed. A VM that powers up can be stopped. */
const transitionalStates: ReadonlySet<string> = new Set([
  'image_locked',
  'powering_down',
  'wait_for_launch',
]);

/** Tracker of the created VM and disks, and of a template of the VM. */
export class CreatedObjects {
  readonly #cli: CommandContext;
  readonly #client: Client;
  #vm: { readonly id: string; readonly name: string } | undefined;
  #template: { readonly id: string; readonly name: string } | undefined;
  /** Ids of created disks that are not attached. */
  readonly #disks = new Set<string>();
  /** Ids of created disks that are removed with the VM. */
  readonly #attached = new Set<string>();
  /** Ids of existing disks that are attached. They remain after the removal of the VM. */
  readonly #borrowed = new Set<string>();
  /** Whether the disks of the VM are known. */
  #isInspected = true;
  /** Resumable transfer. */
  #transfer: string | undefined;
  #isStarted = false;

  constructor(cli: CommandContext, client: Client) {
    this.#cli = cli;
    this.#client = client;
  }

  get isEmpty(): boolean {
    return this.#vm === undefined && this.#template === undefined && this.#disks.size === 0;
  }

  /**
   * @param mayBorrow whether the service may have attached existing disks, such as those in a
   * document: `inspect` finds them
   */
  recordVm(
    { id, name }: { readonly id?: unknown; readonly name?: unknown },
    mayBorrow = false,
  ): void {
    this.#vm = { id: String(id), name: String(name ?? id) };
    this.#isInspected = !mayBorrow;
  }

  /** Records a template of the VM. */
  recordTemplate({ id, name }: { readonly id?: unknown; readonly name?: unknown }): void {
    this.#template = { id: String(id), name: String(name ?? id) };
  }

  /** Reads the disks of the VM, and returns the ids of existing ones. */
  async inspect(signal?: AbortSignal): Promise<readonly string[]> {
    if (!this.#vm) return [];
    const operation = requireOperation('/vms/{vm}/diskattachments', 'list');
    const found = await this.#client.list({
      ...{ operation, ids: { vm: this.#vm.id }, query: {} },
      ...(signal ? { signal } : {}),
    });
    for (const { id } of found) {
      const disk = String(id);
      if (!this.#attached.has(disk) && !this.#disks.has(disk)) this.#borrowed.add(disk);
    }
    this.#isInspected = true;
    return [...this.#borrowed];
  }

  /** @param transfer resumable upload to the disk */
  recordDisk(id: string, transfer?: string): void {
    this.#disks.add(id);
    this.#transfer = transfer;
  }

  /** Records that a disk is attached. Unless `borrowed`, it is removed with the VM. */
  recordAttachment(disk: string, borrowed: boolean): void {
    this.#disks.delete(disk);
    (borrowed ? this.#borrowed : this.#attached).add(disk);
  }

  recordStart(): void {
    this.#isStarted = true;
  }

  /**
   * Prints the remaining objects with the commands that remove them, and adds the commands to the
   * error.
   */
  reportRemaining(error: unknown): void {
    if (this.isEmpty) return;
    const commands = this.#listCommands();
    const made = [
      ...(this.#template ? [`templates/${this.#template.name}`] : []),
      ...(this.#vm ? [`vms/${this.#vm.name}`] : []),
      ...[...this.#disks].map((disk) => `disks/${disk}`),
    ];
    const verb = made.length === 1 ? 'was' : 'were';
    this.#cli.warn(
      `${made.join(' and ')} ${verb} created, but not everything requested; to remove ${made.length === 1 ? 'it' : 'them'}: ${commands.join(' && ')}`,
    );
    if (error instanceof VmctlError) {
      Object.assign(error, { next: [...new Set([...error.next, ...commands])] });
    }
  }

  #listCommands(): readonly string[] {
    const of = (...words: string[]) => formatCommandLine(this.#cli, words);
    const vm = this.#vm;
    const spares = vm !== undefined && (this.#borrowed.size > 0 || !this.#isInspected);
    // Disks that are not removed with the VM need separate commands.
    const disks = [...(spares ? this.#attached : []), ...this.#disks];
    return [
      // The id, because versions share a name.
      ...(this.#template ? [of('templates', 'delete', this.#template.id)] : []),
      ...(vm && this.#isStarted ? [of('vms', 'stop', vm.name, '--if-needed')] : []),
      ...(vm ? [of('vms', 'delete', vm.name, ...(spares ? ['--detach-only'] : []))] : []),
      ...(this.#transfer === undefined ? [] : [of('imagetransfers', 'cancel', this.#transfer)]),
      ...disks.map((disk) => of('disks', 'delete', disk, '--if-needed')),
    ];
  }

  /** Removes all created objects, and reports the remaining ones. Never throws. */
  async removeAll(error: unknown): Promise<void> {
    if (this.isEmpty) return;
    // The abort of the command must not abort the cleanup.
    const signal = AbortSignal.timeout(cleanupTimeout);
    const vm = this.#vm;
    const template = this.#template;
    try {
      if (template) {
        const get = requireOperation('/templates/{template}', 'get');
        const isMet = (now?: Resource<'template'>) => now?.status !== 'locked';
        await this.#waitUntil(get, { template: template.id }, signal, 'unlocked', isMet);
        await this.#remove('/templates/{template}', { template: template.id }, signal);
        this.#cli.note(`templates/${template.name}: removed`);
        this.#template = undefined;
      }
      if (vm) {
        await this.#removeVm(vm.id, signal);
        this.#cli.note(`vms/${vm.name}: removed`);
        this.#vm = undefined;
      }
      for (const disk of this.#disks) {
        await this.#waitUntilUnlocked(disk, signal);
        await this.#remove('/disks/{disk}', { disk }, signal);
        this.#cli.note(`disks/${disk}: removed`);
        this.#disks.delete(disk);
      }
      if (error instanceof VmctlError) {
        Object.assign(error, { hint: 'created objects were removed; nothing remains', next: [] });
      }
    } catch (failure) {
      const why = getErrorMessage(failure);
      this.#cli.warn(`cannot remove all created objects: ${why}`);
      this.reportRemaining(error);
    }
  }

  async #removeVm(id: string, signal: AbortSignal): Promise<void> {
    const ids = { vm: id };
    const settled = await this.#waitUntilSettled(ids, signal);
    if (settled && settled.status !== 'down') {
      const operation = requireOperation('/vms/{vm}', 'stop');
      await this.#client.action({ operation, ids, signal });
      await this.#waitUntilSettled(ids, signal);
    }
    if (!this.#isInspected) await this.inspect(signal);
    for (const disk of [...this.#borrowed, ...this.#attached])
      await this.#waitUntilUnlocked(disk, signal);
    for (const disk of this.#borrowed) {
      const attachment = { ...ids, attachment: disk };
      await this.#remove('/vms/{vm}/diskattachments/{attachment}', attachment, signal);
    }
    await this.#remove('/vms/{vm}', ids, signal);
  }

  /** Removes an object and waits until it is deleted. A missing object counts as removed. */
  async #remove(
    path:
      | '/vms/{vm}'
      | '/vms/{vm}/diskattachments/{attachment}'
      | '/disks/{disk}'
      | '/templates/{template}',
    ids: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<void> {
    const operation = requireOperation(path, 'remove');
    try {
      await this.#client.action({ operation, ids, signal });
    } catch (error) {
      if (error instanceof NotFoundError) return;
      throw error;
    }
    await this.#waitUntil(
      requireOperation(path, 'get'),
      ids,
      signal,
      'gone',
      (now) => now === undefined,
    );
  }

  /** Waits until no operation prevents the removal of the VM, and returns the VM. */
  async #waitUntilSettled(
    ids: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<Resource<'vm'> | undefined> {
    const operation = requireOperation('/vms/{vm}', 'get');
    const isMet = (now?: Resource<'vm'>) => !transitionalStates.has(String(now?.status));
    return await this.#waitUntil(operation, ids, signal, 'settled', isMet);
  }

  /** Waits until no operation prevents the removal of a disk. A deleted disk ends the wait. */
  async #waitUntilUnlocked(disk: string, signal: AbortSignal): Promise<void> {
    const operation = requireOperation('/disks/{disk}', 'get');
    const isMet = (now?: Resource<'disk'>) => now?.status !== 'locked';
    await this.#waitUntil(operation, { disk }, signal, 'unlocked', isMet);
  }

  async #waitUntil<T extends TypeName>(
    operation: Operation<T>,
    ids: Readonly<Record<string, string>>,
    signal: AbortSignal,
    text: string,
    isMet: (now: ObjectOf<T> | undefined) => boolean,
  ): Promise<ObjectOf<T> | undefined> {
    const fetch = async () => {
      try {
        return await this.#client.object({ operation, ids, signal });
      } catch (error) {
        if (error instanceof NotFoundError) return undefined;
        throw error;
      }
    };
    const condition = {
      text,
      isMet,
      getState: (now: ObjectOf<T> | undefined) => getState(operation.type, now),
    };
    const watched = { label: operation.path, resume: 'vmctl wait', existed: true, fetch };
    return await waitFor(watched, condition, { timeout: cleanupTimeout, signal });
  }
}
