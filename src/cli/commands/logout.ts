/** `vmctl logout`: revocation and removal of the token. */
import { AuthError } from '../../client/errors.ts';
import { revoke } from '../../client/session.ts';
import { defineCommand, defineNoun } from '../args/command.ts';
import type { CommandContext } from '../session/command-context.ts';
import { changeConfiguration } from '../session/config-file.ts';
import { openHttp } from '../session/connect.ts';
import { getStoreName } from '../session/credentials.ts';
import { createSecretStore } from '../session/password-store.ts';
import { resolveServer, type ServerTarget } from '../session/server-target.ts';
import { createTokenStore } from '../session/token-store.ts';

/** Removes the stored password, so that the next command does not sign in again. */
async function forgetPassword(cli: CommandContext, { context }: ServerTarget): Promise<void> {
  const stored = context && getStoreName(context.credentials);
  const name = cli.contextName();
  if (!context || !stored || name === undefined) return;
  await (await createSecretStore(cli, stored, context.url, context.username)).forget();
  await changeConfiguration(cli.paths.configFile, (now) => ({
    ...now,
    contexts: { ...now.contexts, [name]: { ...context, credentials: { source: 'prompt' } } },
  }));
}

async function runLogout(cli: CommandContext): Promise<void> {
  const target = resolveServer(cli);
  const { username, url } = target;
  if (username === undefined) {
    throw new AuthError('no user to sign out', {
      hint: 'use --username, or a context with -c',
    });
  }
  const store = createTokenStore(cli, url, username);
  const stored = store.load();
  if (!stored) {
    cli.note(`${username} is not signed in at ${url}`);
    return;
  }
  await forgetPassword(cli, target);
  // Removed before the request: an unreachable server must not prevent the sign-out.
  store.forget();
  const http = await openHttp(cli, target);
  try {
    await revoke(http, stored.site, stored.token);
    cli.note(`signed out ${username} at ${url}`);
  } finally {
    await http.close();
  }
}

export default defineNoun({
  name: 'logout',
  doc: 'Sign out and revoke the token',
  position: 20,
  section: 'Sign in',
  commands: [
    defineCommand({
      examples: ['vmctl logout', 'vmctl logout -c lab'],
      unshowable: 'local',
      prints: 'nothing',
      run: (cli) => runLogout(cli),
    }),
  ],
});
