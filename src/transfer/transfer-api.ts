/** API calls of a transfer: disks, and image transfers with their phases. */
import type { Client, ObjectOf } from '../client/client.ts';
import {
  ConflictError,
  ConnectionError,
  isRetryable,
  NotFoundError,
  VmctlError,
  WaitTimeoutError,
} from '../client/errors.ts';
import { poll } from '../client/poll.ts';
import { backOff } from '../client/retry.ts';
import type { DiskFormat } from '../formats/image-head.ts';
import { type Operation, requireOperation } from '../model/index.ts';
import type { Resource } from '../model/resource.ts';
import type { TypeName } from '../model/resources/index.ts';

export type Direction = 'upload' | 'download';

/** Name of a disk in messages: its alias, name or id. */
export function diskName(disk: Resource<'disk'>): string {
  return String(disk.alias ?? disk.name ?? disk.id);
}

/** Longest wait for the service, in milliseconds. */
const WAIT_TIMEOUT = 600_000;
const POLL_INTERVAL = { firstMs: 20, factor: 1.5, maxMs: 2_000 };
/** Maximum attempts of an action without a response. */
const MAX_ACTIONS = 8;
/** Milliseconds for cleanup after a failure. */
const CLEANUP_TIMEOUT = 15_000;

type Action = 'pause' | 'resume' | 'cancel' | 'finalize';

/** Code of the event of a failed transfer. */
const transferFailed = 1034;

export class TransferApi {
  readonly #client: Client;
  readonly #signal: AbortSignal;

  constructor(client: Client, signal: AbortSignal) {
    this.#client = client;
    this.#signal = signal;
  }

  /** Same API with a separate timeout, for cleanup after the transfer was stopped. */
  forCleanup(): TransferApi {
    return new TransferApi(this.#client, AbortSignal.timeout(CLEANUP_TIMEOUT));
  }

  /** Same API, also stopped by this signal. */
  stoppedBy(signal: AbortSignal): TransferApi {
    return new TransferApi(this.#client, AbortSignal.any([this.#signal, signal]));
  }

  /** Adds a disk and waits until it is usable. */
  async createDisk(body: Resource<'disk'>): Promise<Resource<'disk'>> {
    const added = await this.#client.object({
      operation: requireOperation('/disks', 'add'),
      body,
      what: `create the disk ${String(body.name)}`,
      signal: this.#signal,
    });
    return added;
  }

  /** Current disk. `undefined` if it does not exist. */
  async disk(id: string): Promise<Resource<'disk'> | undefined> {
    return await this.#get(requireOperation('/disks/{disk}', 'get'), { disk: id });
  }

  /** Waits until the disk is unlocked. Throws if it does not exist. */
  async waitForDisk(id: string): Promise<Resource<'disk'>> {
    return await this.#until(`disks/${id}`, 'to be unlocked', async () => {
      const disk = await this.disk(id);
      if (!disk) throw new NotFoundError(`disks/${id} was deleted`);
      return disk.status === 'locked' ? undefined : disk;
    });
  }

  async removeDisk(id: string): Promise<void> {
    await this.waitForDisk(id);
    await this.#client.action({
      operation: requireOperation('/disks/{disk}', 'remove'),
      ids: { disk: id },
      what: `delete disks/${id}`,
      signal: this.#signal,
    });
  }

  /** Adds an image transfer. Returns its id. */
  async begin(
    disk: string,
    direction: Direction,
    format: DiskFormat,
    backup?: string,
  ): Promise<string> {
    const added = await this.#client.object({
      operation: requireOperation('/imagetransfers', 'add'),
      body: {
        ...{ disk: { id: disk }, direction, format },
        ...(backup === undefined ? {} : { backup: { id: backup } }),
      },
      what: `start the ${direction} of disks/${disk}`,
      signal: this.#signal,
    });
    return String(added.id);
  }

  /** Current transfer. Services delete old ones. */
  async transfer(id: string): Promise<Resource<'image_transfer'> | undefined> {
    return await this.#get(requireOperation('/imagetransfers/{imagetransfer}', 'get'), {
      imagetransfer: id,
    });
  }

  /** Phase of a transfer, `gone` without one. Waits for an unavailable service. */
  async phase(id: string): Promise<string> {
    return await this.#until(`imagetransfers/${id}`, 'to be readable', async () =>
      String((await this.transfer(id))?.phase ?? 'gone'),
    );
  }

  /**
   * Transfer after initialization, resuming, or a takeover by another server. `undefined` if it
   * does not exist.
   */
  async settled(id: string): Promise<Resource<'image_transfer'> | undefined> {
    const [transfer] = await this.#until(`imagetransfers/${id}`, 'to start', async () => {
      const found = await this.transfer(id);
      return isBetweenServers(found) ? undefined : [found];
    });
    return transfer;
  }

  /** Waits until data can be transferred. Returns the transfer with its URLs. */
  async waitUntilReady(id: string): Promise<Resource<'image_transfer'>> {
    const transfer = await this.settled(id);
    const phase = transfer?.phase;
    if (transfer && phase === 'transferring') return transfer;
    throw new ConflictError(`transfer ${id} did not start: ${String(phase ?? 'deleted')}`, {
      code: 'transfer_failed',
      hint: 'vmctl events list',
    });
  }

  async act(id: string, action: Action): Promise<void> {
    await this.#client.action({
      operation: requireOperation('/imagetransfers/{imagetransfer}', action),
      ids: { imagetransfer: id },
      what: `${action} imagetransfers/${id}`,
      signal: this.#signal,
    });
  }

  /** Resumes a paused transfer. */
  async resume(id: string): Promise<void> {
    await this.#actReliably(id, 'resume', /^paused/);
  }

  /** Finalizes a transfer whose data are complete, and waits for the service. */
  async finalize(id: string): Promise<void> {
    await this.#actReliably(id, 'finalize', /^transferring$/);
    await this.waitUntilFinished(id);
  }

  /**
   * Repeats an action while the service is unavailable or no server has the transfer. The response
   * to a successful request can be lost, so the action is repeated only if the phase still requires
   * it.
   */
  async #actReliably(id: string, action: Action, due: RegExp): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.act(id, action);
        return;
      } catch (error) {
        const isUnheard = error instanceof ConnectionError || isRetryable(error);
        if (attempt === MAX_ACTIONS || !(isUnheard || error instanceof ConflictError)) throw error;
        // A refusal by the service is final unless the transfer is between servers.
        if (!isUnheard && attempt === 1 && !isBetweenServers(await this.transfer(id))) throw error;
        if (!due.test(String((await this.settled(id))?.phase ?? 'gone'))) return;
      }
      await backOff(attempt, this.#signal);
    }
  }

  /** Waits for a transfer to finish successfully. */
  async waitUntilFinished(id: string): Promise<void> {
    await this.#until(`imagetransfers/${id}`, 'to finish', async () => {
      const transfer = await this.transfer(id);
      const phase = String(transfer?.phase ?? 'finished_success');
      if (phase === 'finished_success') return true;
      if (/^(finished_|cancelled|paused)/.test(phase) || phase === 'finalizing_failure') {
        const cause = /_failure$/.test(phase) ? await this.#failureEvent(transfer) : undefined;
        const why = cause ?? `the transfer is ${phase}`;
        throw new ConflictError(`the service refused the image: ${why}`, {
          code: 'transfer_failed',
          hint: 'vmctl events list',
        });
      }
      return undefined;
    });
  }

  /** Latest event of the service about a failed transfer. `undefined` if none is found. */
  async #failureEvent(
    transfer: Resource<'image_transfer'> | undefined,
  ): Promise<string | undefined> {
    try {
      const disk = await this.disk(String(transfer?.disk?.id));
      const query = { search: `type=${transferFailed}`, max: 20 };
      const call = { operation: requireOperation('/events', 'list'), query, signal: this.#signal };
      const events = await this.#client.list(call);
      const texts = events.map(({ description }) => String(description));
      return texts.find((text) => disk && text.includes(` ${diskName(disk)} `));
    } catch (error) {
      if (error instanceof VmctlError) return undefined;
      throw error;
    }
  }

  async #get<T extends TypeName>(
    operation: Operation<T>,
    ids: Readonly<Record<string, string>>,
  ): Promise<ObjectOf<T> | undefined> {
    try {
      return await this.#client.object({ operation, ids, signal: this.#signal });
    } catch (error) {
      if (error instanceof NotFoundError) return undefined;
      throw error;
    }
  }

  /** Polls at increasing intervals. Tolerates a temporarily unavailable service. */
  async #until<T>(
    label: string,
    expectation: string,
    read: () => Promise<T | undefined>,
  ): Promise<T> {
    const createError = (failure: VmctlError | undefined) =>
      failure ??
      new WaitTimeoutError(
        `timed out after ${WAIT_TIMEOUT / 1_000} s waiting for ${label} ${expectation}`,
        { hint: `it may finish later: vmctl ${label.replace('/', ' get ')}` },
      );
    const results = poll({
      read,
      interval: POLL_INTERVAL,
      signal: this.#signal,
      onUnavailable: () => undefined,
      timeout: { ms: WAIT_TIMEOUT, createError },
    });
    for await (const found of results) if (found !== undefined) return found;
    throw new Error('Polling ended without a result.');
  }
}

/** Whether the transfer is being prepared, or waits for a takeover by another server. */
export function isBetweenServers(transfer: Resource<'image_transfer'> | undefined): boolean {
  const phase = transfer?.phase;
  if (phase === 'transferring') return transfer?.transfer_url === undefined;
  return phase === 'initializing' || phase === 'resuming';
}
