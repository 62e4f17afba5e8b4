/** Commands that read from several contexts: `--context a,b` and `--context all`. */
import { Writable } from 'node:stream';
import { AuthError, NotFoundError, UsageError, VmctlError } from '../client/errors.ts';
import { escapeControlChars } from '../escape-control-chars.ts';
import { type Command, formatCommandName } from './args/command.ts';
import { type CollectedView, CollectingContext } from './output/collecting-context.ts';
import { contextColumn } from './output/column-selection.ts';
import { getFormat, printView } from './output/print.ts';
import type { View } from './output/view.ts';
import type { CommandContext } from './session/command-context.ts';
import { openClient } from './session/connect.ts';
import { write } from './session/io.ts';
import type { OutputKind } from './session/output-kind.ts';
import { longFlag, requestFiles, type SettingName, settings } from './session/settings.ts';
import { processAll } from './verbs/parallel.ts';

/** Contexts that a command reads concurrently. */
const parallel = 8;

/** Settings of one server or one recording. */
const settingsOfOne: readonly SettingName[] = [
  ...['url', 'username', 'password', 'passwordFile', 'token', 'curl'],
  ...requestFiles,
] as const;

/** Kinds of output that can be combined. */
const combined: readonly OutputKind[] = ['objects', 'object', 'row', 'report'];

/** Formats without members of the object, or in the form of the response. */
const excludedFormats = ['id', 'name', 'xml', 'raw'];

/** A command with its parsed arguments. */
export interface PreparedCommand {
  readonly command: Command;
  readonly positionals: readonly unknown[];
  readonly prints: OutputKind;
  run(cli: CommandContext): Promise<void>;
}

/** Result of a command in one context. */
interface ContextResult {
  readonly name: string;
  readonly views: readonly CollectedView[];
  /** Output for people that is no table. */
  readonly text: string;
  readonly exitCode: number;
  /** The error of an object that the context does not have, or of a mistake in the command. */
  readonly error?: NotFoundError | UsageError;
}

/**
 * Runs the command in each context and prints all objects together, each with the name of its
 * context. Throws `UsageError` for a command that changes objects or does not print any. The error of
 * one context does not stop the others; an object may be missing in some of the contexts.
 */
export async function runInContexts(
  cli: CommandContext,
  names: readonly string[],
  prepared: PreparedCommand,
): Promise<void> {
  checkCommand(cli, prepared);
  if (names.length === 0) {
    throw new AuthError('--context all: no context exists', {
      hint: 'add a context with vmctl login https://HOST --context NAME',
    });
  }
  const limits = { parallel, failFast: false };
  const { done, failure } = await processAll(cli, names, limits, (name) =>
    runInContext(cli, name, prepared),
  );
  const errors = done.flatMap(({ error }) => error ?? []);
  const [first] = errors;
  const mistake = errors.find((error) => error instanceof UsageError);
  if (mistake) throw mistake;
  if (first && errors.length === done.length && !failure) throw first;
  for (const { message } of errors) cli.note(message);
  cli.exitCode = Math.max(0, ...done.map(({ exitCode }) => exitCode));
  const view = combine(done.flatMap(({ views }) => views));
  if (view) await printView(cli, view);
  const texts = done.filter(({ text }) => text !== '').map(formatText);
  if (texts.length > 0) await write(cli.io.stdout, texts.join('\n'));
  if (failure) throw done.length === 0 ? failure.toAllFailedError() : failure;
}

/** Throws `UsageError` if the command cannot run in several contexts. */
function checkCommand(
  cli: CommandContext,
  { command, positionals, prints }: PreparedCommand,
): void {
  const name = formatCommandName(command);
  const hint = 'use --context with one name';
  if (command.onlyReads !== true) {
    throw new UsageError(`${name}: several contexts are only for commands that read`, { hint });
  }
  if (!combined.includes(prints)) {
    throw new UsageError(`${name}: the output of several contexts cannot be combined`, { hint });
  }
  if (positionals.flat().includes('-')) {
    throw new UsageError(`${name} -: several contexts cannot share standard input`, { hint });
  }
  for (const one of settingsOfOne) {
    const given = cli.setting(one);
    if (!given) continue;
    const { env } = settings[one];
    const flag = (given.origin === 'environment' ? env : longFlag(settings[one])) ?? one;
    throw new UsageError(`${flag} is not valid with several contexts`, {
      hint: `remove ${flag}, or ${hint}`,
    });
  }
  const format = getFormat(cli);
  if (!excludedFormats.includes(format)) return;
  const flag = cli.setting('output') === undefined && cli.isOn('quiet') ? '-q' : `-o ${format}`;
  throw new UsageError(`${flag} does not show the contexts of the objects`, {
    hint: 'use -o tsv --no-headers --columns context,id, or -o json',
  });
}

/** Runs the command in one context. Errors begin with the name of the context. */
async function runInContext(
  cli: CommandContext,
  name: string,
  { run, command }: PreparedCommand,
): Promise<ContextResult> {
  const stdout = new CollectingStream();
  const inner = new CollectingContext(cli, name, stdout, openClient);
  inner.useNoun(command.noun);
  try {
    await run(inner);
    const { exitCode } = inner;
    const views = inner.views.map((view) => addContext(view, name));
    return { name, views, text: stdout.text, exitCode };
  } catch (error) {
    const nothing = { name, views: [], text: '', exitCode: 0 };
    // The mistake is the same in all contexts.
    if (error instanceof UsageError) return { ...nothing, error };
    if (error instanceof VmctlError) error.message = `${name}: ${error.message}`;
    if (error instanceof NotFoundError) return { ...nothing, error };
    throw error;
  } finally {
    await inner.close();
  }
}

/** Stream that stores its text. */
class CollectingStream extends Writable {
  text = '';

  override _write(chunk: Buffer | string, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}

function addContext({ frame, items }: CollectedView, name: string): CollectedView {
  return { frame, items: items.map((item) => ({ [contextColumn]: name, ...item })) };
}

/** Formats the output of a context with its name as a title. */
function formatText({ name, text }: ContextResult): string {
  return `${escapeControlChars.line(`context ${name}`)}\n\n${text.replace(/\n*$/, '\n')}`;
}

/** Combines the objects of all contexts; undefined without an output. */
function combine(views: readonly CollectedView[]): View | undefined {
  const [first] = views;
  if (!first) return undefined;
  // Each context has applied the limit to its own objects.
  const { limit: _limit, columns, ...frame } = first.frame;
  const all =
    columns &&
    [...new Set(views.flatMap((view) => view.frame.columns ?? []))].filter(
      // The sign-in of a context names the context itself.
      (column) => column !== contextColumn,
    );
  return {
    ...frame,
    ...(all ? { columns: all } : {}),
    items: views.flatMap(({ items }) => items),
    single: false,
    hasContexts: true,
  };
}
