/** `vmctl serve --stop`: ends a server in the background. */

import { existsSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { UsageError, VmctlError } from '../../../client/errors.ts';
import { shellQuote } from '../../../client/shell-quote.ts';
import { systemReason } from '../../../system-errors.ts';
import type { CommandContext } from '../../session/command-context.ts';
import { write } from '../../session/io.ts';
import { exportedNames, say } from './announce.ts';
import { type Instance, isRunning, runningInstances } from './instances.ts';
import { flagOf, isGiven, type ServeFlags } from './options.ts';

/** Milliseconds for requests under way and for writing down what is in memory. */
const stopTimeout = 30_000;
const interval = 20;

/**
 * Ends the one that the flags or `VMCTL_SERVE_PID` mean, or the only one. Nothing to end is success.
 * Throws a usage error where several may be meant.
 */
export async function stopServer(
  cli: CommandContext,
  words: readonly string[],
  flags: ServeFlags,
): Promise<void> {
  checkFlags(flags);
  if (words.length > 0) throw new UsageError('--stop does not run a command');
  const { running, ended } = runningInstances(cli.paths.stateDirectory);
  for (const { pid, log } of ended) {
    await say(cli.io.stderr, [`process ${pid} exited; its log is ${log}`]);
  }
  const chosen = chosenOf(running, flags, cli.io.env['VMCTL_SERVE_PID']);
  if (chosen === undefined) await say(cli.io.stderr, [nothing(flags, running)]);
  else await end(cli, chosen);
  if (flags.env) {
    await write(cli.io.stdout, `unset ${exportedNames.join(' ')}\n`);
  }
}

const understood: ReadonlySet<string> = new Set(['stop', 'listen', 'data', 'env']);

function checkFlags(flags: ServeFlags): void {
  const other = Object.entries(flags).find(
    ([name, value]) => !understood.has(name) && isGiven(value),
  );
  if (other === undefined) return;
  throw new UsageError(`${flagOf(other[0])} is not valid with --stop`, {
    hint: 'use --listen or --data to select the server',
  });
}

function chosenOf(
  running: readonly Instance[],
  { listen, data }: ServeFlags,
  pid: string | undefined,
): Instance | undefined {
  const isNamed = listen !== undefined || data !== undefined;
  const found = running.filter((one) => {
    if (!isNamed) return !pid || String(one.pid) === pid;
    const isThere = listen === undefined || new URL(one.url).host === withHost(listen);
    return isThere && (data === undefined || one.data === resolve(data));
  });
  if (found.length < 2) return found[0];
  const lines = found.map(
    ({ url, data: folder, pid: process }) =>
      `${new URL(url).host} (process ${process}${folder === undefined ? '' : `, ${folder}`})`,
  );
  throw new UsageError(`several servers are running: ${lines.join(', ')}`, {
    hint: `select one: vmctl serve --stop --listen ${shellQuote(new URL(found[0]?.url ?? '').host)}`,
  });
}

/** `:8443` is on this machine. */
function withHost(listen: string): string {
  return listen.startsWith(':') ? `127.0.0.1${listen}` : listen;
}

function nothing({ listen, data }: ServeFlags, running: readonly Instance[]): string {
  if (running.length === 0) return 'no server is running';
  if (listen !== undefined || data !== undefined) {
    return `no server is running at ${[listen, data].filter(Boolean).join(' with ')}`;
  }
  return 'VMCTL_SERVE_PID is not a server in the background';
}

async function end(cli: CommandContext, instance: Instance): Promise<void> {
  const { pid, url, file, log } = instance;
  try {
    process.kill(pid, 'SIGTERM');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') {
      throw new VmctlError(`cannot stop process ${pid}: ${systemReason(error)}`, {
        cause: error,
      });
    }
  }
  const deadline = Date.now() + stopTimeout;
  while (isRunning(instance)) {
    cli.signal.throwIfAborted();
    if (Date.now() > deadline) {
      throw new VmctlError(`process ${pid} did not stop`, {
        code: 'still_running',
        hint: `its log is ${log}; use kill -9 ${pid} to force it`,
      });
    }
    await new Promise((later) => setTimeout(later, interval));
  }
  // A server that ends in order takes its record with it.
  if (existsSync(file)) {
    rmSync(file, { force: true });
    await say(cli.io.stderr, [`process ${pid} did not stop cleanly: its log is ${log}`]);
    return;
  }
  rmSync(log, { force: true });
  await say(cli.io.stderr, [`stopped the server at ${url}`]);
}
