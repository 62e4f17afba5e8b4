/** `vmctl auth`: the access token of the session. */
import { siteUrl } from '../../client/address.ts';
import { defineCommand, defineNoun } from '../args/command.ts';
import { getFormat, isTable, printView } from '../output/print.ts';
import type { CommandContext } from '../session/command-context.ts';
import { fetchEntryPoint } from '../session/connect.ts';
import { write } from '../session/io.ts';

/** Prints a valid token. The request that checks it renews an expired one. */
async function printToken(cli: CommandContext): Promise<void> {
  const client = await cli.client();
  await fetchEntryPoint(client);
  const { site, token, expires } = await client.token();
  if (isTable(getFormat(cli))) {
    await write(cli.io.stdout, `${token}\n`);
    return;
  }
  const item = {
    token,
    expires: expires === undefined ? undefined : new Date(expires).toISOString(),
    url: siteUrl(site),
  };
  await printView(cli, { noun: 'tokens', items: [item], single: true });
}

export default defineNoun({
  name: 'auth',
  doc: 'Print the access token for other programs',
  position: 35,
  section: 'Sign in',
  more: true,
  commands: [
    defineCommand({
      verb: 'token',
      purpose: 'Print the access token',
      notes:
        'Signs in if the token is missing or expired. -o json adds the end of the token and the URL of the service.\n' +
        'In scripts: -H "Authorization: Bearer $(vmctl auth token)". vmctl logout revokes the token.',
      examples: ['vmctl auth token', 'vmctl auth token -c lab -o json'],
      unshowable: 'many',
      onlyReads: true,
      prints: 'report',
      run: (cli) => printToken(cli),
    }),
  ],
});
