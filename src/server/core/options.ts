/** Settings of a server, with their defaults. */
import { hostname } from 'node:os';
import { type Dialect, type DialectName, dialects } from '../../model/dialect.ts';
import type { StoreAddress } from '../store/shared-store.ts';
import type { Clock } from './clock.ts';

export interface Address {
  readonly host: string;
  readonly port: number;
}

export interface ServerOptions {
  readonly listen: Address;
  readonly imagesListen: Address;
  /** Path of a unix socket for the control API of the image daemon. */
  readonly imagesControlSocket?: string | undefined;
  /** Folder of the data; undefined keeps nothing. */
  readonly data: string | undefined;
  /** Shared store with the state. Without it, the state is in the data folder. */
  readonly store?: StoreAddress | undefined;
  /** Folder of the images of disks; undefined: below that of the data. */
  readonly images?: string | undefined;
  /** Folder for what has to be in files where nothing is kept, removed at the end; undefined: a new one. */
  readonly scratch?: string | undefined;
  /** Folder of the files of hosts, such as archives of machines; undefined: below that of the data. */
  readonly hostFiles?: string | undefined;
  /** Folder that stands for storage which other sites see, too; see `StorageFolder`. */
  readonly sharedStorage?: string | undefined;
  /** What is in the folder is moved aside, for an empty site. */
  readonly newSite?: boolean | undefined;
  /** Database and images are used together although they do not fit. */
  readonly adoptImages?: boolean | undefined;
  /** Opens a database that lacks acknowledged changes. */
  readonly acceptLoss?: boolean | undefined;
  readonly dialect: DialectName;
  readonly appRoot?: string | undefined;
  readonly scope?: string | undefined;
  /** Login name of the administrator: `admin@internal`. */
  readonly admin: string;
  /** Password of the administrator; undefined makes one up, or keeps the one of the data folder. */
  readonly password: string | undefined;
  readonly tlsCert?: string | undefined;
  readonly tlsKey?: string | undefined;
  /** Further names of the server: its own certificate has them, and clients may ask for them. */
  readonly hostNames?: readonly string[] | undefined;
  /** Origins (`https://console.example.com`) whose pages may change something. */
  readonly allowOrigins?: readonly string[] | undefined;
  /** See `parseInventory`. Only read when the data folder is new. */
  readonly inventory: string;
  /** File with a saved state, instead of an inventory. */
  readonly load?: string | undefined;
  /** Factor on the duration of transitions; 0: at once. */
  readonly speed: number;
  /** Seed of ids and of all that varies; undefined: random. */
  readonly seed?: number | undefined;
  /** Seconds that an access token is valid. */
  readonly tokenLifetime: number;
  /** Folder for a log of the operations that are called; see `CallLog`. */
  readonly callLog?: string | undefined;
  /** Whether encoded objects are cached (default true). */
  readonly cachesObjects?: boolean | undefined;
  /** Instead of the clocks of the system. */
  readonly clock?: Clock | undefined;
  /** Whether each request is a line of the log. */
  readonly logsRequests?: boolean | undefined;
  /** Where notes of the server go, a line each. */
  readonly log: (line: string) => void;
}

/** The dialect with what single options change of it. */
export function dialectOf(options: Pick<ServerOptions, 'dialect' | 'appRoot' | 'scope'>): Dialect {
  const base = dialects[options.dialect];
  return {
    ...base,
    ...(options.appRoot === undefined ? {} : { appRoot: normalRoot(options.appRoot) }),
    ...(options.scope === undefined ? {} : { scope: options.scope }),
  };
}

function normalRoot(text: string): string {
  const root = `/${text.replace(/^\/+|\/+$/g, '')}`;
  return root === '/' ? '' : root;
}

/**
 * Reads `HOST:PORT`, `:PORT` or `[IPV6]:PORT`. Throws with what is wrong with it. Port 0 means any
 * that is free.
 */
export function parseAddress(text: string, option: string): Address {
  const match = /^(?:\[([^\]]+)\]|([^:]*)):(\d{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  if (!match || port > 65535) {
    throw new Error(`${option} "${text}" is not an address of the form HOST:PORT.`);
  }
  return { host: match[1] || match[2] || '127.0.0.1', port };
}

/** Whether what listens there can be reached at any address of this machine, and has none of its own. */
export function isEverywhere(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

/** The host of the addresses that clients use for what listens there. */
export function urlHost(host: string): string {
  if (isEverywhere(host)) return hostname();
  return host.includes(':') ? `[${host}]` : host;
}

/** Reads the name of a host, without port; in lower case. Throws with what is wrong with it. */
export function parseHostName(text: string, option: string): string {
  if (
    /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/i.test(
      text,
    )
  ) {
    return text.toLowerCase();
  }
  throw new Error(`${option} "${text}" is not a host name, for example engine.example.com.`);
}

/** Reads an origin as browsers write it. Throws with what is wrong with it. */
export function parseOrigin(text: string, option: string): string {
  if (URL.canParse(text)) {
    const { origin } = new URL(text);
    if (origin === text.replace(/\/$/, '').toLowerCase()) return origin;
  }
  throw new Error(
    `${option} "${text}" is not an origin of the form https://HOST or https://HOST:PORT.`,
  );
}
