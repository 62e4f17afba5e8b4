/** Connection to the service of a context: trust, credentials, client. */

import { type Address, candidates, type Site } from '../../client/address.ts';
import { type ChangeObserver, Client } from '../../client/client.ts';
import { AuthError, NotFoundError, type TrustError, UsageError } from '../../client/errors.ts';
import { Http } from '../../client/http.ts';
import { type CredentialSource, fixedSession, type Login, Session } from '../../client/session.ts';
import { explainPinMismatch } from '../../client/trust.ts';
import { requireOperation } from '../../model/index.ts';
import type { Resource } from '../../model/resource.ts';
import type { CommandContext, SessionHooks } from './command-context.ts';
import { selectCredentials } from './credentials.ts';
import { createContextGuard } from './protected-contexts.ts';
import { resolveServer, type ServerTarget } from './server-target.ts';
import { parseApiVersion, parseIdleTimeout, parseRetries } from './setting-values.ts';
import { createTokenStore } from './token-store.ts';

/** Opens the HTTP layer for a server. Warns if certificates are not verified. */
export async function openHttp(cli: CommandContext, target: ServerTarget): Promise<Http> {
  const { trust, pinned } = target;
  if (trust.insecure) {
    const { host } = new URL(target.address.origin);
    cli.warn(`--insecure: the identity of ${host} is not verified`);
  }
  const retries = cli.setting('retries');
  const idle = cli.setting('idleTimeout');
  const debugs = cli.setting('debug') ?? cli.setting('debugFile');
  const debug = debugs ? (await import('./debug-log.ts')).createDebugLog(cli) : undefined;
  const observed = await cli.hooks.observeRequests?.(cli, debug?.observer);
  const times = await cli.timing();
  return new Http({
    trust,
    env: cli.io.env,
    signal: cli.signal,
    ...(retries ? { retries: parseRetries(retries.value) } : {}),
    ...(idle ? { idleTimeout: parseIdleTimeout(idle.value) } : {}),
    ...(cli.dryRunMode ? { dryRun: cli.dryRunMode } : {}),
    ...(debug ? { observer: debug.observer, wholeBodies: debug.bodies } : {}),
    ...observed,
    ...(times ? { times } : {}),
    ...(pinned === undefined
      ? {}
      : { explainDistrust: (origin) => explainMismatch(origin, pinned, cli) }),
  });
}

async function explainMismatch(
  origin: string,
  pinned: string,
  cli: CommandContext,
): Promise<TrustError | undefined> {
  return await explainPinMismatch(origin, pinned, cli.io.env, cli.signal);
}

/**
 * Creates the reporter of `--verbose`: the server, then each request, without consecutive
 * repetitions.
 */
function createStepReporter(cli: CommandContext, { url, username, context }: ServerTarget) {
  let last: string | undefined;
  const report = (step: string) => {
    if (step !== last) cli.step(step);
    last = step;
  };
  const as = username === undefined ? '' : ` as ${username}`;
  const of = context === undefined ? '' : ` (context ${cli.contextName()})`;
  report(`server ${url}${as}${of}`);
  return report;
}

/** Creates the client for the configured server. It signs in with the first request. */
export async function openClient(cli: CommandContext): Promise<Client> {
  const timing = await cli.timing();
  timing?.stage('start');
  const target = resolveServer(cli);
  timing?.stage('config');
  const http = await openHttp(cli, target);
  timing?.stage('library');
  const apiVersion = cli.setting('apiVersion');
  const step = cli.isOn('verbose') ? createStepReporter(cli, target) : undefined;
  const session = await createSession(cli, target, http);
  const { changeObservers } = cli.hooks;
  if (timing) {
    await session.current();
    timing.stage('token');
  }
  return new Client({
    http,
    session,
    ...(apiVersion ? { apiVersion: parseApiVersion(apiVersion.value) } : {}),
    ...(step ? { onStep: step } : {}),
    readOnly: cli.isOn('readOnly') || target.context?.readOnly === true,
    ...(target.context?.protected ? { guard: createContextGuard(cli) } : {}),
    ...(changeObservers ? { onChange: createChangeObserver(cli, target, changeObservers) } : {}),
  });
}

/**
 * Creates an observer that notifies those of the features. It loads them before the first change.
 */
function createChangeObserver(
  cli: CommandContext,
  { username }: ServerTarget,
  load: NonNullable<SessionHooks['changeObservers']>,
): ChangeObserver {
  let loaded: Promise<readonly ChangeObserver[]> | undefined;
  return async (client, request) => {
    loaded ??= load().then((all) => all.flatMap((create) => create(cli, username) ?? []));
    const ends: Awaited<ReturnType<ChangeObserver>>[] = [];
    for (const observe of await loaded) ends.push(await observe(client, request));
    return (outcome) => {
      for (const end of ends) end(outcome);
    };
  };
}

/**
 * Creates a read-only client with the available token, for background work such as completion.
 * Throws `AuthError` if no token is available or the server refuses it.
 */
export async function openClientWithoutSignIn(cli: CommandContext): Promise<Client> {
  const target = resolveServer(cli);
  const { url, username = '' } = target;
  const given = cli.setting('token') !== undefined;
  const kept = given ? undefined : createTokenStore(cli, url, username).load();
  if (!given && !kept) throw new AuthError(`not signed in at ${url}`);
  const http = await openHttp(cli, target);
  const session = kept ? fixedSession(kept) : await createSession(cli, target, http);
  return new Client({ http, session, readOnly: true });
}

async function createSession(
  cli: CommandContext,
  target: ServerTarget,
  http: Http,
): Promise<Pick<Session, 'current' | 'renew'>> {
  const token = cli.setting('token')?.value;
  if (token !== undefined) {
    checkToken(token);
    const site =
      'dialect' in target.address ? target.address : await findSite(http, target.address);
    return fixedSession({ site, token });
  }
  const { username } = target;
  if (username === undefined) {
    throw new AuthError(`no user name for ${target.address.origin}`, {
      hint: 'use --username admin@internal, or set VMCTL_USERNAME',
    });
  }
  return new Session(http, {
    address: target.address,
    username,
    credentials: lazyCredentials(cli, target, username),
    store: createTokenStore(cli, target.url, username),
    ...createTokenRequest(cli, target, username),
  });
}

/** Requests of tokens for contexts without a password, unless the user gives one. */
function createTokenRequest(
  cli: CommandContext,
  { context, trust }: ServerTarget,
  username: string,
): Pick<Login, 'requestToken'> {
  const hasPassword = cli.setting('password') ?? cli.setting('passwordFile');
  if (context?.credentials.source !== 'kerberos' || context.username !== username) return {};
  if (hasPassword) return {};
  return {
    requestToken: async () => {
      if (cli.isOn('verbose')) cli.step(`sign in as ${username} with Kerberos`);
      const { signInWithKerberos } = await import('./kerberos-sign-in.ts');
      return await signInWithKerberos(cli, context.site, trust);
    },
  };
}

/** Throws `UsageError` for a text that no header can contain. The message omits the secret. */
function checkToken(token: string): void {
  if (/^[\x21-\x7e]+$/.test(token)) return;
  throw new UsageError('VMCTL_TOKEN contains a space, a line break or another invalid character', {
    hint: 'export VMCTL_TOKEN="$(vmctl auth token)"',
  });
}

/** Credentials of the settings, read only if the session has no token. */
function lazyCredentials(
  cli: CommandContext,
  target: ServerTarget,
  username: string,
): CredentialSource {
  return {
    description: 'the settings',
    password: () => {
      if (cli.isOn('verbose')) cli.step(`sign in as ${username}`);
      return selectCredentials(cli, target, username).password();
    },
  };
}

/** Finds the service below an address with unauthenticated requests for the entry point. */
export async function findSite(http: Http, address: Address): Promise<Site> {
  for (const site of candidates(address)) {
    const answer = await http.send({
      method: 'HEAD',
      origin: site.origin,
      path: `${site.appRoot}/api`,
    });
    if (answer.status === 200 || answer.status === 401 || answer.status === 403) return site;
  }
  throw new NotFoundError(`no virtualization service at ${address.origin}`, {
    code: 'no_service',
    hint: 'use the URL with the path of the service: https://host[:port]/path',
  });
}

/** Reads the entry point of the API (specification 4.4). */
export async function fetchEntryPoint(client: Client): Promise<Resource<'api'>> {
  const operation = requireOperation('/', 'get');
  return await client.object({ operation, what: 'get the entry point', isPrimary: true });
}

/** Formats name and version of the service. */
export function formatProduct(api: Pick<Resource<'api'>, 'product_info'>): string {
  const { product_info: info } = api;
  const { version } = info ?? {};
  const numbers = [version?.major, version?.minor, version?.build];
  const text = version?.full_version ?? numbers.filter((number) => number !== undefined).join('.');
  return [info?.name ?? 'unnamed product', text].filter((part) => part !== '').join(' ');
}
