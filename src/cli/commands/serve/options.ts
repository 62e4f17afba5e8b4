/** Flags of `vmctl serve`, and the server options that they select. */

import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { getErrorMessage } from '../../../caught-errors.ts';
import { UsageError } from '../../../client/errors.ts';
import { escapeControlChars } from '../../../escape-control-chars.ts';
import type { StoreAddress } from '../../../server/core/opened-site.ts';
import type { ServerOptions } from '../../../server/core/options.ts';
import { systemReason } from '../../../system-errors.ts';
import type { CommandContext } from '../../session/command-context.ts';
import { requireUnixSockets } from '../../session/platform.ts';
import { toKebabCase } from '../../verbs/fields.ts';
import { apiAddress, freeAddress, imagesAddress } from './default-addresses.ts';

export interface ServeFlags {
  readonly listen?: string;
  readonly imagesListen?: string;
  readonly imagesControlSocket?: string;
  readonly data?: string;
  readonly memory?: boolean;
  readonly store?: string;
  readonly images?: string;
  readonly newSite?: boolean;
  readonly adoptImages?: boolean;
  readonly acceptLoss?: boolean;
  readonly dialect?: 'standard' | 'ovirt';
  readonly log?: 'requests';
  readonly appRoot?: string;
  readonly scope?: string;
  readonly admin?: string;
  readonly passwordFile?: string;
  readonly hostFiles?: string;
  readonly sharedStorage?: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly hostName: readonly string[];
  readonly allowOrigin: readonly string[];
  readonly inventory?: string;
  readonly speed?: number;
  readonly seed?: number;
  readonly tokenLifetime?: number;
  readonly readyFile?: string;
  readonly env?: boolean;
  readonly load?: string;
  readonly save?: string;
  readonly check?: boolean;
  readonly backup?: string;
  readonly restore?: string;
  readonly detach?: boolean;
  readonly stop?: boolean;
  /** Record file of a background server. */
  readonly instance?: string;
}

const defaultTokenLifetime = 8 * 3600;

/** Returns the flag of a property: `--tls-cert` for `tlsCert`. */
export function formatServeFlag(name: string): string {
  return `--${toKebabCase(name)}`;
}

/** Whether a flag has a value. */
export function hasValue(value: unknown): boolean {
  return value !== undefined && !(Array.isArray(value) && value.length === 0);
}

/** Converts flags to server options. Throws `UsageError`. */
export async function createServerOptions(
  cli: CommandContext,
  flags: ServeFlags,
  hasCommand: boolean,
  store?: StoreAddress,
): Promise<ServerOptions> {
  const { parseAddress, parseHostName, parseOrigin } = await import(
    '../../../server/core/options.ts'
  );
  if (flags.memory && flags.data !== undefined) {
    throw new UsageError('--memory and --data exclude each other');
  }
  if ((flags.tlsCert === undefined) !== (flags.tlsKey === undefined)) {
    throw new UsageError('--tls-cert and --tls-key must be used together');
  }
  if (flags.imagesControlSocket !== undefined) {
    requireUnixSockets('--images-control-socket', 'remove this flag');
  }
  const selectAddress = (given: string | undefined, usual: string) =>
    given ?? (hasCommand ? freeAddress : usual);
  return {
    listen: parseFlagValue(parseAddress, selectAddress(flags.listen, apiAddress), '--listen'),
    imagesListen: parseFlagValue(
      parseAddress,
      selectAddress(flags.imagesListen, imagesAddress),
      '--images-listen',
    ),
    imagesControlSocket: toAbsolutePath(flags.imagesControlSocket),
    data: flags.memory ? undefined : getDataFolder(cli, flags),
    store,
    images: toAbsolutePath(flags.images),
    newSite: flags.newSite,
    adoptImages: flags.adoptImages,
    acceptLoss: flags.acceptLoss,
    dialect: flags.dialect ?? 'standard',
    appRoot: flags.appRoot,
    scope: flags.scope,
    admin: flags.admin ?? 'admin@internal',
    password: readServerPassword(cli, flags),
    hostFiles: toAbsolutePath(flags.hostFiles),
    sharedStorage: toAbsolutePath(flags.sharedStorage),
    tlsCert: toAbsolutePath(flags.tlsCert),
    tlsKey: toAbsolutePath(flags.tlsKey),
    hostNames: flags.hostName.map((name) => parseFlagValue(parseHostName, name, '--host-name')),
    allowOrigins: flags.allowOrigin.map((text) =>
      parseFlagValue(parseOrigin, text, '--allow-origin'),
    ),
    inventory: flags.inventory ?? 'small',
    load: toAbsolutePath(flags.load),
    speed: flags.speed ?? 1,
    seed: flags.seed,
    tokenLifetime: flags.tokenLifetime ?? defaultTokenLifetime,
    // For tests and benchmarks of the server only, therefore not options.
    callLog: toAbsolutePath(cli.io.env['VMCTL_SERVE_CALL_LOG'] || undefined),
    cachesObjects: cli.io.env['VMCTL_SERVE_OBJECT_CACHE'] !== 'off',
    logsRequests: flags.log === 'requests',
    log: (line) => cli.io.stderr.write(`vmctl serve: ${escapeControlChars.message(line)}\n`),
  };
}

/** Parses the value of a flag, and converts errors into usage errors. */
function parseFlagValue<T>(
  parse: (text: string, option: string) => T,
  text: string,
  option: string,
): T {
  try {
    return parse(text, option);
  } catch (error) {
    throw new UsageError(getErrorMessage(error));
  }
}

/** Returns an absolute path, so that later changes of the working directory have no effect. */
export function toAbsolutePath(path: string | undefined): string | undefined {
  return path === undefined ? undefined : resolve(path);
}

/** Returns the data folder as an absolute path. */
export function getDataFolder(
  cli: CommandContext,
  { data, store }: Pick<ServeFlags, 'data' | 'store'>,
): string {
  const named = store?.startsWith(sqlitePrefix) ? store.slice(sqlitePrefix.length) : undefined;
  return resolve(data ?? named ?? join(cli.paths.stateDirectory, 'serve'));
}

const sqlitePrefix = 'sqlite:';

/**
 * Returns the address of the shared store; undefined if the state is in a folder. Throws
 * `UsageError`.
 */
export function parseSharedAddress({
  store,
  data,
  memory,
}: Pick<ServeFlags, 'store' | 'data' | 'memory'>): string | undefined {
  if (store === undefined) return undefined;
  if (memory) {
    throw new UsageError('--memory and --store exclude each other');
  }
  if (!store.startsWith(sqlitePrefix)) return store;
  if (store === sqlitePrefix) throw createInvalidStoreError(store, ['sqlite:DIR']);
  if (data !== undefined) {
    throw new UsageError('--store sqlite:DIR and --data DIR exclude each other');
  }
  return undefined;
}

/** Creates the error for an invalid store address. */
export function createInvalidStoreError(store: string, examples: readonly string[]): UsageError {
  return new UsageError(`--store ${store}: not a valid store`, {
    hint: `use ${examples.join(' or ')}`,
  });
}

function readServerPassword(cli: CommandContext, { passwordFile }: ServeFlags): string | undefined {
  if (passwordFile === undefined) return cli.io.env['VMCTL_SERVE_PASSWORD'] || undefined;
  try {
    const password = readFileSync(passwordFile, 'utf8').replace(/\r?\n$/, '');
    if (password !== '') return password;
  } catch (error) {
    throw new UsageError(`--password-file: cannot read "${passwordFile}": ${systemReason(error)}`);
  }
  throw new UsageError(`--password-file ${passwordFile} is empty`);
}
