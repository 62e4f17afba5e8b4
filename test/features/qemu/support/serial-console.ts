/** Shell of a guest on its serial console. */
import { connect, type Socket } from 'node:net';

/** Milliseconds between attempts: a shell ignores input before it starts. */
const retryMs = 500;

/** Number of commands of all connections: a repeated command may respond on the next one. */
let count = 0;

export class SerialConsole {
  readonly #socket: Socket;
  #text = '';

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding('utf8').on('data', (text: string) => {
      this.#text += text;
    });
  }

  static connect(path: string): Promise<SerialConsole> {
    return new Promise((resolve, reject) => {
      const socket = connect({ path });
      socket.once('error', reject);
      socket.once('connect', () => resolve(new SerialConsole(socket)));
    });
  }

  /** Runs a command in the guest and returns its output. Waits for the shell. */
  async run(command: string): Promise<string> {
    count += 1;
    // The echo of the command does not contain the sums.
    const [first, last] = [10_000 + count, 20_000 + count];
    const line = `echo $((${first - 1}+1)); ${command}; echo $((${last - 1}+1))`;
    const pattern = new RegExp(`\\b${first}\\r\\n([^]*?)\\b${last}\\r\\n`);
    for (let asked = 0; ; ) {
      const [, output] = pattern.exec(this.#text) ?? [];
      if (output !== undefined) return output.trim();
      if (performance.now() - asked > (this.#isAnswering(first) ? 60_000 : retryMs)) {
        this.send(line);
        asked = performance.now();
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Sends a command without waiting for it. */
  send(line: string): void {
    this.#socket.write(`${line}\n`);
  }

  close(): void {
    this.#socket.end();
  }

  #isAnswering(first: number): boolean {
    return this.#text.includes(`${first}\r\n`);
  }
}
