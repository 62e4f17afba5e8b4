/** The commander program for one noun: no other noun is built. */

import { Command as Commander, CommanderError } from 'commander';
import { DryRunStop } from '../client/dry-run.ts';
import { UsageError } from '../client/errors.ts';
import { escapeControlChars } from '../escape-control-chars.ts';
import { nextWordIndex, refuseSwitchValueAt } from './args/argv-scan.ts';
import { handMadeVerbs, type Noun, nouns } from './args/catalog.ts';
import { type Command, nameOf, type Options, printedBy } from './args/command.ts';
import type { Sandbox } from './commands/serve/sandbox.ts';
import { sessionHooks } from './feature-hooks.ts';
import { fitted, helpWidth, lineLength } from './help/layout.ts';
import { nounPage, type VerbLines } from './help/pages.ts';
import { nounModules } from './noun-modules.ts';
import { checkOutputFlags } from './output/output-flags.ts';
import { addGlobalFlags, globalValues, mount, type Runner } from './parse/commander.ts';
import { withoutSwitchValues } from './parse/switch-values.ts';
import { asUsageError } from './parse/usage-error.ts';
import { CommandContext } from './session/command-context.ts';
import { openClient } from './session/connect.ts';
import type { Io } from './session/io.ts';
import type { Printed } from './session/printed.ts';
import { isGiven, longFlag, requestFiles, settings } from './session/settings.ts';
import { closeMatches } from './text/did-you-mean.ts';
import { type Verb, verbOf, verbsOf } from './verbs/derive-verbs.ts';
import { purposeOf } from './verbs/purpose.ts';
import { commandOf, inPlaceOf } from './verbs/verb-command.ts';

/**
 * Builds the noun, parses the words and runs what they say. Returns the exit code. `wholeHelp` leaves
 * nothing out of the pages of help.
 */
export async function runNoun(
  noun: Noun,
  argv: readonly string[],
  io: Io,
  signal: AbortSignal,
  wholeHelp = false,
): Promise<number> {
  let context = new CommandContext(io, signal, openClient, sessionHooks);
  let sandbox: Sandbox | undefined;
  context.words = argv;
  const program = new Commander('vmctl');
  program
    .exitOverride()
    .enablePositionalOptions()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: () => undefined,
      outputError: () => undefined,
      getOutHelpWidth: () => helpWidth(io.stdout),
    })
    .helpCommand(false);
  const holder = program.command(noun.name).description(noun.doc).enablePositionalOptions();
  const words = expandDotted(argv);
  const at = nextWordIndex(words, words.indexOf(noun.name) + 1);
  refuseSwitchValueAt(words, at);
  const word = at < 0 ? undefined : words[at];
  const commands = await commandsFor(noun, word);
  for (const command of commands) {
    const run: Runner = async (one, parsed, positionals) => {
      const flags = globalValues(parsed);
      if (flags['sandbox'] === true) {
        const isLocal = !noun.api || isHandMade(noun, word);
        sandbox = await enterSandbox(io, one, isLocal, flags);
        signal.throwIfAborted();
        context = new CommandContext(sandbox.io, signal, openClient, sessionHooks);
        context.words = argv;
      }
      await prepare(context, one, flags, printedBy(one, positionals, parsed.opts()));
      await one.run(context, positionals, parsed.opts(), nounModules);
    };
    mount(holder, command, run, wholeHelp);
  }
  if (commands.every(({ verb }) => verb !== undefined)) describeVerbs(holder, noun, word);
  // Without a verb nothing is run, and the verbs are only named.
  const leaves = word === undefined ? [] : holder.commands;
  // Each place where flags are given has to know them; to make them takes longer than to read the words.
  const isFlag = (one: string) => one.startsWith('-');
  const nounAt = nextWordIndex(words);
  if (words.slice(0, nounAt).some(isFlag)) addGlobalFlags(program);
  if (leaves.length === 0 || words.slice(nounAt, at).some(isFlag)) addGlobalFlags(holder);
  for (const leaf of leaves) addGlobalFlags(leaf);
  try {
    const options = [program, holder, ...leaves].flatMap((one) => one.options);
    await program.parseAsync(withoutSwitchValues(words, options), { from: 'user' });
  } catch (error) {
    if (error instanceof DryRunStop) {
      const { showDryRun } = await import('./output/dry-run.ts');
      await showDryRun(context, error);
      const isExtended = commands.some(({ extendsVerb }) => extendsVerb);
      if (noun.api && isHandMade(noun, word) && !isExtended) {
        context.note('more requests may follow, depending on the response');
      }
      return context.exitCode;
    }
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return 0;
    const isVerb = holder.commands.some(
      (one) => word === one.name() || one.aliases().includes(word ?? ''),
    );
    const name = isVerb ? `${noun.name} ${word}` : noun.name;
    const known = [holder, ...leaves].flatMap(({ options }) =>
      options.map(({ long }) => long ?? ''),
    );
    throw asUsageError(error, name, known);
  } finally {
    await context.close();
    await sandbox?.close();
  }
  return context.exitCode;
}

/** A server for this command alone. What it says goes to stderr with `--debug`. */
async function enterSandbox(
  io: Io,
  command: Command,
  isLocal: boolean,
  flags: Readonly<Record<string, unknown>>,
): Promise<Sandbox> {
  const { checkSandbox, openSandbox } = await import('./commands/serve/sandbox.ts');
  checkSandbox(isLocal ? command.noun : undefined, flags);
  const log =
    flags['debug'] === undefined
      ? undefined
      : (line: string) =>
          void io.stderr.write(`debug: sandbox: ${escapeControlChars.message(line)}\n`);
  return await openSandbox(io, !command.offline, log);
}

/** The command that is named; all hand-made ones of a noun that the model does not have. */
async function commandsFor(noun: Noun, word: string | undefined): Promise<readonly Command[]> {
  if (!noun.api || isHandMade(noun, word)) {
    const own = (await nounModules[noun.name]?.())?.commands ?? [];
    return noun.api ? own.map(inPlaceOf) : own;
  }
  const verb = word === undefined ? undefined : verbOf(noun.name, word);
  return verb ? [commandOf(verb, impliedBy(word, verb))] : [];
}

/** What the other words for `list` mean: to go on with it. */
function impliedBy(word: string | undefined, { noun, kind }: Verb): Options {
  if (kind !== 'list' || (word !== 'watch' && word !== 'tail')) return {};
  return noun === 'events' ? { tail: true } : { watch: true };
}

function isHandMade(noun: Noun, word: string | undefined): boolean {
  return handMadeVerbs(noun.name).some(
    ({ name, aliases }) => name === word || aliases.some((alias) => alias === word),
  );
}

/** The page of the noun for those who name no verb; refuses a verb that it does not have. */
function describeVerbs(holder: Commander, noun: Noun, word: string | undefined): void {
  const derived = noun.api ? verbsOf(noun.name) : [];
  const own = handMadeVerbs(noun.name);
  const known = [...derived, ...own].flatMap(({ name, aliases }) => [name, ...aliases]);
  if (word !== undefined && !known.includes(word)) throw unknownVerb(noun.name, word, known);
  holder.configureHelp({
    formatHelp: (_, { helpWidth: width = lineLength }) => {
      const lines: VerbLines = [
        ...derived.map((verb) => {
          const made = own.find(({ name }) => name === verb.name);
          return [verb.name, made?.summary ?? purposeOf(verb)] as const;
        }),
        ...own
          .filter(({ name }) => !derived.some((verb) => verb.name === name))
          .map(({ name, summary }) => [name, summary] as const),
      ];
      return fitted(nounPage(noun, lines), width);
    },
  });
  // A noun alone asks what it can do.
  holder.action(() => holder.outputHelp());
}

/** What has to be known, and refused, before a command begins. */
async function prepare(
  context: CommandContext,
  command: Command,
  flags: Readonly<Record<string, unknown>>,
  prints: Printed,
): Promise<void> {
  context.useNoun(command.noun);
  context.use(flags);
  const query = context.setting('query')?.value;
  if (query !== undefined) (await import('./output/query.ts')).checkQuery(query);
  const onlyReads = command.onlyReads === true;
  checkOutputFlags(context, { name: nameOf(command), prints, typed: flags, onlyReads });
  if (context.dryRunMode) checkDryRun(context, command);
  for (const name of requestFiles) {
    if (!command.offline || !isGiven(name, flags)) continue;
    const flag = longFlag(settings[name]);
    throw new UsageError(`${nameOf(command)} ${flag}: the command sends no requests`, {
      hint: `remove ${flag}`,
    });
  }
}

/** Refuses to show the requests of a command that has none to show. */
function checkDryRun(context: CommandContext, command: Command): void {
  const { unshowable } = command;
  const flag = context.on('curl') ? '--curl' : '--dry-run';
  const why =
    unshowable === 'local'
      ? 'it runs on this computer and sends no request'
      : unshowable === 'many' && context.on('curl')
        ? 'it sends several requests'
        : undefined;
  if (why === undefined) return;
  throw new UsageError(`${nameOf(command)} ${flag}: ${why}`, { hint: `remove ${flag}` });
}
function unknownVerb(noun: string, word: string, known: readonly string[]): UsageError {
  const near = closeMatches(word, known);
  const isNoun = nouns.some(({ name }) => name === word);
  return new UsageError(`${noun}: unknown verb "${word}"`, {
    code: 'unknown_verb',
    hint:
      near.length > 0
        ? `did you mean ${near.map((one) => `vmctl ${noun} ${one}`).join(' or ')}?`
        : isNoun
          ? `children are nouns: vmctl ${word} list`
          : `vmctl ${noun} --help`,
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
    if (text === undefined) throw new UsageError(`--${path}: value missing`);
    words.push('--set', `${path}=${text}`);
  }
  return words;
}
