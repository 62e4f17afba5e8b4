/** The run of `vmctl serve`: the server, for as long as it is wanted or for one command. */

import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { constants } from 'node:os';
import { resolve as resolvePath } from 'node:path';
import { UsageError } from '../../../client/errors.ts';
import { systemReason } from '../../../system-errors.ts';
import type { CommandContext } from '../../session/command-context.ts';
import { writeOptionFile } from '../../session/private-file.ts';
import { longFlag, requestFiles, settings } from '../../session/settings.ts';
import { stopSignal } from '../../session/signals.ts';
import {
  type AnnouncedServer,
  announcement,
  environmentOf,
  otherServers,
  say,
  writeExports,
  writeReady,
} from './announce.ts';
import type { Started } from './detach.ts';
import type { ServeExtension, ServeHandlers } from './extension.ts';
import {
  absolute,
  dataFolder,
  type ServeFlags,
  serverOptions,
  sharedAddressOf,
} from './options.ts';
import { sharedStore } from './shared-store.ts';

/** Runs the server, or does one of the other things that the flags ask for. */
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
    return (await import('./detach.ts')).detach(cli, flags, extensions);
  }
  if (flags.save !== undefined) return save(cli, flags.save);
  const handlers = await Promise.all(extensions.map(({ load }) => load()));
  for (const one of handlers) if (await one.perform?.({ cli, flags, words }, flags)) return;
  const { check, backup, restore } = flags;
  if (check === true || backup !== undefined || restore !== undefined) {
    const { maintain } = await import('./maintain.ts');
    requireFolder(flags);
    const isNamed = flags.data !== undefined || flags.store !== undefined;
    const folder = !isNamed && backup !== undefined ? undefined : dataFolder(cli, flags);
    return maintain(cli, folder, { check, backup, restore, images: absolute(flags.images) });
  }
  const start = await startOf(cli, flags, hasCommand, handlers);
  // From now on: whoever asks it to stop while it starts, or the moment it is ready, is heard.
  const stopping = hasCommand ? undefined : stopSignal(flags.instance !== undefined);
  cli.signal.throwIfAborted();
  const server = await start().catch((error: unknown) => {
    throw refusalOf(error);
  });
  try {
    await announce(cli, server, flags, hasCommand, handlers);
    if (hasCommand) cli.exitCode = await runCommand(cli, server, words);
    else await stopping;
  } finally {
    await server.stop();
    // Only now: whoever waits for its end may rely on it.
    if (flags.instance !== undefined) rmSync(flags.instance, { force: true });
  }
}

/** What starts the server that the flags ask for; wrong flags are refused at once. */
async function startOf(
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
  const options = await serverOptions(cli, flags, hasCommand, await sharedStore(flags, handlers));
  const nature = 'hosts and VMs are simulated; disk contents are real';
  return async () => ({ ...(await startServer({ ...options, extensions })), nature });
}

/** Refuses what is done with folders alone. */
function requireFolder(flags: ServeFlags): void {
  const task = (['check', 'restore', 'backup'] as const).find((name) => flags[name] !== undefined);
  if (sharedAddressOf(flags) !== undefined) {
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

/** Refuses what a server in the background cannot do. */
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

/** Tells where the server is, to whoever started it. */
async function announce(
  cli: CommandContext,
  server: AnnouncedServer,
  flags: ServeFlags,
  runsCommand: boolean,
  handlers: readonly ServeHandlers[],
): Promise<void> {
  writeReady(server, flags);
  if (runsCommand) return;
  const environment = environmentOf(server);
  const lines = announcement(
    server,
    handlers.flatMap((one) => one.announce?.(server) ?? []),
  );
  if (flags.instance !== undefined) {
    const { writeInstance } = await import('./instances.ts');
    const keepsData = flags.memory !== true && !server.isReadOnly;
    const data = keepsData ? dataFolder(cli, flags) : undefined;
    writeInstance(flags.instance, { url: server.baseUrl, data });
    const started: Started = { environment, lines };
    // Whoever started it may be gone by now: the server runs all the same.
    process.send?.(started, undefined, undefined, () => {
      if (process.connected) process.disconnect();
    });
    return;
  }
  if (flags.env) await writeExports(cli.io.stdout, environment, process.pid, cli.io.env);
  await say(cli.io.stderr, lines);
  for (const one of handlers) one.afterStart?.(cli, flags, server.baseUrl);
}

/** What keeps a server from starting, with what can be done about it. */
function refusalOf(error: unknown): UsageError {
  const { message, hint } = error as { message?: string; hint?: string };
  return new UsageError(message ?? String(error), hint === undefined ? {} : { hint });
}

/** Fetches the state of a running server into a file, which is there as a whole or not at all. */
async function save(cli: CommandContext, file: string): Promise<void> {
  const client = await cli.client();
  const answer = await client.raw({ method: 'GET', path: '/_vmctl/state' });
  if (answer.status !== 200) {
    throw new UsageError(`the server sends no state: status ${answer.status}`, {
      hint: 'only the administrator of a vmctl serve can download its state',
    });
  }
  writeOptionFile('--save', file, answer.body);
}

/** Variables for the files to which the command writes its requests. */
function requestFileVariables(cli: CommandContext): Record<string, string> {
  return Object.fromEntries(
    requestFiles.flatMap((name) => {
      const { env } = settings[name];
      const file = cli.setting(name)?.value;
      return env === undefined || file === undefined ? [] : [[env, resolvePath(file)]];
    }),
  );
}

/** Runs a command with the server in its environment; resolves with its exit code. */
function runCommand(
  cli: CommandContext,
  server: AnnouncedServer,
  words: readonly string[],
): Promise<number> {
  const { signal } = cli;
  const [program = '', ...rest] = words;
  const own = Object.entries(process.env).filter(
    ([name]) => !otherServers.some((other) => other === name),
  );
  return new Promise((resolve, reject) => {
    const child = spawn(program, rest, {
      stdio: 'inherit',
      env: {
        ...Object.fromEntries(own),
        ...environmentOf(server),
        ...requestFileVariables(cli),
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
