/** Image transfer of one copy: start, resume, renewal after a pause, and move to another server. */
import type { Client } from '../client/client.ts';
import { ConflictError, ConnectionError, type VmctlError } from '../client/errors.ts';
import type { DiskFormat } from '../formats/image-head.ts';
import type { Resource } from '../model/resource.ts';
import { MAX_RENEWALS } from './daemon-requests.ts';
import type { Journal } from './journal.ts';
import { isThisComputer, isWritable, type LocalSocket, openLocalSocket } from './local-socket.ts';
import type { RateLimit } from './rate-limit.ts';
import { type Capabilities, RemoteImage } from './remote-image.ts';
import { type Direction, isBetweenServers, type TransferApi } from './transfer-api.ts';

export interface TransferSessionOptions {
  readonly client: Client;
  readonly api: TransferApi;
  readonly direction: Direction;
  readonly disk: string;
  readonly format: DiskFormat;
  /** Backup from which the disk is read. */
  readonly backup?: string;
  readonly retries: number;
  readonly limit?: RateLimit;
  readonly signal: AbortSignal;
  /** Journal that records the current transfer, and contains the previous one. */
  readonly journal?: Journal;
  readonly onConnectionLost?: () => void;
}

/** Retries at the start, sufficient for the takeover by another server. */
const TAKEOVER_RETRIES = 5;

export class TransferSession {
  readonly #options: TransferSessionOptions;
  readonly #stop = new AbortController();
  /** Aborted at the end of the session, so that no transfer is started or resumed afterwards. */
  readonly #api: TransferApi;
  #id: string | undefined;
  #image: RemoteImage | undefined;
  /** Current address of the image. */
  #url = '';
  #throughProxy = false;
  #socket: LocalSocket | undefined;

  constructor(options: TransferSessionOptions) {
    this.#options = options;
    this.#api = options.api.stoppedBy(this.#stop.signal);
  }

  /** Id of the transfer, if started. */
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

  /** Starts the transfer, or resumes that of the journal, and connects to the daemon. */
  async open(): Promise<{ readonly image: RemoteImage; readonly capabilities: Capabilities }> {
    const { client, retries, limit, signal, onConnectionLost } = this.#options;
    const transfer = await this.#begin(this.#options.journal?.transfer);
    this.#url = this.#selectUrl(transfer);
    const image = new RemoteImage(this.#url, {
      http: client.http,
      signal: AbortSignal.any([signal, this.#stop.signal]),
      retries,
      onTicketRefused: (refusal, attempt) => this.#renew(refusal, attempt),
      onDaemonFailing: () => this.#locateDaemon(),
      ...(onConnectionLost ? { onConnectionLost } : {}),
      ...(limit ? { limit } : {}),
    });
    this.#image = image;
    const capabilities = await this.#connect(image, transfer);
    await this.#useLocalSocket(capabilities.unixSocket);
    return { image, capabilities };
  }

  /** First response of the daemon: directly, through its proxy, or after a takeover. */
  async #connect(image: RemoteImage, transfer: Resource<'image_transfer'>): Promise<Capabilities> {
    const orUndefined = (error: unknown) => {
      if (!(error instanceof ConnectionError)) throw error;
      return undefined;
    };
    const direct = await image.capabilities().catch(orUndefined);
    if (direct) return direct;
    const { proxy_url: proxy } = transfer;
    if (typeof proxy === 'string' && proxy !== this.#url) {
      this.#throughProxy = true;
      await this.#moveTo(proxy);
      const proxied = await image.capabilities().catch(orUndefined);
      if (proxied) return proxied;
    }
    return await image.capabilities(TAKEOVER_RETRIES);
  }

  /** Uses the socket of a daemon on this computer, if it is accessible. */
  async #useLocalSocket(path: string | undefined): Promise<void> {
    if (path === undefined || this.#throughProxy || this.#socket) return;
    if (!(await isThisComputer(this.#url)) || !(await isWritable(path))) return;
    this.#socket = await openLocalSocket(path);
    this.image.moveToSocket(this.#socket);
    if (!(await this.image.probe())) this.#leaveLocalSocket();
  }

  #leaveLocalSocket(): void {
    this.#image?.moveToSocket(undefined);
    this.#socket?.dispatcher.destroy().catch(() => {});
    this.#socket = undefined;
  }

  /** Aborts all pending requests at the end of the session. */
  stop(): void {
    this.#stop.abort(new Error('the transfer was stopped'));
    this.#socket?.dispatcher.destroy().catch(() => {});
  }

  async #begin(before: string | undefined): Promise<Resource<'image_transfer'>> {
    const { direction, disk, format, backup, journal } = this.#options;
    const api = this.#api;
    let id = before;
    const phase = id && (await api.phase(id));
    if (phase === 'paused_user' || phase === 'paused_system') await api.resume(String(id));
    else if (phase !== 'transferring' && phase !== 'resuming' && phase !== 'initializing') {
      // The disk may be locked by the previous transfer, which is ending. Other locks cause a
      // refusal.
      if (before !== undefined) await api.waitForDisk(disk);
      id = await api.begin(disk, direction, format, backup);
    }
    this.#id = String(id);
    // Cancelling it after a failure needs no confirmation, although an earlier command may have
    // started it.
    this.#options.client.own(this.#id);
    journal?.begin(this.#id);
    return await api.waitUntilReady(this.#id);
  }

  /** Finds the reason for a refused ticket, and renews the ticket if the transfer can continue. */
  async #renew(refusal: VmctlError, attempt: number): Promise<void> {
    const { direction } = this.#options;
    const transfer = await this.#api.settled(this.id);
    const phase = String(transfer?.phase ?? 'gone');
    if (phase === 'paused_user') throw paused();
    const timedOut =
      phase === 'paused_system' || (direction === 'download' && phase !== 'cancelled_user');
    if (!(timedOut || phase === 'transferring') || attempt > MAX_RENEWALS) {
      // The daemon does not know the image, although the service reports the transfer as active.
      if (phase === 'transferring' && refusal.status === 404) throw refusal;
      throw new ConflictError(`the service ended the transfer: ${phase}`, {
        code: 'transfer_failed',
        hint: 'vmctl events list',
      });
    }
    // A server that has lost the transfer may refuse it before another one takes over.
    if (transfer && phase === 'transferring') await this.#follow(transfer);
    else await this.#moveTo(this.#selectUrl(await this.#begin(this.id)));
  }

  /**
   * Looks up the address of the image while its daemon cannot be reached. The address is unchanged
   * if the service confirms it or does not respond, because the daemon may return.
   */
  async #locateDaemon(): Promise<void> {
    const api = this.#api;
    let transfer: Resource<'image_transfer'> | undefined;
    try {
      transfer = await api.transfer(this.id);
    } catch {
      return;
    }
    const isTakenOver = isBetweenServers(transfer);
    if (isTakenOver) transfer = await api.settled(this.id);
    const phase = transfer?.phase;
    if (phase === 'paused_user') throw paused();
    if (phase === 'paused_system') await this.#moveTo(this.#selectUrl(await this.#begin(this.id)));
    else if (transfer && phase === 'transferring') await this.#follow(transfer, isTakenOver);
  }

  /** Moves to the current address of the transfer. `anew` reconnects even if it is unchanged. */
  async #follow(transfer: Resource<'image_transfer'>, anew = false): Promise<void> {
    const url = this.#selectUrl(transfer);
    if (anew || url !== this.#url) await this.#moveTo(url);
  }

  /** Moves to another address. Its daemon may have a socket on this computer too. */
  async #moveTo(url: string): Promise<void> {
    this.#leaveLocalSocket();
    this.#url = url;
    this.image.moveTo(url);
    if (this.#throughProxy || !(await isThisComputer(url))) return;
    await this.#useLocalSocket((await this.image.probe())?.unixSocket);
  }

  #selectUrl({ transfer_url: direct, proxy_url: proxy }: Resource<'image_transfer'>): string {
    return String((this.#throughProxy ? proxy : undefined) ?? direct);
  }
}

function paused(): ConflictError {
  return new ConflictError('the transfer was paused by another client', {
    code: 'transfer_paused',
  });
}
