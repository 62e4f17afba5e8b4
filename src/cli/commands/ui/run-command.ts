/** Commands that the dashboard runs: as they would be typed, with what they print caught. */
import { Writable } from 'node:stream';
import { VmctlError } from '../../../client/errors.ts';
import { shellQuote } from '../../../client/shell-quote.ts';
import { handMadeVerbs } from '../../args/catalog.ts';
import type { Command, NounModules } from '../../args/command.ts';
import type { CommandContext } from '../../session/command-context.ts';
import { openClient } from '../../session/connect.ts';
import type { Output } from '../../session/io.ts';
import { verbOf } from '../../verbs/derive-verbs.ts';
import { commandOf, inPlaceOf } from '../../verbs/verb-command.ts';
import type { Named } from './place.ts';

/** A verb of a noun, on objects that are named. */
export interface CommandLine {
  readonly noun: string;
  readonly verb: string;
  readonly objects: readonly Named[];
  readonly owner?: Named;
}

/** What a command has printed. */
export interface Printed {
  readonly out: string;
  readonly notes: string;
}

/** The words of a command, as somebody would type them. */
export function wordsOf({ noun, verb, objects, owner }: CommandLine): readonly string[] {
  const on = owner ? ['--on', `${owner.noun}/${owner.name}`] : [];
  return [noun, verb, ...objects.map(({ name }) => name), ...on];
}

/** The same as one line, quoted for a shell. */
export function lineOf(line: CommandLine): string {
  return ['vmctl', ...wordsOf(line).map(shellQuote)].join(' ');
}

export class CommandRunner {
  readonly #cli: CommandContext;
  readonly #modules: NounModules;

  /** `cli` is the context of the dashboard, whose settings all commands have. */
  constructor(cli: CommandContext, modules: NounModules) {
    this.#cli = cli;
    this.#modules = modules;
  }

  /**
   * Runs a command that reads, over the connection of the dashboard. `columns` is the width that it
   * prints for. Throws what the command throws.
   */
  async read(line: CommandLine, columns: number, flags: Flags = {}): Promise<string> {
    const out = new Collected(columns);
    const io = { ...this.#io(), stdout: out, stderr: new Collected() };
    const context = this.#cli.within(io, wordsOf(line), { color: 'never', ...flags });
    await this.#run(context, line);
    return out.text;
  }

  /**
   * Runs a command that may change something, with a connection and an entry of the history of its own.
   * `confirm` is the name of a protected context. Throws what the command throws.
   */
  async change(line: CommandLine, confirm: string | undefined): Promise<Printed> {
    const out = new Collected();
    const notes = new Collected();
    const io = { ...this.#io(), stdout: out, stderr: notes };
    const flags = { color: 'never', noInput: true, ...(confirm ? { confirm } : {}) };
    const context = this.#cli.within(io, wordsOf(line), flags, openClient);
    try {
      await this.#run(context, line);
      if (context.exitCode !== 0) {
        throw new VmctlError(notes.text.trim() || `it ended with ${context.exitCode}`);
      }
    } finally {
      await context.close();
    }
    return { out: out.text, notes: notes.text };
  }

  #io() {
    const { env, stdin } = this.#cli.io;
    return { env, stdin };
  }

  async #run(context: CommandContext, line: CommandLine): Promise<void> {
    const command = await this.#command(line);
    // Names may be those of several objects; ids are not.
    const ids = line.objects.map(({ id }) => id);
    const many = command.arguments.some(({ notation }) => notation.includes('...'));
    const options = line.owner ? { on: [`${line.owner.noun}/${line.owner.id}`] } : {};
    context.useNoun(line.noun);
    await command.run(context, many ? [ids] : ids, options, this.#modules);
  }

  async #command({ noun, verb }: CommandLine): Promise<Command> {
    if (handMadeVerbs(noun).some(({ name }) => name === verb)) {
      const module = await this.#modules[noun]?.();
      const command = module?.commands.find((one) => one.verb === verb);
      if (command) return inPlaceOf(command);
    }
    const derived = verbOf(noun, verb);
    if (!derived) throw new Error(`${noun} have no verb ${verb}.`);
    return commandOf(derived);
  }
}

type Flags = Readonly<Record<string, string>>;

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
