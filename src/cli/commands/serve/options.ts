/** The flags of `vmctl serve`, and the settings of the server that they ask for. */

import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { UsageError } from '../../../client/errors.ts';
import { escapeControlChars } from '../../../escape-control-chars.ts';
import type { ServerOptions } from '../../../server/core/options.ts';
import type { StoreAddress } from '../../../server/store/shared-store.ts';
import { systemReason } from '../../../system-errors.ts';
import type { CommandContext } from '../../session/command-context.ts';
import { kebab } from '../../verbs/fields.ts';
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
  /** Of a server in the background: the file of its record. */
  readonly instance?: string;
}

/** Seconds. */
const defaultTokenLifetime = 8 * 3600;

/** The flag of a member: `--tls-cert` for `tlsCert`. */
export function flagOf(name: string): string {
  return `--${kebab(name)}`;
}

/** Whether somebody has given a flag with this value. */
export function isGiven(value: unknown): boolean {
  return value !== undefined && !(Array.isArray(value) && value.length === 0);
}

/** The settings of a server, from the flags. Throws usage errors. */
export async function serverOptions(
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
  const parsed = <T>(parse: (text: string, option: string) => T, text: string, option: string) => {
    try {
      return parse(text, option);
    } catch (error) {
      throw new UsageError(error instanceof Error ? error.message : String(error));
    }
  };
  const addressOf = (given: string | undefined, usual: string) =>
    given ?? (hasCommand ? freeAddress : usual);
  return {
    listen: parsed(parseAddress, addressOf(flags.listen, apiAddress), '--listen'),
    imagesListen: parsed(
      parseAddress,
      addressOf(flags.imagesListen, imagesAddress),
      '--images-listen',
    ),
    imagesControlSocket: absolute(flags.imagesControlSocket),
    data: flags.memory ? undefined : dataFolder(cli, flags),
    store,
    images: absolute(flags.images),
    newSite: flags.newSite,
    adoptImages: flags.adoptImages,
    acceptLoss: flags.acceptLoss,
    dialect: flags.dialect ?? 'standard',
    appRoot: flags.appRoot,
    scope: flags.scope,
    admin: flags.admin ?? 'admin@internal',
    password: passwordOf(cli, flags),
    hostFiles: absolute(flags.hostFiles),
    sharedStorage: absolute(flags.sharedStorage),
    tlsCert: absolute(flags.tlsCert),
    tlsKey: absolute(flags.tlsKey),
    hostNames: flags.hostName.map((name) => parsed(parseHostName, name, '--host-name')),
    allowOrigins: flags.allowOrigin.map((text) => parsed(parseOrigin, text, '--allow-origin')),
    inventory: flags.inventory ?? 'small',
    load: absolute(flags.load),
    speed: flags.speed ?? 1,
    seed: flags.seed,
    tokenLifetime: flags.tokenLifetime ?? defaultTokenLifetime,
    // For tests and benchmarks of the server only, therefore not options.
    callLog: absolute(cli.io.env['VMCTL_SERVE_CALL_LOG'] || undefined),
    cachesObjects: cli.io.env['VMCTL_SERVE_OBJECT_CACHE'] !== 'off',
    logsRequests: flags.log === 'requests',
    log: (line) => cli.io.stderr.write(`vmctl serve: ${escapeControlChars.message(line)}\n`),
  };
}

/** Paths mean what they meant when they were given, whatever is done with them where. */
export function absolute(path: string | undefined): string | undefined {
  return path === undefined ? undefined : resolve(path);
}

/** The folder of the data, an absolute path. */
export function dataFolder(
  cli: CommandContext,
  { data, store }: Pick<ServeFlags, 'data' | 'store'>,
): string {
  const named = store?.startsWith(sqlitePrefix) ? store.slice(sqlitePrefix.length) : undefined;
  return resolve(data ?? named ?? join(cli.paths.stateDirectory, 'serve'));
}

const sqlitePrefix = 'sqlite:';

/** The address of the shared store; undefined if the state is in a folder. Throws usage errors. */
export function sharedAddressOf({
  store,
  data,
  memory,
}: Pick<ServeFlags, 'store' | 'data' | 'memory'>): string | undefined {
  if (store === undefined) return undefined;
  if (memory) {
    throw new UsageError('--memory and --store exclude each other');
  }
  if (!store.startsWith(sqlitePrefix)) return store;
  if (store === sqlitePrefix) throw invalidStore(store, ['sqlite:DIR']);
  if (data !== undefined) {
    throw new UsageError('--store sqlite:DIR and --data DIR exclude each other');
  }
  return undefined;
}

/** The error for an address that no store has. */
export function invalidStore(store: string, examples: readonly string[]): UsageError {
  return new UsageError(`--store ${store}: not a valid store`, {
    hint: `use ${examples.join(' or ')}`,
  });
}

function passwordOf(cli: CommandContext, { passwordFile }: ServeFlags): string | undefined {
  if (passwordFile === undefined) return cli.io.env['VMCTL_SERVE_PASSWORD'] || undefined;
  try {
    const password = readFileSync(passwordFile, 'utf8').replace(/\r?\n$/, '');
    if (password !== '') return password;
  } catch (error) {
    throw new UsageError(`--password-file: cannot read "${passwordFile}": ${systemReason(error)}`);
  }
  throw new UsageError(`--password-file ${passwordFile} is empty`);
}
