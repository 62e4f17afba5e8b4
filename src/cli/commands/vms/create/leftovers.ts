/** What an unfinished creation leaves behind: named with the commands that remove it, or taken back. */
import type { ApiObject, Client } from '../../../../client/client.ts';
import { NotFoundError, VmctlError } from '../../../../client/errors.ts';
import { waitFor } from '../../../../client/poll.ts';
import type { CommandContext } from '../../../session/command-context.ts';
import { commandLine } from '../../../session/command-line.ts';
import { collectionAt } from '../../../verbs/collections.ts';
import { operationNamed, placeholderOf } from '../../../verbs/references.ts';

/** Milliseconds for taking everything back. */
const cleanupTimeout = 60_000;

/**
 * States that a machine passes before it can be stopped, or removed. Not those of the lifecycle: a machine
 * that powers up could be waited for, too, but is stopped at once.
 */
const passing: ReadonlySet<string> = new Set(['image_locked', 'powering_down', 'wait_for_launch']);

/** The machine and the disks that were made. */
export class Leftovers {
  readonly #cli: CommandContext;
  readonly #client: Client;
  #machine: { readonly id: string; readonly name: string } | undefined;
  /** Ids of disks that were made, and are not attached yet. */
  readonly #disks = new Set<string>();
  /** Ids of disks that were made, and go with the machine. */
  readonly #attached = new Set<string>();
  /** Ids of disks that were there before, and are attached now: they stay, whatever becomes of the machine. */
  readonly #borrowed = new Set<string>();
  /** Whether the machine may have disks that nobody has named here. */
  #isInspected = true;
  /** A transfer that can still be resumed. */
  #transfer: string | undefined;
  #isStarted = false;

  constructor(cli: CommandContext, client: Client) {
    this.#cli = cli;
    this.#client = client;
  }

  get isEmpty(): boolean {
    return this.#machine === undefined && this.#disks.size === 0;
  }

  /**
   * @param mayBorrow whether the service may have attached disks to it that were there before, as it does
   * for those that a document names: `inspect` tells
   */
  madeMachine({ id, name }: ApiObject, mayBorrow = false): void {
    this.#machine = { id: String(id), name: String(name ?? id) };
    this.#isInspected = !mayBorrow;
  }

  /** Looks at the disks of the machine: those that were not made here are borrowed. Returns their ids. */
  async inspect(signal?: AbortSignal): Promise<readonly string[]> {
    const operation = operationNamed('/vms/{vm}/diskattachments', 'list');
    if (!operation || !this.#machine) return [];
    const found = await this.#client.list({
      ...{ operation, ids: { vm: this.#machine.id }, query: {} },
      ...(signal ? { signal } : {}),
    });
    for (const { id } of found) {
      const disk = String(id);
      if (!this.#attached.has(disk) && !this.#disks.has(disk)) this.#borrowed.add(disk);
    }
    this.#isInspected = true;
    return [...this.#borrowed];
  }

  /** @param transfer the upload into it that somebody may go on with */
  madeDisk(id: string, transfer?: string): void {
    this.#disks.add(id);
    this.#transfer = transfer;
  }

  /** From now on the disk goes with the machine, unless it was `borrowed`. */
  attached(disk: string, borrowed: boolean): void {
    this.#disks.delete(disk);
    (borrowed ? this.#borrowed : this.#attached).add(disk);
  }

  started(): void {
    this.#isStarted = true;
  }

  /** Names what is left, and the commands that remove it, beside the error. */
  tell(error: unknown): void {
    if (this.isEmpty) return;
    const commands = this.#commands();
    const made = [
      ...(this.#machine ? [`vms/${this.#machine.name}`] : []),
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

  #commands(): readonly string[] {
    const of = (...words: string[]) => commandLine(this.#cli, words);
    const machine = this.#machine;
    const spares = machine !== undefined && (this.#borrowed.size > 0 || !this.#isInspected);
    // What the machine does not take with it is removed by itself.
    const disks = [...(spares ? this.#attached : []), ...this.#disks];
    return [
      ...(machine && this.#isStarted ? [of('vms', 'stop', machine.name, '--if-needed')] : []),
      ...(machine ? [of('vms', 'delete', machine.name, ...(spares ? ['--detach-only'] : []))] : []),
      ...(this.#transfer === undefined ? [] : [of('imagetransfers', 'cancel', this.#transfer)]),
      ...disks.map((disk) => of('disks', 'delete', disk, '--if-needed')),
    ];
  }

  /** Takes everything back that was made; names what could not be. Never throws. */
  async takeBack(error: unknown): Promise<void> {
    if (this.isEmpty) return;
    // What has ended the command must not end this as well.
    const signal = AbortSignal.timeout(cleanupTimeout);
    const machine = this.#machine;
    try {
      if (machine) {
        await this.#removeMachine(machine.id, signal);
        this.#cli.note(`vms/${machine.name}: removed`);
        this.#machine = undefined;
      }
      for (const disk of this.#disks) {
        await this.#unlocked(disk, signal);
        await this.#remove('/disks/{disk}', { disk }, signal);
        this.#cli.note(`disks/${disk}: removed`);
        this.#disks.delete(disk);
      }
      if (error instanceof VmctlError) {
        Object.assign(error, { hint: 'created objects were removed; nothing remains', next: [] });
      }
    } catch (failure) {
      const why = failure instanceof Error ? failure.message : String(failure);
      this.#cli.warn(`cannot remove all created objects: ${why}`);
      this.tell(error);
    }
  }

  async #removeMachine(id: string, signal: AbortSignal): Promise<void> {
    const ids = { vm: id };
    const settled = await this.#settled(ids, signal);
    if (settled && settled['status'] !== 'down') {
      const operation = operationNamed('/vms/{vm}', 'stop');
      if (operation) await this.#client.action({ operation, ids, signal });
      await this.#settled(ids, signal);
    }
    if (!this.#isInspected) await this.inspect(signal);
    for (const disk of [...this.#borrowed, ...this.#attached]) await this.#unlocked(disk, signal);
    const collection = collectionAt('/vms/{vm}/diskattachments');
    for (const disk of this.#borrowed) {
      const attachment = { ...ids, [placeholderOf(collection)]: disk };
      await this.#remove(collection.object ?? '', attachment, signal);
    }
    await this.#remove('/vms/{vm}', ids, signal);
  }

  /** Removes an object and waits until it is gone; one that is gone already is no failure. */
  async #remove(
    path: string,
    ids: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<void> {
    const operation = operationNamed(path, 'remove');
    if (!operation) throw new Error(`The model cannot remove what is at ${path}.`);
    try {
      await this.#client.action({ operation, ids, signal });
    } catch (error) {
      if (error instanceof NotFoundError) return;
      throw error;
    }
    await this.#until(path, ids, signal, 'gone', (now) => now === undefined);
  }

  /** The machine once no work on it is under way that would refuse its removal. */
  async #settled(
    ids: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<ApiObject | undefined> {
    const isMet = (now: ApiObject | undefined) => !passing.has(String(now?.['status']));
    return await this.#until('/vms/{vm}', ids, signal, 'settled', isMet);
  }

  /** Waits until no work on a disk is under way that would refuse its removal; one that is gone is none. */
  async #unlocked(disk: string, signal: AbortSignal): Promise<void> {
    const isMet = (now: ApiObject | undefined) => now?.['status'] !== 'locked';
    await this.#until('/disks/{disk}', { disk }, signal, 'unlocked', isMet);
  }

  async #until(
    path: string,
    ids: Readonly<Record<string, string>>,
    signal: AbortSignal,
    text: string,
    isMet: (now: ApiObject | undefined) => boolean,
  ): Promise<ApiObject | undefined> {
    const operation = operationNamed(path, 'get');
    if (!operation) return undefined;
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
      getState: (now?: ApiObject) => String(now?.['status'] ?? 'gone'),
    };
    const watched = { label: path, resume: 'vmctl wait', existed: true, fetch };
    return await waitFor(watched, condition, { timeout: cleanupTimeout, signal });
  }
}
