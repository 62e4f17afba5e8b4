/** `vmctl login`: signs in, and remembers the server as a context. */

import * as paths from 'node:path';
import { type Address, parseAddress, siteUrl } from '../../client/address.ts';
import { type ApiObject, Client } from '../../client/client.ts';
import { AuthError, UsageError, VmctlError } from '../../client/errors.ts';
import { type CredentialSource, Session, type StoredToken } from '../../client/session.ts';
import { command, noun } from '../args/command.ts';
import { argument, flag } from '../args/parameters.ts';
import { formatOf, isTable, print } from '../output/print.ts';
import { promptForCa } from '../session/ca-prompt.ts';
import type { CommandContext } from '../session/command-context.ts';
import { type Context, type CredentialKind, changeConfiguration } from '../session/config-file.ts';
import { entryPoint, openHttp, productOf } from '../session/connect.ts';
import { fromCommand, fromContext, fromFile, fromPrompt, known } from '../session/credentials.ts';
import { type StoreName, secretStore, storeNames } from '../session/password-store.ts';
import { ask, canAsk, firstLine } from '../session/prompt.ts';
import { tokenStore } from '../session/token-store.ts';

/** Where somebody signs in, and what is remembered about it from before. */
interface Destination {
  readonly address: Address;
  readonly name: string;
  readonly before?: Context;
}

interface LoginOptions {
  readonly passwordStdin?: boolean;
  readonly passwordCommand?: string;
  readonly caFingerprint?: string;
  readonly store?: StoreName | 'none';
}

async function login(
  cli: CommandContext,
  url: string | undefined,
  options: LoginOptions,
): Promise<void> {
  const to = destination(cli, url);
  const username = await whoSignsIn(cli, to);
  const ca = await promptForCa(cli, to.address, options.caFingerprint, to.before?.ca);
  const [source, credentials] = await passwordFrom(cli, to, username, options);
  const http = await openHttp(cli, {
    address: to.address,
    url: to.address.origin,
    username,
    trust: { ...(ca ? { ca: ca.pem } : {}), ...(cli.on('insecure') ? { insecure: true } : {}) },
    ...(ca?.fingerprint ? { pinned: ca.fingerprint } : {}),
  });
  try {
    const remembering = remembered(source);
    const isTyped = credentials.source === 'prompt' && !options.passwordStdin;
    const attempts = isTyped && canAsk(cli.io, cli.on('noInput')) ? typedPasswords : 1;
    const [signedIn, api] = await enterWithin(attempts, cli, () =>
      enter(to, username, remembering, http),
    );
    const url = siteUrl(signedIn.site);
    const stored = await keep(cli, options.store, url, username, credentials, remembering);
    const { ca: _before, ...preferences } = to.before ?? {};
    const context: Context = {
      ...preferences,
      url,
      site: signedIn.site,
      username,
      ...(ca ? { ca } : {}),
      credentials: stored,
    };
    tokenStore(cli, context.url, username).save(signedIn);
    await changeConfiguration(cli.paths.configFile, (now) => ({
      ...now,
      current: to.name,
      contexts: { ...now.contexts, [to.name]: context },
    }));
    await tell(cli, to.name, context, api);
  } finally {
    await http.close();
  }
}

/** How often a password may be typed: the trust that was confirmed before it is kept meanwhile. */
const typedPasswords = 3;

/** Tries again after a password that the service refuses. */
async function enterWithin<T>(
  attempts: number,
  cli: CommandContext,
  attempt: () => Promise<T>,
): Promise<T> {
  for (let left = attempts - 1; ; left -= 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof AuthError) || left <= 0) throw error;
      cli.warn(`${error.message}; try again`);
    }
  }
}

/** Signs in and asks for the entry point, which proves that the token is good for something. */
async function enter(
  to: Destination,
  username: string,
  credentials: CredentialSource,
  http: Client['http'],
): Promise<[StoredToken, ApiObject]> {
  const session = new Session(http, {
    address: to.address,
    username,
    credentials,
    store: {
      load: () => undefined,
      save: () => {},
      forget: () => {},
      exclusively: (work) => work(),
    },
  });
  const api = await entryPoint(new Client({ http, session }));
  return [await session.current(), api];
}

function destination(cli: CommandContext, url: string | undefined): Destination {
  const { contexts, current } = cli.configuration;
  const named = cli.setting('context')?.value;
  const elsewhere = cli.setting('url');
  const given = url ?? (elsewhere?.origin === 'context' ? undefined : elsewhere?.value);
  const known = named ?? current;
  const remembered = known === undefined ? undefined : contexts[known];
  if (given === undefined) {
    if (known !== undefined && remembered) {
      return { address: remembered.site, name: known, before: remembered };
    }
    throw new UsageError('login needs the address of a service', {
      hint: 'vmctl login https://host[:port] --username admin@internal',
    });
  }
  const address = parseAddress(given);
  const name = named ?? new URL(address.origin).host;
  // Whoever was trusted at that place is remembered, whatever the context is called.
  const same = [contexts[name], ...Object.values(contexts)].find(
    (context) => context?.site.origin === address.origin,
  );
  return { address, name, ...(same ? { before: same } : {}) };
}

async function whoSignsIn(cli: CommandContext, to: Destination): Promise<string> {
  const given = cli.setting('username');
  if (given && given.origin !== 'context') return given.value;
  if (to.before) return to.before.username;
  const { host } = new URL(to.address.origin);
  if (canAsk(cli.io, cli.on('noInput'))) {
    const answer = (await ask(cli.io, `User name at ${host}: `, cli.signal)).trim();
    if (answer !== '') return answer;
  }
  throw new UsageError(`no user name for ${host}`, {
    hint: 'use --username admin@internal, or set VMCTL_USERNAME',
  });
}

/** The password for now, and how it is found again when the token has run out. */
async function passwordFrom(
  cli: CommandContext,
  to: Destination,
  username: string,
  options: LoginOptions,
): Promise<[CredentialSource, CredentialKind]> {
  const { io } = cli;
  const file = cli.setting('passwordFile');
  const resolved = [options.passwordStdin, options.passwordCommand, file?.origin === 'flag'];
  if (resolved.filter(Boolean).length > 1) {
    throw new UsageError('several sources for the password', {
      hint: 'use one of --password-stdin, --password-command and --password-file',
    });
  }
  if (options.passwordStdin) return [known(await firstLine(io), 'stdin'), { source: 'prompt' }];
  if (options.passwordCommand !== undefined) {
    const command = options.passwordCommand;
    return [fromCommand(command, io), { source: 'command', command }];
  }
  const password = cli.setting('password');
  if (password && file?.origin !== 'flag') {
    return [known(password.value, 'VMCTL_PASSWORD'), { source: 'env' }];
  }
  if (file) {
    const path = paths.resolve(file.value);
    return [fromFile(path, io), { source: 'file', path }];
  }
  const { host } = new URL(to.address.origin);
  const prompt = fromPrompt(username, host, io, cli.on('noInput'), cli.signal);
  const before = to.before?.username === username ? to.before.credentials : undefined;
  if (!to.before || !before) return [prompt, { source: 'prompt' }];
  // A password that is kept anew has to be typed.
  if (options.store !== undefined) return [prompt, { source: 'prompt' }];
  return [fromContext(cli, to.before, prompt), before];
}

/** The source with the password that it gave, for those who keep it. */
interface Remembering extends CredentialSource {
  readonly last: () => string | undefined;
}

function remembered(source: CredentialSource): Remembering {
  let last: string | undefined;
  return {
    description: source.description,
    password: async () => {
      last = await source.password();
      return last;
    },
    last: () => last,
  };
}

/**
 * Keeps the password where it was asked for: in the keyring without a word if somebody typed it.
 * Returns how it is found again.
 */
async function keep(
  cli: CommandContext,
  requested: LoginOptions['store'],
  url: string,
  username: string,
  credentials: CredentialKind,
  source: Remembering,
): Promise<CredentialKind> {
  const password = source.last();
  const typed = credentials.source === 'prompt' && cli.io.stdin.isTTY === true;
  const name = requested ?? (typed ? 'keyring' : 'none');
  if (name === 'none' || password === undefined) return credentials;
  const store = await secretStore(cli, name, url, username);
  try {
    await store.save(password);
  } catch (error) {
    if (requested !== undefined || !(error instanceof VmctlError)) throw error;
    cli.note(`password not stored: ${error.message}; use --store file for an encrypted file`);
    return credentials;
  }
  cli.note(`password stored in ${store.description}`);
  return { source: name === 'keyring' ? 'keyring' : 'encrypted' };
}

async function tell(
  cli: CommandContext,
  name: string,
  context: Context,
  api: ApiObject,
): Promise<void> {
  cli.note(
    `signed in as ${context.username} at ${context.url} (${productOf(api)}), context ${name}`,
  );
  if (isTable(formatOf(cli)) || cli.on('quiet')) return;
  const { url, username, ca } = context;
  const item = {
    name,
    url,
    username,
    ca_fingerprint: ca?.fingerprint,
    product: productOf(api),
  };
  await print(cli, { noun: 'contexts', items: [item], single: true });
}

export default noun({
  name: 'login',
  doc: 'Sign in and save the service as a context',
  position: 10,
  section: 'Sign in',
  commands: [
    command({
      arguments: [
        argument('[url]', 'address: https://host[:port][/path] (default: the current context)'),
      ],
      flags: [
        flag('--password-stdin', 'read the password from the first line of stdin'),
        flag(
          '--password-command <command>',
          'command that prints the password, stored for later sign-ins',
        ),
        flag(
          '--ca-fingerprint <sha256>',
          'SHA-256 fingerprint of the certificate authority, instead of the trust prompt',
        ),
        flag(
          '--store <where>',
          'password store; file is encrypted (default: keyring for a typed password)',
          { choices: [...storeNames, 'none'] },
        ),
      ],
      notes: `vmctl shows the certificate authority of the server and asks whether to trust it. -c sets the name of the\nnew context (default: the host name of the server).`,
      examples: [
        'vmctl login https://engine.example.com --username admin@internal',
        "vmctl login https://lab.example.com --username admin@internal -c lab --password-command 'pass lab'",
        'vmctl login https://engine.example.com --username admin@internal --password-stdin < password.txt',
        'vmctl login https://engine.example.com --username admin@internal --ca-fingerprint "$FINGERPRINT"',
      ],
      unshowable: 'local',
      prints: 'report',
      run: (cli, [url], options) => login(cli, url, options),
    }),
  ],
});
