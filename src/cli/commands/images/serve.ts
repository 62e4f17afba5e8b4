/** `vmctl images serve`: the image daemon by itself, for images that tickets name. */

import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { UsageError } from '../../../client/errors.ts';
import type { ImageDaemon, Ticket } from '../../../images/index.ts';
import { Mistake } from '../../../source-place.ts';
import { systemReason } from '../../../system-errors.ts';
import { type ParsedFile, parseJsonFile } from '../../../wire/json-file.ts';
import type { CommandContext } from '../../session/command-context.ts';
import { write } from '../../session/io.ts';
import { writeReadyFile } from '../../session/private-file.ts';
import { stopSignal } from '../../session/signals.ts';

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
  /** File with the authority to trust, where the certificate is one of our own. */
  readonly caFile?: string;
}

/** Serves until it is asked to stop. Throws usage errors for what cannot be served. */
export async function serve(cli: CommandContext, flags: ServeFlags): Promise<void> {
  if (!flags.ticket && flags.controlSocket === undefined) {
    throw new UsageError('no ticket to serve', {
      hint: 'use --ticket FILE, or --control-socket PATH to add tickets later',
    });
  }
  const { maxConnections, startImageDaemon } = await import('../../../images/index.ts');
  const { isEverywhere, parseAddress, urlHost } = await import('../../../server/core/options.ts');
  const { host, port } = inWords(() => parseAddress(flags.listen, '--listen'));
  const tickets = await ticketsOf(cli, flags.ticket ?? []);
  const named = isEverywhere(host) ? [] : [host];
  const tls = await tlsOf(cli, flags, named);
  const sockets = {
    ...(flags.unixSocket === undefined ? {} : { unixSocket: resolve(flags.unixSocket) }),
    ...(flags.controlSocket === undefined ? {} : { controlSocket: resolve(flags.controlSocket) }),
  };
  // From now on: whoever asks it to stop the moment it is ready is heard.
  const stopping = stopSignal();
  cli.signal.throwIfAborted();
  const daemon = await startImageDaemon({
    host,
    port,
    tickets,
    ...sockets,
    maxConnections: numberOf(flags.maxConnections, '--max-connections', maxConnections),
    maxPerAddress: numberOf(flags.maxPerAddress, '--max-per-address', maxConnections),
    ...(tls ? { tls: { key: tls.key, cert: tls.cert } } : {}),
    // There is nobody else in this process whom it could keep waiting.
    inThread: false,
  }).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`cannot listen on ${flags.listen}: ${systemReason(error)}`, {
      hint: 'use another address with --listen',
      cause: error,
    });
  });
  try {
    const url = `${tls ? 'https' : 'http'}://${urlHost(host)}:${daemon.port}`;
    await announce(cli, { ...daemon, url }, tickets, flags.readyFile, tls?.caFile);
    await stopping;
  } finally {
    await daemon.close();
  }
}

function numberOf(text: string, option: string, max: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= 1 && value <= max) return value;
  throw new UsageError(`${option} ${text}: not a number from 1 to ${max}`);
}

/** What is said of a setting that is no good is a usage error here. */
function inWords<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** Reads tickets, a JSON document in each file. */
async function ticketsOf(cli: CommandContext, files: readonly string[]): Promise<Ticket[]> {
  const { parseTicket } = await import('../../../images/index.ts');
  const tickets: Ticket[] = [];
  for (const file of files) {
    const ticket = ticketIn(file, await contentOf(cli, file), parseTicket);
    if (tickets.some(({ id }) => id === ticket.id)) {
      throw new UsageError(`${file} has a ticket with the uuid of another one`);
    }
    tickets.push(ticket);
  }
  return tickets;
}

async function contentOf(cli: CommandContext, file: string): Promise<string> {
  if (file === '-') return textOf(cli.io.stdin);
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`cannot read "${file}": ${systemReason(error)}`);
  }
}

function ticketIn(file: string, content: string, read: (document: unknown) => Ticket): Ticket {
  const name = file === '-' ? 'standard input' : file;
  const hint =
    'use {"uuid": "t", "size": 1048576, "ops": ["read"], "timeout": 3600, "url": "file:///disk.raw"}';
  let document: ParsedFile;
  try {
    document = parseJsonFile(content, name);
  } catch (error) {
    throw new UsageError((error as Error).message, { hint, cause: error });
  }
  try {
    return read(document.value);
  } catch (error) {
    if (!(error instanceof Mistake)) throw error;
    const position = document.place.at(...error.steps).position();
    throw new UsageError(`${position}: not a ticket: ${error.message}`, { hint });
  }
}

/** Key and certificate: those that were given, our own, or none for plain HTTP. */
async function tlsOf(
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
    const { server } = inWords(() => certificates.givenCertificates(tlsCert, tlsKey));
    return { key: server.key, cert: server.certificate };
  }
  if (tlsCert !== undefined || tlsKey !== undefined) {
    throw new UsageError('--tls-cert and --tls-key must be used together');
  }
  const folder = resolve(cli.paths.stateDirectory, 'images-serve');
  const hosts = [...new Set([...names, 'localhost', '127.0.0.1', '::1', hostname()])];
  const { server } = await certificates.ownCertificates(folder, hosts, new Date());
  return { key: server.key, cert: server.certificate, caFile: resolve(folder, 'ca.pem') };
}

/** Tells where the daemon is, in words and as a file. */
async function announce(
  cli: CommandContext,
  daemon: ImageDaemon,
  tickets: readonly Ticket[],
  readyFile: string | undefined,
  caFile: string | undefined,
): Promise<void> {
  const urls = tickets.map(({ id }) => `${daemon.url}/images/${encodeURIComponent(id)}`);
  if (readyFile !== undefined) {
    // Whoever knows the address of an image may use it: nobody else reads this.
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
