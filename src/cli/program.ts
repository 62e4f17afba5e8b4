/** The commander program for one noun: nothing of any other noun is built. */
import { Command, CommanderError } from 'commander';
import { UsageError } from '../client/errors.ts';
import { Held } from '../client/held.ts';
import { nextWordIndex, unknownFlagError } from './args/argv-scan.ts';
import { type Noun, nouns } from './args/catalog.ts';
import { addGlobalFlags, globalValues } from './args/global-flags.ts';
import { specialNouns } from './commands/index.ts';
import { ownPage } from './help/pages.ts';
import { CommandContext } from './session/command-context.ts';
import type { Io } from './session/io.ts';
import { closeMatches } from './text/did-you-mean.ts';
import { addVerbs } from './verbs/verb-command.ts';

/** Builds the noun, parses the words and runs what they say. Returns the exit code. */
export async function runNoun(
  noun: Noun,
  argv: readonly string[],
  io: Io,
  signal: AbortSignal,
): Promise<number> {
  const cli = new CommandContext(io, signal);
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
  const command = program.command(noun.name).description(noun.doc).enablePositionalOptions();
  const words = expandDotted(argv);
  const at = nextWordIndex(words, words.indexOf(noun.name) + 1);
  await build(command, noun, at < 0 ? undefined : words[at], cli);
  // Without a verb nothing is run, and the verbs are only named.
  const leaves = at < 0 ? [] : command.commands;
  for (const one of [program, command, ...leaves]) addGlobalFlags(one);
  program.hook('preAction', async (_, leaf) => {
    cli.use(globalValues(leaf));
    const query = cli.setting('query')?.value;
    if (query !== undefined) (await import('./output/query.ts')).checkQuery(query);
    if (cli.dryRunMode) checkDryRun(cli, leaf === command ? [noun.name] : [noun.name, leaf.name()]);
  });
  try {
    await program.parseAsync(words, { from: 'user' });
  } catch (error) {
    if (error instanceof Held) {
      const { showDryRun } = await import('./output/dry-run.ts');
      await showDryRun(cli, error);
      if (specialNouns[noun.name]?.verbs?.[words[at] ?? ''] !== undefined) {
        cli.note('more requests may follow; which, depends on the answer to this one');
      }
      return cli.exitCode;
    }
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return 0;
    const verb = command.commands.length === 0 ? undefined : words[at];
    throw asUsageError(error, verb === undefined ? noun.name : `${noun.name} ${verb}`);
  } finally {
    await cli.close();
  }
  return cli.exitCode;
}

/** Adds to the command what the noun has: a module of its own, generic verbs, or both. */
async function build(
  command: Command,
  noun: Noun,
  word: string | undefined,
  cli: CommandContext,
): Promise<void> {
  const special = specialNouns[noun.name];
  if (!noun.api || (word !== undefined && special?.verbs?.[word] !== undefined)) {
    await (await special?.load())?.register(command, cli, specialNouns);
    for (const leaf of command.commands) ownPage(leaf, `${noun.name} ${leaf.name()}`);
    ownPage(command, noun.name);
  } else {
    addVerbs(command, noun.name, word, cli, special?.verbs ?? {});
  }
  if (command.commands.length === 0) return;
  const known = command.commands.flatMap((one) => [one.name(), ...one.aliases()]);
  if (word !== undefined && !known.includes(word)) throw unknownVerb(noun.name, word, known);
  // A noun alone asks what it can do.
  command.action(() => command.outputHelp());
}

/** Nouns whose verbs change what is kept on this side, or start something here. */
const changesHere: ReadonlySet<string> = new Set(['login', 'logout', 'context', 'config', 'serve']);

/** Nouns and verbs that ask for many things, or for one thing again and again. */
const asksOften: ReadonlySet<string> = new Set(['wait', 'top', 'doctor', 'diff', 'export']);

/** Refuses to show the requests of a command that has none to show. */
function checkDryRun(cli: CommandContext, words: readonly string[]): void {
  const [noun = '', verb = noun] = words;
  const flag = cli.on('curl') ? '--curl' : '--dry-run';
  const why = changesHere.has(noun)
    ? 'there is no request to show, it does its work here'
    : cli.on('curl') && (asksOften.has(noun) || asksOften.has(verb))
      ? 'there is no single request to show'
      : undefined;
  if (why === undefined) return;
  throw new UsageError(`${words.join(' ')} ${flag}: ${why}`, { hint: `leave ${flag} out` });
}

function unknownVerb(noun: string, word: string, known: readonly string[]): UsageError {
  const near = closeMatches(word, known);
  const isNoun = nouns.some(({ name }) => name === word);
  return new UsageError(`${noun} ${word}: there is no such verb`, {
    code: 'unknown_verb',
    hint:
      near.length > 0
        ? `did you mean ${near.map((one) => `vmctl ${noun} ${one}`).join(' or ')}?`
        : isNoun
          ? `children are nouns of their own: vmctl ${word} list`
          : `vmctl ${noun} --help lists the verbs`,
  });
}

/** `--cpu.topology.cores 4` is another way to write `--set cpu.topology.cores=4`. */
function expandDotted(argv: readonly string[]): string[] {
  const words: string[] = [];
  for (let index = 0; index < argv.length; index += 1) {
    const word = argv[index] ?? '';
    if (word === '--') return [...words, ...argv.slice(index)];
    const [, path, value] = /^--(\w+(?:\.\w+)+)(?:=(.*))?$/s.exec(word) ?? [];
    if (path === undefined) {
      words.push(word);
      continue;
    }
    if (value === undefined) index += 1;
    const text = value ?? argv[index];
    if (text === undefined) throw new UsageError(`--${path}: no value`);
    words.push('--set', `${path}=${text}`);
  }
  return words;
}

/** Commander's message without its prefix; what it suggests becomes the hint. */
function asUsageError(error: CommanderError, command: string): UsageError {
  const [message = '', suggestion] = error.message.replace(/^error: /, '').split('\n');
  const help = `vmctl ${command} --help`;
  const hint = suggestion ? `${suggestion.replace(/^\(|\)$/g, '')} See ${help}` : `see ${help}`;
  const [, flag] = /^unknown option '(.*)'$/s.exec(message) ?? [];
  if (flag !== undefined) return unknownFlagError(flag, hint);
  return new UsageError(message, { hint, cause: error });
}
