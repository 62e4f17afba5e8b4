/** `vmctl whoami`: who is signed in, where, and to what. */
import { siteUrl } from '../../client/address.ts';
import type { ApiObject } from '../../client/client.ts';
import { command, noun } from '../args/command.ts';
import { print } from '../output/print.ts';
import type { CommandContext } from '../session/command-context.ts';
import type { Context } from '../session/config-file.ts';
import { entryPoint, productOf } from '../session/connect.ts';
import { targetOf } from '../session/target.ts';

async function whoami(cli: CommandContext): Promise<void> {
  const { username, context } = targetOf(cli);
  const client = await cli.client();
  const api = await entryPoint(client);
  const site = await client.site();
  const user = api['authenticated_user'] as ApiObject | undefined;
  const item = {
    username: user?.['user_name'] ?? user?.['name'] ?? username,
    user_id: user?.['id'],
    url: siteUrl(site),
    dialect: site.dialect,
    product: productOf(api),
    context: context ? cli.contextName() : undefined,
    password_from: passwordFrom(cli, context),
    ca_fingerprint: context?.ca?.fingerprint,
  };
  await print(cli, { noun: 'users', items: [item], single: true });
}

/** Where the password comes from when the token has run out. */
function passwordFrom(cli: CommandContext, context: Context | undefined): string | undefined {
  if (cli.on('token')) return undefined;
  if (cli.on('password')) return 'VMCTL_PASSWORD';
  const file = cli.setting('passwordFile')?.value;
  if (file !== undefined) return file;
  const { source } = context?.credentials ?? { source: 'prompt' };
  return source === 'encrypted' ? 'encrypted file' : source;
}

export default noun({
  name: 'whoami',
  doc: 'Show the signed-in user and the service',
  position: 30,
  section: 'Sign in',
  commands: [
    command({
      examples: ['vmctl whoami', 'vmctl whoami -c lab -o json'],
      onlyReads: true,
      prints: 'object',
      run: (cli) => whoami(cli),
    }),
  ],
});
