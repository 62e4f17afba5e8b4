/** `vmctl serve --stop`: shutdown of a background server. */

import { existsSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { getErrorCode } from '../../../caught-errors.ts';
import { UsageError, VmctlError } from '../../../client/errors.ts';
import { poll } from '../../../client/poll.ts';
import { shellQuote } from '../../../client/shell-quote.ts';
import { systemReason } from '../../../system-errors.ts';
import type { CommandContext } from '../../session/command-context.ts';
import { write } from '../../session/io.ts';
import { formatKillCommand } from '../../session/platform.ts';
import { requestStop } from '../../session/signals.ts';
import { exportedNames, printLines } from './announce.ts';
import { findInstances, type Instance, isRunning } from './instances.ts';
import { formatServeFlag, hasValue, type ServeFlags } from './options.ts';

/** Milliseconds for pending requests and for flushing memory to disk. */
const stopTimeoutMs = 30_000;
/** Milliseconds between checks of the process. */
const interval = 20;

/**
 * Stops the server that the flags or `VMCTL_SERVE_PID` select, or the only one. No matching server
 * counts as success. Throws `UsageError` if several match.
 */
export async function stopServer(
  cli: CommandContext,
  words: readonly string[],
  flags: ServeFlags,
): Promise<void> {
  checkFlags(flags);
  if (words.length > 0) throw new UsageError('--stop does not run a command');
  const { running, ended } = findInstances(cli.paths.stateDirectory);
  for (const { pid, log } of ended) {
    await printLines(cli.io.stderr, [`process ${pid} exited; its log is ${log}`]);
  }
  const chosen = selectInstance(running, flags, cli.io.env['VMCTL_SERVE_PID']);
  if (chosen === undefined) await printLines(cli.io.stderr, [formatNoServer(flags, running)]);
  else await stopInstance(cli, chosen);
  if (flags.env) {
    await write(cli.io.stdout, `unset ${exportedNames.join(' ')}\n`);
  }
}

const allowedFlags: ReadonlySet<string> = new Set(['stop', 'listen', 'data', 'env']);

function checkFlags(flags: ServeFlags): void {
  const other = Object.entries(flags).find(
    ([name, value]) => !allowedFlags.has(name) && hasValue(value),
  );
  if (other === undefined) return;
  throw new UsageError(`${formatServeFlag(other[0])} is not valid with --stop`, {
    hint: 'use --listen or --data to select the server',
  });
}

function selectInstance(
  running: readonly Instance[],
  { listen, data }: ServeFlags,
  pid: string | undefined,
): Instance | undefined {
  const isNamed = listen !== undefined || data !== undefined;
  const found = running.filter((one) => {
    if (!isNamed) return !pid || String(one.pid) === pid;
    const isThere = listen === undefined || new URL(one.url).host === addHost(listen);
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

/** Adds the loopback host to `:8443`. */
function addHost(listen: string): string {
  return listen.startsWith(':') ? `127.0.0.1${listen}` : listen;
}

function formatNoServer({ listen, data }: ServeFlags, running: readonly Instance[]): string {
  if (running.length === 0) return 'no server is running';
  if (listen !== undefined || data !== undefined) {
    return `no server is running at ${[listen, data].filter(Boolean).join(' with ')}`;
  }
  return 'VMCTL_SERVE_PID is not a server in the background';
}

async function stopInstance(cli: CommandContext, instance: Instance): Promise<void> {
  const { pid, url, file, log } = instance;
  try {
    requestStop(pid, file);
  } catch (error) {
    if (getErrorCode(error) !== 'ESRCH') {
      throw new VmctlError(`cannot stop process ${pid}: ${systemReason(error)}`, {
        cause: error,
      });
    }
  }
  const createError = () =>
    new VmctlError(`process ${pid} did not stop`, {
      code: 'still_running',
      hint: `its log is ${log}; use ${formatKillCommand(pid)} to force it`,
    });
  const read = () => isRunning(instance);
  const timeout = { ms: stopTimeoutMs, createError };
  for await (const isStillRunning of poll({ read, interval, signal: cli.signal, timeout })) {
    if (!isStillRunning) break;
  }
  // A clean shutdown removes the record.
  if (existsSync(file)) {
    rmSync(file, { force: true });
    await printLines(cli.io.stderr, [`process ${pid} did not stop cleanly: its log is ${log}`]);
    return;
  }
  rmSync(log, { force: true });
  await printLines(cli.io.stderr, [`stopped the server at ${url}`]);
}
