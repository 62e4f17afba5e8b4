/** Entry point of the command line. Loads only the modules of the noun. */

import { UsageError, VmctlError } from '../client/errors.ts';
import { escapeControlChars } from '../escape-control-chars.ts';
import { systemReason } from '../system-errors.ts';
import {
  createUnknownFlagError,
  expandBareFlags,
  findNextArgument,
  findUnknownFlag,
  refuseBooleanAt,
} from './args/argv-scan.ts';
import { findNoun, type Noun, nouns } from './args/catalog.ts';
import { featureTopics } from './args/feature-facts.generated.ts';
import type { CommandGroup } from './args/user-commands.ts';
import { renderFeatureTopic } from './feature-hooks.ts';
import { fitPage, getHelpWidth } from './help/layout.ts';
import { formatUnknownTopic, renderTopicList, renderTopicPage } from './help/topics.ts';
import { getExitCode, reportError } from './output/error-report.ts';
import { findPlugin, findPlugins } from './plugins/find-plugins.ts';
import { EffectiveSettings } from './session/effective-settings.ts';
import { type Io, processIo } from './session/io.ts';
import { listenToSignals } from './session/signals.ts';
import { findCloseMatches } from './text/did-you-mean.ts';
import { expandAlias, findAlias, listUserCommands, replaceWords } from './user-commands.ts';

/** Runs one command and returns its exit code. Never rejects. */
export async function main(given: readonly string[], io: Io = processIo()): Promise<number> {
  const interrupted = new AbortController();
  const release = listenToSignals(interrupted);
  const idle = watchForIdleness();
  let argv = given;
  watchOutput(io, () => argv);
  try {
    argv = await replaceAlias(given, io);
    return await Promise.race([run(argv, io, interrupted.signal), idle.stuck]);
  } catch (error) {
    const reason: unknown = interrupted.signal.aborted ? interrupted.signal.reason : error;
    reportError(reason, io, hasJsonErrors(argv, io), hasDebugFlag(argv));
    return getExitCode(reason);
  } finally {
    release();
    idle.release();
  }
}

/** Replaces an alias by its command. */
async function replaceAlias(given: readonly string[], io: Io): Promise<readonly string[]> {
  const word = given[findNextArgument(given)];
  if (word === undefined || word.startsWith('__') || findNoun(word)) return given;
  return await expandAlias(given, io.env);
}

async function run(given: readonly string[], io: Io, signal: AbortSignal): Promise<number> {
  if (/^__complete(-|$)/.test(given[0] ?? '')) {
    const { complete } = await import('./completion/complete.ts');
    return await complete(given, io, { listUserCommands, replaceWords });
  }
  if (given[0] === '__names') {
    const { fetchNames } = await import('./completion/fetch-names.ts');
    return await fetchNames(given[1] ?? '', io, signal);
  }
  if (given[0] === '__completion') {
    const { writeTables } = await import('./completion/make-tables.ts');
    const { nounModules } = await import('./noun-modules.ts');
    return await writeTables(given[1] ?? '.', nounModules);
  }
  if (given[0] === '__reference') {
    const { writeReference } = await import('./help/reference.ts');
    const { nounModules } = await import('./noun-modules.ts');
    return await writeReference(given[1] ?? '.', nounModules, given[2]);
  }
  const plugin = await runNamedPlugin(given, io);
  if (plugin !== undefined) return plugin;
  const argv = expandBareFlags(given);
  const at = findNextArgument(argv);
  refuseBooleanAt(argv, at);
  const word = at < 0 ? undefined : argv[at];
  // The word after an unknown flag may be its value, so it does not count as a noun.
  const unknown = findUnknownFlag(at < 0 ? argv : argv.slice(0, at));
  if (unknown !== undefined && !isVersion(unknown)) {
    throw createUnknownFlagError(unknown, 'vmctl help flags');
  }
  if (word === undefined || word === 'help') {
    if (word === undefined && argv.some(isVersion)) {
      const { version } = await import('../version.ts');
      io.stdout.write(`${version}\n`);
      return 0;
    }
    return await printHelp(at < 0 ? [] : argv.slice(at + 1), io, signal);
  }
  const noun = findNoun(word);
  if (!noun) throw await createUnknownNounError(word, argv, io);
  const { runNoun } = await import('./program.ts');
  return await runNoun(noun, [...argv.slice(0, at), noun.name, ...argv.slice(at + 1)], io, signal);
}

/** Runs the named plug-in and returns its exit code; undefined if the words name none. */
async function runNamedPlugin(words: readonly string[], io: Io): Promise<number | undefined> {
  const at = findNextArgument(words);
  const word = words[at];
  if (word === undefined || findNoun(word)) return undefined;
  const plugin = findPlugin(io.env, word);
  if (!plugin) return undefined;
  const { runPlugin } = await import('./plugins/run-plugin.ts');
  const flags = words.slice(0, at).filter((one) => one !== '--');
  return await runPlugin(plugin, words.slice(at + 1), flags, io.env);
}

/** Prints the page of a topic, a noun or a verb for `vmctl help`; without words the root page. */
async function printHelp(words: readonly string[], io: Io, signal: AbortSignal): Promise<number> {
  const [word, ...rest] = words.filter((one) => !one.startsWith('-'));
  const listsCommands = word === undefined || word === 'nouns';
  const listed = listsCommands ? await listOwnCommands(io) : [];
  const page = renderTopicPage(word, listed) ?? (await findFeaturePage(word));
  if (page !== undefined) {
    io.stdout.write(fitPage(page, getHelpWidth(io.stdout)));
    return 0;
  }
  const noun = findNoun(word ?? '');
  if (!noun || noun.name === 'help') {
    const plugin = findPlugin(io.env, word ?? '');
    if (!plugin) return await printAliasHelp(word ?? '', io, signal);
    return (await import('./plugins/run-plugin.ts')).runPlugin(plugin, ['--help'], [], io.env);
  }
  return await printNounHelp(noun, rest, io, signal);
}

/** Prints the command of an alias and its page; the list of topics for an unknown word. */
async function printAliasHelp(word: string, io: Io, signal: AbortSignal): Promise<number> {
  const found = await findAlias(io.env, word);
  if (!found) {
    io.stderr.write(formatUnknownTopic(word));
    io.stdout.write(fitPage(renderTopicList(), getHelpWidth(io.stdout)));
    return 0;
  }
  const { alias, table } = found;
  io.stdout.write(escapeControlChars.message(`${word} is an alias of: vmctl ${alias.command}`));
  io.stdout.write('\n\n');
  return await printHelp(table.listCommandWords(alias), io, signal);
}

/** Lists plug-ins and aliases. Loads no module if the user has none. */
async function listOwnCommands(io: Io): Promise<readonly CommandGroup[]> {
  if (findPlugins(io.env).length === 0 && !mayHaveAliases(io)) return [];
  return await listUserCommands(io.env);
}

/** Whether the configuration has aliases, or is unreadable, which the help reports. */
function mayHaveAliases({ env }: Io): boolean {
  try {
    return Object.keys(new EffectiveSettings(env).configuration.aliases ?? {}).length > 0;
  } catch {
    return true;
  }
}

/** Prints the page of a verb, or the page of the noun for an unknown verb. */
async function printNounHelp(
  noun: Noun,
  rest: readonly string[],
  io: Io,
  signal: AbortSignal,
): Promise<number> {
  const { runNoun } = await import('./program.ts');
  try {
    return await runNoun(noun, [noun.name, ...rest, '--help'], io, signal, true);
  } catch (error) {
    if (!(error instanceof UsageError) || rest.length === 0) throw error;
    io.stdout.write(`${escapeControlChars.message(error.message)}\n\n`);
    return await runNoun(noun, [noun.name, '--help'], io, signal, true);
  }
}

async function findFeaturePage(word = ''): Promise<string | undefined> {
  if (!Object.hasOwn(featureTopics, word)) return undefined;
  return await renderFeatureTopic(word);
}

function isVersion(word: string): boolean {
  return word === '--version' || word === '-V';
}

async function createUnknownNounError(
  word: string,
  argv: readonly string[],
  io: Io,
): Promise<UsageError> {
  const { createOtherToolError } = await import('./other-tools/suggest-command.ts');
  const translated = createOtherToolError(argv);
  if (translated) return translated;
  const near = findCloseMatches(word.toLowerCase(), [
    ...nouns.flatMap((noun) => [noun.name, ...noun.aliases]),
    ...(await listOwnCommands(io)).flatMap(({ commands }) => commands.map(([name]) => name)),
  ]);
  return new UsageError(`unknown noun "${word}"`, {
    code: 'unknown_noun',
    hint:
      near.length > 0
        ? `did you mean ${near.join(' or ')}? vmctl help nouns lists all`
        : 'vmctl help nouns',
  });
}

/** `--debug` prints the stack of errors. */
function hasDebugFlag(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return argv
    .slice(0, end < 0 ? argv.length : end)
    .some((word) => word === '--debug' || word.startsWith('--debug='));
}

/**
 * Whether errors are JSON. Reads the unparsed words and the configuration, because either may be
 * the cause of the error.
 */
function hasJsonErrors(argv: readonly string[], io: Io): boolean {
  let format = io.env['VMCTL_OUTPUT'];
  let context: string | undefined;
  const end = argv.indexOf('--');
  const words = end < 0 ? argv : argv.slice(0, end);
  words.forEach((word, index) => {
    const next = words[index + 1];
    if (word === '-o' || word === '--output') format = next;
    else if (word.startsWith('--output=')) format = word.slice('--output='.length);
    else if (/^-o\w/.test(word)) format = word.slice(2);
    else if (word === '-c' || word === '--context') context = next;
    else if (word.startsWith('--context=')) context = word.slice('--context='.length);
  });
  const noun = findNoun(argv[findNextArgument(argv)] ?? '')?.name;
  // A sandbox ignores the configuration.
  if (!words.includes('--sandbox')) format ||= findConfiguredFormat(io, context, noun);
  return format === 'json' || format === 'jsonl' || format === 'ndjson';
}

function findConfiguredFormat(
  io: Io,
  context: string | undefined,
  noun: string | undefined,
): string | undefined {
  try {
    const configured = new EffectiveSettings(io.env);
    if (noun !== undefined) configured.useNoun(noun);
    configured.useOptions(context === undefined ? {} : { context });
    return configured.setting('output')?.value;
  } catch {
    // An unreadable configuration has no format.
    return undefined;
  }
}

/**
 * `stuck` rejects if the event loop is empty before the command ends. Otherwise Node would exit with
 * code 0.
 */
function watchForIdleness(): { readonly stuck: Promise<never>; readonly release: () => void } {
  let onIdle = () => {};
  const stuck = new Promise<never>((_resolve, reject) => {
    onIdle = () => reject(new Error('internal error: exited with pending work'));
  });
  process.once('beforeExit', onIdle);
  return { stuck, release: () => void process.off('beforeExit', onIdle) };
}

/** Exits with 0 if the reader closes stdout (`| head`), and reports other write errors. */
function watchOutput(io: Io, getWords: () => readonly string[]): void {
  io.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    const failure = new VmctlError(`cannot write standard output: ${systemReason(error)}`, {
      code: 'output_failed',
      hint: 'changes on the service are not reverted; check the free space',
      cause: error,
    });
    reportError(failure, io, hasJsonErrors(getWords(), io));
    process.exit(1);
  });
}
