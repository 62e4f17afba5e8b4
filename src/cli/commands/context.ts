/** `vmctl context`: the servers that are remembered. */
import { ConflictError, DeclinedError, NotFoundError, UsageError } from '../../client/errors.ts';
import { command, noun } from '../args/command.ts';
import { argument, flag } from '../args/parameters.ts';
import { print } from '../output/print.ts';
import type { CommandContext } from '../session/command-context.ts';
import { type Context, changeConfiguration, contextNamed } from '../session/config-file.ts';
import { storeOf } from '../session/credentials.ts';
import { secretStore } from '../session/password-store.ts';
import { canAsk, confirm } from '../session/prompt.ts';
import { tokenStore } from '../session/token-store.ts';

interface SetFlags {
  readonly protected?: boolean;
  readonly readOnly?: boolean;
  readonly name?: string;
}

const columns = ['current', 'name', 'url', 'username'];

function itemOf(name: string, context: Context, current: boolean): Record<string, unknown> {
  const { url, site, username, ca, credentials } = context;
  return {
    name,
    current,
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

async function list(cli: CommandContext): Promise<void> {
  const { contexts } = cli.configuration;
  const current = cli.contextName();
  await print(cli, {
    noun: 'contexts',
    columns,
    items: Object.entries(contexts).map(([name, one]) => itemOf(name, one, name === current)),
  });
}

async function show(cli: CommandContext, given?: string): Promise<void> {
  const name = given ?? cli.contextName();
  if (name === undefined) {
    throw new NotFoundError('no current context', {
      code: 'unknown_context',
      hint: 'add a context with vmctl login, or select one with vmctl context use NAME',
    });
  }
  await tell(cli, name, contextNamed(cli.configuration, name), name === cli.contextName());
}

async function tell(
  cli: CommandContext,
  name: string,
  context: Context,
  current: boolean,
): Promise<void> {
  const item = itemOf(name, context, current);
  await print(cli, { noun: 'contexts', items: [item], columns, single: true });
}

async function use(cli: CommandContext, name: string): Promise<void> {
  await changeConfiguration(cli.paths.configFile, (now) => {
    contextNamed(now, name);
    return { ...now, current: name };
  });
  cli.note(`current context: ${name}`);
}

async function set(cli: CommandContext, given: string | undefined, flags: SetFlags): Promise<void> {
  const name = given ?? cli.contextName() ?? '';
  const before = contextNamed(cli.configuration, name);
  const called = flags.name ?? name;
  if (called !== name && cli.configuration.contexts[called]) {
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
  await tell(cli, called, context, name === cli.contextName());
}

async function remove(cli: CommandContext, name: string): Promise<void> {
  const context = contextNamed(cli.configuration, name);
  if (!cli.on('yes')) {
    if (!canAsk(cli.io, cli.on('noInput'))) {
      throw new DeclinedError(`deleting context ${name} needs confirmation`, {
        hint: `vmctl context delete ${name} --yes`,
      });
    }
    if (!(await confirm(cli.io, `Delete context ${name} (${context.url})?`, cli.signal))) {
      throw new DeclinedError(`context ${name} was not deleted`);
    }
  }
  const store = storeOf(context.credentials);
  if (store) await (await secretStore(cli, store, context.url, context.username)).forget();
  await changeConfiguration(cli.paths.configFile, (now) => {
    const { [name]: _gone, ...contexts } = now.contexts;
    const { current, ...rest } = now;
    return {
      ...rest,
      contexts,
      ...(current === undefined || current === name ? {} : { current }),
    };
  });
  tokenStore(cli, context.url, context.username).forget();
  cli.note(`deleted context ${name}`);
}

const local = { offline: true, unshowable: 'local' } as const;

export default noun({
  name: 'context',
  aliases: ['contexts', 'ctx'],
  doc: 'Manage contexts (services with a sign-in)',
  position: 40,
  section: 'Sign in',
  commands: [
    command({
      verb: 'list',
      aliases: ['ls'],
      purpose: 'List contexts',
      examples: ['vmctl context list'],
      ...local,
      run: (cli) => list(cli),
    }),
    command({
      verb: 'show',
      aliases: ['get'],
      purpose: 'Show a context',
      arguments: [argument('[name]', 'name of the context (default: the current one)')],
      examples: ['vmctl context show', 'vmctl context show lab -o json'],
      ...local,
      prints: 'object',
      run: (cli, [name]) => show(cli, name),
    }),
    command({
      verb: 'use',
      purpose: 'Select the current context',
      arguments: [argument('<name>', 'a context')],
      examples: ['vmctl context use lab'],
      ...local,
      prints: 'nothing',
      run: (cli, [name]) => use(cli, name),
    }),
    command({
      verb: 'set',
      purpose: 'Change a context',
      arguments: [argument('[name]', 'name of the context (default: the current one)')],
      flags: [
        flag('--protected', 'require the context name to confirm harmful commands'),
        flag('--no-protected', 'remove the protection', { undoes: true }),
        flag('--read-only', 'refuse requests that could change something'),
        flag('--no-read-only', 'allow changes', { undoes: true }),
        flag('--name <name>', 'new name'),
      ],
      examples: [
        'vmctl context set lab --protected',
        'vmctl context set lab --read-only',
        'vmctl context set lab --name testing',
      ],
      ...local,
      prints: 'nothing',
      run: (cli, [name], flags) => set(cli, name, flags),
    }),
    command({
      verb: 'delete',
      aliases: ['rm'],
      purpose: 'Delete a context and its token',
      arguments: [argument('<name>', 'a context')],
      examples: ['vmctl context delete lab --yes'],
      ...local,
      prints: 'nothing',
      run: (cli, [name]) => remove(cli, name),
    }),
  ],
});
