/** `vmctl version`: versions of vmctl, the service and the API. */
import { siteUrl } from '../../client/address.ts';
import { version } from '../../version.ts';
import { defineCommand, defineNoun } from '../args/command.ts';
import { defineFlag } from '../args/parameters.ts';
import { printView } from '../output/print.ts';
import type { CommandContext } from '../session/command-context.ts';
import { fetchEntryPoint, formatProduct } from '../session/connect.ts';
import { hasServer } from '../session/server-target.ts';

/** Prints the own version even if the service does not respond, and then throws its error. */
async function runVersion(cli: CommandContext, isClientOnly: boolean): Promise<void> {
  const client = { client: version, node: process.versions.node };
  let server: Readonly<Record<string, unknown>> = {};
  let failure: unknown;
  if (!isClientOnly && hasServer(cli)) {
    try {
      server = await fetchServerVersion(cli);
    } catch (error) {
      failure = error;
    }
  }
  await printView(cli, { noun: 'version', items: [{ ...client, ...server }], single: true });
  if (failure !== undefined) throw failure;
}

async function fetchServerVersion(cli: CommandContext): Promise<Readonly<Record<string, unknown>>> {
  const client = await cli.client();
  const api = await fetchEntryPoint(client);
  const site = await client.site();
  return {
    server: formatProduct(api),
    api: client.apiVersion,
    dialect: site.dialect,
    url: siteUrl(site),
  };
}

export default defineNoun({
  name: 'version',
  doc: 'Show the versions of vmctl, the service and the API',
  position: 148,
  section: 'Learn, test',
  more: true,
  commands: [
    defineCommand({
      flags: [defineFlag('--client', 'show only the version of vmctl, without a request')],
      examples: ['vmctl version', 'vmctl version --client', 'vmctl version -o json'],
      onlyReads: true,
      prints: 'object',
      run: (cli, _, { client }) => runVersion(cli, client === true),
    }),
  ],
});
