/** Image transfer of one copy: started, resumed, and renewed when the service paused it. */
import type { Client } from '../client/client.ts';
import { ConflictError, ConnectionError } from '../client/errors.ts';
import type { DiskFormat } from '../formats/image-head.ts';
import { isThisMachine, isWritable, type LocalSocket, openLocalSocket } from './daemon-requests.ts';
import type { Journal } from './journal.ts';
import type { RateLimit } from './rate-limit.ts';
import { type Capabilities, RemoteImage } from './remote-image.ts';
import type { Direction, TransferApi } from './transfer-api.ts';

export interface TransferSessionOptions {
  readonly client: Client;
  readonly api: TransferApi;
  readonly direction: Direction;
  readonly disk: string;
  readonly format: DiskFormat;
  /** The backup whose disk is read. */
  readonly backup?: string;
  readonly retries: number;
  readonly limit?: RateLimit;
  readonly signal: AbortSignal;
  /** Told which transfer is used; tells which one was used before. */
  readonly journal?: Journal;
  readonly onConnectionLost?: () => void;
}

/** How often a transfer is revived before somebody has to look at it. */
const MAX_RENEWALS = 3;

export class TransferSession {
  readonly #options: TransferSessionOptions;
  readonly #stop = new AbortController();
  #id: string | undefined;
  #image: RemoteImage | undefined;
  #renewals = 0;
  #throughProxy = false;
  #socket: LocalSocket | undefined;

  constructor(options: TransferSessionOptions) {
    this.#options = options;
  }

  /** Id of the transfer, once there is one. */
  get startedId(): string | undefined {
    return this.#id;
  }

  get id(): string {
    if (this.#id === undefined) throw new Error('The transfer has not begun.');
    return this.#id;
  }

  get image(): RemoteImage {
    if (!this.#image) throw new Error('The transfer has not begun.');
    return this.#image;
  }

  /** Begins the transfer, or goes on with the one of the journal, and connects to the daemon. */
  async open(): Promise<{ readonly image: RemoteImage; readonly capabilities: Capabilities }> {
    const { client, retries, limit, signal, onConnectionLost } = this.#options;
    const urls = await this.#begin(this.#options.journal?.transfer);
    const image = new RemoteImage(urls.direct, {
      http: client.http,
      signal: AbortSignal.any([signal, this.#stop.signal]),
      retries,
      onTicketRefused: () => this.#renew(),
      ...(onConnectionLost ? { onConnectionLost } : {}),
      ...(limit ? { limit } : {}),
    });
    this.#image = image;
    try {
      const capabilities = await image.capabilities();
      await this.#useLocalSocket(image, urls.direct, capabilities.unixSocket);
      return { image, capabilities };
    } catch (error) {
      const { proxy } = urls;
      if (!(error instanceof ConnectionError) || proxy === undefined) throw error;
      this.#throughProxy = true;
      image.moveTo(proxy);
      return { image, capabilities: await image.capabilities() };
    }
  }

  /** A daemon on this machine is reached through its socket, if that can be used. */
  async #useLocalSocket(image: RemoteImage, url: string, path: string | undefined): Promise<void> {
    if (path === undefined || !(await isThisMachine(url)) || !(await isWritable(path))) return;
    this.#socket = await openLocalSocket(path);
    image.moveToSocket(this.#socket);
    try {
      await image.capabilities();
    } catch (error) {
      if (this.#options.signal.aborted) throw error;
      image.moveToSocket(undefined);
    }
  }

  /** Ends all requests that are under way; there is nothing more to do with the image. */
  stop(): void {
    this.#stop.abort(new Error('the transfer was stopped'));
    this.#socket?.dispatcher.destroy().catch(() => {});
  }

  async #begin(before: string | undefined): Promise<{ direct: string; proxy?: string }> {
    const { api, direction, disk, format, backup, journal } = this.#options;
    let id = before;
    const phase = id && (await api.phase(id));
    if (phase === 'paused_user' || phase === 'paused_system') await api.act(String(id), 'resume');
    else if (phase !== 'transferring' && phase !== 'resuming' && phase !== 'initializing') {
      // What the earlier run left may still be on its way out; anybody else's use is refused.
      if (before !== undefined) await api.waitForDisk(disk);
      id = await api.begin(disk, direction, format, backup);
    }
    this.#id = String(id);
    journal?.begin(this.#id);
    const transfer = await api.waitUntilReady(this.#id);
    const direct = String(transfer['transfer_url']);
    const proxy = transfer['proxy_url'];
    return typeof proxy === 'string' && proxy !== direct ? { direct, proxy } : { direct };
  }

  /** Looks why the ticket is refused, and makes it usable again if it may go on. */
  async #renew(): Promise<void> {
    const { api, direction } = this.#options;
    const phase = await api.phase(this.id);
    this.#renewals += 1;
    if (phase === 'paused_user') {
      throw new ConflictError('somebody paused the transfer', { code: 'transfer_paused' });
    }
    const timedOut =
      phase === 'paused_system' || (direction === 'download' && phase !== 'cancelled_user');
    if (!(timedOut || phase === 'transferring') || this.#renewals > MAX_RENEWALS) {
      throw new ConflictError(`the service ended the transfer: it is ${phase}`, {
        code: 'transfer_failed',
        hint: 'vmctl events list shows what happened',
      });
    }
    const { direct, proxy } = await this.#begin(this.id);
    this.image.moveTo((this.#throughProxy ? proxy : undefined) ?? direct);
  }
}
