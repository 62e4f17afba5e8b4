/** Server options and their defaults. */
import { hostname } from 'node:os';
import { type Dialect, type DialectName, dialects } from '../../model/dialect.ts';
import type { Clock } from './clock.ts';
import type { StoreAddress } from './opened-site.ts';

export interface Address {
  readonly host: string;
  readonly port: number;
}

export interface ServerOptions {
  readonly listen: Address;
  readonly imagesListen: Address;
  /** Path of a unix socket for the control API of the image daemon. */
  readonly imagesControlSocket?: string | undefined;
  /** Data folder; undefined for no persistence. */
  readonly data: string | undefined;
  /** Shared store with the state. Without it, the data folder contains the state. */
  readonly store?: StoreAddress | undefined;
  /** Folder of disk images; undefined for a subfolder of the data folder. */
  readonly images?: string | undefined;
  /**
   * Temporary folder for servers without persistence, removed at the end; undefined for a new one.
   */
  readonly scratch?: string | undefined;
  /** Folder of host files, such as OVA archives; undefined for a subfolder of the data folder. */
  readonly hostFiles?: string | undefined;
  /** Folder of storage shared with other sites; see `StorageFolder`. */
  readonly sharedStorage?: string | undefined;
  /** Moves the contents of the data folder aside and starts an empty site. */
  readonly newSite?: boolean | undefined;
  /** Uses a database and images that do not belong together. */
  readonly adoptImages?: boolean | undefined;
  /** Opens a database that lacks acknowledged changes. */
  readonly acceptLoss?: boolean | undefined;
  readonly dialect: DialectName;
  readonly appRoot?: string | undefined;
  readonly scope?: string | undefined;
  /** Login name of the administrator: `admin@internal`. */
  readonly admin: string;
  /** Password of the administrator; undefined generates one, or retains the stored one. */
  readonly password: string | undefined;
  readonly tlsCert?: string | undefined;
  readonly tlsKey?: string | undefined;
  /** Additional host names, for the server certificate and for requests. */
  readonly hostNames?: readonly string[] | undefined;
  /** Origins (`https://console.example.com`) whose pages may send changes. */
  readonly allowOrigins?: readonly string[] | undefined;
  /** See `parseInventory`. Used only for a new data folder. */
  readonly inventory: string;
  /** File with a saved state that replaces the inventory. */
  readonly load?: string | undefined;
  /** Factor on the duration of transitions; 0 skips the waiting. */
  readonly speed: number;
  /** Seed of ids and random values; undefined for a random seed. */
  readonly seed?: number | undefined;
  /** Lifetime of an access token in seconds. */
  readonly tokenLifetime: number;
  /** Folder for a log of called operations; see `CallLog`. */
  readonly callLog?: string | undefined;
  /** Whether encoded objects are cached (default true). */
  readonly cachesObjects?: boolean | undefined;
  /** Replaces the system clocks. */
  readonly clock?: Clock | undefined;
  /** Whether the log contains a line for each request. */
  readonly logsRequests?: boolean | undefined;
  /** Receives the lines of the server log. */
  readonly log: (line: string) => void;
}

/** The dialect after the options that override parts of it. */
export function resolveDialect(
  options: Pick<ServerOptions, 'dialect' | 'appRoot' | 'scope'>,
): Dialect {
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
 * Parses `HOST:PORT`, `:PORT` or `[IPV6]:PORT`. Throws for an invalid text. Port 0 means any free
 * port.
 */
export function parseAddress(text: string, option: string): Address {
  const match = /^(?:\[([^\]]+)\]|([^:]*)):(\d{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  if (!match || port > 65535) {
    throw new Error(`${option} "${text}" is not an address of the form HOST:PORT.`);
  }
  return { host: match[1] || match[2] || '127.0.0.1', port };
}

/** Whether the host is a wildcard address, which accepts connections on all interfaces. */
export function isEverywhere(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

/** The host for client URLs of a server that listens on `host`. */
export function getUrlHost(host: string): string {
  if (isEverywhere(host)) return hostname();
  return host.includes(':') ? `[${host}]` : host;
}

/** Parses a host name without port, in lower case. Throws for an invalid one. */
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

/** Parses an origin in the notation of browsers. Throws for an invalid one. */
export function parseOrigin(text: string, option: string): string {
  if (URL.canParse(text)) {
    const { origin } = new URL(text);
    if (origin === text.replace(/\/$/, '').toLowerCase()) return origin;
  }
  throw new Error(
    `${option} "${text}" is not an origin of the form https://HOST or https://HOST:PORT.`,
  );
}
