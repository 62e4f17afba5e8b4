/** `vmctl context`: the servers that are remembered. */
import type { Command } from 'commander';
import { ConflictError, DeclinedError, NotFoundError, UsageError } from '../../client/errors.ts';
import { print } from '../output/print.ts';
import type { CommandContext } from '../session/command-context.ts';
import { type Context, changeConfiguration, contextNamed } from '../session/config-file.ts';
import { storeOf } from '../session/credentials.ts';
import { secretStore } from '../session/password-store.ts';
import { canAsk, confirm } from '../session/prompt.ts';
import { tokenStore } from '../session/token-store.ts';

/** Adds the verbs of `vmctl context`. */
export function register(command: Command, cli: CommandContext): void {
  command
    .command('list')
    .alias('ls')
    .description('List the remembered servers')
    .addHelpText('after', '\nExamples:\n  vmctl context list')
    .action(() => list(cli));
  command
    .command('show')
    .alias('get')
    .argument('[name]', 'a context; by default the current one')
    .description('Show one of them')
    .addHelpText('after', '\nExamples:\n  vmctl context show\n  vmctl context show lab -o json')
    .action((name?: string) => show(cli, name));
  command
    .command('use')
    .argument('<name>', 'a context')
    .description('Make it the current one')
    .addHelpText('after', '\nExamples:\n  vmctl context use lab')
    .action((name: string) => use(cli, name));
  command
    .command('set')
    .argument('[name]', 'a context; by default the current one')
    .description('Change what is remembered about it')
    .option('--protected', 'what does harm has to be confirmed with its name')
    .option('--no-protected', 'end that')
    .option('--read-only', 'send nothing that could change something')
    .option('--no-read-only', 'end that')
    .option('--name <name>', 'call it this from now on')
    .addHelpText(
      'after',
      `
Examples:
  vmctl context set lab --protected
  vmctl context set lab --read-only
  vmctl context set lab --name testing`,
    )
    .action((name: string | undefined, flags: SetFlags) => set(cli, name, flags));
  command
    .command('delete')
    .alias('rm')
    .argument('<name>', 'a context')
    .description('Forget it, with its token')
    .addHelpText('after', '\nExamples:\n  vmctl context delete lab --yes')
    .action((name: string) => remove(cli, name));
}

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
    throw new NotFoundError('there is no current context', {
      code: 'unknown_context',
      hint: 'vmctl login remembers a server as a context; vmctl context use NAME chooses one',
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
    throw new ConflictError(`there is a context ${called} already`);
  }
  if (flags.protected === undefined && flags.readOnly === undefined && called === name) {
    throw new UsageError('context set: nothing to change is given', {
      hint: 'give --protected, --read-only or --name',
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
      throw new DeclinedError(`deleting the context ${name} has to be confirmed`, {
        hint: `vmctl context delete ${name} --yes`,
      });
    }
    if (!(await confirm(cli.io, `Forget the context ${name} (${context.url})?`, cli.signal))) {
      throw new DeclinedError(`the context ${name} is kept`);
    }
  }
  const kept = storeOf(context.credentials);
  if (kept) await (await secretStore(cli, kept, context.url, context.username)).forget();
  await changeConfiguration(cli.paths.configFile, (now) => {
    const { [name]: _gone, ...contexts } = now.contexts;
    const { current, ...rest } = now;
    return {
      ...rest,
      contexts,
      ...(current === undefined || current === name ? {} : { current }),
    };
  });
  tokenStore(cli.paths.stateDirectory, context.url, context.username).forget();
  cli.note(`forgot the context ${name}`);
}
