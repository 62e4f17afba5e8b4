/** From settings to a client: which server, whom to trust, who signs in. */

import * as fs from 'node:fs';
import { type Address, candidates, parseAddress, type Site } from '../../client/address.ts';
import { Client } from '../../client/client.ts';
import { AuthError, NotFoundError, type TrustError, UsageError } from '../../client/errors.ts';
import { Http, type Trust } from '../../client/http.ts';
import { type CredentialSource, fixedSession, Session } from '../../client/session.ts';
import { pinMismatch } from '../../client/trust.ts';
import { durationOf } from '../text/duration.ts';
import type { CommandContext } from './command-context.ts';
import type { Context } from './config-file.ts';
import { credentialsFor } from './credentials.ts';
import { protectedContextGuard } from './protected-contexts.ts';
import { tokenStore } from './token-store.ts';

/** Everything that is known about the server before the first request. */
export interface Target {
  readonly address: Address | Site;
  readonly url: string;
  readonly username: string | undefined;
  readonly trust: Trust;
  /** Fingerprint of the pinned authority. */
  readonly pinned?: string;
  /** The remembered server, when it is the one that is meant. */
  readonly context?: Context;
}

/** Reads flags, environment and configuration. Throws when no server is named anywhere. */
export function targetOf(cli: CommandContext): Target {
  const context = cli.context();
  const given = cli.setting('url');
  const named = given && given.origin !== 'context' ? parseAddress(given.value) : undefined;
  if (!named && !context) {
    throw new AuthError('no server is known', {
      hint: 'vmctl login https://host signs in; or set VMCTL_URL, VMCTL_USERNAME and VMCTL_PASSWORD',
    });
  }
  // What is known about one server must not be used, let alone sent, to another.
  const same = context && (!named || isSame(named, context.site)) ? context : undefined;
  const address = same?.site ?? named ?? parseAddress('');
  const caFile = cli.setting('caFile')?.value;
  const insecure = cli.setting('insecure') !== undefined;
  const ca = caFile === undefined ? same?.ca?.pem : readCa(caFile);
  const pinned = caFile === undefined ? same?.ca?.fingerprint : undefined;
  const username = cli.setting('username');
  return {
    address,
    url: `${address.origin}${address.appRoot ?? ''}`,
    username: username && (same || username.origin !== 'context') ? username.value : same?.username,
    trust: { ...(ca === undefined ? {} : { ca }), ...(insecure ? { insecure } : {}) },
    ...(pinned === undefined ? {} : { pinned }),
    ...(same ? { context: same } : {}),
  };
}

function isSame(address: Address, site: Site): boolean {
  return (
    address.origin === site.origin &&
    (address.appRoot === undefined || address.appRoot === site.appRoot)
  );
}

/** The certificates of a file, which the flag named. */
export function readCa(path: string, flag = '--ca-file and VMCTL_CA_FILE'): string {
  let text: string;
  try {
    text = fs.readFileSync(path, 'utf8');
  } catch (error) {
    throw new UsageError(`the CA file ${path} cannot be read: ${(error as Error).message}`, {
      hint: `check ${flag}`,
      cause: error,
    });
  }
  if (!text.includes('-----BEGIN CERTIFICATE-----')) {
    throw new UsageError(`the CA file ${path} holds no certificate in PEM`, {
      hint: 'PEM files have lines like -----BEGIN CERTIFICATE-----',
    });
  }
  return text;
}

/** The connections for a target; says so when nobody verifies them. */
export async function openHttp(cli: CommandContext, target: Target): Promise<Http> {
  const { trust, pinned } = target;
  if (trust.insecure) {
    const { host } = new URL(target.address.origin);
    cli.warn(`--insecure: nothing proves that ${host} is the right server`);
  }
  const retries = cli.setting('retries');
  const idle = cli.setting('idleTimeout');
  const debugs = cli.setting('debug') ?? cli.setting('debugFile');
  const debug = debugs ? (await import('./debug-log.ts')).debugLog(cli) : undefined;
  const times = await cli.timing();
  return await Http.open({
    trust,
    env: cli.io.env,
    signal: cli.signal,
    ...(retries ? { retries: retryCount(retries.value) } : {}),
    ...(idle ? { idleTimeout: idleLimit(idle.value) } : {}),
    ...(cli.dryRunMode ? { hold: cli.dryRunMode } : {}),
    ...(debug ? { observer: debug.observer, wholeBodies: debug.bodies } : {}),
    ...(times ? { times } : {}),
    ...(pinned === undefined ? {} : { explainDistrust: (origin) => mismatch(origin, pinned, cli) }),
  });
}

async function mismatch(
  origin: string,
  pinned: string,
  cli: CommandContext,
): Promise<TrustError | undefined> {
  return await pinMismatch(origin, pinned, cli.io.env, cli.signal);
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

/** A client for the server that the settings name. Signs in when the first request needs it. */
export async function openClient(cli: CommandContext): Promise<Client> {
  const timing = await cli.timing();
  timing?.stage('start');
  const target = targetOf(cli);
  timing?.stage('config');
  const http = await openHttp(cli, target);
  timing?.stage('library');
  const session = await sessionFor(cli, target, http);
  if (timing) {
    await session.current();
    timing.stage('token');
  }
  return new Client({
    http,
    session,
    readOnly: cli.on('readOnly') || target.context?.readOnly === true,
    ...(target.context?.protected ? { guard: protectedContextGuard(cli) } : {}),
  });
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
    throw new AuthError(`nobody is named to sign in at ${target.address.origin}`, {
      hint: 'give --username admin@internal, or set VMCTL_USERNAME',
    });
  }
  return new Session(http, {
    address: target.address,
    username,
    credentials: lazyCredentials(cli, target, username),
    store: tokenStore(cli.paths.stateDirectory, target.url, username),
  });
}

/** Most commands have a token and never ask for a password. */
function lazyCredentials(cli: CommandContext, target: Target, username: string): CredentialSource {
  return {
    description: 'the settings',
    password: () => credentialsFor(cli, target, username).password(),
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
    hint: 'give the URL with the path of the service: https://host[:port]/path',
  });
}
