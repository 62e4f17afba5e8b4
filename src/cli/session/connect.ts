/** Connection to the service of a context: trust, credentials, client. */
import { type Address, candidates, type Site } from '../../client/address.ts';
import { type ApiObject, type ChangeObserver, Client } from '../../client/client.ts';
import { AuthError, NotFoundError, type TrustError, UsageError } from '../../client/errors.ts';
import { Http } from '../../client/http.ts';
import { type CredentialSource, fixedSession, Session } from '../../client/session.ts';
import { explainPinMismatch } from '../../client/trust.ts';
import { listOperations } from '../../model/index.ts';
import { durationOf } from '../text/duration.ts';
import type { CommandContext, SessionHooks } from './command-context.ts';
import { credentialsFor } from './credentials.ts';
import { protectedContextGuard } from './protected-contexts.ts';
import { type Target, targetOf } from './target.ts';
import { tokenStore } from './token-store.ts';

/** The connections for a target; says so when nobody verifies them. */
export async function openHttp(cli: CommandContext, target: Target): Promise<Http> {
  const { trust, pinned } = target;
  if (trust.insecure) {
    const { host } = new URL(target.address.origin);
    cli.warn(`--insecure: the identity of ${host} is not verified`);
  }
  const retries = cli.setting('retries');
  const idle = cli.setting('idleTimeout');
  const debugs = cli.setting('debug') ?? cli.setting('debugFile');
  const debug = debugs ? (await import('./debug-log.ts')).debugLog(cli) : undefined;
  const observed = await cli.hooks.observeRequests?.(cli, debug?.observer);
  const times = await cli.timing();
  return await Http.open({
    trust,
    env: cli.io.env,
    signal: cli.signal,
    ...(retries ? { retries: retryCount(retries.value) } : {}),
    ...(idle ? { idleTimeout: idleLimit(idle.value) } : {}),
    ...(cli.dryRunMode ? { dryRun: cli.dryRunMode } : {}),
    ...(debug ? { observer: debug.observer, wholeBodies: debug.bodies } : {}),
    ...observed,
    ...(times ? { times } : {}),
    ...(pinned === undefined ? {} : { explainDistrust: (origin) => mismatch(origin, pinned, cli) }),
  });
}

async function mismatch(
  origin: string,
  pinned: string,
  cli: CommandContext,
): Promise<TrustError | undefined> {
  return await explainPinMismatch(origin, pinned, cli.io.env, cli.signal);
}

/** Milliseconds; what is shorter than a second would fail on any line. */
function idleLimit(text: string): number {
  const milliseconds = durationOf(text, '--idle-timeout');
  if (milliseconds >= 1_000 && milliseconds <= 86_400_000) return milliseconds;
  throw new UsageError(`--idle-timeout ${text}: not between 1s and 1d`);
}

function retryCount(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 0 && count <= 20) return count;
  throw new UsageError(`--retries ${text}: not a number from 0 to 20`);
}

function majorVersion(text: string): string {
  if (/^[1-9]\d{0,2}$/.test(text)) return text;
  throw new UsageError(`--api-version ${text}: not a major version`, {
    hint: 'remove it, or use --api-version 4',
  });
}

/** Says on stderr which server it is, and then each thing that is asked of it; the same only once in a row. */
function stepReporter(cli: CommandContext, { url, username, context }: Target) {
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

/** A client for the server that the settings name. Signs in when the first request needs it. */
export async function openClient(cli: CommandContext): Promise<Client> {
  const timing = await cli.timing();
  timing?.stage('start');
  const target = targetOf(cli);
  timing?.stage('config');
  const http = await openHttp(cli, target);
  timing?.stage('library');
  const apiVersion = cli.setting('apiVersion');
  const step = cli.on('verbose') ? stepReporter(cli, target) : undefined;
  const session = await sessionFor(cli, target, http);
  const { changeObservers } = cli.hooks;
  if (timing) {
    await session.current();
    timing.stage('token');
  }
  return new Client({
    http,
    session,
    ...(apiVersion ? { apiVersion: majorVersion(apiVersion.value) } : {}),
    ...(step ? { onStep: step } : {}),
    readOnly: cli.on('readOnly') || target.context?.readOnly === true,
    ...(target.context?.protected ? { guard: protectedContextGuard(cli) } : {}),
    ...(changeObservers ? { onChange: changeObserver(cli, target, changeObservers) } : {}),
  });
}

/** Notifies the observers of features, which are loaded before the first change. */
function changeObserver(
  cli: CommandContext,
  { username }: Target,
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
 * The same for what runs unseen: a reading client with the token that is at hand. Throws where there is
 * none, and where it is refused.
 */
export async function openClientWithoutSignIn(cli: CommandContext): Promise<Client> {
  const target = targetOf(cli);
  const { url, username = '' } = target;
  const given = cli.setting('token') !== undefined;
  const kept = given ? undefined : tokenStore(cli, url, username).load();
  if (!given && !kept) throw new AuthError(`not signed in at ${url}`);
  const http = await openHttp(cli, target);
  const session = kept ? fixedSession(kept) : await sessionFor(cli, target, http);
  return new Client({ http, session, readOnly: true });
}

async function sessionFor(
  cli: CommandContext,
  target: Target,
  http: Http,
): Promise<Pick<Session, 'current' | 'renew'>> {
  const token = cli.setting('token')?.value;
  if (token !== undefined) {
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
    store: tokenStore(cli, target.url, username),
  });
}

/** Most commands have a token and never ask for a password. */
function lazyCredentials(cli: CommandContext, target: Target, username: string): CredentialSource {
  return {
    description: 'the settings',
    password: () => {
      if (cli.on('verbose')) cli.step(`sign in as ${username}`);
      return credentialsFor(cli, target, username).password();
    },
  };
}

/** Where below an address the service is, without credentials: by asking for the entry point. */
async function findSite(http: Http, address: Address): Promise<Site> {
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

/** The entry point of the API (specification 4.4). */
export async function entryPoint(client: Client): Promise<ApiObject> {
  const operation = listOperations('/').find(({ name }) => name === 'get');
  if (!operation) throw new Error('The model has no entry point.');
  return await client.object({ operation, what: 'get the entry point', isPrimary: true });
}

/** Name and version of the service. */
export function productOf(api: ApiObject): string {
  const info = api['product_info'] as ApiObject | undefined;
  const version = info?.['version'] as ApiObject | undefined;
  const numbers = [version?.['major'], version?.['minor'], version?.['build']];
  const text =
    version?.['full_version'] ?? numbers.filter((number) => number !== undefined).join('.');
  return [info?.['name'] ?? 'unnamed product', text].filter((part) => part !== '').join(' ');
}
