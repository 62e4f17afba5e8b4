/** Commands that are run inside of another one: parsed as they would be typed, with their output caught. */
import { Writable } from 'node:stream';
import { Command as Commander, CommanderError } from 'commander';
import { DryRunStop } from '../../../client/dry-run.ts';
import { UsageError, VmctlError } from '../../../client/errors.ts';
import { handMadeVerbs, nounOf } from '../../args/catalog.ts';
import {
  type Command,
  type NounModules,
  nameOf,
  type Options,
  printedBy,
} from '../../args/command.ts';
import { checkOutputFlags } from '../../output/output-flags.ts';
import { addGlobalFlags, globalValues, mount } from '../../parse/commander.ts';
import { asUsageError } from '../../parse/usage-error.ts';
import type { CommandContext } from '../../session/command-context.ts';
import { openClient } from '../../session/connect.ts';
import type { Input, Io, Output } from '../../session/io.ts';
import { verbOf } from '../../verbs/derive-verbs.ts';
import { commandOf, inPlaceOf } from '../../verbs/verb-command.ts';

/** What came of a command. */
export interface Outcome {
  /** What it printed on standard output. */
  readonly out: string;
  /** What it said beside that. */
  readonly notes: string;
  /** Why it failed. */
  readonly error?: unknown;
}

/** What is so for all of them: nobody can be asked, and colours say nothing. */
const always = { color: 'never', noInput: true };

/** Values of flags that every command has, by the names of their settings. */
type Flags = Readonly<Record<string, string | boolean>>;

type CommandCheck = (command: Command, positionals: readonly unknown[], options: Options) => void;

interface ReadOptions {
  /** Printed as on a terminal of so many columns. */
  readonly columns?: number;
  readonly flags?: Flags;
}

interface ChangeOptions {
  readonly flags?: Flags;
  /** What it reads on standard input. */
  readonly input?: Input;
  /** The words for the history, where those that are run have ids in the place of names. */
  readonly typed?: readonly string[];
}

export class CommandRunner {
  readonly #cli: CommandContext;
  readonly #modules: NounModules;

  readonly #check: CommandCheck | undefined;

  /**
   * `cli` is the context of the command that runs others, whose settings they have. `check` throws to refuse
   * a command with its arguments and flags, before it runs.
   */
  constructor(cli: CommandContext, modules: NounModules, check?: CommandCheck) {
    this.#cli = cli;
    this.#modules = modules;
    this.#check = check;
  }

  /**
   * Runs a command that changes nothing, over the connection that is there.
   */
  async read(
    words: readonly string[],
    { columns, flags = {} }: ReadOptions = {},
  ): Promise<Outcome> {
    const printed = { out: new Collected(columns), notes: new Collected() };
    const all = { ...always, ...flags };
    const context = this.#cli.within(this.#io(printed), words, all);
    return await this.#run(context, words, all, printed);
  }

  /**
   * Runs a command that may change something, with a connection and an entry of the history of its own.
   */
  async change(
    words: readonly string[],
    { flags = {}, input, typed = words }: ChangeOptions = {},
  ): Promise<Outcome> {
    const printed = { out: new Collected(), notes: new Collected() };
    const all = { ...always, ...flags };
    const context = this.#cli.within(this.#io(printed, input), typed, all, openClient);
    try {
      return await this.#run(context, words, all, printed);
    } finally {
      await context.close();
    }
  }

  #io({ out, notes }: PrintedTo, input?: Input): Io {
    const { env, stdin } = this.#cli.io;
    return { env, stdin: input ?? stdin, stdout: out, stderr: notes };
  }

  /** The command that words begin with, and how many of them name it. */
  async find(
    words: readonly string[],
  ): Promise<{ readonly command: Command; readonly length: number }> {
    const [first = '', second = ''] = words;
    const noun = nounOf(first);
    if (!noun) throw new UsageError(`unknown noun "${first}"`);
    const module = await this.#modules[noun.name]?.();
    const whole = noun.api ? undefined : module?.commands.find(({ verb }) => verb === undefined);
    if (whole) return { command: whole, length: 1 };
    if (!noun.api || handMadeVerbs(noun.name).some(({ name }) => name === second)) {
      const made = module?.commands.find(
        ({ verb, aliases }) => verb === second || aliases.includes(second),
      );
      if (made) return { command: noun.api ? inPlaceOf(made) : made, length: 2 };
    }
    const derived = noun.api ? verbOf(noun.name, second) : undefined;
    if (derived) return { command: commandOf(derived), length: 2 };
    throw new UsageError(`${noun.name}: unknown verb "${second}"`, {
      hint: `vmctl ${noun.name} --help`,
    });
  }

  async #run(
    context: CommandContext,
    words: readonly string[],
    flags: Flags,
    { out, notes }: PrintedTo,
  ): Promise<Outcome> {
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

  /** Parses the words as the command line does, and runs what they say. */
  async #parse(context: CommandContext, words: readonly string[], flags: Flags): Promise<void> {
    const { command, length } = await this.find(words);
    const program = new Commander('vmctl');
    program
      .exitOverride()
      .enablePositionalOptions()
      .configureOutput({ writeOut: () => {}, writeErr: () => {}, outputError: () => {} })
      .helpCommand(false);
    const holder = program.command(command.noun).enablePositionalOptions();
    mount(holder, command, async (one, parsed, positionals) => {
      const typed = globalValues(parsed);
      context.use({ ...this.#cli.flags, ...flags, ...typed });
      context.useNoun(one.noun);
      const prints = printedBy(one, positionals, parsed.opts());
      const onlyReads = one.onlyReads === true;
      checkOutputFlags(context, { name: nameOf(one), prints, typed, onlyReads });
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
      throw asUsageError(
        error,
        names.join(' '),
        known.map(({ long }) => long ?? ''),
      );
    }
  }
}

interface PrintedTo {
  readonly out: Collected;
  readonly notes: Collected;
}

/** A stream that keeps its text; a terminal of a width where that is given. */
class Collected extends Writable implements Output {
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
