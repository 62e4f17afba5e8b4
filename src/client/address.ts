/** Address of a service: from what people type to the paths of its interfaces. */
import { type DialectName, dialects } from '../model/dialect.ts';
import { UsageError } from './errors.ts';

/** An address as far as it is known before anybody has signed in. */
export interface Address {
  /** `https://host[:port]`. */
  readonly origin: string;
  /** Path below which the service lives; absent when the address did not say. */
  readonly appRoot?: string;
}

/** A service whose place and manners are known. */
export interface Site {
  readonly origin: string;
  readonly appRoot: string;
  readonly dialect: DialectName;
}

/**
 * Reads an address: `https://host[:port]`, with or without the application root, with or without
 * `/api` behind it. Throws a usage error for anything that is no https address.
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

/** The places where the service may be, the likeliest first. */
export function candidates(address: Address): readonly Site[] {
  const { origin, appRoot } = address;
  const all = Object.values(dialects);
  if (appRoot === undefined) {
    return all.map((dialect) => ({ origin, appRoot: dialect.appRoot, dialect: dialect.name }));
  }
  const known = all.filter((dialect) => dialect.appRoot === appRoot);
  return (known.length > 0 ? known : all).map(({ name }) => ({ origin, appRoot, dialect: name }));
}

/** The address of a site as people know it. */
export function siteUrl(site: Site): string {
  return `${site.origin}${site.appRoot}`;
}

/** Path of the API root of a site. */
export function apiRoot(site: Site): string {
  return `${site.appRoot}/api`;
}

/** A path as the server knows it: hrefs are complete already, paths of the model are not. */
export function absolutePath(site: Site, path: string): string {
  const root = apiRoot(site);
  if (path === root || path.startsWith(`${root}/`) || path.startsWith(`${root}?`)) return path;
  if (path.startsWith(`${site.appRoot}/`) && site.appRoot !== '') return path;
  if (path === '/') return root;
  // What only `vmctl serve` has, beside the API.
  if (path.startsWith('/_vmctl/')) return path;
  return `${root}${path.startsWith('/') ? '' : '/'}${path}`;
}
