/** `vmctl login`: sign-in, and storage of the server as a context. */

import * as paths from 'node:path';
import { parseAddress, siteUrl } from '../../client/address.ts';
import { Client } from '../../client/client.ts';
import { AuthError, UsageError, VmctlError } from '../../client/errors.ts';
import { type CredentialSource, Session, type StoredToken } from '../../client/session.ts';
import type { Resource } from '../../model/resource.ts';
import { defineCommand, defineNoun } from '../args/command.ts';
import { defineArgument, defineFlag } from '../args/parameters.ts';
import { getFormat, isTable, printView } from '../output/print.ts';
import { promptForCa } from '../session/ca-prompt.ts';
import type { CommandContext } from '../session/command-context.ts';
import {
  type Context,
  type CredentialKind,
  changeConfiguration,
  checkContextName,
  findContext,
} from '../session/config-file.ts';
import { fetchEntryPoint, formatProduct, openHttp } from '../session/connect.ts';
import {
  fixedPassword,
  fromCommand,
  fromContext,
  fromFile,
  fromPrompt,
  passwordSettings,
} from '../session/credentials.ts';
import { createSecretStore, storeNames } from '../session/password-store.ts';
import { askLine, canPrompt, readFirstLine } from '../session/prompt.ts';
import { createTokenStore } from '../session/token-store.ts';
import {
  type Destination,
  isPasswordless,
  type LoginOptions,
  type NewSession,
  signInWithoutPassword,
} from './login/single-sign-on.ts';

async function runLogin(
  cli: CommandContext,
  url: string | undefined,
  options: LoginOptions,
): Promise<void> {
  const isPasswordFree = isPasswordless(cli, options);
  const to = resolveDestination(cli, url);
  const username = isPasswordFree ? undefined : await resolveUsername(cli, to);
  const ca = await promptForCa(cli, to.address, options.caFingerprint, to.before?.ca);
  const password =
    username === undefined ? undefined : await selectPassword(cli, to, username, options);
  const trust = {
    ...(ca ? { ca: ca.pem } : {}),
    ...(cli.isOn('insecure') ? { insecure: true } : {}),
  };
  const http = await openHttp(cli, {
    address: to.address,
    url: to.address.origin,
    username,
    trust,
    ...(ca?.fingerprint ? { pinned: ca.fingerprint } : {}),
  });
  try {
    const { signedIn, api, ...account } =
      username === undefined || password === undefined
        ? await signInWithoutPassword(cli, to, options, { http, trust })
        : await signInWithPassword(cli, to, { username, password, options }, http);
    const { ca: _before, ...preferences } = to.before ?? {};
    const context: Context = {
      ...preferences,
      url: siteUrl(signedIn.site),
      site: signedIn.site,
      ...(ca ? { ca } : {}),
      ...account,
    };
    createTokenStore(cli, context.url, context.username).save(signedIn);
    await changeConfiguration(cli.paths.configFile, (now) => ({
      ...now,
      current: to.name,
      contexts: { ...now.contexts, [to.name]: context },
    }));
    await printResult(cli, to.name, context, api);
  } finally {
    await http.close();
  }
}

interface PasswordAccount {
  readonly username: string;
  readonly password: readonly [CredentialSource, CredentialKind];
  readonly options: LoginOptions;
}

async function signInWithPassword(
  cli: CommandContext,
  to: Destination,
  { username, password: [source, credentials], options }: PasswordAccount,
  http: Client['http'],
): Promise<NewSession> {
  const remembering = rememberPassword(source);
  const isTyped = credentials.source === 'prompt' && !options.passwordStdin;
  const attempts = isTyped && canPrompt(cli.io, cli.isOn('noInput')) ? maxPasswordAttempts : 1;
  const [signedIn, api] = await retryPassword(attempts, cli, () =>
    signIn(to, username, remembering, http),
  );
  const url = siteUrl(signedIn.site);
  const stored = await storePassword(cli, options.store, url, username, credentials, remembering);
  return { signedIn, api, username, credentials: stored };
}

/** Maximum number of attempts for a typed password. `vmctl` keeps the confirmed trust. */
const maxPasswordAttempts = 3;

/** Retries after a refused password. */
async function retryPassword<T>(
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

/** Signs in and reads the entry point, to prove that the token is valid. */
async function signIn(
  to: Destination,
  username: string,
  credentials: CredentialSource,
  http: Client['http'],
): Promise<[StoredToken, Resource<'api'>]> {
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
  const api = await fetchEntryPoint(new Client({ http, session }));
  return [await session.current(), api];
}

function resolveDestination(cli: CommandContext, url: string | undefined): Destination {
  const { contexts, current } = cli.configuration;
  const named = cli.setting('context')?.value;
  const elsewhere = cli.setting('url');
  const given = url ?? (elsewhere?.origin === 'context' ? undefined : elsewhere?.value);
  const known = named ?? current;
  const remembered = known === undefined ? undefined : findContext(cli.configuration, known);
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
  const own = findContext(cli.configuration, name);
  if (!own) checkContextName(name);
  // The pinned authority belongs to the server, not to the name of the context.
  const same = [own, ...Object.values(contexts)].find((one) => one?.site.origin === address.origin);
  return { address, name, ...(same ? { before: same } : {}) };
}

async function resolveUsername(cli: CommandContext, to: Destination): Promise<string> {
  const given = cli.setting('username');
  if (given && given.origin !== 'context') return given.value;
  if (to.before) return to.before.username;
  const { host } = new URL(to.address.origin);
  if (canPrompt(cli.io, cli.isOn('noInput'))) {
    const answer = (await askLine(cli.io, `User name at ${host}: `, cli.signal)).trim();
    if (answer !== '') return answer;
  }
  throw new UsageError(`no user name for ${host}`, {
    hint: 'use --username admin@internal, or set VMCTL_USERNAME',
  });
}

/** Selects the password for this sign-in, and the source for later ones. */
async function selectPassword(
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
  if (options.passwordStdin)
    return [fixedPassword(await readFirstLine(io), 'stdin'), { source: 'prompt' }];
  if (options.passwordCommand !== undefined) {
    const command = options.passwordCommand;
    return [fromCommand(command, io), { source: 'command', command }];
  }
  const password = cli.setting('password');
  if (password && file?.origin !== 'flag') {
    return [fixedPassword(password.value, 'VMCTL_PASSWORD'), { source: 'env' }];
  }
  if (file) {
    const path = paths.resolve(file.value);
    return [fromFile(path, io), { source: 'file', path }];
  }
  const { host } = new URL(to.address.origin);
  const prompt = fromPrompt(cli, username, host, `use --password-stdin, ${passwordSettings}`);
  const before = to.before?.username === username ? to.before.credentials : undefined;
  if (before?.source === 'web' || before?.source === 'kerberos') {
    return [prompt, { source: 'prompt' }];
  }
  if (!to.before || !before) return [prompt, { source: 'prompt' }];
  // A password that will be stored has to be typed.
  if (options.store !== undefined) return [prompt, { source: 'prompt' }];
  return [fromContext(cli, to.before, prompt), before];
}

/** Password source that remembers its password. */
interface RememberingSource extends CredentialSource {
  readonly last: () => string | undefined;
}

function rememberPassword(source: CredentialSource): RememberingSource {
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
 * Stores the password as requested; a typed password goes to the keyring by default. Returns its
 * source for later sign-ins.
 */
async function storePassword(
  cli: CommandContext,
  requested: LoginOptions['store'],
  url: string,
  username: string,
  credentials: CredentialKind,
  source: RememberingSource,
): Promise<CredentialKind> {
  const password = source.last();
  const typed = credentials.source === 'prompt' && cli.io.stdin.isTTY === true;
  const name = requested ?? (typed ? 'keyring' : 'none');
  if (name === 'none' || password === undefined) return credentials;
  const store = await createSecretStore(cli, name, url, username);
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

async function printResult(
  cli: CommandContext,
  name: string,
  context: Context,
  api: Resource<'api'>,
): Promise<void> {
  cli.note(
    `signed in as ${context.username} at ${context.url} (${formatProduct(api)}), context ${name}`,
  );
  if (isTable(getFormat(cli)) || cli.isOn('quiet')) return;
  const { url, username, ca } = context;
  const item = {
    name,
    url,
    username,
    ca_fingerprint: ca?.fingerprint,
    product: formatProduct(api),
  };
  await printView(cli, { noun: 'contexts', items: [item], single: true });
}

export default defineNoun({
  name: 'login',
  doc: 'Sign in and save the service as a context',
  position: 10,
  section: 'Sign in',
  commands: [
    defineCommand({
      arguments: [
        defineArgument(
          '[url]',
          'address: https://host[:port][/path] (default: the current context)',
        ),
      ],
      flags: [
        defineFlag('--password-stdin', 'read the password from the first line of stdin'),
        defineFlag(
          '--password-command <command>',
          'command that prints the password, stored for later sign-ins',
        ),
        defineFlag(
          '--ca-fingerprint <sha256>',
          'SHA-256 fingerprint of the certificate authority, instead of the trust prompt',
        ),
        defineFlag(
          '--store <where>',
          'password store; file is encrypted (default: keyring for a typed password)',
          { choices: [...storeNames, 'none'] },
        ),
        defineFlag('--web', 'sign in with the browser, for example with single sign-on'),
        defineFlag('--kerberos', 'sign in with a Kerberos ticket (kinit), with the help of curl'),
        defineFlag('--no-browser', 'print the address of the sign-in page, for --web'),
        defineFlag('--client-id <id>', 'registered client for --web (default vmctl)'),
      ],
      notes: `vmctl shows the certificate authority of the server and asks whether to trust it. -c sets the name of the\nnew context (default: the host name of the server). --web opens the sign-in page of the service. An\nengine requires a registered client, with its secret in VMCTL_CLIENT_SECRET. --kerberos needs curl with\nsupport for GSS-API; vmctl requests new tokens with the ticket until it expires.`,
      examples: [
        'vmctl login https://engine.example.com --username admin@internal',
        "vmctl login https://lab.example.com --username admin@internal -c lab --password-command 'pass lab'",
        'vmctl login https://engine.example.com --username admin@internal --password-stdin < password.txt',
        'vmctl login https://engine.example.com --username admin@internal --ca-fingerprint "$FINGERPRINT"',
        'vmctl login https://engine.example.com --web',
        'vmctl login https://engine.example.com --kerberos',
      ],
      unshowable: 'local',
      prints: 'report',
      run: (cli, [url], options) => runLogin(cli, url, options),
    }),
  ],
});
