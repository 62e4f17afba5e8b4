/** `vmctl context`: management of contexts. */
import { ConflictError, DeclinedError, NotFoundError, UsageError } from '../../client/errors.ts';
import { defineCommand, defineNoun } from '../args/command.ts';
import { defineArgument, defineFlag } from '../args/parameters.ts';
import { printView } from '../output/print.ts';
import type { CommandContext } from '../session/command-context.ts';
import {
  type Context,
  changeConfiguration,
  checkContextName,
  findContext,
  getContext,
} from '../session/config-file.ts';
import { getStoreName } from '../session/credentials.ts';
import type { ContextChoice } from '../session/effective-settings.ts';
import { createSecretStore } from '../session/password-store.ts';
import { canPrompt, confirm } from '../session/prompt.ts';
import { createTokenStore } from '../session/token-store.ts';

interface SetFlags {
  readonly protected?: boolean;
  readonly readOnly?: boolean;
  readonly name?: string;
}

interface TrustFlags {
  readonly list?: boolean;
  readonly remove?: boolean;
}

const columns = ['current', 'name', 'url', 'username', 'source'];

/** Converts a context to an item. The current one has its source. */
function toItem(
  name: string,
  context: Context,
  choice: ContextChoice | undefined,
): Record<string, unknown> {
  const current = choice?.name === name;
  const { url, site, username, ca, credentials } = context;
  return {
    name,
    current,
    source: current ? choice.source : undefined,
    url,
    username,
    dialect: site.dialect,
    ca_fingerprint: ca?.fingerprint,
    protected: context.protected,
    read_only: context.readOnly,
    credentials,
    output: context.output,
    timeout: context.timeout,
  };
}

async function listContexts(cli: CommandContext): Promise<void> {
  const { contexts } = cli.configuration;
  const choice = cli.findContextChoice();
  await printView(cli, {
    noun: 'contexts',
    columns,
    items: Object.entries(contexts).map(([name, one]) => toItem(name, one, choice)),
  });
}

async function showContext(cli: CommandContext, given?: string): Promise<void> {
  const choice = cli.findContextChoice();
  const name = given ?? choice?.name;
  if (name === undefined) {
    throw new NotFoundError('no current context', {
      code: 'unknown_context',
      hint: 'add a context with vmctl login, or select one with vmctl context use NAME',
    });
  }
  const position = given === undefined ? choice?.position : undefined;
  await printContext(cli, name, getContext(cli.configuration, name, position), choice);
}

async function printContext(
  cli: CommandContext,
  name: string,
  context: Context,
  choice: ContextChoice | undefined,
): Promise<void> {
  const item = toItem(name, context, choice);
  await printView(cli, { noun: 'contexts', items: [item], columns, single: true });
}

async function useContext(cli: CommandContext, name: string): Promise<void> {
  await changeConfiguration(cli.paths.configFile, (now) => {
    getContext(now, name);
    return { ...now, current: name };
  });
  cli.note(`current context: ${name}`);
  const choice = cli.findContextChoice();
  if (choice && choice.source !== 'configuration' && choice.name !== name) {
    cli.note(`${choice.source} selects ${choice.name} instead`);
  }
}

async function changeTrust(
  cli: CommandContext,
  path: string | undefined,
  { list = false, remove = false }: TrustFlags,
): Promise<void> {
  if (list && (remove || path !== undefined)) {
    throw new UsageError(`context trust: --list excludes ${remove ? '--remove' : 'a path'}`, {
      hint: 'use one of them',
    });
  }
  const trust = await import('./context/folder-trust.ts');
  if (list) await trust.listTrust(cli);
  else if (remove) await trust.removeTrust(cli, path);
  else await trust.trustFolderFile(cli, path);
}

async function setContext(
  cli: CommandContext,
  given: string | undefined,
  flags: SetFlags,
): Promise<void> {
  const name = given ?? cli.contextName() ?? '';
  const before = getContext(cli.configuration, name);
  const called = flags.name ?? name;
  if (called !== name) checkContextName(called);
  if (called !== name && findContext(cli.configuration, called)) {
    throw new ConflictError(`context ${called} already exists`);
  }
  if (flags.protected === undefined && flags.readOnly === undefined && called === name) {
    throw new UsageError('context set: no change given', {
      hint: 'use --protected, --read-only or --name',
    });
  }
  const context = {
    ...before,
    ...(flags.protected === undefined ? {} : { protected: flags.protected }),
    ...(flags.readOnly === undefined ? {} : { readOnly: flags.readOnly }),
  };
  await changeConfiguration(cli.paths.configFile, (now) => {
    const { [name]: _before, ...others } = now.contexts;
    return {
      ...now,
      ...(now.current === name ? { current: called } : {}),
      contexts: { ...others, [called]: context },
    };
  });
  const choice = cli.findContextChoice();
  await printContext(
    cli,
    called,
    context,
    choice?.name === name ? { ...choice, name: called } : choice,
  );
}

async function removeContext(cli: CommandContext, name: string): Promise<void> {
  const context = getContext(cli.configuration, name);
  if (!cli.isOn('yes')) {
    if (!canPrompt(cli.io, cli.isOn('noInput'))) {
      throw new DeclinedError(`deleting context ${name} needs confirmation`, {
        hint: `vmctl context delete ${name} --yes`,
      });
    }
    if (!(await confirm(cli.io, `Delete context ${name} (${context.url})?`, cli.signal))) {
      throw new DeclinedError(`context ${name} was not deleted`);
    }
  }
  // Contexts with the same server and user share the token and the password.
  const isShared = Object.entries(cli.configuration.contexts).some(
    ([other, { url, username }]) =>
      other !== name && url === context.url && username === context.username,
  );
  const store = isShared ? undefined : getStoreName(context.credentials);
  if (store) await (await createSecretStore(cli, store, context.url, context.username)).forget();
  await changeConfiguration(cli.paths.configFile, (now) => {
    const { [name]: _gone, ...contexts } = now.contexts;
    const { current, ...rest } = now;
    return {
      ...rest,
      contexts,
      ...(current === undefined || current === name ? {} : { current }),
    };
  });
  if (!isShared) createTokenStore(cli, context.url, context.username).forget();
  cli.note(`deleted context ${name}`);
}

const local = { offline: true, unshowable: 'local' } as const;

export default defineNoun({
  name: 'context',
  aliases: ['contexts', 'ctx'],
  doc: 'Manage contexts (services with a sign-in)',
  position: 40,
  section: 'Sign in',
  commands: [
    defineCommand({
      verb: 'list',
      aliases: ['ls'],
      purpose: 'List contexts',
      examples: ['vmctl context list'],
      ...local,
      run: (cli) => listContexts(cli),
    }),
    defineCommand({
      verb: 'show',
      aliases: ['get', 'current'],
      purpose: 'Show a context',
      arguments: [defineArgument('[name]', 'name of the context (default: the current one)')],
      examples: ['vmctl context show', 'vmctl context show lab -o json'],
      ...local,
      prints: 'object',
      run: (cli, [name]) => showContext(cli, name),
    }),
    defineCommand({
      verb: 'use',
      purpose: 'Select the current context',
      arguments: [defineArgument('<name>', 'a context')],
      examples: ['vmctl context use lab'],
      ...local,
      prints: 'nothing',
      run: (cli, [name]) => useContext(cli, name),
    }),
    defineCommand({
      verb: 'set',
      purpose: 'Change a context',
      arguments: [defineArgument('[name]', 'name of the context (default: the current one)')],
      flags: [
        defineFlag('--protected', 'require the context name to confirm harmful commands'),
        defineFlag('--no-protected', 'remove the protection', { undoes: true }),
        defineFlag('--read-only', 'refuse requests that could change something'),
        defineFlag('--no-read-only', 'allow changes', { undoes: true }),
        defineFlag('--name <name>', 'new name'),
      ],
      examples: [
        'vmctl context set lab --protected',
        'vmctl context set lab --read-only',
        'vmctl context set lab --name testing',
      ],
      ...local,
      prints: 'nothing',
      run: (cli, [name], flags) => setContext(cli, name, flags),
    }),
    defineCommand({
      verb: 'trust',
      purpose: 'Trust the file that selects the context of a folder',
      arguments: [
        defineArgument('[path]', 'the file or its folder (default: the nearest file)', {
          type: 'file',
        }),
      ],
      flags: [
        defineFlag('--list', 'list trusted and ignored files'),
        defineFlag('--remove', 'remove the trust'),
      ],
      notes: `The file .vmctl.yaml has one line: "context: NAME". vmctl uses this context in the folder of the file and
below. -c, --url and their variables have priority. vmctl searches upwards, as far as the home directory.
On a terminal, vmctl prompts for new and changed files. Scripts ignore them, and print a note.
The file must be a regular file that belongs to you or to root.`,
      examples: [
        'vmctl context trust',
        'vmctl context trust ./infra',
        'vmctl context trust --list',
        'vmctl context trust --remove',
      ],
      ...local,
      prints: (_, { list }) => (list === true ? 'objects' : 'nothing'),
      run: (cli, [path], flags) => changeTrust(cli, path, flags),
    }),
    defineCommand({
      verb: 'delete',
      aliases: ['rm'],
      purpose: 'Delete a context and its token',
      arguments: [defineArgument('<name>', 'a context')],
      examples: ['vmctl context delete lab --yes'],
      ...local,
      prints: 'nothing',
      run: (cli, [name]) => removeContext(cli, name),
    }),
  ],
});
