/**
 * Runner of the built vmctl with a separate home: in a new process or in the process of the test.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtVmctl } from './in-process.ts';
import { triesMutants } from './mutants.ts';
import { type TestServer, vmctl } from './server.ts';

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Home {
  readonly folder: string;
  /** Environment variables of the commands. */
  readonly env: NodeJS.ProcessEnv;
  /** Runs vmctl in a new process; `env` overrides the variables of the server. */
  run(words: readonly string[], env?: NodeJS.ProcessEnv, input?: string): Promise<Outcome>;
  /** Runs vmctl in this process, ten times faster, for tests that do not depend on the process. */
  runHere(words: readonly string[], env?: NodeJS.ProcessEnv, input?: string): Promise<Outcome>;
  remove(): void;
}

/** Shares compiled code between homes, because all of them use the same build. */
export function shareCompiledCode(cache: string): void {
  const compiled = join(tmpdir(), 'vmctl-compiled');
  mkdirSync(compiled, { recursive: true, mode: 0o700 });
  mkdirSync(join(cache, 'vmctl'), { recursive: true, mode: 0o700 });
  symlinkSync(compiled, join(cache, 'vmctl/code'));
}

/**
 * Creates a home: configuration, state and cache in a temporary folder, with credentials in the
 * environment. `program` is the vmctl of another source tree.
 */
export function makeHome(server?: TestServer, program = vmctl): Home {
  const folder = mkdtempSync(join(tmpdir(), 'vmctl-home-'));
  shareCompiledCode(join(folder, 'cache'));
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
  const runHere: Home['runHere'] = (words, env = {}, stdin) => {
    if (program !== vmctl) throw new Error('Only the vmctl of this tree runs in this process.');
    return builtVmctl(words, {
      env: setVariables({ ...base, ...env }),
      ...(stdin === undefined ? {} : { stdin }),
    });
  };
  const runProcess: Home['run'] = (words, env = {}, input) =>
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
      // Not every command reads its standard input.
      child.stdin.on('error', () => {});
      child.stdin.end(input ?? '');
    });
  return {
    folder,
    env: base,
    // New processes do not contain the mutant.
    run: triesMutants && program === vmctl ? runHere : runProcess,
    runHere,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Environment without undefined values, as a process receives it. */
export function setVariables(env: NodeJS.ProcessEnv): Record<string, string> {
  const set = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return Object.fromEntries(set);
}
