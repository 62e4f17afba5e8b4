/** Terminal for tests that type and read the screen: a pane of tmux. */
import { spawn, spawnSync } from 'node:child_process';

export const hasTmux = spawnSync('tmux', ['-V']).status === 0;

export interface Pane {
  /** Types text; single words such as `Enter` and `C-c` are keys. */
  readonly type: (...keys: string[]) => void;
  /** Current text of the screen. */
  readonly screen: () => string;
  /** The screen, once it shows this. */
  readonly until: (pattern: RegExp) => Promise<string>;
  readonly resize: (columns: number, rows: number) => void;
  readonly close: () => void;
}

/** Long enough for every machine; a test that fails says what was on the screen. */
const patience = 40_000;

/** Milliseconds between two looks at a screen that changes, and at one of which nothing is heard. */
const looks = { apart: 20, atLeast: 500 } as const;

let count = 0;

/** Opens a shell in a terminal (default: 100 columns, 30 rows). */
export function openPane(env: NodeJS.ProcessEnv, columns = 100, rows = 30): Pane {
  count += 1;
  const socket = `vmctl-test-${process.pid}-${count}`;
  const settings = { ...env, TERM: 'xterm-256color', LANG: 'C.UTF-8' };
  const tmux = (...args: string[]) => {
    const { stdout, stderr, status } = spawnSync('tmux', ['-L', socket, ...args], {
      encoding: 'utf8',
      env: settings,
    });
    if (status !== 0) throw new Error(`tmux ${args.join(' ')}: ${stderr}`);
    return stdout;
  };
  const size = ['-x', String(columns), '-y', String(rows)];
  tmux('-f', '/dev/null', 'new-session', '-d', ...size, 'PS1="$ " sh -i');
  const look = 'capture-pane -p';
  const line = new Line(socket, settings);
  return {
    type: (...keys) => {
      for (const key of keys) tmux('send-keys', key);
    },
    screen: () => tmux(...look.split(' ')),
    until: async (pattern) => {
      const end = Date.now() + patience;
      for (;;) {
        const changed = line.change();
        const text = await line.ask(look);
        if (pattern.test(text)) return text;
        if (Date.now() > end) throw new Error(`There is no ${String(pattern)} in:\n${text}`);
        await later(looks.apart);
        await Promise.race([changed, later(looks.atLeast)]);
      }
    },
    resize: (columns, rows) =>
      void tmux('resize-window', '-x', String(columns), '-y', String(rows)),
    close: () => {
      line.close();
      spawnSync('tmux', ['-L', socket, 'kill-server']);
    },
  };
}

const later = (milliseconds: number) =>
  new Promise<void>((resolve) => {
    setTimeout(resolve, milliseconds);
  });

/**
 * A line to tmux that stays open and tells when something is written: to start its client for each look
 * takes far more than to look.
 */
class Line {
  readonly #client;
  readonly #asked: PromiseWithResolvers<string>[] = [];
  #failure: Error | undefined;
  #rest = '';
  /** The answer that is being read, without its first line. */
  #answer: string[] | undefined;
  #changed = withResolvers<void>();

  constructor(socket: string, env: NodeJS.ProcessEnv) {
    const words = ['-L', socket, '-u', '-C', 'attach', '-f', 'ignore-size'];
    this.#client = spawn('tmux', words, { env, stdio: ['pipe', 'pipe', 'ignore'] });
    this.#client.stdout.setEncoding('utf8').on('data', (piece: string) => this.#read(piece));
    this.#client.stdin.on('error', () => undefined);
    this.#client.once('close', () => this.#fail(new Error('tmux has ended')));
  }

  /** Sends a command, and returns what it prints. */
  ask(command: string): Promise<string> {
    if (this.#failure) return Promise.reject(this.#failure);
    const answer = withResolvers<string>();
    this.#asked.push(answer);
    this.#client.stdin.write(`${command}\n`);
    return answer.promise;
  }

  /** Comes when something has been written to the terminal from now on. */
  change(): Promise<void> {
    this.#changed = withResolvers<void>();
    return this.#changed.promise;
  }

  close(): void {
    this.#client.kill();
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    for (const { reject } of this.#asked.splice(0)) reject(this.#failure);
  }

  #read(piece: string): void {
    const lines = `${this.#rest}${piece}`.split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#take(line);
  }

  #take(line: string): void {
    // Only responses on this line end with 1.
    const [, end, isOurs] = /^%(end|error) \d+ \d+ ([01])$/.exec(line) ?? [];
    if (this.#answer && end !== undefined) {
      const text = this.#answer.map((one) => `${one}\n`).join('');
      this.#answer = undefined;
      if (isOurs === '0') return;
      const asked = this.#asked.shift();
      if (end === 'end') asked?.resolve(text);
      else asked?.reject(new Error(`tmux: ${text}`));
    } else if (this.#answer) this.#answer.push(line);
    else if (line.startsWith('%begin ')) this.#answer = [];
    else if (line.startsWith('%output ')) this.#changed.resolve();
  }
}

interface PromiseWithResolvers<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (reason: Error) => void;
}

function withResolvers<T>(): PromiseWithResolvers<T> {
  let resolve: PromiseWithResolvers<T>['resolve'] = () => undefined;
  let reject: PromiseWithResolvers<T>['reject'] = () => undefined;
  const promise = new Promise<T>((one, other) => {
    resolve = one;
    reject = other;
  });
  return { promise, resolve, reject };
}
