/** Sign-in without a password: with the browser, or with a Kerberos ticket. */
import type { Address, Site } from '../../../client/address.ts';
import { Client } from '../../../client/client.ts';
import { AuthError, UsageError } from '../../../client/errors.ts';
import type { Trust } from '../../../client/http.ts';
import type { StoredToken } from '../../../client/session.ts';
import { requireOperation } from '../../../model/index.ts';
import type { Resource } from '../../../model/resource.ts';
import type { CommandContext } from '../../session/command-context.ts';
import type { Context } from '../../session/config-file.ts';
import { fetchEntryPoint, findSite } from '../../session/connect.ts';
import type { StoreName } from '../../session/password-store.ts';

/** Server of the sign-in, and its earlier context. */
export interface Destination {
  readonly address: Address | Site;
  readonly name: string;
  readonly before?: Context;
}

export interface LoginOptions {
  readonly passwordStdin?: boolean;
  readonly passwordCommand?: string;
  readonly caFingerprint?: string;
  readonly store?: StoreName | 'none';
  readonly web?: boolean;
  readonly kerberos?: boolean;
  readonly browser?: boolean;
  readonly clientId?: string;
}

/** Result of a sign-in, and the account for the context. */
export interface NewSession extends Pick<Context, 'username' | 'credentials'> {
  readonly signedIn: StoredToken;
  readonly api: Resource<'api'>;
}

/** Flags of passwords, and of users of passwords. */
const passwordFlags = ['passwordStdin', 'passwordCommand', 'store'] as const;

/** Whether the sign-in needs no password. Throws `UsageError` for flags that contradict each other. */
export function isPasswordless(cli: CommandContext, options: LoginOptions): boolean {
  const { web, kerberos, clientId, browser } = options;
  if (!web && (clientId !== undefined || browser === false)) {
    const flag = browser === false ? '--no-browser' : '--client-id';
    throw new UsageError(`${flag} has no effect without --web`, { hint: 'add --web' });
  }
  if (web && kerberos) {
    throw new UsageError('--web and --kerberos exclude each other', { hint: 'use one of them' });
  }
  if (!web && !kerberos) return false;
  const isForPassword =
    passwordFlags.some((name) => options[name] !== undefined) ||
    cli.setting('passwordFile')?.origin === 'flag';
  if (!isForPassword && cli.setting('username')?.origin !== 'flag') return true;
  const problem = web
    ? 'login --web: the browser selects the user and asks for the password'
    : 'login --kerberos: the ticket selects the user and replaces the password';
  throw new UsageError(problem, { hint: 'remove the flags for user and password' });
}

/** Signs in with the browser or a ticket. Throws `AuthError` if the service refuses it. */
export async function signInWithoutPassword(
  cli: CommandContext,
  to: Destination,
  options: LoginOptions,
  { http, trust }: { readonly http: Client['http']; readonly trust: Trust },
): Promise<NewSession> {
  const site = 'dialect' in to.address ? to.address : await findSite(http, to.address);
  return options.kerberos
    ? await signInWithTicket(cli, site, http, trust)
    : await signInOnWeb(cli, { ...to, address: site }, options, http);
}

async function signInWithTicket(
  cli: CommandContext,
  site: Site,
  http: Client['http'],
  trust: Trust,
): Promise<NewSession> {
  const { signInWithKerberos } = await import('../../session/kerberos-sign-in.ts');
  const signedIn = await signInWithKerberos(cli, site, trust);
  const client = createClient(http, signedIn);
  const api = await fetchEntryPoint(client);
  const { id = '' } = api.authenticated_user ?? {};
  // The entry point only contains the id.
  const operation = requireOperation('/users/{user}', 'get');
  const user: Resource<'user'> = await client.object({
    operation,
    ids: { user: id },
    what: 'get the signed-in user',
  });
  const username = requireUser(user.user_name ?? user.name);
  return { signedIn, api, username, credentials: { source: 'kerberos' } };
}

async function signInOnWeb(
  cli: CommandContext,
  { address: site, before }: Destination & { readonly address: Site },
  options: LoginOptions,
  http: Client['http'],
): Promise<NewSession> {
  const earlier = before?.credentials.source === 'web' ? before.credentials.clientId : undefined;
  const secret = cli.setting('clientSecret')?.value;
  const client = {
    id: options.clientId ?? earlier ?? 'vmctl',
    ...(secret === undefined ? {} : { secret }),
  };
  const { signInWithBrowser } = await import('../../session/browser-sign-in.ts');
  const noBrowser = options.browser === false;
  const signedIn = await signInWithBrowser(cli, http, { site, client, noBrowser });
  const api = await fetchEntryPoint(createClient(http, signedIn));
  const { readTokenUser } = await import('../../../client/authorization-code.ts');
  const user = api.authenticated_user;
  const named = await readTokenUser(http, signedIn, client);
  const username = requireUser(named ?? user?.user_name ?? user?.name);
  return { signedIn, api, username, credentials: { source: 'web', clientId: client.id } };
}

function requireUser(username: string | undefined): string {
  if (username === undefined) throw new AuthError('the service does not name the user');
  return username;
}

/** Client with a new token. Its first request proves that the token is valid. */
function createClient(http: Client['http'], signedIn: StoredToken): Client {
  const session = {
    current: () => Promise.resolve(signedIn),
    renew: () => Promise.reject(new AuthError('the service refuses the new token')),
  };
  return new Client({ http, session });
}
