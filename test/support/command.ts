/** Runs the built vmctl with a home of its own: as a process, or in the one of the test. */
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
  /** The variables with which commands run. */
  readonly env: NodeJS.ProcessEnv;
  /** Runs vmctl as a process; further variables replace those of the server. */
  run(words: readonly string[], env?: NodeJS.ProcessEnv, input?: string): Promise<Outcome>;
  /** The same in this process, for a tenth of the cost: where it is not the process that matters. */
  runHere(words: readonly string[], env?: NodeJS.ProcessEnv, input?: string): Promise<Outcome>;
  remove(): void;
}

/** Makes homes share compiled code: it is that of the build, and each would compile it anew. */
export function shareCompiledCode(cache: string): void {
  const compiled = join(tmpdir(), 'vmctl-compiled');
  mkdirSync(compiled, { recursive: true, mode: 0o700 });
  mkdirSync(join(cache, 'vmctl'), { recursive: true, mode: 0o700 });
  symlinkSync(compiled, join(cache, 'vmctl/code'));
}

/**
 * A user's home: configuration, state and cache in a temporary folder, signed in by environment.
 * `program` is the vmctl of another tree.
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
      // Not every command reads what it is given.
      child.stdin.on('error', () => {});
      child.stdin.end(input ?? '');
    });
  return {
    folder,
    env: base,
    // No process that is started has the mutant.
    run: triesMutants && program === vmctl ? runHere : runProcess,
    runHere,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** An environment without what is not set in it, as a process would get it. */
export function setVariables(env: NodeJS.ProcessEnv): Record<string, string> {
  const set = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return Object.fromEntries(set);
}
