/** `vmctl serve --detach`: start of a server in the background, until it responds. */

import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs';
import { UsageError, VmctlError } from '../../../client/errors.ts';
import { ownCommand } from '../../../own-command.ts';
import { systemReason } from '../../../system-errors.ts';
import type { CommandContext } from '../../session/command-context.ts';
import { write } from '../../session/io.ts';
import { printLines, writeExports } from './announce.ts';
import type { ServeExtension } from './extension.ts';
import { createInstancePaths } from './instances.ts';
import { formatServeFlag, type ServeFlags } from './options.ts';

/** Message from the server in the background to the process that started it. */
export interface StartMessage {
  readonly environment: Readonly<Record<string, string>>;
  /** Addresses in lines for people. */
  readonly lines: readonly string[];
}

/** Starts the server and resolves when it responds. Prints its log if the start fails. */
export async function startDetached(
  cli: CommandContext,
  flags: ServeFlags,
  extensions: readonly ServeExtension[],
): Promise<void> {
  const foreground = extensions.flatMap(({ foregroundFlags = [] }) => foregroundFlags);
  const { record, log } = createInstancePaths(cli.paths.stateDirectory);
  const child = spawnServer(cli, formatFlags(flags, foreground), record, log);
  const stop = () => child.kill('SIGTERM');
  cli.signal.addEventListener('abort', stop, { once: true });
  let started: StartMessage | undefined;
  try {
    started = await waitForStart(child);
  } finally {
    cli.signal.removeEventListener('abort', stop);
  }
  if (started === undefined || cli.signal.aborted) {
    if (started !== undefined) await waitForExit(child);
    const said = readFileSync(log, 'utf8');
    rmSync(log, { force: true });
    cli.signal.throwIfAborted();
    await write(cli.io.stderr, said);
    const { exitCode, signalCode } = child;
    if (exitCode === null)
      throw new VmctlError(`the server was killed by ${signalCode} during its start`);
    cli.exitCode = exitCode;
    return;
  }
  child.disconnect();
  child.unref();
  const pid = child.pid ?? 0;
  if (flags.env) await writeExports(cli.io.stdout, started.environment, pid, cli.io.env);
  await printLines(cli.io.stderr, [
    ...started.lines,
    `running as process ${pid}; log: ${log}`,
    'stop it with vmctl serve --stop',
  ]);
  const url = started.environment['VMCTL_URL'];
  if (url === undefined) return;
  for (const { load } of extensions) (await load()).afterStart?.(cli, flags, url);
}

function spawnServer(
  cli: CommandContext,
  given: readonly string[],
  record: string,
  log: string,
): ChildProcess {
  const { file, words } = ownCommand();
  const output = openSync(log, 'wx', 0o600);
  try {
    const format = cli.setting('output')?.value;
    return spawn(file, [...words, 'serve', ...given, `--instance=${record}`], {
      detached: true,
      stdio: ['ignore', output, output, 'ipc'],
      windowsHide: true,
      env: { ...cli.io.env, ...(format === undefined ? {} : { VMCTL_OUTPUT: format }) },
    });
  } finally {
    closeSync(output);
  }
}

/** Resolves with the message of the server, or with undefined if it exits before. */
function waitForStart(child: ChildProcess): Promise<StartMessage | undefined> {
  return new Promise((resolve, reject) => {
    // Right because the child process is `vmctl serve`, which sends only this message.
    child.once('message', (message) => resolve(message as StartMessage));
    child.once('exit', () => resolve(undefined));
    child.once('error', (error) => {
      reject(new UsageError(`cannot start the server: ${systemReason(error)}`, { cause: error }));
    });
  });
}

/** Waits for the exit of the process. */
async function waitForExit(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  await new Promise((resolve) => child.once('exit', resolve));
}

const localFlags: ReadonlySet<string> = new Set(['detach', 'env', 'stop', 'instance']);

/** Converts flags back to arguments. */
function formatFlags(flags: ServeFlags, foreground: readonly string[]): readonly string[] {
  return Object.entries(flags).flatMap(([name, value]: [string, unknown]) => {
    if (localFlags.has(name) || foreground.includes(name)) return [];
    if (value === undefined || value === false) return [];
    const flag = formatServeFlag(name);
    if (value === true) return [flag];
    return (Array.isArray(value) ? value : [value]).map((one) => `${flag}=${one}`);
  });
}
