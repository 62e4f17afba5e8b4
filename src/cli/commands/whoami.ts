/** `vmctl whoami`: the signed-in user and the service. */
import { siteUrl } from '../../client/address.ts';
import { defineCommand, defineNoun } from '../args/command.ts';
import { printView } from '../output/print.ts';
import type { CommandContext } from '../session/command-context.ts';
import type { Context } from '../session/config-file.ts';
import { fetchEntryPoint, formatProduct } from '../session/connect.ts';
import { resolveServer } from '../session/server-target.ts';

async function runWhoami(cli: CommandContext): Promise<void> {
  const { username, context } = resolveServer(cli);
  const client = await cli.client();
  const api = await fetchEntryPoint(client);
  const site = await client.site();
  const user = api.authenticated_user;
  const item = {
    username: user?.user_name ?? user?.name ?? username,
    user_id: user?.id,
    url: siteUrl(site),
    dialect: site.dialect,
    product: formatProduct(api),
    context: context ? cli.contextName() : undefined,
    password_from: findPasswordSource(cli, context),
    ca_fingerprint: context?.ca?.fingerprint,
  };
  await printView(cli, { noun: 'users', items: [item], single: true });
}

/** Returns the password source for the next sign-in. */
function findPasswordSource(cli: CommandContext, context: Context | undefined): string | undefined {
  if (cli.isOn('token')) return undefined;
  if (cli.isOn('password')) return 'VMCTL_PASSWORD';
  const file = cli.setting('passwordFile')?.value;
  if (file !== undefined) return file;
  const { source } = context?.credentials ?? { source: 'prompt' };
  return source === 'encrypted' ? 'encrypted file' : source;
}

export default defineNoun({
  name: 'whoami',
  doc: 'Show the signed-in user and the service',
  position: 30,
  section: 'Sign in',
  commands: [
    defineCommand({
      examples: ['vmctl whoami', 'vmctl whoami -c lab -o json'],
      onlyReads: true,
      prints: 'object',
      run: (cli) => runWhoami(cli),
    }),
  ],
});
