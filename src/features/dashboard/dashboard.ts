/** The dashboard: keeps its state, reads what is shown again and again, runs commands. */
import { Writable } from 'node:stream';
import type { CommandRunner } from '../../cli/commands/embedded/command-runner.ts';
import type { CommandContext } from '../../cli/session/command-context.ts';
import { VmctlError } from '../../client/errors.ts';
import { escapeControlChars } from '../../escape-control-chars.ts';
import { type CommandLine, lineOf, typedWordsOf, wordsOf } from './command-line.ts';
import type { DashboardControl } from './dashboard-control.ts';
import { mainHeight, mainWidth } from './layout.ts';
import { type ListPlace, listAt, type ObjectPlace, type Place } from './place.ts';
import { press } from './press.ts';
import { readList } from './read-list.ts';
import { readText } from './read-text.ts';
import type { KeyPress, ScreenSource, ScreenView, Segment } from './screen/screen-view.ts';
import { isSearchable, shownItems } from './shown-items.ts';
import { type Activity, type DashboardState, placeOf } from './state.ts';
import { readTransfers } from './transfers.ts';
import type { OfferedVerb } from './verbs.ts';
import { viewOf } from './view.ts';

/** While bytes are moving somebody wants to see them move; milliseconds. */
const transferInterval = 1_000;

/** After the last key of a search that is being typed; milliseconds. */
const typingPause = 300;

/** Activities are kept for somebody to look at. */
const maxActivities = 100;

export class Dashboard implements ScreenSource, DashboardControl {
  readonly state: DashboardState;
  readonly #cli: CommandContext;
  readonly #runner: CommandRunner;
  readonly #interval: number;
  readonly #listeners = new Set<() => void>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #view: ScreenView | undefined;
  #typing: NodeJS.Timeout | undefined;
  #end: () => void = () => {};
  #handOver: (words: readonly string[]) => Promise<number> = async () => 0;

  /** `interval` is how often the list is read, in milliseconds. */
  constructor(cli: CommandContext, runner: CommandRunner, state: DashboardState, interval: number) {
    this.#cli = cli;
    this.#runner = runner;
    this.state = state;
    this.#interval = interval;
  }

  readonly view = (): ScreenView => {
    this.#view ??= viewOf(this.state);
    return this.#view;
  };

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly press = (key: KeyPress): void => {
    press(this, key);
    this.changed();
  };

  /** Draws anew. */
  changed(): void {
    this.#view = undefined;
    for (const listener of this.#listeners) listener();
  }

  /**
   * Reads what is shown first, and throws where that fails: then there is nothing to show. `handOver`
   * gives the terminal to a command until it ends.
   */
  async begin(handOver: (words: readonly string[]) => Promise<number>): Promise<void> {
    this.#handOver = handOver;
    await this.#readList(listOf(placeOf(this.state)));
  }

  /** Keeps what is shown true until somebody leaves. Rejects when the command is interrupted. */
  async run(): Promise<void> {
    const { signal } = this.#cli;
    signal.throwIfAborted();
    this.#every(
      () => this.#interval,
      () => this.refresh(),
    );
    this.#every(
      () => (this.state.transfers.length > 0 ? transferInterval : this.#interval),
      () => this.#readTransfers(),
    );
    await new Promise<void>((resolve, reject) => {
      this.#end = resolve;
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    }).finally(() => this.#stop());
  }

  /** Does something again and again, each time when the last one is over. */
  #every(interval: () => number, work: () => Promise<void>): void {
    const timer = setTimeout(async () => {
      this.#timers.delete(timer);
      await work();
      if (!this.#cli.signal.aborted && !this.#isOver) this.#every(interval, work);
    }, interval());
    this.#timers.add(timer);
  }

  #isOver = false;

  #stop(): void {
    this.#isOver = true;
    clearTimeout(this.#typing);
    for (const timer of this.#timers) clearTimeout(timer);
  }

  leave(): void {
    this.#end();
  }

  get isBusy(): boolean {
    return this.state.activities.some(({ state }) => state === 'running');
  }

  say(text: string, tone: Segment['tone'] = 'plain'): void {
    this.state.message = { text: escapeControlChars.line(text), tone };
  }

  resize(width: number, height: number): void {
    const isWider = width !== this.state.size.width;
    this.state.size = { width, height };
    const place = placeOf(this.state);
    // Texts are folded for the width.
    if (isWider && place.kind === 'object') void this.refresh();
    this.changed();
  }

  enter(place: Place): void {
    this.state.places.push(place);
    this.state.mode = { kind: 'browse' };
    void this.refresh();
  }

  jump(place: Place): void {
    this.state.places = [];
    this.enter(place);
  }

  async refresh(): Promise<void> {
    const place = placeOf(this.state);
    const list = listAt(place);
    try {
      if (list) await this.#readList(list);
      else if (place.kind === 'object') await this.#readText(place);
      if (list) list.trouble = undefined;
    } catch (error) {
      if (this.#cli.signal.aborted) return;
      const text = problemOf(error);
      if (list) list.trouble = text;
      if (place.kind === 'object' && !list && placeOf(this.state) === place) {
        place.text ??= text.split('\n');
        this.say(text, 'bad');
      }
    }
    this.changed();
  }

  refreshSoon(): void {
    clearTimeout(this.#typing);
    this.#typing = setTimeout(() => void this.refresh(), typingPause);
  }

  async #readList(place: ListPlace): Promise<void> {
    const { noun, owner, search } = place;
    // What is noted beside a list would be written into the screen.
    const io = { ...this.#cli.io, stderr: new Writable({ write: (_1, _2, done) => done() }) };
    const context = this.#cli.within(io, this.#cli.words, {});
    const listing = await readList(context, {
      noun,
      ...(owner ? { owner } : {}),
      ...(isSearchable(place) ? { search } : {}),
    });
    // An answer to what is not asked any more.
    if (search !== place.search) return;
    const before = shownItems(place)[place.current]?.['id'];
    place.listing = listing;
    const items = shownItems(place);
    const at = items.findIndex(({ id }) => id === before);
    place.current = Math.max(0, at >= 0 ? at : Math.min(place.current, items.length - 1));
    const ids = new Set(listing.items.map(({ id }) => String(id)));
    for (const mark of place.marks) if (!ids.has(mark)) place.marks.delete(mark);
  }

  async #readText(place: ObjectPlace): Promise<void> {
    const { tab } = place;
    const width = mainWidth(this.state.size);
    const text = await readText(this.#cli, this.#runner, place, width);
    if (tab !== place.tab) return;
    place.text = text;
    place.top = Math.max(0, Math.min(place.top, text.length - mainHeight(this.state)));
  }

  async #readTransfers(): Promise<void> {
    // Who may not see transfers is shown none.
    this.state.transfers = await readTransfers(this.#cli).catch(() => []);
    this.changed();
  }

  async perform(command: CommandLine, verb: OfferedVerb, confirm?: string): Promise<void> {
    listAt(placeOf(this.state))?.marks.clear();
    if (verb.takesTerminal) {
      const line = lineOf(command);
      try {
        const code = await this.#handOver(typedWordsOf(command));
        this.say(code === 0 ? line : `${line} exited with ${code}`, code === 0 ? 'good' : 'bad');
      } catch (error) {
        this.say(`${line}: ${problemOf(error)}`, 'bad');
      }
      this.changed();
      return;
    }
    const activity: Activity = {
      line: lineOf(command),
      began: new Date(),
      state: 'running',
      text: '',
    };
    this.state.activities.unshift(activity);
    this.state.activities.splice(maxActivities);
    this.say(`${activity.line} ...`, 'passing');
    this.changed();
    const { out, notes, error } = await this.#runner.change(wordsOf(command), {
      flags: confirm === undefined ? {} : { confirm },
      typed: typedWordsOf(command),
    });
    const printed = [notes.trim(), out.trim()].filter((text) => text !== '').join('\n');
    if (error === undefined) {
      activity.state = 'done';
      activity.text = printed;
      this.say(`${activity.line}: done`, 'good');
    } else {
      activity.state = 'failed';
      activity.text = [printed, problemOf(error)].filter((text) => text !== '').join('\n');
      this.say(`${activity.line}: ${problemOf(error)}`, 'bad');
    }
    await this.refresh();
  }
}

function listOf(place: Place): ListPlace {
  const list = listAt(place);
  if (!list) throw new Error('the first view is not a list');
  return list;
}

/** Message and hint of an error. */
function problemOf(error: unknown): string {
  const hint = error instanceof VmctlError ? error.hint : undefined;
  const message = error instanceof Error ? error.message : String(error);
  return hint === undefined ? message : `${message} (${hint})`;
}
