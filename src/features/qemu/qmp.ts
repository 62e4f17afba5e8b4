/** Client of the QEMU Machine Protocol (QMP). */
import { toRecord } from '../../records.ts';
import { HypervisorError } from '../../server/core/hypervisor.ts';
import { JsonSocket, type Message } from './json-socket.ts';

/** Milliseconds for the response to a command. */
const commandTimeoutMs = 20_000;

/** An event of QEMU. */
export interface QmpEvent {
  /** `SHUTDOWN` */
  readonly name: string;
  readonly data: Message;
}

export class QmpConnection {
  readonly #socket: JsonSocket;
  readonly #timeoutMs: number;
  #last = 0;

  private constructor(socket: JsonSocket, timeoutMs: number) {
    this.#socket = socket;
    this.#timeoutMs = timeoutMs;
  }

  /** Connects and negotiates. QEMU accepts one client at a time. */
  static async connect(
    path: string,
    onEvent: (event: QmpEvent) => void,
    timeoutMs = commandTimeoutMs,
  ): Promise<QmpConnection> {
    const socket = await JsonSocket.connect(path, 'QEMU', ({ event, data }) => {
      if (typeof event === 'string') onEvent({ name: event, data: toRecord(data) });
    });
    try {
      await socket.wait((message) => 'QMP' in message, timeoutMs);
      const connection = new QmpConnection(socket, timeoutMs);
      await connection.execute('qmp_capabilities');
      return connection;
    } catch (error) {
      socket.close();
      throw error;
    }
  }

  /** Resolves when the connection ends. */
  get closed(): Promise<void> {
    return this.#socket.closed;
  }

  /** Runs a command. Rejects with a `HypervisorError` that contains the reason of QEMU. */
  async execute(command: string, parameters: Message = {}): Promise<unknown> {
    this.#last += 1;
    const id = `vmctl-${this.#last}`;
    const waiting = this.#socket.wait((message) => message['id'] === id, this.#timeoutMs);
    this.#socket.send({ execute: command, arguments: parameters, id });
    const response = await waiting;
    if (!('error' in response)) return response['return'];
    const { desc } = toRecord(response['error']);
    throw new HypervisorError(`QEMU refuses ${command}: ${String(desc)}`);
  }

  close(): void {
    this.#socket.close();
  }
}
