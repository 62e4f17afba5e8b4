/** Starts the built `vmctl serve` as a process of its own, and stops it again. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const vmctl = fileURLToPath(new URL('../../bin/vmctl.js', import.meta.url));

export interface Ready {
  readonly base_url: string;
  readonly api_url: string;
  readonly auth_url: string;
  readonly upload_url: string;
  readonly ca_file: string;
  readonly username: string;
  readonly password_file: string | null;
  readonly pid: number;
}

export interface TestServer {
  readonly ready: Ready;
  /** PEM of the certificate authority. */
  readonly ca: string;
  readonly password: string;
  readonly process: ChildProcess;
  /** What it wrote on standard error so far. */
  readonly stderr: () => string;
  /** Asks it to stop, and resolves with its exit code. */
  stop(): Promise<number | null>;
  /** Ends it without warning, as a crash does. */
  kill(): Promise<void>;
}

export const password = 'not-a-secret';

/**
 * Starts a server on free ports with these further options and variables; keeps nothing unless told
 * to.
 */
export async function startTestServer(
  options: readonly string[] = [],
  env: NodeJS.ProcessEnv = {},
): Promise<TestServer> {
  const folder = mkdtempSync(join(tmpdir(), 'vmctl-test-'));
  const readyFile = join(folder, 'ready.json');
  const keep = options.includes('--data');
  const child = spawn(
    process.execPath,
    [
      vmctl,
      'serve',
      ...['--listen', '127.0.0.1:0', '--images-listen', '127.0.0.1:0'],
      ...['--ready-file', readyFile],
      ...(keep ? [] : ['--memory']),
      ...options,
    ],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      // Node 20 reads these certificates at every start, before it does anything else.
      env: {
        ...{ ...process.env, NODE_EXTRA_CA_CERTS: undefined },
        ...{ VMCTL_SERVE_PASSWORD: password, ...env },
      },
    },
  );
  let stderr = '';
  child.stderr.on('data', (piece: Buffer) => {
    stderr += piece.toString();
  });
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  let ended = false;
  exited.then(() => {
    ended = true;
  });
  while (!existsSync(readyFile)) {
    if (ended) throw new Error(`The server did not start: ${stderr}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const ready = JSON.parse(readFileSync(readyFile, 'utf8')) as Ready;
  const ca = readFileSync(ready.ca_file, 'utf8');
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    const code = await exited;
    rmSync(folder, { recursive: true, force: true });
    return code;
  };
  return {
    ready,
    ca,
    password,
    process: child,
    stderr: () => stderr,
    stop: () => end('SIGTERM'),
    kill: async () => {
      await end('SIGKILL');
    },
  };
}
