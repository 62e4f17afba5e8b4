/** Measured server, and the environment of commands that use it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const vmctl = join(process.cwd(), 'bin/vmctl.js');

export interface Site {
  readonly env: NodeJS.ProcessEnv;
  readonly apiUrl: string;
  readonly pid: number;
  readonly stop: () => Promise<void>;
}

/**
 * Starts `vmctl serve` with additional options in a separate home, with `--memory` unless `--data`
 * is given.
 */
export async function startSite(...options: readonly string[]): Promise<Site> {
  const folder = mkdtempSync(join(tmpdir(), 'vmctl-bench-'));
  const readyFile = join(folder, 'ready.json');
  const home = {
    ...process.env,
    XDG_CONFIG_HOME: join(folder, 'config'),
    XDG_STATE_HOME: join(folder, 'state'),
    XDG_CACHE_HOME: join(folder, 'cache'),
  };
  const server = spawn(
    process.execPath,
    [
      ...[vmctl, 'serve', ...(options.includes('--data') ? [] : ['--memory']), ...options],
      ...['--listen', '127.0.0.1:0', '--images-listen', '127.0.0.1:0', '--ready-file', readyFile],
    ],
    { stdio: 'ignore', env: { ...home, VMCTL_SERVE_PASSWORD: 'bench' } },
  );
  while (!existsSync(readyFile)) {
    if (server.exitCode !== null) throw new Error(`The server ended with ${server.exitCode}.`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const ready = JSON.parse(readFileSync(readyFile, 'utf8')) as Record<string, string>;
  return {
    env: {
      ...home,
      VMCTL_URL: ready['base_url'],
      VMCTL_USERNAME: 'admin@internal',
      VMCTL_PASSWORD: 'bench',
      VMCTL_CA_FILE: ready['ca_file'],
    },
    apiUrl: ready['api_url'] ?? '',
    pid: server.pid ?? 0,
    stop: async () => {
      // The server writes its compiled code at exit, to the folder that is removed.
      const ended = once(server, 'exit');
      server.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
