/** `vmctl images serve`: the image daemon as a separate server for the images of tickets. */

import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { getErrorMessage } from '../../../caught-errors.ts';
import { UsageError } from '../../../client/errors.ts';
import type { ImageDaemon, Ticket } from '../../../images/index.ts';
import { Mistake } from '../../../source-place.ts';
import { systemReason } from '../../../system-errors.ts';
import { type ParsedFile, parseJsonFile } from '../../../wire/json-file.ts';
import type { CommandContext } from '../../session/command-context.ts';
import { write } from '../../session/io.ts';
import { requireUnixSockets } from '../../session/platform.ts';
import { writeReadyFile } from '../../session/private-file.ts';
import { waitForStopSignal } from '../../session/signals.ts';

export interface ServeFlags {
  readonly ticket?: readonly string[];
  readonly listen: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly tls: boolean;
  readonly unixSocket?: string;
  readonly controlSocket?: string;
  readonly maxConnections: string;
  readonly maxPerAddress: string;
  readonly readyFile?: string;
}

interface Tls {
  readonly key: string;
  readonly cert: string;
  /** File with the certificate authority of a self-signed certificate. */
  readonly caFile?: string;
}

/** Runs the daemon until a stop signal. Throws `UsageError` for invalid flags. */
export async function serve(cli: CommandContext, flags: ServeFlags): Promise<void> {
  if (!flags.ticket && flags.controlSocket === undefined) {
    throw new UsageError('no ticket to serve', {
      hint: 'use --ticket FILE, or --control-socket PATH to add tickets later',
    });
  }
  const { maxConnections, startImageDaemon } = await import('../../../images/index.ts');
  const { isEverywhere, parseAddress, getUrlHost } = await import(
    '../../../server/core/options.ts'
  );
  const { host, port } = withUsageErrors(() => parseAddress(flags.listen, '--listen'));
  const tickets = await readTickets(cli, flags.ticket ?? []);
  const named = isEverywhere(host) ? [] : [host];
  const tls = await loadTls(cli, flags, named);
  if (flags.unixSocket !== undefined) requireUnixSockets('--unix-socket', 'use --listen');
  if (flags.controlSocket !== undefined)
    requireUnixSockets('--control-socket', 'use --ticket FILE');
  const sockets = {
    ...(flags.unixSocket === undefined ? {} : { unixSocket: resolve(flags.unixSocket) }),
    ...(flags.controlSocket === undefined ? {} : { controlSocket: resolve(flags.controlSocket) }),
  };
  // Must come before the start, so that an early stop signal is not lost.
  const stopping = waitForStopSignal();
  cli.signal.throwIfAborted();
  const daemon = await startImageDaemon({
    host,
    port,
    tickets,
    ...sockets,
    maxConnections: parseLimit(flags.maxConnections, '--max-connections', maxConnections),
    maxPerAddress: parseLimit(flags.maxPerAddress, '--max-per-address', maxConnections),
    ...(tls ? { tls: { key: tls.key, cert: tls.cert } } : {}),
    // This process has no other work that the daemon could block.
    inThread: false,
  }).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`cannot listen on ${flags.listen}: ${systemReason(error)}`, {
      hint: 'use another address with --listen',
      cause: error,
    });
  });
  try {
    const url = `${tls ? 'https' : 'http'}://${getUrlHost(host)}:${daemon.port}`;
    await announce(cli, { ...daemon, url }, tickets, flags.readyFile, tls?.caFile);
    await stopping;
  } finally {
    await daemon.close();
  }
}

function parseLimit(text: string, option: string, max: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= 1 && value <= max) return value;
  throw new UsageError(`${option} ${text}: not a number from 1 to ${max}`);
}

/** Converts parser errors into usage errors. */
function withUsageErrors<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new UsageError(getErrorMessage(error));
  }
}

/** Reads tickets: one JSON document per file. */
async function readTickets(cli: CommandContext, files: readonly string[]): Promise<Ticket[]> {
  const { parseTicket } = await import('../../../images/index.ts');
  const tickets: Ticket[] = [];
  for (const file of files) {
    const ticket = parseTicketFile(file, await readFile(cli, file), parseTicket);
    if (tickets.some(({ id }) => id === ticket.id)) {
      throw new UsageError(`${file} has a ticket with the uuid of another one`);
    }
    tickets.push(ticket);
  }
  return tickets;
}

async function readFile(cli: CommandContext, file: string): Promise<string> {
  if (file === '-') return textOf(cli.io.stdin);
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`cannot read "${file}": ${systemReason(error)}`);
  }
}

function parseTicketFile(
  file: string,
  content: string,
  read: (document: unknown) => Ticket,
): Ticket {
  const name = file === '-' ? 'standard input' : file;
  const hint =
    'use {"uuid": "t", "size": 1048576, "ops": ["read"], "timeout": 3600, "url": "file:///disk.raw"}';
  let document: ParsedFile;
  try {
    document = parseJsonFile(content, name);
  } catch (error) {
    throw new UsageError(getErrorMessage(error), { hint, cause: error });
  }
  try {
    return read(document.value);
  } catch (error) {
    if (!(error instanceof Mistake)) throw error;
    const position = document.place.at(...error.steps).position();
    throw new UsageError(`${position}: not a ticket: ${error.message}`, { hint });
  }
}

/** Returns key and certificate: given or self-signed; undefined for plain HTTP. */
async function loadTls(
  cli: CommandContext,
  flags: ServeFlags,
  names: readonly string[],
): Promise<Tls | undefined> {
  const { tlsCert, tlsKey, tls } = flags;
  if (!tls) {
    if (tlsCert === undefined && tlsKey === undefined) return undefined;
    throw new UsageError('--tls-cert and --tls-key are not valid with --no-tls');
  }
  const certificates = await import('../../../server/tls/certificates.ts');
  if (tlsCert !== undefined && tlsKey !== undefined) {
    const { server } = withUsageErrors(() => certificates.readGivenCertificates(tlsCert, tlsKey));
    return { key: server.key, cert: server.certificate };
  }
  if (tlsCert !== undefined || tlsKey !== undefined) {
    throw new UsageError('--tls-cert and --tls-key must be used together');
  }
  const folder = resolve(cli.paths.stateDirectory, 'images-serve');
  const hosts = [...new Set([...names, 'localhost', '127.0.0.1', '::1', hostname()])];
  const { server } = await certificates.loadOwnCertificates(folder, hosts, new Date());
  return { key: server.key, cert: server.certificate, caFile: resolve(folder, 'ca.pem') };
}

/** Prints the addresses of the daemon, and writes the ready file. */
async function announce(
  cli: CommandContext,
  daemon: ImageDaemon,
  tickets: readonly Ticket[],
  readyFile: string | undefined,
  caFile: string | undefined,
): Promise<void> {
  const urls = tickets.map(({ id }) => `${daemon.url}/images/${encodeURIComponent(id)}`);
  if (readyFile !== undefined) {
    // The address of an image grants access, so the file is private.
    writeReadyFile(readyFile, {
      url: daemon.url,
      images: urls,
      unix_socket: daemon.unixSocket ?? null,
      control_socket: daemon.controlSocket ?? null,
      ca_file: caFile ?? null,
      pid: process.pid,
    });
  }
  const lines = [
    `image daemon: ${daemon.url}`,
    ...urls.map((url) => `image: ${url}`),
    ...(daemon.unixSocket === undefined ? [] : [`unix socket: ${daemon.unixSocket}`]),
    ...(daemon.controlSocket === undefined ? [] : [`control socket: ${daemon.controlSocket}`]),
    ...(caFile === undefined ? [] : [`certificate authority: ${caFile}`]),
  ];
  await write(cli.io.stderr, lines.map((line) => `vmctl images serve: ${line}\n`).join(''));
}
