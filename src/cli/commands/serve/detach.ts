/** `vmctl serve --detach`: starts the server in the background, and tells where it is once it answers. */

import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs';
import { UsageError, VmctlError } from '../../../client/errors.ts';
import { ownCommand } from '../../../own-command.ts';
import { systemReason } from '../../../system-errors.ts';
import type { CommandContext } from '../../session/command-context.ts';
import { write } from '../../session/io.ts';
import { say, writeExports } from './announce.ts';
import type { ServeExtension } from './extension.ts';
import { newInstanceFiles } from './instances.ts';
import { flagOf, type ServeFlags } from './options.ts';

/** What the server in the background tells whoever started it. Passes between the two processes alone. */
export interface Started {
  readonly environment: Readonly<Record<string, string>>;
  /** Where it is, in lines for people. */
  readonly lines: readonly string[];
}

/** Starts it; resolves when it answers. What it says of a start that fails is said here. */
export async function detach(
  cli: CommandContext,
  flags: ServeFlags,
  extensions: readonly ServeExtension[],
): Promise<void> {
  const foreground = extensions.flatMap(({ foregroundFlags = [] }) => foregroundFlags);
  const { record, log } = newInstanceFiles(cli.paths.stateDirectory);
  const child = begin(cli, wordsOf(flags, foreground), record, log);
  const stop = () => child.kill('SIGTERM');
  cli.signal.addEventListener('abort', stop, { once: true });
  let started: Started | undefined;
  try {
    started = await outcomeOf(child);
  } finally {
    cli.signal.removeEventListener('abort', stop);
  }
  if (started === undefined || cli.signal.aborted) {
    if (started !== undefined) await endOf(child);
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
  await say(cli.io.stderr, [
    ...started.lines,
    `running as process ${pid}; log: ${log}`,
    'stop it with vmctl serve --stop',
  ]);
  const url = started.environment['VMCTL_URL'];
  if (url === undefined) return;
  for (const { load } of extensions) (await load()).afterStart?.(cli, flags, url);
}

function begin(
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

/** Resolves with what the server tells when it answers, or with nothing when it has ended before. */
function outcomeOf(child: ChildProcess): Promise<Started | undefined> {
  return new Promise((resolve, reject) => {
    child.once('message', (message) => resolve(message as Started));
    child.once('exit', () => resolve(undefined));
    child.once('error', (error) => {
      reject(new UsageError(`cannot start the server: ${systemReason(error)}`, { cause: error }));
    });
  });
}

/** Resolves when it has ended. */
async function endOf(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  await new Promise((resolve) => child.once('exit', resolve));
}

const ofThisProcess: ReadonlySet<string> = new Set(['detach', 'env', 'stop', 'instance']);

/** The flags as they are typed. */
function wordsOf(flags: ServeFlags, foreground: readonly string[]): readonly string[] {
  return Object.entries(flags).flatMap(([name, value]: [string, unknown]) => {
    if (ofThisProcess.has(name) || foreground.includes(name)) return [];
    if (value === undefined || value === false) return [];
    const flag = flagOf(name);
    if (value === true) return [flag];
    return (Array.isArray(value) ? value : [value]).map((one) => `${flag}=${one}`);
  });
}
