/** `vmctl whoami`: who is signed in, where, and to what. */
import type { Command } from 'commander';
import { siteUrl } from '../../client/address.ts';
import type { Client, Thing } from '../../client/client.ts';
import { operationsOf } from '../../model/index.ts';
import { print } from '../output/print.ts';
import type { CommandContext } from '../session/command-context.ts';
import type { Context } from '../session/config-file.ts';
import { targetOf } from '../session/connect.ts';

/** Adds the action of `vmctl whoami`. */
export function register(command: Command, cli: CommandContext): void {
  command
    .addHelpText('after', '\nExamples:\n  vmctl whoami\n  vmctl whoami -c lab -o json')
    .action(() => whoami(cli));
}

async function whoami(cli: CommandContext): Promise<void> {
  const { username, context } = targetOf(cli);
  const client = await cli.client();
  const api = await entryPoint(client);
  const site = await client.site();
  const user = api['authenticated_user'] as Thing | undefined;
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

/** The entry point of the API (specification 4.4). */
export async function entryPoint(client: Client): Promise<Thing> {
  const operation = operationsOf('/').find(({ name }) => name === 'get');
  if (!operation) throw new Error('The model has no entry point.');
  return await client.object({ operation, what: 'look at the entry point', isAsked: true });
}

/** Name and version of the service. */
export function productOf(api: Thing): string {
  const info = api['product_info'] as Thing | undefined;
  const version = info?.['version'] as Thing | undefined;
  const numbers = [version?.['major'], version?.['minor'], version?.['build']];
  const text =
    version?.['full_version'] ?? numbers.filter((number) => number !== undefined).join('.');
  return [info?.['name'] ?? 'unnamed product', text].filter((part) => part !== '').join(' ');
}
