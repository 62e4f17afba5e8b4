/** Runner of commands inside another command, with captured output. */
import { Writable } from 'node:stream';
import { Command as Commander, CommanderError } from 'commander';
import { DryRunStop } from '../../../client/dry-run.ts';
import { UsageError, VmctlError } from '../../../client/errors.ts';
import { findNoun, listHandMadeVerbs } from '../../args/catalog.ts';
import {
  type Command,
  formatCommandName,
  getOutputKind,
  type NounModules,
  type Options,
} from '../../args/command.ts';
import { checkOutputFlags } from '../../output/output-flags.ts';
import { addGlobalFlags, getGlobalValues, mountCommand } from '../../parse/commander.ts';
import { toUsageError } from '../../parse/usage-error.ts';
import type { CommandContext } from '../../session/command-context.ts';
import { openClient } from '../../session/connect.ts';
import type { Input, Io, Output } from '../../session/io.ts';
import { findVerb } from '../../verbs/derive-verbs.ts';
import { createVerbCommand, mergeWithVerb } from '../../verbs/verb-command.ts';

/** Result of a command. */
export interface CommandResult {
  /** Standard output. */
  readonly out: string;
  /** Standard error. */
  readonly notes: string;
  readonly error?: unknown;
}

/** Global flags of all embedded commands: no prompts, no colours. */
const commonFlags = { color: 'never', noInput: true };

/** Values of global flags by setting. */
type Flags = Readonly<Record<string, string | boolean>>;

type CommandCheck = (command: Command, positionals: readonly unknown[], options: Options) => void;

interface ReadOptions {
  /** Width of the emulated terminal; undefined for none. */
  readonly columns?: number;
  readonly flags?: Flags;
  /** Standard input (default: that of the process). */
  readonly input?: Input;
}

interface ChangeOptions {
  readonly flags?: Flags;
  /** Standard input. */
  readonly input?: Input;
  /** Command line for the history, if `words` contains ids instead of names. */
  readonly typed?: readonly string[];
}

export class CommandRunner {
  readonly #cli: CommandContext;
  readonly #modules: NounModules;

  readonly #check: CommandCheck | undefined;

  /**
   * Creates a runner in the context `cli`. `check` throws to refuse a command with its arguments
   * and flags.
   */
  constructor(cli: CommandContext, modules: NounModules, check?: CommandCheck) {
    this.#cli = cli;
    this.#modules = modules;
    this.#check = check;
  }

  /** Runs a read-only command over the existing connection. */
  async runReadOnly(
    words: readonly string[],
    { columns, flags = {}, input }: ReadOptions = {},
  ): Promise<CommandResult> {
    const printed = { out: new CapturedOutput(columns), notes: new CapturedOutput() };
    const all = { ...commonFlags, ...flags };
    const context = this.#cli.createInner(this.#io(printed, input), words, all);
    return await this.#run(context, words, all, printed);
  }

  /** Runs a command that may change objects, with a separate connection and history entry. */
  async runChanging(
    words: readonly string[],
    { flags = {}, input, typed = words }: ChangeOptions = {},
  ): Promise<CommandResult> {
    const printed = { out: new CapturedOutput(), notes: new CapturedOutput() };
    const all = { ...commonFlags, ...flags };
    const context = this.#cli.createInner(this.#io(printed, input), typed, all, openClient);
    try {
      return await this.#run(context, words, all, printed);
    } finally {
      await context.close();
    }
  }

  #io({ out, notes }: CapturedStreams, input?: Input): Io {
    const { env, stdin } = this.#cli.io;
    return { env, stdin: input ?? stdin, stdout: out, stderr: notes };
  }

  /** Finds the command at the start of the words, and the number of words that name it. */
  async find(
    words: readonly string[],
  ): Promise<{ readonly command: Command; readonly length: number }> {
    const [first = '', second = ''] = words;
    const noun = findNoun(first);
    if (!noun) throw new UsageError(`unknown noun "${first}"`);
    const module = await this.#modules[noun.name]?.();
    const whole = noun.api ? undefined : module?.commands.find(({ verb }) => verb === undefined);
    if (whole) return { command: whole, length: 1 };
    if (!noun.api || listHandMadeVerbs(noun.name).some(({ name }) => name === second)) {
      const made = module?.commands.find(
        ({ verb, aliases }) => verb === second || aliases.includes(second),
      );
      if (made) return { command: noun.api ? mergeWithVerb(made) : made, length: 2 };
    }
    const derived = noun.api ? findVerb(noun.name, second) : undefined;
    if (derived) return { command: createVerbCommand(derived), length: 2 };
    throw new UsageError(`${noun.name}: unknown verb "${second}"`, {
      hint: `vmctl ${noun.name} --help`,
    });
  }

  async #run(
    context: CommandContext,
    words: readonly string[],
    flags: Flags,
    { out, notes }: CapturedStreams,
  ): Promise<CommandResult> {
    try {
      await this.#parse(context, words, flags);
    } catch (error) {
      if (!(error instanceof DryRunStop)) return { out: out.text, notes: notes.text, error };
      const { showDryRun } = await import('../../output/dry-run.ts');
      await showDryRun(context, error);
    }
    const failed = context.exitCode !== 0;
    const error = failed
      ? { error: new VmctlError(notes.text.trim() || `exit code ${context.exitCode}`) }
      : {};
    return { out: out.text, notes: notes.text, ...error };
  }

  /** Parses the words like the command line, and runs the command. */
  async #parse(context: CommandContext, words: readonly string[], flags: Flags): Promise<void> {
    const { command, length } = await this.find(words);
    const program = new Commander('vmctl');
    program
      .exitOverride()
      .enablePositionalOptions()
      .configureOutput({ writeOut: () => {}, writeErr: () => {}, outputError: () => {} })
      .helpCommand(false);
    const holder = program.command(command.noun).enablePositionalOptions();
    mountCommand(holder, command, async (one, parsed, positionals) => {
      const typed = getGlobalValues(parsed);
      context.useFlags({ ...this.#cli.flags, ...flags, ...typed });
      context.useNoun(one.noun);
      const prints = getOutputKind(one, positionals, parsed.opts());
      const onlyReads = one.onlyReads === true;
      checkOutputFlags(context, { name: formatCommandName(one), prints, typed, onlyReads });
      this.#check?.(one, positionals, parsed.opts());
      await one.run(context, positionals, parsed.opts(), this.#modules);
    });
    for (const one of [program, holder, ...holder.commands]) addGlobalFlags(one);
    const names = command.verb === undefined ? [command.noun] : [command.noun, command.verb];
    try {
      await program.parseAsync([...names, ...words.slice(length)], { from: 'user' });
    } catch (error) {
      if (!(error instanceof CommanderError)) throw error;
      const known = holder.commands.concat(holder).flatMap(({ options }) => options);
      throw toUsageError(
        error,
        names.join(' '),
        known.map(({ long }) => long ?? ''),
      );
    }
  }
}

interface CapturedStreams {
  readonly out: CapturedOutput;
  readonly notes: CapturedOutput;
}

/** Stream that captures its text; a terminal if `columns` is given. */
class CapturedOutput extends Writable implements Output {
  text = '';
  readonly isTTY: boolean;
  readonly columns?: number;

  constructor(columns?: number) {
    super();
    this.isTTY = columns !== undefined;
    if (columns !== undefined) this.columns = columns;
  }

  override _write(chunk: Buffer | string, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}
