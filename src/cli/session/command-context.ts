/** Context of a command: streams, settings, the client. All of it built when first used. */
import type { ChangeObserver, Client } from '../../client/client.ts';
import type { DryRunMode } from '../../client/dry-run.ts';
import { UsageError, WaitTimeoutError } from '../../client/errors.ts';
import type { HttpOptions, RequestObserver } from '../../client/http.ts';
import { escapeControlChars } from '../../escape-control-chars.ts';
import { durationOf } from '../text/duration.ts';
import { EffectiveSettings } from './effective-settings.ts';
import type { Io } from './io.ts';
import type { Timing } from './timing.ts';

/** Returns the observer of a command's changes; undefined if it needs none. */
export type ChangeObserverFactory = (
  cli: CommandContext,
  username: string | undefined,
) => ChangeObserver | undefined;

/** Options of connections whose requests are observed. */
export type ObservedHttp = Pick<HttpOptions, 'observer' | 'observedBody'>;

/** Extension points of a session for features. */
export interface SessionHooks {
  /** Returns options of connections that observe requests, in addition to the given observer. */
  readonly observeRequests?: (
    cli: CommandContext,
    other: RequestObserver | undefined,
  ) => Promise<ObservedHttp | undefined>;
  /** Loads the observers of changes, before the first change of a command. */
  readonly changeObservers?: () => Promise<readonly ChangeObserverFactory[]>;
}

export class CommandContext extends EffectiveSettings {
  readonly io: Io;
  readonly #interrupted: AbortSignal;
  #flags: Readonly<Record<string, unknown>> = {};
  #client: Promise<Client> | undefined;
  #timing: Timing | undefined;
  #noted: string | undefined;
  #limit: { readonly signal: AbortSignal; readonly timer: NodeJS.Timeout } | undefined;

  /** Lines on the terminal that are redrawn: everything else that is written has to go above them. */
  live: { hide(): void; show(): void } | undefined;

  /** The words of the command, as they were typed. */
  words: readonly string[] = [];

  /** Set where the exit code is neither 0 nor that of an error. */
  exitCode = 0;

  readonly #open: (context: CommandContext) => Promise<Client>;

  readonly hooks: SessionHooks;

  /** @param open creates the client for the server that the settings name */
  constructor(
    io: Io,
    interrupted: AbortSignal,
    open: (context: CommandContext) => Promise<Client>,
    hooks: SessionHooks = {},
  ) {
    super(io.env);
    this.hooks = hooks;
    this.io = io;
    this.#interrupted = interrupted;
    this.#open = open;
  }

  /** Takes over the values of the flags that every command understands. */
  use(options: Readonly<Record<string, unknown>>): void {
    this.useOptions(options);
    this.#flags = options;
    const timeout = this.setting('timeout');
    if (timeout) this.#limitTo(timeout.value);
  }

  /** Values of the flags that every command understands, as they were given. */
  get flags(): Readonly<Record<string, unknown>> {
    return this.#flags;
  }

  /**
   * A context for a command that is run inside of this one: with its settings and `flags` beside them.
   * It has a connection of its own where `open` makes one, and that has to be closed; else it uses the
   * one that is there.
   */
  within(
    io: Io,
    words: readonly string[],
    flags: Readonly<Record<string, unknown>>,
    open: (context: CommandContext) => Promise<Client> = () => this.client(),
  ): CommandContext {
    const inner = new CommandContext(io, this.signal, open, this.hooks);
    inner.#flags = { ...this.#flags, ...flags };
    inner.useOptions(inner.#flags);
    inner.words = words;
    return inner;
  }

  #limitTo(text: string): void {
    const milliseconds = durationOf(text, '--timeout');
    const controller = new AbortController();
    const timer = setTimeout(
      () =>
        controller.abort(
          new WaitTimeoutError(`the command exceeded its timeout of ${text}`, {
            code: 'timeout',
            hint: 'operations may continue on the service; --timeout and VMCTL_TIMEOUT set the limit',
          }),
        ),
      milliseconds,
    );
    timer.unref();
    this.#limit = { signal: AbortSignal.any([this.#interrupted, controller.signal]), timer };
  }

  /** Aborted by Ctrl-C, by SIGTERM and when `--timeout` has passed. */
  get signal(): AbortSignal {
    return this.#limit?.signal ?? this.#interrupted;
  }

  /** What is shown instead of being sent. */
  get dryRunMode(): DryRunMode | undefined {
    if (this.on('curl')) return 'primary';
    return this.on('dryRun') ? 'changes' : undefined;
  }

  /** Where it is noted what takes how long, if somebody asks. */
  async timing(): Promise<Timing | undefined> {
    if (!this.on('timing')) return undefined;
    if (!this.#timing) {
      const { Timing } = await import('./timing.ts');
      this.#timing ??= new Timing();
    }
    return this.#timing;
  }

  /** The client for the server that the settings name. */
  client(): Promise<Client> {
    this.#client ??= this.#open(this);
    return this.#client;
  }

  warn(message: string): void {
    this.#say('warning', message, 'warning: ');
  }

  /**
   * Writes a sentence to stderr. Who asks for JSON on stdout gets JSON there as well, an object on each line:
   * `{"event":"note","message":"..."}`.
   */
  #say(event: 'note' | 'warning' | 'step', message: string, prefix: string): void {
    const line = this.speaksJson
      ? escapeControlChars.json(JSON.stringify({ event, message }))
      : `${prefix}${escapeControlChars.message(message)}`;
    this.aside(() => this.io.stderr.write(`${line}\n`));
  }

  /** Whether a program reads stderr, as JSON. */
  get speaksJson(): boolean {
    return /^(json|jsonl|ndjson)$/.test(this.setting('output')?.value ?? '');
  }

  /** Writes something while lines that are redrawn are out of its way. */
  aside(say: () => void): void {
    this.live?.hide();
    say();
    this.live?.show();
  }

  /** A sentence about what is happening; not for scripts, and not with `--quiet`. */
  note(message: string): void {
    if (!this.on('quiet')) this.#say('note', message, '');
  }

  /** A step of `--verbose`. */
  step(message: string): void {
    this.#say('step', message, '> ');
  }

  /** The same; once, however often the same is to be said in a row. */
  noteOnce(message: string): void {
    if (message !== this.#noted) this.note(message);
    this.#noted = message;
  }

  /** Gives connections and timers back. */
  async close(): Promise<void> {
    if (this.#limit) clearTimeout(this.#limit.timer);
    const client = await this.#client?.catch(() => undefined);
    await client?.http.close();
    const format = this.direct('output')?.value ?? '';
    (await this.timing())?.print(this.io.stderr, /^(json|jsonl|ndjson)$/.test(format));
  }
}

/** A flag that counts something; nothing where it was not given. */
export function wholeNumber(value: unknown, flag: string): number | undefined {
  if (value === undefined) return undefined;
  const number = Number(value);
  if (Number.isInteger(number) && number > 0) return number;
  throw new UsageError(`${flag} ${String(value)}: not an integer above 0`);
}
