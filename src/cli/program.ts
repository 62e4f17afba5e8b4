/** The commander program for one noun: nothing of any other noun is built. */
import { Command, CommanderError, Option } from 'commander';
import { UsageError } from '../client/errors.ts';
import type { Noun } from './catalog.ts';
import { Cli } from './cli.ts';
import type { Io } from './io.ts';
import { specialNouns } from './nouns/index.ts';
import { settingNames, settings } from './session/settings.ts';

/** Builds the noun, parses the words and runs what they say. Returns the exit code. */
export async function runNoun(
  noun: Noun,
  argv: readonly string[],
  io: Io,
  signal: AbortSignal,
): Promise<number> {
  const cli = new Cli(io, signal);
  const program = new Command('vmctl');
  program
    .exitOverride()
    .enablePositionalOptions()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: () => undefined,
      outputError: () => undefined,
    })
    .helpCommand(false);
  addGlobalFlags(program);
  program.hook('preAction', (_, command) => cli.use(command));
  const command = program.command(noun.name).description(noun.doc);
  command.enablePositionalOptions();
  const special = specialNouns[noun.name];
  if (special) await (await special.load()).register(command, cli);
  for (const leaf of [command, ...command.commands]) addGlobalFlags(leaf);
  try {
    await program.parseAsync([...argv], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return 0;
    throw asUsageError(error, noun);
  } finally {
    await cli.close();
  }
  return cli.exitCode;
}

/** Flags that every command understands, unless it has one of the same name itself. */
function addGlobalFlags(command: Command): void {
  for (const name of settingNames) {
    const { flags, doc } = settings[name];
    if (flags === undefined) continue;
    const option = new Option(flags, doc).hideHelp();
    const taken = command.options.some(
      (own) => own.long === option.long || (own.short !== undefined && own.short === option.short),
    );
    if (!taken) command.addOption(option);
  }
}

/** Commander's message without its prefix; what it suggests becomes the hint. */
function asUsageError(error: CommanderError, noun: Noun): UsageError {
  const [message = '', suggestion] = error.message.replace(/^error: /, '').split('\n');
  const help = `vmctl ${noun.name} --help`;
  return new UsageError(message, {
    hint: suggestion ? `${suggestion.replace(/^\(|\)$/g, '')} See ${help}` : `see ${help}`,
    cause: error,
  });
}
