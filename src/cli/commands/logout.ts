/** `vmctl logout`: ends the token at the server and forgets it here. */
import { AuthError } from '../../client/errors.ts';
import { revoke } from '../../client/session.ts';
import { command, noun } from '../args/command.ts';
import type { CommandContext } from '../session/command-context.ts';
import { changeConfiguration } from '../session/config-file.ts';
import { openHttp } from '../session/connect.ts';
import { storeOf } from '../session/credentials.ts';
import { secretStore } from '../session/password-store.ts';
import { type Target, targetOf } from '../session/target.ts';
import { tokenStore } from '../session/token-store.ts';

/** Who signs out does not want to be signed in again by the next command. */
async function forgetPassword(cli: CommandContext, { context }: Target): Promise<void> {
  const stored = context && storeOf(context.credentials);
  const name = cli.contextName();
  if (!context || !stored || name === undefined) return;
  await (await secretStore(cli, stored, context.url, context.username)).forget();
  await changeConfiguration(cli.paths.configFile, (now) => ({
    ...now,
    contexts: { ...now.contexts, [name]: { ...context, credentials: { source: 'prompt' } } },
  }));
}

async function logout(cli: CommandContext): Promise<void> {
  const target = targetOf(cli);
  const { username, url } = target;
  if (username === undefined) {
    throw new AuthError('no user to sign out', {
      hint: 'use --username, or a context with -c',
    });
  }
  const store = tokenStore(cli, url, username);
  const stored = store.load();
  if (!stored) {
    cli.note(`${username} is not signed in at ${url}`);
    return;
  }
  await forgetPassword(cli, target);
  // Forgotten first: a server that cannot be reached must not keep somebody signed in here.
  store.forget();
  const http = await openHttp(cli, target);
  try {
    await revoke(http, stored.site, stored.token);
    cli.note(`signed out ${username} at ${url}`);
  } finally {
    await http.close();
  }
}

export default noun({
  name: 'logout',
  doc: 'Sign out and revoke the token',
  position: 20,
  section: 'Sign in',
  commands: [
    command({
      examples: ['vmctl logout', 'vmctl logout -c lab'],
      unshowable: 'local',
      prints: 'nothing',
      run: (cli) => logout(cli),
    }),
  ],
});
