/**
 * `--sandbox`: a temporary server in the process of one command.
 * The command sees no configuration, token or cached names of the user. The server listens on free
 * loopback ports, because transfers and streamed responses need connections. Its files are in a
 * private folder that is removed at the end.
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
  /** Streams of the command, with an environment that selects the server. */
  readonly io: Io;
  /** Stops the server and removes its files. */
  close(): Promise<void>;
}

/** Settings that select a server. */
const serverSettings: readonly SettingName[] = [
  'context',
  'url',
  'username',
  'passwordFile',
  'caFile',
  'insecure',
  'confirm',
];

/** Nouns whose hand-made commands concern real servers or local files of them. */
const unsupportedNouns: ReadonlySet<string> = new Set([
  ...['config', 'context', 'history', 'images', 'login', 'logout', 'serve', 'undo'],
]);

/**
 * A fixed seed gives every sandbox the same ids, so that commands can use the output of earlier
 * ones.
 */
const seed = 1;

const tokenLifetime = 8 * 3600;

/**
 * Throws `UsageError` for conflicting flags, and for commands without API requests. `local` is the
 * noun of a hand-made command.
 */
export function checkSandbox(
  local: string | undefined,
  flags: Readonly<Record<string, unknown>>,
): void {
  if (local !== undefined && unsupportedNouns.has(local)) {
    throw new UsageError(`${local} --sandbox: not valid for this command`, {
      hint: 'remove --sandbox; vmctl serve --memory -- COMMAND runs several commands with one server',
    });
  }
  const other = serverSettings.find((name) => flags[name] !== undefined);
  if (other === undefined) return;
  throw new UsageError(`--sandbox and ${longFlag(settings[other])} exclude each other`, {
    hint: 'remove one of them',
  });
}

/** Creates a sandbox. Without `needsServer`, it only hides the files of the user. */
export async function openSandbox(
  io: Io,
  needsServer: boolean,
  log: ((line: string) => void) | undefined,
): Promise<Sandbox> {
  const folder = createFolder();
  const remove = () => rmSync(folder, { recursive: true, force: true });
  // Also removes the files after a second Ctrl-C, or after a hang-up.
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
    if (needsServer) server = await startSandboxServer(folder, log ?? (() => undefined));
  } catch (error) {
    await close();
    throw error;
  }
  const env = { ...hideUser(io.env, folder), ...(server ? createSignInVariables(server) : {}) };
  return { io: withEnvironment(io, env), close };
}

/** Returns the same streams, which open on first use, with another environment. */
function withEnvironment(io: Io, env: Environment): Io {
  return {
    env,
    get stdin() {
      return io.stdin;
    },
    get stdout() {
      return io.stdout;
    },
    get stderr() {
      return io.stderr;
    },
  };
}

function createFolder(): string {
  try {
    return mkdtempSync(join(tmpdir(), 'vmctl-sandbox-'));
  } catch (error) {
    throw new UsageError(`--sandbox: cannot create a temporary folder: ${systemReason(error)}`, {
      hint: 'set TMPDIR to another folder',
      cause: error,
    });
  }
}

async function startSandboxServer(
  folder: string,
  log: (line: string) => void,
): Promise<RunningServer> {
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

function createSignInVariables(server: RunningServer): Environment {
  return {
    VMCTL_URL: server.baseUrl,
    VMCTL_USERNAME: server.username,
    VMCTL_PASSWORD: server.password,
    VMCTL_CA_FILE: server.caFile,
  };
}

/** Returns an environment without references to the user's files or to other computers. */
function hideUser(env: Environment, folder: string): Environment {
  const cleared = [
    ...serverSettings.map((name) => settings[name].env),
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
