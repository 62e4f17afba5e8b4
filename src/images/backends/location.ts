/** Location of an image, in a file or an NBD export, and its URL. */
import { isAbsolute } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { forbiddenCharacter } from '../../allowed-characters.ts';
import type { NbdAddress } from '../nbd/byte-reader.ts';

/** Regular file, or export of an NBD server. The default export has an empty name. */
export type ImageLocation =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'nbd'; readonly address: NbdAddress; readonly exportName: string };

const NBD_PORT = 10_809;

/**
 * Parses `file:///PATH`, `nbd:unix:PATH[:exportname=NAME]`, `nbd:HOST:PORT[:exportname=NAME]`,
 * `nbd://HOST[:PORT]/NAME` or `nbd+unix:///NAME?socket=PATH`. Throws an `Error` for other text.
 */
export function parseLocation(url: string): ImageLocation {
  const location = /^file:\/\/[^/]*\/./.test(url)
    ? parseFileUrl(url)
    : (parseShortNbdUrl(url) ??
      (/^nbd(\+unix)?:\/\//.test(url) ? parseLongNbdUrl(url) : undefined));
  const problem = location ? findLocationProblem(location) : 'unknown form';
  if (!location || problem) throw new Error(`url "${url}" is not supported: ${problem}`);
  return location;
}

/** Formats a location as a URL for `parseLocation`. */
export function formatLocation(location: ImageLocation): string {
  if (location.kind === 'file') return pathToFileURL(location.path).href;
  const { address, exportName } = location;
  const named = exportName === '' ? '' : `:exportname=${exportName}`;
  if ('path' in address) return `nbd:unix:${address.path}${named}`;
  const host = address.host.includes(':') ? `[${address.host}]` : address.host;
  return `nbd:${host}:${address.port}${named}`;
}

/** Problem of an unusable location. `undefined` for a valid one. */
export function findLocationProblem(location: ImageLocation): string | undefined {
  if (location?.kind === 'file') {
    if (typeof location.path !== 'string' || !isAbsolute(location.path))
      return 'path is not absolute';
    return findTextProblem(location.path);
  }
  if (location?.kind !== 'nbd') return 'neither a file nor an NBD export';
  const { address, exportName } = location;
  if (Buffer.byteLength(exportName) > 4096) return 'the name of the export is too long';
  const problem = findTextProblem(exportName, ...Object.values(address).map(String));
  if (problem !== undefined) return problem;
  if ('path' in address) {
    return isAbsolute(address.path) ? undefined : 'path of the socket is not absolute';
  }
  if (address.host === '') return 'host is empty';
  const isPort = Number.isInteger(address.port) && address.port > 0 && address.port < 65_536;
  return isPort ? undefined : 'port is not a number from 1 to 65535';
}

/** Percent-encoding can contain characters that paths must not have. */
function findTextProblem(...texts: readonly string[]): string | undefined {
  const isAllowed = texts.every((text) => forbiddenCharacter(text) === undefined);
  return isAllowed ? undefined : 'it contains control characters';
}

function parseFileUrl(url: string): ImageLocation | undefined {
  try {
    return { kind: 'file', path: fileURLToPath(url) };
  } catch {
    return undefined;
  }
}

/** Parses the forms with colons. All text after `exportname=` is the name. */
function parseShortNbdUrl(url: string): ImageLocation | undefined {
  const unix = /^nbd:unix:(.*?)(?::exportname=(.*))?$/s.exec(url);
  if (unix) {
    return { kind: 'nbd', address: { path: unix[1] ?? '' }, exportName: unix[2] ?? '' };
  }
  const tcp = /^nbd:(?:\[([^\]]+)\]|([^:/[\]]+)):(\d+)(?::exportname=(.*))?$/s.exec(url);
  if (!tcp) return undefined;
  const address = { host: tcp[1] ?? tcp[2] ?? '', port: Number(tcp[3]) };
  return { kind: 'nbd', address, exportName: tcp[4] ?? '' };
}

function parseLongNbdUrl(text: string): ImageLocation | undefined {
  try {
    const url = new URL(text);
    const exportName = decodeURIComponent(url.pathname.replace(/^\//, ''));
    if (url.protocol === 'nbd+unix:') {
      const path = url.searchParams.get('socket') ?? '';
      return { kind: 'nbd', address: { path }, exportName };
    }
    const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
    const port = url.port === '' ? NBD_PORT : Number(url.port);
    return { kind: 'nbd', address: { host, port }, exportName };
  } catch {
    return undefined;
  }
}
