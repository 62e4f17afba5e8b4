/** Headless Chromium for tests, driven over the DevTools protocol. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebSocket } from 'undici';

const program = ['chromium', 'chromium-browser', 'google-chrome'].find(
  (name) => spawnSync(name, ['--version']).status === 0,
);

export const hasBrowser = program !== undefined;

type Params = Readonly<Record<string, unknown>>;

/** Timeout of a condition in milliseconds; the error of a failed test includes the page text. */
const patience = 30_000;

export class Browser {
  readonly #process: ChildProcess;
  readonly #folder: string;
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, (result: Params) => void>();
  #session: string | undefined;
  /** Browser context with separate cookies and storage. */
  #context: unknown;
  #count = 0;
  /** Errors of the page, and violations of its content security policy. */
  readonly complaints: string[] = [];
  /** URLs of all requests of the page. */
  readonly requested: string[] = [];

  private constructor(child: ChildProcess, folder: string, socket: WebSocket) {
    this.#process = child;
    this.#folder = folder;
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => this.#receive(String(data)));
  }

  /**
   * Starts the browser with an empty page. Certificates are not verified; tests of the client do
   * that.
   */
  static async start(): Promise<Browser> {
    const folder = mkdtempSync(join(tmpdir(), 'vmctl-browser-'));
    const child = spawn(
      program ?? '',
      [
        ...['--headless=new', '--no-sandbox', '--disable-gpu', '--ignore-certificate-errors'],
        ...['--remote-debugging-port=0', '--no-first-run', `--user-data-dir=${folder}`],
        'about:blank',
      ],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    );
    const address = await new Promise<string>((resolve, reject) => {
      let text = '';
      child.stderr?.on('data', (piece: Buffer) => {
        text += piece.toString();
        const [, found] = /DevTools listening on (ws:\S+)/.exec(text) ?? [];
        if (found !== undefined) resolve(found);
      });
      child.once('exit', () => reject(new Error(`The browser did not start: ${text}`)));
    });
    const socket = new WebSocket(address);
    await once(socket, 'open');
    const browser = new Browser(child, folder, socket);
    await browser.renew();
    return browser;
  }

  /** Replaces the page by an empty one in a new context. */
  async renew(): Promise<void> {
    this.#session = undefined;
    const old = this.#context;
    if (old !== undefined) {
      await this.#send('Target.disposeBrowserContext', { browserContextId: old });
    }
    const { browserContextId } = await this.#send('Target.createBrowserContext');
    this.#context = browserContextId;
    const page = { url: 'about:blank', browserContextId };
    const { targetId } = await this.#send('Target.createTarget', page);
    const { sessionId } = await this.#send('Target.attachToTarget', { targetId, flatten: true });
    this.complaints.length = 0;
    this.requested.length = 0;
    this.#session = String(sessionId);
    for (const domain of ['Page', 'Runtime', 'Network', 'Log']) {
      await this.#send(`${domain}.enable`);
    }
  }

  async open(url: string): Promise<void> {
    await this.#send('Page.navigate', { url });
  }

  /** Sets the size of the window in pixels. */
  async resize(width: number, height: number): Promise<void> {
    await this.#send('Emulation.setDeviceMetricsOverride', {
      ...{ width, height, deviceScaleFactor: 1, mobile: width < 600 },
    });
  }

  /** Evaluates an expression in the page. */
  async value(expression: string): Promise<unknown> {
    const { result, exceptionDetails } = await this.#send('Runtime.evaluate', {
      ...{ expression, awaitPromise: true, returnByValue: true },
    });
    if (exceptionDetails) throw new Error(JSON.stringify(exceptionDetails));
    return (result as Params)['value'];
  }

  async text(): Promise<string> {
    return String(await this.value('document.body?.innerText ?? ""'));
  }

  /** Waits until the text of the page matches; resolves with the text. */
  async until(pattern: RegExp): Promise<string> {
    const end = Date.now() + patience;
    for (;;) {
      const text = await this.text();
      if (pattern.test(text)) return text;
      if (Date.now() > end)
        throw new Error(`The page does not contain ${String(pattern)}:\n${text}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Types text into the focused element. */
  async type(text: string): Promise<void> {
    await this.#send('Input.insertText', { text });
  }

  /** Presses keys by name: `Tab`, `Enter`, `ArrowDown`. */
  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      const text = key === 'Enter' ? { text: '\r' } : key === ' ' ? { text: ' ' } : {};
      const codes: Record<string, number> = {
        ...{ Tab: 9, Enter: 13, ' ': 32, End: 35, Home: 36, ArrowLeft: 37, ArrowUp: 38 },
        ...{ ArrowRight: 39, ArrowDown: 40 },
      };
      const event = { key, code: key === ' ' ? 'Space' : key, windowsVirtualKeyCode: codes[key] };
      await this.#send('Input.dispatchKeyEvent', { type: 'keyDown', ...event, ...text });
      await this.#send('Input.dispatchKeyEvent', { type: 'keyUp', ...event });
    }
  }

  /** Screenshot of the window (PNG). */
  async picture(): Promise<Buffer> {
    const { data } = await this.#send('Page.captureScreenshot', { format: 'png' });
    return Buffer.from(String(data), 'base64');
  }

  async stop(): Promise<void> {
    const ended = once(this.#process, 'exit');
    this.#session = undefined;
    void this.#send('Browser.close');
    await ended;
    this.#socket.close();
    // Its child processes exit a moment later.
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }

  async #send(method: string, params: Params = {}): Promise<Params> {
    this.#count += 1;
    const id = this.#count;
    const answer = new Promise<Params>((resolve) => this.#waiting.set(id, resolve));
    const session = this.#session === undefined ? {} : { sessionId: this.#session };
    this.#socket.send(JSON.stringify({ id, method, params, ...session }));
    const { result, error } = await answer;
    if (error) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result as Params;
  }

  #receive(data: string): void {
    const message = JSON.parse(data) as Params;
    const { id, method, params } = message;
    if (typeof id === 'number') {
      this.#waiting.get(id)?.(message);
      this.#waiting.delete(id);
      return;
    }
    const told = (params ?? {}) as Readonly<Record<string, Params | undefined>>;
    if (method === 'Network.requestWillBeSent')
      this.requested.push(String(told['request']?.['url']));
    if (method === 'Runtime.exceptionThrown') this.complaints.push(JSON.stringify(params));
    if (method === 'Log.entryAdded' && told['entry']?.['level'] === 'error') {
      this.complaints.push(String(told['entry']['text']));
    }
  }
}
