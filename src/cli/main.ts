/**
 * Entry point: from the words of the command line to an exit code. Loads only what the noun needs.
 */

import { UsageError, VmctlError } from '../client/errors.ts';
import { systemReason } from '../system-errors.ts';
import {
  expandBareFlags,
  nextWordIndex,
  refuseSwitchValueAt,
  unknownFlag,
  unknownFlagError,
} from './args/argv-scan.ts';
import { nounOf, nouns } from './args/catalog.ts';
import { featureTopics } from './args/feature-facts.generated.ts';
import { fitted, helpWidth } from './help/layout.ts';
import { topicPage, unknownTopic } from './help/topics.ts';
import { exitCodeOf, report } from './output/error-report.ts';
import { findPlugin, findPlugins } from './plugins/find-plugins.ts';
import { EffectiveSettings } from './session/effective-settings.ts';
import { type Io, processIo } from './session/io.ts';
import { listenToSignals } from './session/signals.ts';
import { closeMatches } from './text/did-you-mean.ts';

/** Runs one command; the promise never rejects. */
export async function main(argv: readonly string[], io: Io = processIo()): Promise<number> {
  const interrupted = new AbortController();
  const release = listenToSignals(interrupted);
  const idle = watchForIdleness();
  watchOutput(io, argv);
  try {
    return await Promise.race([run(argv, io, interrupted.signal), idle.stuck]);
  } catch (error) {
    const reason: unknown = interrupted.signal.aborted ? interrupted.signal.reason : error;
    report(reason, io, wantsMachineErrors(argv, io), isDebugged(argv));
    return exitCodeOf(reason);
  } finally {
    release();
    idle.release();
  }
}

async function run(given: readonly string[], io: Io, signal: AbortSignal): Promise<number> {
  if (/^__complete(-|$)/.test(given[0] ?? '')) {
    const { complete } = await import('./completion/complete.ts');
    return await complete(given, io);
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
  const plugin = await runPluginIn(given, io);
  if (plugin !== undefined) return plugin;
  const argv = expandBareFlags(given);
  const at = nextWordIndex(argv);
  refuseSwitchValueAt(argv, at);
  const word = at < 0 ? undefined : argv[at];
  // What follows an unknown flag may be its value, and is taken for no noun.
  const unknown = unknownFlag(at < 0 ? argv : argv.slice(0, at));
  if (unknown !== undefined && !isVersion(unknown)) {
    throw unknownFlagError(unknown, 'vmctl help flags');
  }
  if (word === undefined || word === 'help') {
    if (word === undefined && argv.some(isVersion)) {
      const { version } = await import('../version.ts');
      io.stdout.write(`${version}\n`);
      return 0;
    }
    return await help(at < 0 ? [] : argv.slice(at + 1), io, signal);
  }
  const noun = nounOf(word);
  if (!noun) throw unknownNoun(word, io);
  const { runNoun } = await import('./program.ts');
  return await runNoun(noun, [...argv.slice(0, at), noun.name, ...argv.slice(at + 1)], io, signal);
}

/** Runs the plug-in that the words name, and returns its exit code; undefined if they name none. */
async function runPluginIn(words: readonly string[], io: Io): Promise<number | undefined> {
  const at = nextWordIndex(words);
  const word = words[at];
  if (word === undefined || nounOf(word)) return undefined;
  const plugin = findPlugin(io.env, word);
  if (!plugin) return undefined;
  const { runPlugin } = await import('./plugins/run-plugin.ts');
  const flags = words.slice(0, at).filter((one) => one !== '--');
  return await runPlugin(plugin, words.slice(at + 1), flags, io.env);
}

/** `vmctl help`: the page of a topic, a noun or a verb; without words the root page. */
async function help(words: readonly string[], io: Io, signal: AbortSignal): Promise<number> {
  const [word, ...rest] = words.filter((one) => !one.startsWith('-'));
  const listsCommands = word === undefined || word === 'nouns';
  const plugins = listsCommands ? findPlugins(io.env) : [];
  const page = topicPage(word, plugins) ?? (await featurePage(word));
  if (page !== undefined) {
    io.stdout.write(fitted(page, helpWidth(io.stdout)));
    return 0;
  }
  const noun = nounOf(word ?? '');
  if (!noun || noun.name === 'help') {
    const plugin = findPlugin(io.env, word ?? '');
    if (!plugin) throw unknownTopic(word ?? '');
    return (await import('./plugins/run-plugin.ts')).runPlugin(plugin, ['--help'], [], io.env);
  }
  const { runNoun } = await import('./program.ts');
  return await runNoun(noun, [noun.name, ...rest, '--help'], io, signal, true);
}

/** The page of a topic of a feature. */
async function featurePage(word = ''): Promise<string | undefined> {
  if (!Object.hasOwn(featureTopics, word)) return undefined;
  return await (await import('./feature-hooks.ts')).featureTopic(word);
}

function isVersion(word: string): boolean {
  return word === '--version' || word === '-V';
}

function unknownNoun(word: string, { env }: Io): UsageError {
  const near = closeMatches(word.toLowerCase(), [
    ...nouns.flatMap((noun) => [noun.name, ...noun.aliases]),
    ...findPlugins(env).map(({ name }) => name),
  ]);
  return new UsageError(`unknown noun "${word}"`, {
    code: 'unknown_noun',
    hint:
      near.length > 0
        ? `did you mean ${near.join(' or ')}? vmctl help nouns lists all`
        : 'vmctl help nouns',
  });
}

/** Whether somebody wants to see where an error comes from. */
function isDebugged(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return argv
    .slice(0, end < 0 ? argv.length : end)
    .some((word) => word === '--debug' || word.startsWith('--debug='));
}

/**
 * Whether errors go out as JSON. Looks at the bare words, which may be what is wrong, and at what is
 * configured, which may be wrong as well.
 */
function wantsMachineErrors(argv: readonly string[], io: Io): boolean {
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
  const noun = nounOf(argv[nextWordIndex(argv)] ?? '')?.name;
  // What is configured means nothing there.
  if (!words.includes('--sandbox')) format ||= configuredFormat(io, context, noun);
  return format === 'json' || format === 'jsonl' || format === 'ndjson';
}

function configuredFormat(
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
    // A configuration that cannot be read asks for nothing.
    return undefined;
  }
}

/**
 * `stuck` rejects when nothing is left that could end the work. That is a bug, and must not pass for
 * success, as it would: a process that has nothing left to wait for ends with 0.
 */
function watchForIdleness(): { readonly stuck: Promise<never>; readonly release: () => void } {
  let onIdle = () => {};
  const stuck = new Promise<never>((_resolve, reject) => {
    onIdle = () => reject(new Error('internal error: exited with pending work'));
  });
  process.once('beforeExit', onIdle);
  return { stuck, release: () => void process.off('beforeExit', onIdle) };
}

/** A reader that has seen enough (`| head`) is no failure; output that cannot be written is one. */
function watchOutput(io: Io, argv: readonly string[]): void {
  io.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    const failure = new VmctlError(`cannot write standard output: ${systemReason(error)}`, {
      code: 'output_failed',
      hint: 'changes on the service are not reverted; check the free space',
      cause: error,
    });
    report(failure, io, wantsMachineErrors(argv, io));
    process.exit(1);
  });
}
