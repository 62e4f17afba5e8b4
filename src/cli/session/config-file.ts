/** `config.json`: remembered servers and defaults. Holds no secrets, but says whom to trust. */
import { type Site, siteUrl } from '../../client/address.ts';
import { NotFoundError, UsageError } from '../../client/errors.ts';
import { dialects } from '../../model/dialect.ts';
import { pathText } from '../../source-place.ts';
import { type ParsedFile, parseJsonFile } from '../../wire/json-file.ts';
import { closeMatches } from '../text/did-you-mean.ts';
import { readPrivate, withLock, writePrivate } from './private-file.ts';

/** How a password is found again when the token has run out. */
export type CredentialKind =
  | { readonly source: 'prompt' }
  | { readonly source: 'env' }
  | { readonly source: 'file'; readonly path: string }
  | { readonly source: 'command'; readonly command: string }
  /** It is kept, where `secrets/store.ts` says. */
  | { readonly source: 'keyring' }
  | { readonly source: 'encrypted' };

export interface Context {
  readonly url: string;
  readonly site: Site;
  readonly username: string;
  /** The certificate authority that was agreed to; absent where Node's own list suffices. */
  readonly ca?: { readonly pem: string; readonly fingerprint?: string };
  readonly credentials: CredentialKind;
  /** What does harm has to be confirmed with the name of the context. */
  readonly protected?: boolean;
  /** Nothing that could change something is sent. */
  readonly readOnly?: boolean;
  /** Preferences that win over the defaults. */
  readonly output?: string;
  readonly timeout?: string;
  readonly idleTimeout?: string;
  readonly csvSafe?: boolean;
  readonly retries?: number;
  /** What `vmctl config set -c` has set for this server, by key: `vms.columns`, `timeout`. */
  readonly preferences?: Readonly<Record<string, string>>;
}

export interface Configuration {
  readonly version: 1;
  readonly current?: string;
  readonly contexts: Readonly<Record<string, Context>>;
  readonly defaults: Readonly<Record<string, unknown>>;
}

const empty: Configuration = { version: 1, contexts: {}, defaults: {} };

/** Reads the configuration; a missing file is an empty one. */
export function loadConfiguration(path: string): Configuration {
  const text = readPrivate(path, 'trusted');
  if (text === undefined) return empty;
  let file: ParsedFile;
  try {
    file = parseJsonFile(text, path);
  } catch (error) {
    throw broken((error as Error).message);
  }
  const { value: parsed, place } = file;
  if (parsed['version'] !== 1) {
    const version = JSON.stringify(parsed['version'] ?? null);
    throw broken(`${place.at('version').position()}: version ${version} is unknown`);
  }
  const contexts = parsed['contexts'] ?? {};
  const defaults = parsed['defaults'] ?? {};
  const current = parsed['current'];
  if (!isRecord(contexts)) throw broken(`${place.at('contexts')} is not an object`);
  if (!isRecord(defaults)) throw broken(`${place.at('defaults')} is not an object`);
  for (const [name, context] of Object.entries(contexts)) {
    const wrong = wrongMember(context);
    if (!wrong) continue;
    const position = place.at('contexts', name, ...wrong).position();
    const problem = wrong.length > 0 ? `, ${pathText(wrong)} is missing or wrong` : '';
    throw broken(`${position}: context ${name} is incomplete${problem}`);
  }
  return {
    version: 1,
    contexts: contexts as Record<string, Context>,
    defaults,
    ...(typeof current === 'string' ? { current } : {}),
  };
}

/** The error for a configuration with a mistake; the message begins with the position. */
function broken(message: string): UsageError {
  return new UsageError(message, {
    code: 'bad_configuration',
    hint: 'repair the file, or move it away and run vmctl login',
  });
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Path of the first member that keeps a value from being a context; undefined if it is one. */
function wrongMember(value: unknown): readonly string[] | undefined {
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

/** Changes the configuration as one step among all processes that do. */
export async function changeConfiguration(
  path: string,
  change: (now: Configuration) => Configuration,
): Promise<Configuration> {
  return await withLock(path, () => {
    const next = change(loadConfiguration(path));
    writePrivate(path, `${JSON.stringify(next, null, 2)}\n`);
    return next;
  });
}

/** The context of that name; throws with the near names when there is none. */
export function contextNamed(configuration: Configuration, name: string): Context {
  const context = Object.hasOwn(configuration.contexts, name)
    ? configuration.contexts[name]
    : undefined;
  if (context) return context;
  const names = Object.keys(configuration.contexts);
  const near = closeMatches(name, names);
  throw new NotFoundError(`context ${name} not found`, {
    code: 'unknown_context',
    hint:
      near.length > 0
        ? `did you mean ${near.join(' or ')}?`
        : names.length > 0
          ? `available: ${names.join(', ')}`
          : 'add a context with vmctl login',
  });
}

/** A name for a new context: the host, with the port where it is not the usual one. */
export function contextName(site: Site): string {
  return new URL(siteUrl(site)).host;
}
