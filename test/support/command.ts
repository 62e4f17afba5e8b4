/** Runs the built vmctl as a process of its own, with a home of its own. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestServer, vmctl } from './server.ts';

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Home {
  readonly folder: string;
  /** Runs vmctl with these words; further variables replace those of the server. */
  run(words: readonly string[], env?: NodeJS.ProcessEnv, input?: string): Promise<Outcome>;
  remove(): void;
}

/**
 * A user's home: configuration, state and cache in a temporary folder, signed in by environment.
 * `program` is the vmctl of another tree.
 */
export function makeHome(server?: TestServer, program = vmctl): Home {
  const folder = mkdtempSync(join(tmpdir(), 'vmctl-home-'));
  // Compiled code is that of the build, not of the user: homes share it, or each would compile anew.
  const compiled = join(tmpdir(), 'vmctl-compiled');
  mkdirSync(compiled, { recursive: true, mode: 0o700 });
  mkdirSync(join(folder, 'cache/vmctl'), { recursive: true, mode: 0o700 });
  symlinkSync(compiled, join(folder, 'cache/vmctl/code'));
  const base: NodeJS.ProcessEnv = {
    PATH: process.env['PATH'],
    HOME: folder,
    XDG_CONFIG_HOME: join(folder, 'config'),
    XDG_STATE_HOME: join(folder, 'state'),
    XDG_CACHE_HOME: join(folder, 'cache'),
    ...(server
      ? {
          VMCTL_URL: server.ready.base_url,
          VMCTL_USERNAME: server.ready.username,
          VMCTL_PASSWORD: server.password,
          VMCTL_CA_FILE: server.ready.ca_file,
        }
      : {}),
  };
  return {
    folder,
    run: (words, env = {}, input) =>
      new Promise((resolve, reject) => {
        const child = spawn(process.execPath, [program, ...words], { env: { ...base, ...env } });
        let stdout = '';
        let stderr = '';
        child.stdout.on('data', (piece: Buffer) => {
          stdout += piece.toString();
        });
        child.stderr.on('data', (piece: Buffer) => {
          stderr += piece.toString();
        });
        child.once('error', reject);
        child.once('close', (code) => resolve({ code, stdout, stderr }));
        child.stdin.end(input ?? '');
      }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
