/** Address of a service: parsing of user input, and paths of the interfaces. */
import { type DialectName, dialects } from '../model/dialect.ts';
import { UsageError } from './errors.ts';

/** Address from user input, before the first sign-in. */
export interface Address {
  /** `https://host[:port]`. */
  readonly origin: string;
  /** Root path of the service. Absent if the address has none. */
  readonly appRoot?: string;
}

/** Service with known root path and dialect. */
export interface Site {
  readonly origin: string;
  readonly appRoot: string;
  readonly dialect: DialectName;
}

/**
 * Parses an address: `https://host[:port]`, optionally followed by the application root and `/api`.
 * Throws a usage error for other text.
 */
export function parseAddress(text: string): Address {
  const trimmed = text.trim();
  if (trimmed === '') throw badAddress(text, 'it is empty');
  const complete = /^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed) ? trimmed : `https://${trimmed}`;
  let url: URL;
  try {
    url = new URL(complete);
  } catch {
    throw badAddress(text, 'it is not a URL');
  }
  if (url.protocol !== 'https:') {
    throw badAddress(text, `${url.protocol.slice(0, -1)} is not encrypted; use https`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new UsageError('it contains credentials, which would appear in logs and histories', {
      hint: 'remove them from the URL and use --username and --password-file',
    });
  }
  const appRoot = url.pathname
    .replace(/\/+$/, '')
    .replace(/\/v\d+$/, '')
    .replace(/\/api$/, '');
  return appRoot === '' ? { origin: url.origin } : { origin: url.origin, appRoot };
}

function badAddress(text: string, why: string): UsageError {
  return new UsageError(`${text === '' ? "''" : text} is not a valid address: ${why}`, {
    hint: 'use https://host[:port]',
  });
}

/** Possible sites of the service, the most likely first. */
export function candidates(address: Address): readonly Site[] {
  const { origin, appRoot } = address;
  const all = Object.values(dialects);
  if (appRoot === undefined) {
    return all.map((dialect) => ({ origin, appRoot: dialect.appRoot, dialect: dialect.name }));
  }
  const known = all.filter((dialect) => dialect.appRoot === appRoot);
  return (known.length > 0 ? known : all).map(({ name }) => ({ origin, appRoot, dialect: name }));
}

/** Address of a site for users. */
export function siteUrl(site: Site): string {
  return `${site.origin}${site.appRoot}`;
}

/** Path of the API root of a site. */
export function apiRoot(site: Site): string {
  return `${site.appRoot}/api`;
}

/**
 * Absolute path on the server. Hrefs are absolute already; paths of the model are relative to the
 * API root.
 */
export function absolutePath(site: Site, path: string): string {
  const root = apiRoot(site);
  if (path === root || path.startsWith(`${root}/`) || path.startsWith(`${root}?`)) return path;
  if (path.startsWith(`${site.appRoot}/`) && site.appRoot !== '') return path;
  if (path === '/') return root;
  // Endpoints that only `vmctl serve` has.
  if (path.startsWith('/_vmctl/')) return path;
  return `${root}${path.startsWith('/') ? '' : '/'}${path}`;
}
