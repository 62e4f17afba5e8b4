/** Commander program for one noun; other nouns are not built. */

import { Command as Commander, CommanderError } from 'commander';
import { DryRunStop } from '../client/dry-run.ts';
import { UsageError } from '../client/errors.ts';
import { escapeControlChars } from '../escape-control-chars.ts';
import { findNextArgument, refuseBooleanAt } from './args/argv-scan.ts';
import { listHandMadeVerbs, type Noun, nouns } from './args/catalog.ts';
import { type Command, formatCommandName, getOutputKind, type Options } from './args/command.ts';
import type { Sandbox } from './commands/serve/sandbox.ts';
import { sessionHooks } from './feature-hooks.ts';
import { fitPage, getHelpWidth, lineLength } from './help/layout.ts';
import { renderNounPage, type VerbLines } from './help/pages.ts';
import { nounModules } from './noun-modules.ts';
import { checkOutputFlags } from './output/output-flags.ts';
import {
  addGlobalFlags,
  type CommandRunner,
  getGlobalValues,
  mountCommand,
} from './parse/commander.ts';
import { replaceSwitchValues } from './parse/switch-values.ts';
import { toUsageError } from './parse/usage-error.ts';
import { CommandContext } from './session/command-context.ts';
import { openClient } from './session/connect.ts';
import type { Io } from './session/io.ts';
import type { OutputKind } from './session/output-kind.ts';
import { isGiven, longFlag, requestFiles, settings } from './session/settings.ts';
import { findCloseMatches } from './text/did-you-mean.ts';
import { findVerb, listAllVerbs, listVerbs, type Verb } from './verbs/derive-verbs.ts';
import { formatPurpose } from './verbs/purpose.ts';
import { createVerbCommand, mergeWithVerb } from './verbs/verb-command.ts';

/**
 * Builds the commands of the noun, parses the arguments and runs the command. Returns the exit
 * code. `wholeHelp` selects complete help pages.
 */
export async function runNoun(
  noun: Noun,
  argv: readonly string[],
  io: Io,
  signal: AbortSignal,
  hasCompleteHelp = false,
): Promise<number> {
  let context = new CommandContext(io, signal, openClient, sessionHooks);
  let sandbox: Sandbox | undefined;
  context.commandLine = argv;
  const program = createProgram(io);
  const holder = program.command(noun.name).description(noun.doc).enablePositionalOptions();
  const words = expandDottedFlags(argv);
  const at = findNextArgument(words, words.indexOf(noun.name) + 1);
  refuseBooleanAt(words, at);
  const word = at < 0 ? undefined : words[at];
  const commands = await buildCommands(noun, word);
  for (const command of commands) {
    const run: CommandRunner = async (one, parsed, positionals) => {
      const flags = getGlobalValues(parsed);
      if (flags['sandbox'] === true) {
        const isLocal = !noun.api || isHandMade(noun, word);
        sandbox = await startSandbox(io, one, isLocal, flags);
        signal.throwIfAborted();
        context = new CommandContext(sandbox.io, signal, openClient, sessionHooks);
        context.commandLine = argv;
      }
      const options = parsed.opts();
      await applyFlags(context, one, flags, getOutputKind(one, positionals, options));
      await runInSelectedContexts(context, one, positionals, options);
    };
    mountCommand(holder, command, run, hasCompleteHelp);
  }
  if (commands.every(({ verb }) => verb !== undefined)) {
    if (word !== undefined) await checkVerb(noun, word, words);
    addNounHelp(holder, noun);
  }
  // Without a verb, no command runs: the help only lists the verbs.
  const leaves = word === undefined ? [] : holder.commands;
  // Only levels with typed flags get the global flags: building them takes longer than this scan.
  const nounAt = findNextArgument(words);
  if (words.slice(0, nounAt).some(isFlag)) addGlobalFlags(program);
  if (leaves.length === 0 || words.slice(nounAt, at).some(isFlag)) addGlobalFlags(holder);
  for (const leaf of leaves) addGlobalFlags(leaf);
  try {
    const options = [program, holder, ...leaves].flatMap((one) => one.options);
    await program.parseAsync(replaceSwitchValues(words, options), { from: 'user' });
  } catch (error) {
    if (error instanceof DryRunStop) {
      await showRequests(context, error, commands, noun.api && isHandMade(noun, word));
    } else if (!(error instanceof CommanderError)) throw error;
    else if (error.exitCode !== 0) throw createParseError(error, noun, word, holder);
    else return 0;
  } finally {
    await context.close();
    await sandbox?.close();
  }
  return context.exitCode;
}

function createProgram({ stdout }: Io): Commander {
  return new Commander('vmctl')
    .exitOverride()
    .enablePositionalOptions()
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: () => undefined,
      outputError: () => undefined,
      getOutHelpWidth: () => getHelpWidth(stdout),
    })
    .helpCommand(false);
}

function isFlag(word: string): boolean {
  return word.startsWith('-');
}

/** Prints the requests of `--dry-run` and `--curl`. */
async function showRequests(
  context: CommandContext,
  stop: DryRunStop,
  commands: readonly Command[],
  isHandMadeVerb: boolean,
): Promise<void> {
  const { showDryRun } = await import('./output/dry-run.ts');
  await showDryRun(context, stop);
  const isExtended = commands.some(({ extendsVerb }) => extendsVerb);
  if (isHandMadeVerb && !isExtended) {
    context.note('more requests may follow, depending on the response');
  }
}

/** Converts an error of commander. The flags of the command are the suggestions. */
function createParseError(
  error: CommanderError,
  noun: Noun,
  word: string | undefined,
  holder: Commander,
): UsageError {
  const isVerb = holder.commands.some(
    (one) => word === one.name() || one.aliases().includes(word ?? ''),
  );
  const leaves = word === undefined ? [] : holder.commands;
  const known = [holder, ...leaves].flatMap(({ options }) => options.map(({ long }) => long ?? ''));
  return toUsageError(error, isVerb ? `${noun.name} ${word}` : noun.name, known);
}

/** Starts the temporary server of `--sandbox`. Its log goes to stderr with `--debug`. */
async function startSandbox(
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

/** Builds the named command, or all hand-made commands of a noun outside the model. */
async function buildCommands(noun: Noun, word: string | undefined): Promise<readonly Command[]> {
  if (!noun.api || isHandMade(noun, word)) {
    const own = (await nounModules[noun.name]?.())?.commands ?? [];
    return noun.api ? own.map(mergeWithVerb) : own;
  }
  const verb = word === undefined ? undefined : findVerb(noun.name, word);
  return verb ? [createVerbCommand(verb, getImpliedOptions(word, verb))] : [];
}

/** Options that aliases of `list` imply. */
function getImpliedOptions(word: string | undefined, { noun, kind }: Verb): Options {
  if (kind !== 'list' || (word !== 'watch' && word !== 'tail')) return {};
  return noun === 'events' ? { tail: true } : { watch: true };
}

function isHandMade(noun: Noun, word: string | undefined): boolean {
  return listHandMadeVerbs(noun.name).some(
    ({ name, aliases }) => name === word || aliases.some((alias) => alias === word),
  );
}

/** Throws `UsageError` for an unknown verb. */
async function checkVerb(noun: Noun, word: string, words: readonly string[]): Promise<void> {
  const known = listAllVerbs(noun).flatMap(({ name, aliases }) => [name, ...aliases]);
  if (known.includes(word)) return;
  const { createOtherToolError } = await import('./other-tools/suggest-command.ts');
  throw createOtherToolError(words) ?? createUnknownVerbError(noun.name, word, known);
}

/** Adds the help page of the noun, for a missing verb. */
function addNounHelp(holder: Commander, noun: Noun): void {
  const derived = noun.api ? listVerbs(noun.name) : [];
  const own = listHandMadeVerbs(noun.name);
  holder.configureHelp({
    formatHelp: (_, { helpWidth: width = lineLength }) => {
      const lines: VerbLines = [
        ...derived.map((verb) => {
          const made = own.find(({ name }) => name === verb.name);
          return [verb.name, made?.summary ?? formatPurpose(verb)] as const;
        }),
        ...own
          .filter(({ name }) => !derived.some((verb) => verb.name === name))
          .map(({ name, summary }) => [name, summary] as const),
      ];
      return fitPage(renderNounPage(noun, lines), width);
    },
  });
  // A noun without a verb prints its help.
  holder.action(() => holder.outputHelp());
}

/** Runs the command in the selected context, or in each of several. */
async function runInSelectedContexts(
  cli: CommandContext,
  command: Command,
  positionals: readonly unknown[],
  options: Options,
): Promise<void> {
  const run = async (one: CommandContext) =>
    await command.run(one, positionals, options, nounModules);
  const names = listSeveralContexts(cli, command);
  if (names === undefined) {
    await run(cli);
    return;
  }
  const { runInContexts } = await import('./several-contexts.ts');
  const prints = getOutputKind(command, positionals, options);
  await runInContexts(cli, names, { command, positionals, prints, run });
}

/** Names of the selected contexts if there are several; undefined otherwise. */
function listSeveralContexts(
  cli: CommandContext,
  { offline, noun }: Command,
): readonly string[] | undefined {
  // A sign-in creates the context.
  return offline || noun === 'login' ? undefined : cli.listSeveralContexts();
}

/** Applies the flags and checks them before the command runs. */
async function applyFlags(
  context: CommandContext,
  command: Command,
  flags: Readonly<Record<string, unknown>>,
  prints: OutputKind,
): Promise<void> {
  context.useNoun(command.noun);
  await checkFolderFile(context, command, flags);
  context.useFlags(flags);
  const query = context.setting('query')?.value;
  if (query !== undefined) (await import('./output/query.ts')).checkQuery(query);
  const onlyReads = command.onlyReads === true;
  const name = formatCommandName(command);
  // The objects of several contexts are a list.
  const isList = prints === 'object' && listSeveralContexts(context, command) !== undefined;
  checkOutputFlags(context, { name, prints: isList ? 'objects' : prints, typed: flags, onlyReads });
  if (context.dryRunMode) checkDryRun(context, command);
  for (const name of requestFiles) {
    if (!command.offline || !isGiven(name, flags)) continue;
    const flag = longFlag(settings[name]);
    throw new UsageError(`${formatCommandName(command)} ${flag}: the command sends no requests`, {
      hint: `remove ${flag}`,
    });
  }
}

/** Asks about a `.vmctl.yaml` without a decision, if it would select the server of the command. */
async function checkFolderFile(
  context: CommandContext,
  { offline, noun }: Command,
  flags: Readonly<Record<string, unknown>>,
): Promise<void> {
  context.useOptions(flags);
  // A sign-in selects its server by the address.
  if (offline || noun === 'login') return;
  const file = context.folderFile;
  if (!file || file.decision) return;
  const { confirmFolderFile } = await import('./commands/context/folder-trust.ts');
  await confirmFolderFile(context, file);
}

/** Throws `UsageError` if `--dry-run` or `--curl` cannot show the requests of the command. */
function checkDryRun(context: CommandContext, command: Command): void {
  const { unshowable } = command;
  const flag = context.isOn('curl') ? '--curl' : '--dry-run';
  const why =
    unshowable === 'local'
      ? 'it runs on this computer and sends no request'
      : unshowable === 'many' && context.isOn('curl')
        ? 'it sends several requests'
        : undefined;
  if (why === undefined) return;
  throw new UsageError(`${formatCommandName(command)} ${flag}: ${why}`, { hint: `remove ${flag}` });
}
function createUnknownVerbError(noun: string, word: string, known: readonly string[]): UsageError {
  const near = findCloseMatches(word, known);
  const isCollection = nouns.some(({ name, api }) => name === word && api);
  return new UsageError(`${noun}: unknown verb "${word}"`, {
    code: 'unknown_verb',
    hint:
      near.length > 0
        ? `did you mean ${near.map((one) => `vmctl ${noun} ${one}`).join(' or ')}?`
        : isCollection
          ? `children are nouns: vmctl ${word} list`
          : `vmctl ${noun} --help`,
  });
}

/** Replaces `--cpu.topology.cores 4` by `--set cpu.topology.cores=4`. */
function expandDottedFlags(argv: readonly string[]): string[] {
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
