/**
 * `--sandbox`: a server in the process of one command, which sees nothing else: no configuration, no
 * token, no names of its user. It listens on free ports of this machine alone, as transfers and answers
 * that come in pieces need connections; everything of it is in a private folder that goes with it.
 */

import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UsageError } from '../../../client/errors.ts';
import type { RunningServer } from '../../../server/main.ts';
import { systemReason } from '../../../system-errors.ts';
import type { Environment, Io } from '../../session/io.ts';
import { longFlag, type SettingName, settings } from '../../session/settings.ts';

export interface Sandbox {
  /** The streams of the command, and the environment in which it finds the server. */
  readonly io: Io;
  /** Ends the server, and leaves nothing behind. */
  close(): Promise<void>;
}

/** Settings that say which server is meant, and how to get there. */
const ofServers = [
  ...['context', 'url', 'username', 'passwordFile', 'caFile', 'insecure', 'confirm'],
] as readonly SettingName[];

/** Nouns whose hand-made commands are about real servers, or about what is remembered of them. */
const elsewhere: ReadonlySet<string> = new Set([
  ...['config', 'context', 'history', 'images', 'login', 'logout', 'serve', 'undo'],
]);

/** Ids are the same in every sandbox: what one command prints, the next one may be given. */
const seed = 1;

const tokenLifetime = 8 * 3600;

/**
 * Throws a usage error where a sandbox makes no sense: beside some other flags, and for commands that
 * are not about the API of a server. `local` is the noun of a hand-made command.
 */
export function checkSandbox(
  local: string | undefined,
  flags: Readonly<Record<string, unknown>>,
): void {
  if (local !== undefined && elsewhere.has(local)) {
    throw new UsageError(`${local} --sandbox: not valid for this command`, {
      hint: 'remove --sandbox; vmctl serve --memory -- COMMAND runs several commands with one server',
    });
  }
  const other = ofServers.find((name) => flags[name] !== undefined);
  if (other === undefined) return;
  throw new UsageError(`--sandbox and ${longFlag(settings[other])} exclude each other`, {
    hint: 'remove one of them',
  });
}

/** Begins a sandbox; without `needsServer` it only keeps what the user has out of sight. */
export async function openSandbox(
  io: Io,
  needsServer: boolean,
  log: ((line: string) => void) | undefined,
): Promise<Sandbox> {
  const folder = makeFolder();
  const remove = () => rmSync(folder, { recursive: true, force: true });
  // Whoever does not wait for the end of the command: a second Ctrl-C, a reader that has gone.
  const hangUp = () => process.exit(129);
  process.once('exit', remove);
  process.once('SIGHUP', hangUp);
  let server: RunningServer | undefined;
  const close = async () => {
    try {
      await server?.stop();
    } finally {
      remove();
      process.off('exit', remove);
      process.off('SIGHUP', hangUp);
    }
  };
  try {
    if (needsServer) server = await start(folder, log ?? (() => undefined));
  } catch (error) {
    await close();
    throw error;
  }
  const env = { ...withoutUser(io.env, folder), ...(server ? signedIn(server) : {}) };
  return { io: Object.create(io, { env: { value: env, enumerable: true } }) as Io, close };
}

function makeFolder(): string {
  try {
    return mkdtempSync(join(tmpdir(), 'vmctl-sandbox-'));
  } catch (error) {
    throw new UsageError(`--sandbox: cannot create a temporary folder: ${systemReason(error)}`, {
      hint: 'set TMPDIR to another folder',
      cause: error,
    });
  }
}

async function start(folder: string, log: (line: string) => void): Promise<RunningServer> {
  const { loadServer } = await import('../../../server/load.ts');
  const startServer = await loadServer();
  const anyPort = { host: '127.0.0.1', port: 0 };
  return await startServer({
    listen: anyPort,
    imagesListen: anyPort,
    data: undefined,
    scratch: join(folder, 's'),
    dialect: 'standard',
    admin: 'admin@internal',
    password: randomBytes(12).toString('base64url'),
    inventory: 'small',
    speed: 0,
    seed,
    tokenLifetime,
    log,
  });
}

function signedIn(server: RunningServer): Environment {
  return {
    VMCTL_URL: server.baseUrl,
    VMCTL_USERNAME: server.username,
    VMCTL_PASSWORD: server.password,
    VMCTL_CA_FILE: server.caFile,
  };
}

/** An environment in which nothing leads to what its user keeps, nor past this machine. */
function withoutUser(env: Environment, folder: string): Environment {
  const cleared = [
    ...ofServers.map((name) => settings[name].env),
    ...(['token', 'password', 'passphrase', 'readOnly'] as const).map((name) => settings[name].env),
  ];
  const exceptions = [env['no_proxy'] || env['NO_PROXY'], '127.0.0.1'].filter(Boolean).join(',');
  return {
    ...env,
    ...Object.fromEntries(
      cleared.flatMap((name) => (name === undefined ? [] : [[name, undefined]])),
    ),
    VMCTL_CONFIG_DIR: join(folder, 'config'),
    XDG_CONFIG_HOME: join(folder, 'config'),
    XDG_STATE_HOME: join(folder, 'state'),
    XDG_CACHE_HOME: join(folder, 'cache'),
    no_proxy: exceptions,
    NO_PROXY: exceptions,
  };
}
