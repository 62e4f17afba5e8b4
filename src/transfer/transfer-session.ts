/**
 * Image transfer of one copy: started, resumed, renewed when the service paused it, and followed when
 * another server takes it over.
 */
import type { ApiObject, Client } from '../client/client.ts';
import { ConflictError, ConnectionError, type VmctlError } from '../client/errors.ts';
import type { DiskFormat } from '../formats/image-head.ts';
import { MAX_RENEWALS } from './daemon-requests.ts';
import type { Journal } from './journal.ts';
import { isThisMachine, isWritable, type LocalSocket, openLocalSocket } from './local-socket.ts';
import type { RateLimit } from './rate-limit.ts';
import { type Capabilities, RemoteImage } from './remote-image.ts';
import { type Direction, isOnItsWay, type TransferApi } from './transfer-api.ts';

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

/** Repetitions at the start that last as long as it takes a server to follow one that is gone. */
const TAKEOVER_RETRIES = 5;

export class TransferSession {
  readonly #options: TransferSessionOptions;
  readonly #stop = new AbortController();
  /** Ends with the session: nothing is begun or resumed after that. */
  readonly #api: TransferApi;
  #id: string | undefined;
  #image: RemoteImage | undefined;
  /** Where the image is asked for. */
  #url = '';
  #throughProxy = false;
  #socket: LocalSocket | undefined;

  constructor(options: TransferSessionOptions) {
    this.#options = options;
    this.#api = options.api.stoppedBy(this.#stop.signal);
  }

  /** Id of the transfer, once there is one. */
  get startedId(): string | undefined {
    return this.#id;
  }

  get id(): string {
    if (this.#id === undefined) throw new Error('The transfer has not started.');
    return this.#id;
  }

  get image(): RemoteImage {
    if (!this.#image) throw new Error('The transfer has not started.');
    return this.#image;
  }

  /** Begins the transfer, or goes on with the one of the journal, and connects to the daemon. */
  async open(): Promise<{ readonly image: RemoteImage; readonly capabilities: Capabilities }> {
    const { client, retries, limit, signal, onConnectionLost } = this.#options;
    const transfer = await this.#begin(this.#options.journal?.transfer);
    this.#url = this.#addressOf(transfer);
    const image = new RemoteImage(this.#url, {
      http: client.http,
      signal: AbortSignal.any([signal, this.#stop.signal]),
      retries,
      onTicketRefused: (refusal, attempt) => this.#renew(refusal, attempt),
      onDaemonFailing: () => this.#lookForDaemon(),
      ...(onConnectionLost ? { onConnectionLost } : {}),
      ...(limit ? { limit } : {}),
    });
    this.#image = image;
    const capabilities = await this.#connect(image, transfer);
    await this.#useLocalSocket(capabilities.unixSocket);
    return { image, capabilities };
  }

  /** The first answer of the daemon: from where it is, through its proxy, or from who takes it over. */
  async #connect(image: RemoteImage, transfer: ApiObject): Promise<Capabilities> {
    const orUndefined = (error: unknown) => {
      if (!(error instanceof ConnectionError)) throw error;
      return undefined;
    };
    const direct = await image.capabilities().catch(orUndefined);
    if (direct) return direct;
    const { proxy_url: proxy } = transfer;
    if (typeof proxy === 'string' && proxy !== this.#url) {
      this.#throughProxy = true;
      await this.#goTo(proxy);
      const proxied = await image.capabilities().catch(orUndefined);
      if (proxied) return proxied;
    }
    return await image.capabilities(TAKEOVER_RETRIES);
  }

  /** A daemon on this machine is reached through its socket, if that can be used. */
  async #useLocalSocket(path: string | undefined): Promise<void> {
    if (path === undefined || this.#throughProxy || this.#socket) return;
    if (!(await isThisMachine(this.#url)) || !(await isWritable(path))) return;
    this.#socket = await openLocalSocket(path);
    this.image.moveToSocket(this.#socket);
    if (!(await this.image.probe())) this.#leaveLocalSocket();
  }

  #leaveLocalSocket(): void {
    this.#image?.moveToSocket(undefined);
    this.#socket?.dispatcher.destroy().catch(() => {});
    this.#socket = undefined;
  }

  /** Ends all requests that are under way; there is nothing more to do with the image. */
  stop(): void {
    this.#stop.abort(new Error('the transfer was stopped'));
    this.#socket?.dispatcher.destroy().catch(() => {});
  }

  async #begin(before: string | undefined): Promise<ApiObject> {
    const { direction, disk, format, backup, journal } = this.#options;
    const api = this.#api;
    let id = before;
    const phase = id && (await api.phase(id));
    if (phase === 'paused_user' || phase === 'paused_system') await api.resume(String(id));
    else if (phase !== 'transferring' && phase !== 'resuming' && phase !== 'initializing') {
      // What the earlier run left may still be on its way out; anybody else's use is refused.
      if (before !== undefined) await api.waitForDisk(disk);
      id = await api.begin(disk, direction, format, backup);
    }
    this.#id = String(id);
    // Cancelling it after a failure needs no confirmation, although an earlier command may have begun it.
    this.#options.client.own(this.#id);
    journal?.begin(this.#id);
    return await api.waitUntilReady(this.#id);
  }

  /** Looks why the ticket is refused, and makes it usable again if it may go on. */
  async #renew(refusal: VmctlError, attempt: number): Promise<void> {
    const { direction } = this.#options;
    const transfer = await this.#api.settled(this.id);
    const phase = String(transfer?.['phase'] ?? 'gone');
    if (phase === 'paused_user') throw paused();
    const timedOut =
      phase === 'paused_system' || (direction === 'download' && phase !== 'cancelled_user');
    if (!(timedOut || phase === 'transferring') || attempt > MAX_RENEWALS) {
      // A daemon that says that there is nothing, while the service says that it is there.
      if (phase === 'transferring' && refusal.status === 404) throw refusal;
      throw new ConflictError(`the service ended the transfer: ${phase}`, {
        code: 'transfer_failed',
        hint: 'vmctl events list',
      });
    }
    // A server that has lost the transfer may refuse it before another one takes it over.
    if (transfer && phase === 'transferring') await this.#follow(transfer);
    else await this.#goTo(this.#addressOf(await this.#begin(this.id)));
  }

  /**
   * Looks where the image is while its daemon cannot be reached. Nothing changes where the service says
   * that it is there, or says nothing at all: then the daemon may come back.
   */
  async #lookForDaemon(): Promise<void> {
    const api = this.#api;
    let transfer: ApiObject | undefined;
    try {
      transfer = await api.transfer(this.id);
    } catch {
      return;
    }
    const isTakenOver = isOnItsWay(transfer);
    if (isTakenOver) transfer = await api.settled(this.id);
    const phase = transfer?.['phase'];
    if (phase === 'paused_user') throw paused();
    if (phase === 'paused_system') await this.#goTo(this.#addressOf(await this.#begin(this.id)));
    else if (transfer && phase === 'transferring') await this.#follow(transfer, isTakenOver);
  }

  /** Goes on where the transfer is now; `anew` also where it was before. */
  async #follow(transfer: ApiObject, anew = false): Promise<void> {
    const url = this.#addressOf(transfer);
    if (anew || url !== this.#url) await this.#goTo(url);
  }

  /** Asks for the image at another address: its daemon may have a socket on this machine, too. */
  async #goTo(url: string): Promise<void> {
    this.#leaveLocalSocket();
    this.#url = url;
    this.image.moveTo(url);
    if (this.#throughProxy || !(await isThisMachine(url))) return;
    await this.#useLocalSocket((await this.image.probe())?.unixSocket);
  }

  #addressOf({ transfer_url: direct, proxy_url: proxy }: ApiObject): string {
    return String((this.#throughProxy ? proxy : undefined) ?? direct);
  }
}

function paused(): ConflictError {
  return new ConflictError('the transfer was paused by another client', {
    code: 'transfer_paused',
  });
}
