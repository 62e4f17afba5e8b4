/** `vmctl logout`: ends the token at the server and forgets it here. */
import type { Command } from 'commander';
import { AuthError } from '../../client/errors.ts';
import { revoke } from '../../client/sign-in.ts';
import type { Cli } from '../cli.ts';
import { openHttp, targetOf } from '../session/connect.ts';
import { tokenStore } from '../session/tokens.ts';

/** Adds the action of `vmctl logout`. */
export function register(command: Command, cli: Cli): void {
  command.action(() => logout(cli));
}

async function logout(cli: Cli): Promise<void> {
  const target = targetOf(cli);
  const { username, url } = target;
  if (username === undefined) {
    throw new AuthError('nobody is named to sign out', {
      hint: 'give --username, or the context with -c',
    });
  }
  const store = tokenStore(cli.places.stateDirectory, url, username);
  const kept = store.load();
  if (!kept) {
    cli.note(`${username} is not signed in at ${url}`);
    return;
  }
  // Forgotten first: a server that cannot be reached must not keep somebody signed in here.
  store.forget();
  const http = await openHttp(cli, target);
  try {
    await revoke(http, kept.site, kept.token);
    cli.note(`signed out ${username} at ${url}`);
  } finally {
    await http.close();
  }
}
