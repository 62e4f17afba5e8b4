/** Context of a command: streams, settings and the client, created on first use. */
import type { ChangeObserver, Client } from '../../client/client.ts';
import type { DryRunMode } from '../../client/dry-run.ts';
import { UsageError, WaitTimeoutError } from '../../client/errors.ts';
import type { HttpOptions, RequestObserver } from '../../client/http.ts';
import { escapeControlChars } from '../../escape-control-chars.ts';
import { EffectiveSettings } from './effective-settings.ts';
import type { Io } from './io.ts';
import { parseTimeout } from './setting-values.ts';
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
  #lastNote: string | undefined;
  #limit: { readonly signal: AbortSignal; readonly timer: NodeJS.Timeout } | undefined;

  /**
   * Redrawn lines of the terminal, such as a progress bar. Other output has to be printed above
   * them.
   */
  live: { hide(): void; show(): void } | undefined;

  /** Name of the context, if the command runs in several contexts. Messages begin with it. */
  readonly origin: string | undefined = undefined;

  /** Arguments of the command line, verbatim. */
  commandLine: readonly string[] = [];

  /** Exit code of a command that ends without an error, if it is not 0. */
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

  /** Uses the values of the global flags. */
  useFlags(options: Readonly<Record<string, unknown>>): void {
    this.useOptions(options);
    this.#flags = options;
    const timeout = this.setting('timeout');
    if (timeout) this.#limitTo(timeout.value);
  }

  /** Values of the global flags, verbatim. */
  get flags(): Readonly<Record<string, unknown>> {
    return this.#flags;
  }

  /**
   * Creates the context of a command that runs inside this one. It has the settings of this command
   * and `flags`. It shares the connection unless `open` creates another, which the caller has to
   * close.
   */
  createInner(
    io: Io,
    words: readonly string[],
    flags: Readonly<Record<string, unknown>>,
    open: (context: CommandContext) => Promise<Client> = () => this.client(),
  ): CommandContext {
    const inner = new CommandContext(io, this.signal, open, this.hooks);
    inner.#flags = { ...this.#flags, ...flags };
    inner.useOptions(inner.#flags);
    inner.commandLine = words;
    return inner;
  }

  #limitTo(text: string): void {
    const milliseconds = parseTimeout(text);
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

  /** Requests that are printed instead of sent, if any. */
  get dryRunMode(): DryRunMode | undefined {
    if (this.isOn('curl')) return 'primary';
    return this.isOn('dryRun') ? 'changes' : undefined;
  }

  /** Recorder of durations; undefined without `--timing`. */
  async timing(): Promise<Timing | undefined> {
    if (!this.isOn('timing')) return undefined;
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
    this.#print('warning', message, 'warning: ');
  }

  /**
   * Prints a message on stderr. If stdout is JSON, the message is a JSON line as well:
   * `{"event":"note","message":"..."}`.
   */
  #print(event: 'note' | 'warning' | 'step', message: string, prefix: string): void {
    const context = this.origin;
    const of = context === undefined ? '' : `${context}: `;
    const line = this.isJsonOutput
      ? escapeControlChars.json(JSON.stringify({ event, context, message }))
      : `${prefix}${escapeControlChars.message(`${of}${message}`)}`;
    this.printAbove(() => this.io.stderr.write(`${line}\n`));
  }

  /** Whether a program reads stderr, as JSON. */
  get isJsonOutput(): boolean {
    return /^(json|jsonl|ndjson)$/.test(this.setting('output')?.value ?? '');
  }

  /** Prints above the redrawn lines. */
  printAbove(say: () => void): void {
    this.live?.hide();
    say();
    this.live?.show();
  }

  /** Prints a progress message for people; omitted with `--quiet`. */
  note(message: string): void {
    if (!this.isOn('quiet')) this.#print('note', message, '');
  }

  /** Prints a step of `--verbose`. */
  step(message: string): void {
    this.#print('step', message, '> ');
  }

  /** Prints a progress message unless it repeats the last one. */
  noteOnce(message: string): void {
    if (message !== this.#lastNote) this.note(message);
    this.#lastNote = message;
  }

  /** Closes connections and timers, and prints `--timing`. */
  async close(): Promise<void> {
    if (this.#limit) clearTimeout(this.#limit.timer);
    const client = await this.#client?.catch(() => undefined);
    await client?.http.close();
    const format = this.findDirect('output')?.value ?? '';
    (await this.timing())?.print(this.io.stderr, /^(json|jsonl|ndjson)$/.test(format));
  }
}

/** Parses the value of a flag as an integer above 0; undefined if the flag is absent. */
export function parseCount(value: unknown, flag: string): number | undefined {
  if (value === undefined) return undefined;
  const number = Number(value);
  if (Number.isInteger(number) && number > 0) return number;
  throw new UsageError(`${flag} ${String(value)}: not an integer above 0`);
}
