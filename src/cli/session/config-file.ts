/** Configuration file `config.json`: contexts and defaults, without secrets. */

import { getErrorMessage } from '../../caught-errors.ts';
import { type Site, siteUrl } from '../../client/address.ts';
import { NotFoundError, UsageError } from '../../client/errors.ts';
import { dialects } from '../../model/dialect.ts';
import { isRecord } from '../../records.ts';
import { pathText } from '../../source-place.ts';
import { type ParsedFile, parseJsonFile } from '../../wire/json-file.ts';
import { findCloseMatches } from '../text/did-you-mean.ts';
import { readPrivate, withLock, writePrivate } from './private-file.ts';

/** Source of the password when the token has expired. */
export type CredentialKind =
  | { readonly source: 'prompt' }
  | { readonly source: 'env' }
  /** The user signs in with the browser; `clientId` is the registered program. */
  | { readonly source: 'web'; readonly clientId: string }
  /** The user signs in with a Kerberos ticket. */
  | { readonly source: 'kerberos' }
  | { readonly source: 'file'; readonly path: string }
  | { readonly source: 'command'; readonly command: string }
  /** Stored by `password-store.ts`. */
  | { readonly source: 'keyring' }
  | { readonly source: 'encrypted' };

export interface Context {
  readonly url: string;
  readonly site: Site;
  readonly username: string;
  /** Pinned certificate authority; absent if Node's own list is sufficient. */
  readonly ca?: { readonly pem: string; readonly fingerprint?: string };
  readonly credentials: CredentialKind;
  /** Harmful requests need confirmation with the name of the context. */
  readonly protected?: boolean;
  /** The client sends no changing requests. */
  readonly readOnly?: boolean;
  /** Preferences with precedence over the defaults. */
  readonly output?: string;
  readonly timeout?: string;
  readonly idleTimeout?: string;
  readonly csvSafe?: boolean;
  readonly retries?: number;
  /** Preferences of `vmctl config set -c` for this server, by key: `vms.columns`, `timeout`. */
  readonly preferences?: Readonly<Record<string, string>>;
}

export interface Configuration {
  readonly version: 1;
  readonly current?: string;
  readonly contexts: Readonly<Record<string, Context>>;
  readonly defaults: Readonly<Record<string, unknown>>;
  /** Commands by the name of the alias. */
  readonly aliases?: Readonly<Record<string, string>>;
}

/** Value of `--context` for all contexts. */
export const allContexts = 'all';

/** Throws `UsageError` for the name of a new context that `--context` or the file cannot contain. */
export function checkContextName(name: string): void {
  if (/\p{Cc}/u.test(name)) {
    throw new UsageError(`"${name}" is not valid as the name of a context`, {
      hint: 'use a name without control characters',
    });
  }
  if (name !== allContexts && !name.includes(',')) return;
  throw new UsageError(`"${name}" is not valid as the name of a context`, {
    hint: '--context all and --context a,b select several contexts; use another name',
  });
}

const empty: Configuration = { version: 1, contexts: {}, defaults: {} };

/**
 * Reads the configuration. A missing file counts as empty. Throws `UsageError` for a file with a
 * mistake.
 */
export function loadConfiguration(path: string): Configuration {
  const text = readPrivate(path, 'trusted');
  return text === undefined ? empty : parseConfiguration(text, path);
}

function parseConfiguration(text: string, path: string): Configuration {
  let file: ParsedFile;
  try {
    file = parseJsonFile(text, path);
  } catch (error) {
    throw configurationError(getErrorMessage(error));
  }
  const { value: parsed, place } = file;
  if (parsed['version'] !== 1) {
    const version = JSON.stringify(parsed['version'] ?? null);
    throw configurationError(`${place.at('version').position()}: version ${version} is unknown`);
  }
  const contexts = parsed['contexts'] ?? {};
  const defaults = parsed['defaults'] ?? {};
  const current = parsed['current'];
  if (!isRecord(contexts)) throw configurationError(`${place.at('contexts')} is not an object`);
  if (!isRecord(defaults)) throw configurationError(`${place.at('defaults')} is not an object`);
  const aliases = parsed['aliases'];
  if (aliases !== undefined && !isTextRecord(aliases)) {
    throw configurationError(`${place.at('aliases')} is not an object with texts`);
  }
  for (const [name, context] of Object.entries(contexts)) {
    const wrong = findInvalidMember(context);
    if (!wrong) continue;
    const position = place.at('contexts', name, ...wrong).position();
    const problem = wrong.length > 0 ? `, ${pathText(wrong)} is missing or wrong` : '';
    throw configurationError(`${position}: context ${name} is incomplete${problem}`);
  }
  return {
    version: 1,
    // Right because `findInvalidMember` checked each context.
    contexts: contexts as Record<string, Context>,
    defaults,
    ...(aliases ? { aliases } : {}),
    ...(typeof current === 'string' ? { current } : {}),
  };
}

function isTextRecord(value: unknown): value is Readonly<Record<string, string>> {
  return isRecord(value) && Object.values(value).every((one) => typeof one === 'string');
}

/** Creates the error for a configuration with a mistake. The message begins with the position. */
function configurationError(message: string): UsageError {
  return new UsageError(message, {
    code: 'bad_configuration',
    hint: 'repair the file, or move it away and run vmctl login',
  });
}

/**
 * Path of the first member that makes a value invalid as a context; undefined if the value is
 * valid.
 */
function findInvalidMember(value: unknown): readonly string[] | undefined {
  if (!isRecord(value)) return [];
  for (const name of ['url', 'username']) if (typeof value[name] !== 'string') return [name];
  const { site, credentials } = value;
  if (!isRecord(site)) return ['site'];
  for (const name of ['origin', 'appRoot']) {
    if (typeof site[name] !== 'string') return ['site', name];
  }
  if (!Object.hasOwn(dialects, String(site['dialect']))) return ['site', 'dialect'];
  if (!isRecord(credentials)) return ['credentials'];
  return typeof credentials['source'] === 'string' ? undefined : ['credentials', 'source'];
}

/**
 * Changes the configuration under a lock between processes. Throws `UsageError` for a change with
 * which no command could read the file, such as a control character.
 */
export async function changeConfiguration(
  path: string,
  change: (now: Configuration) => Configuration,
): Promise<Configuration> {
  return await withLock(path, () => {
    const next = change(loadConfiguration(path));
    const text = `${JSON.stringify(next, null, 2)}\n`;
    try {
      parseConfiguration(text, path);
    } catch (error) {
      const problem = getErrorMessage(error).replace(/^.*:\d+:\d+: /s, '');
      throw new UsageError(`cannot save the configuration: ${problem}`, {
        hint: 'use another name or value; the file is unchanged',
      });
    }
    writePrivate(path, text);
    return next;
  });
}

/** Finds a context by its name, which may be that of a member of all objects, as in `toString`. */
export function findContext(
  { contexts }: Pick<Configuration, 'contexts'>,
  name: string,
): Context | undefined {
  return Object.hasOwn(contexts, name) ? contexts[name] : undefined;
}

/**
 * Finds a context by its name. Throws `NotFoundError` with similar names if it does not exist;
 * `position` is that of the name in a file.
 */
export function getContext(configuration: Configuration, name: string, position?: string): Context {
  const context = findContext(configuration, name);
  if (context) return context;
  const names = Object.keys(configuration.contexts);
  const near = findCloseMatches(name, names);
  const where = position === undefined ? '' : `${position}: `;
  throw new NotFoundError(`${where}context ${name} not found`, {
    code: 'unknown_context',
    hint:
      near.length > 0
        ? `did you mean ${near.join(' or ')}?`
        : names.length > 0
          ? `available: ${names.join(', ')}`
          : 'add a context with vmctl login',
  });
}

/** Default name of a new context: the host, with the port unless it is the default port. */
export function defaultContextName(site: Site): string {
  return new URL(siteUrl(site)).host;
}
