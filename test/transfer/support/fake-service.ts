/** Parts of the API for transfers, in memory: disks and transfers. */
import type { ApiObject, Call, Client } from '../../../src/client/client.ts';
import { ConflictError, ConnectionError, NotFoundError } from '../../../src/client/errors.ts';
import { Http, type Trust } from '../../../src/client/http.ts';
import type { FakeDaemon } from './fake-daemon.ts';

/** Parts of a daemon that the service uses. */
type Daemon = Pick<FakeDaemon, 'tickets' | 'getUrl' | 'close'>;

export class FakeService {
  readonly http: Http;
  readonly disks = new Map<string, ApiObject>();
  readonly transfers = new Map<string, ApiObject>();
  /** Log of calls such as `add /disks`. */
  readonly calls: string[] = [];
  /** Called before every call. Its errors are those of the call. */
  before: (call: string) => void = () => {};
  /** Final phase of a finalized upload. */
  verdict = 'finished_success';
  /** Descriptions of its events, latest first. */
  events: readonly string[] = [];
  /** Address for direct connections, if it differs from the daemon. */
  directUrl: string | undefined;
  readonly daemon: Daemon;
  #last = 0;

  private constructor(daemon: Daemon, http: Http) {
    this.daemon = daemon;
    this.http = http;
  }

  static async start(daemon: Daemon, trust: Trust = {}): Promise<FakeService> {
    return new FakeService(daemon, new Http({ trust }));
  }

  /** Parts of a client that transfers use. */
  get client(): Client {
    const { http } = this;
    const answer = (call: Call) => Promise.resolve().then(() => this.#answer(call));
    const list = async () => this.events.map((description) => ({ description }));
    return { http, object: answer, action: answer, list, own: () => {} } as unknown as Client;
  }

  addDisk(disk: ApiObject): ApiObject {
    this.#last += 1;
    const id = `disk-${this.#last}`;
    const made = { ...disk, id, status: 'ok' };
    this.disks.set(id, made);
    return made;
  }

  /** Last added transfer. */
  get transfer(): ApiObject {
    const last = [...this.transfers.values()].at(-1);
    if (!last) throw new Error('No transfer exists.');
    return last;
  }

  #answer({ operation, ids = {}, body }: Call): ApiObject {
    const name = `${operation.name} ${operation.path}`;
    this.calls.push(name);
    this.before(name);
    const disk = this.disks.get(ids['disk'] ?? '');
    const transfer = this.transfers.get(ids['imagetransfer'] ?? '');
    switch (name) {
      case 'add /disks':
        return { ...this.addDisk(body as ApiObject) };
      case 'add /imagetransfers':
        return this.#begin(body as ApiObject);
      case 'get /disks/{disk}':
        if (disk) return { ...disk };
        break;
      case 'remove /disks/{disk}':
        this.disks.delete(ids['disk'] ?? '');
        return {};
      case 'get /imagetransfers/{imagetransfer}':
        if (transfer) return { ...transfer };
        break;
      default:
        if (transfer) return this.#act(transfer, operation.name);
    }
    throw new NotFoundError(`${name}: not found`);
  }

  #begin({ disk, direction, format }: ApiObject): ApiObject {
    const target = this.disks.get(String((disk as ApiObject)['id']));
    if (!target) throw new NotFoundError('no such disk');
    if (target['status'] === 'locked') throw new ConflictError('the disk is locked');
    target['status'] = 'locked';
    this.#last += 1;
    const id = `transfer-${this.#last}`;
    this.daemon.tickets.add(id);
    const transfer = {
      id,
      disk,
      direction,
      format,
      phase: 'transferring',
      transfer_url: this.directUrl ?? this.daemon.getUrl(id),
      proxy_url: this.daemon.getUrl(id),
    };
    this.transfers.set(id, transfer);
    return { ...transfer, phase: 'initializing' };
  }

  /** Ends a ticket, as services do when a transfer is paused or over. */
  #act(transfer: ApiObject, action: string): ApiObject {
    const id = String(transfer['id']);
    const target = this.disks.get(String((transfer['disk'] as ApiObject)['id']));
    if (action === 'resume') {
      this.daemon.tickets.add(id);
      transfer['phase'] = 'transferring';
      return {};
    }
    this.daemon.tickets.delete(id);
    if (action === 'pause') transfer['phase'] = 'paused_user';
    else if (action === 'cancel') transfer['phase'] = 'finished_cleanup';
    else transfer['phase'] = this.verdict;
    const upload = transfer['direction'] === 'upload';
    const failed = upload && transfer['phase'] !== 'finished_success';
    if (target && action !== 'pause') target['status'] = failed ? 'illegal' : 'ok';
    return {};
  }

  /** Pauses an idle transfer, as services do automatically. */
  pauseBySystem(): void {
    this.transfer['phase'] = 'paused_system';
    this.daemon.tickets.delete(String(this.transfer['id']));
  }

  async close(): Promise<void> {
    await this.http.close();
    await this.daemon.close();
  }
}

/** Error of a client when the service is unavailable. */
export function away(): ConnectionError {
  return new ConnectionError('the service is away', { retryable: true });
}
