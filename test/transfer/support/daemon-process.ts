/** Image daemons of `src/images` as processes that tests kill. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import type { ImageDaemonOptions, Ticket } from '../../../src/images/index.ts';

const sources = {
  'daemon.js': '../../../src/images/daemon.ts',
  // Expected path of the program of hash threads.
  'hash-thread.js': '../../../src/hash/worker.ts',
};

const main = `
import { runDaemon } from './daemon.js';
process.once('disconnect', () => process.exit());
process.once('message', async (options) => {
  process.send({ url: (await runDaemon(options)).url });
});
`;

/** Program of the process, built from the source. `remove` deletes it. */
export class DaemonProgram {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async build(): Promise<DaemonProgram> {
    const folder = mkdtempSync(join(tmpdir(), 'vmctl-daemon-'));
    for (const [name, source] of Object.entries(sources)) {
      const input = fileURLToPath(new URL(source, import.meta.url));
      const bundle = await rolldown({ input, platform: 'node', external: ['koffi'] });
      await bundle.write({ file: join(folder, name), format: 'esm' });
      await bundle.close();
    }
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    writeFileSync(join(folder, 'main.js'), main);
    return new DaemonProgram(folder);
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true });
  }

  /** Starts a daemon on a free port, with one ticket. */
  async start(ticket: Ticket, tls?: ImageDaemonOptions['tls']): Promise<DaemonProcess> {
    const child = fork(join(this.#folder, 'main.js'), { execArgv: [] });
    const options: ImageDaemonOptions = { host: '127.0.0.1', port: 0, tickets: [ticket] };
    child.send(tls ? { ...options, tls } : options);
    const [{ url }] = (await once(child, 'message')) as [{ url: string }];
    return new DaemonProcess(child, url);
  }
}

export class DaemonProcess {
  readonly url: string;
  readonly #child: ChildProcess;

  constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.url = url;
  }

  /** Kills the process with SIGKILL. */
  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exited;
  }
}
