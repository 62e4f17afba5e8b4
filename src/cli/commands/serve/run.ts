/**
 * Execution of `vmctl serve`: a server until a stop signal, for one command, or a maintenance task.
 */

import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { constants } from 'node:os';
import { resolve as resolvePath } from 'node:path';
import { getErrorMessage } from '../../../caught-errors.ts';
import { UsageError } from '../../../client/errors.ts';
import { systemReason } from '../../../system-errors.ts';
import type { CommandContext } from '../../session/command-context.ts';
import { writeOptionFile } from '../../session/private-file.ts';
import { longFlag, requestFiles, settings } from '../../session/settings.ts';
import { waitForStopRequest, waitForStopSignal } from '../../session/signals.ts';
import {
  type AnnouncedServer,
  createEnvironment,
  formatAnnouncement,
  otherServerVariables,
  printLines,
  writeExports,
  writeReady,
} from './announce.ts';
import type { StartMessage } from './detach.ts';
import type { ServeExtension, ServeHandlers, ServeHypervisor } from './extension.ts';
import {
  createServerOptions,
  getDataFolder,
  parseSharedAddress,
  type ServeFlags,
  toAbsolutePath,
} from './options.ts';
import { findSharedStore } from './shared-store.ts';

/** Runs the server, or another task of the flags. */
export async function serve(
  cli: CommandContext,
  words: readonly string[],
  flags: ServeFlags,
  extensions: readonly ServeExtension[],
): Promise<void> {
  const hasCommand = words.length > 0;
  if (flags.stop) return (await import('./stop.ts')).stopServer(cli, words, flags);
  const asksServer = flags.save !== undefined || flags.backup !== undefined;
  for (const name of requestFiles) {
    if (hasCommand || asksServer || cli.setting(name)?.origin !== 'flag') continue;
    const flag = longFlag(settings[name]);
    throw new UsageError(`${flag} is not valid for the server`, {
      hint: `use vmctl ${flag} FILE vms list, or vmctl serve ${flag} FILE -- COMMAND`,
    });
  }
  if (flags.detach) {
    refuseDetached(words, flags);
    return (await import('./detach.ts')).startDetached(cli, flags, extensions);
  }
  if (flags.save !== undefined) return saveState(cli, flags.save);
  const handlers = await Promise.all(extensions.map(({ load }) => load()));
  for (const one of handlers) if (await one.perform?.({ cli, flags, words }, flags)) return;
  const { check, backup, restore } = flags;
  if (check === true || backup !== undefined || restore !== undefined) {
    const { runMaintenance } = await import('./maintain.ts');
    requireFolderTask(flags);
    const isNamed = flags.data !== undefined || flags.store !== undefined;
    const folder = !isNamed && backup !== undefined ? undefined : getDataFolder(cli, flags);
    return runMaintenance(cli, folder, {
      check,
      backup,
      restore,
      images: toAbsolutePath(flags.images),
    });
  }
  const start = await prepareStart(cli, flags, hasCommand, handlers);
  // Must come before the start, so that an early stop signal is not lost.
  const stopping = hasCommand ? undefined : waitForStop(flags.instance);
  cli.signal.throwIfAborted();
  const server = await start().catch((error: unknown) => {
    throw createStartError(error);
  });
  try {
    await announce(cli, server, flags, hasCommand, handlers);
    if (hasCommand) cli.exitCode = await runCommand(cli, server, words);
    else await stopping;
  } finally {
    await server.stop();
    // The record is removed last, because other processes wait for its removal.
    if (flags.instance !== undefined) rmSync(flags.instance, { force: true });
  }
}

function waitForStop(record: string | undefined): Promise<void> {
  return record === undefined ? waitForStopSignal() : waitForStopRequest(record);
}

/** Returns the function that starts the server. Throws `UsageError` for invalid flags. */
async function prepareStart(
  cli: CommandContext,
  flags: ServeFlags,
  hasCommand: boolean,
  handlers: readonly ServeHandlers[],
): Promise<() => Promise<AnnouncedServer>> {
  const extensions = handlers.flatMap((one) => one.extend?.(flags) ?? []);
  for (const one of handlers) {
    const start = await one.start?.({ cli, flags, hasCommand, extensions }, flags);
    if (start) return start;
  }
  const { loadServer } = await import('../../../server/load.ts');
  const startServer = await loadServer();
  const options = await createServerOptions(
    cli,
    flags,
    hasCommand,
    await findSharedStore(flags, handlers),
  );
  const hypervisor = await findHypervisor(getDataFolder(cli, flags), flags, handlers);
  const { nature = 'hosts and VMs are simulated; disk contents are real', create } =
    hypervisor ?? {};
  return async () => ({
    ...(await startServer({ ...options, extensions, hypervisor: create })),
    nature,
  });
}

/** The hypervisor that the flags select; undefined for the default. */
async function findHypervisor(
  folder: string,
  flags: ServeFlags,
  handlers: readonly ServeHandlers[],
): Promise<ServeHypervisor | undefined> {
  for (const one of handlers) {
    const found = await one.createHypervisor?.(folder, flags);
    if (found) return found;
  }
  return undefined;
}

/** Refuses tasks that need a folder. */
function requireFolderTask(flags: ServeFlags): void {
  const task = (['check', 'restore', 'backup'] as const).find((name) => flags[name] !== undefined);
  if (parseSharedAddress(flags) !== undefined) {
    throw new UsageError(`--${task} works on a folder, not on a database server`, {
      hint:
        task === 'backup' ? 'remove --store to use the server of the context' : 'use --data DIR',
    });
  }
  if (task === 'restore' && flags.images !== undefined) {
    throw new UsageError('--restore writes images to the data folder', {
      hint: 'remove --images',
    });
  }
}

/** Refuses flags that do not apply to a background server. */
function refuseDetached(words: readonly string[], flags: ServeFlags): void {
  const tasks = ['check', 'save', 'backup', 'restore'] as const;
  const task = tasks.find((name) => flags[name] !== undefined);
  if (task !== undefined) {
    throw new UsageError(`--detach and --${task} exclude each other`, {
      hint: 'remove --detach',
    });
  }
  if (words.length > 0) {
    throw new UsageError('--detach is not valid with a command', {
      hint: 'remove --detach or the command',
    });
  }
}

/** Announces the server to its user or to the process that started it. */
async function announce(
  cli: CommandContext,
  server: AnnouncedServer,
  flags: ServeFlags,
  runsCommand: boolean,
  handlers: readonly ServeHandlers[],
): Promise<void> {
  writeReady(server, flags);
  if (runsCommand) return;
  const environment = createEnvironment(server);
  const lines = formatAnnouncement(
    server,
    handlers.flatMap((one) => one.announce?.(server) ?? []),
  );
  if (flags.instance !== undefined) {
    const { writeInstance } = await import('./instances.ts');
    const keepsData = flags.memory !== true && !server.isReadOnly;
    const data = keepsData ? getDataFolder(cli, flags) : undefined;
    writeInstance(flags.instance, { url: server.baseUrl, data });
    const started: StartMessage = { environment, lines };
    // The server continues even if the other process has exited.
    process.send?.(started, undefined, undefined, () => {
      if (process.connected) process.disconnect();
    });
    return;
  }
  if (flags.env) await writeExports(cli.io.stdout, environment, process.pid, cli.io.env);
  await printLines(cli.io.stderr, lines);
  for (const one of handlers) one.afterStart?.(cli, flags, server.baseUrl);
}

/** Creates the error of a failed start. */
function createStartError(error: unknown): UsageError {
  const hint = error instanceof Error && 'hint' in error ? error.hint : undefined;
  return new UsageError(getErrorMessage(error), typeof hint === 'string' ? { hint } : {});
}

/** Downloads the state of a running server to a file, atomically. */
async function saveState(cli: CommandContext, file: string): Promise<void> {
  const client = await cli.client();
  const answer = await client.raw({ method: 'GET', path: '/_vmctl/state' });
  if (answer.status !== 200) {
    throw new UsageError(`the server sends no state: status ${answer.status}`, {
      hint: 'only the administrator of a vmctl serve can download its state',
    });
  }
  writeOptionFile('--save', file, answer.body);
}

/** Returns the variables for the request files of the command. */
function getRequestFileVariables(cli: CommandContext): Record<string, string> {
  return Object.fromEntries(
    requestFiles.flatMap((name) => {
      const { env } = settings[name];
      const file = cli.setting(name)?.value;
      return env === undefined || file === undefined ? [] : [[env, resolvePath(file)]];
    }),
  );
}

/** Runs a command with the server in its environment. Resolves with its exit code. */
function runCommand(
  cli: CommandContext,
  server: AnnouncedServer,
  words: readonly string[],
): Promise<number> {
  const { signal } = cli;
  const [program = '', ...rest] = words;
  const own = Object.entries(process.env).filter(
    ([name]) => !otherServerVariables.some((other) => other === name),
  );
  return new Promise((resolve, reject) => {
    const child = spawn(program, rest, {
      stdio: 'inherit',
      env: {
        ...Object.fromEntries(own),
        ...createEnvironment(server),
        ...getRequestFileVariables(cli),
      },
    });
    const stop = () => child.kill('SIGTERM');
    signal.addEventListener('abort', stop, { once: true });
    child.once('error', (error) => {
      reject(new UsageError(`cannot run ${program}: ${systemReason(error)}`));
    });
    child.once('exit', (code, name) => {
      signal.removeEventListener('abort', stop);
      resolve(code ?? 128 + (name ? constants.signals[name] : 0));
    });
  });
}
