/** Dashboard: owns the state, polls the current view and runs commands. */

import { Writable } from 'node:stream';
import { getErrorMessage } from '../../caught-errors.ts';
import type { CommandRunner } from '../../cli/commands/embedded/command-runner.ts';
import type { CommandContext } from '../../cli/session/command-context.ts';
import { VmctlError } from '../../client/errors.ts';
import { escapeControlChars } from '../../escape-control-chars.ts';
import { commandWords, formatLine, type ObjectCommand, typedWords } from './command-line.ts';
import type { DashboardControl } from './dashboard-control.ts';
import { mainHeight, mainWidth } from './layout.ts';
import { press } from './press.ts';
import { readList } from './read-list.ts';
import { readText } from './read-text.ts';
import { renderView } from './render-view.ts';
import type { KeyPress, ScreenSource, ScreenView, Segment } from './screen/screen-view.ts';
import { isSearchable, listShownItems } from './shown-items.ts';
import { type Activity, type DashboardState, getCurrentView } from './state.ts';
import { listTextLines } from './text-lines.ts';
import { readTransfers } from './transfers.ts';
import type { OfferedVerb } from './verbs.ts';
import { getList, type ListView, type ObjectView, type View } from './views.ts';

/** Poll interval during transfers, in milliseconds. */
const transferIntervalMs = 1_000;

/** Delay after the last key of a search, in milliseconds. */
const typingPauseMs = 300;

/** Maximum number of commands in the activity log. */
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
  #resolveRun: () => void = () => {};
  #handOver: (words: readonly string[]) => Promise<number> = async () => 0;

  /** `interval` is the poll interval of the list, in milliseconds. */
  constructor(cli: CommandContext, runner: CommandRunner, state: DashboardState, interval: number) {
    this.#cli = cli;
    this.#runner = runner;
    this.state = state;
    this.#interval = interval;
  }

  readonly view = (): ScreenView => {
    this.#view ??= renderView(this.state);
    return this.#view;
  };

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly press = (key: KeyPress): void => {
    press(this, key);
    this.notifyChange();
  };

  /** Renders the view again and notifies the subscribers. */
  notifyChange(): void {
    this.#view = undefined;
    for (const listener of this.#listeners) listener();
  }

  /**
   * Reads the first list. Throws if that fails, because the screen would be empty. `handOverContents` gives
   * the terminal to a command until it exits.
   */
  async start(handOver: (words: readonly string[]) => Promise<number>): Promise<void> {
    this.#handOver = handOver;
    await this.#readList(requireList(getCurrentView(this.state)));
  }

  /** Polls until the user leaves the dashboard. Rejects if the command is interrupted. */
  async run(): Promise<void> {
    const { signal } = this.#cli;
    signal.throwIfAborted();
    this.#poll(
      () => this.#interval,
      () => this.refresh(),
    );
    this.#poll(
      () => (this.state.transfers.length > 0 ? transferIntervalMs : this.#interval),
      () => this.#readTransfers(),
    );
    await new Promise<void>((resolve, reject) => {
      this.#resolveRun = resolve;
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    }).finally(() => this.#stop());
  }

  /** Repeats `work` with a pause of `interval` milliseconds after each run. */
  #poll(interval: () => number, work: () => Promise<void>): void {
    const timer = setTimeout(async () => {
      this.#timers.delete(timer);
      await work();
      if (!this.#cli.signal.aborted && !this.#isOver) this.#poll(interval, work);
    }, interval());
    this.#timers.add(timer);
  }

  #isOver = false;

  #stop(): void {
    this.#isOver = true;
    clearTimeout(this.#typing);
    for (const timer of this.#timers) clearTimeout(timer);
  }

  quit(): void {
    this.#resolveRun();
  }

  get isBusy(): boolean {
    return this.state.activities.some(({ state }) => state === 'running');
  }

  showMessage(text: string, tone: Segment['tone'] = 'plain'): void {
    this.state.message = { text: escapeControlChars.line(text), tone };
  }

  resize(width: number, height: number): void {
    const isWider = width !== this.state.size.width;
    this.state.size = { width, height };
    const place = getCurrentView(this.state);
    // The text is folded to the width, so it is read again.
    if (isWider && place.kind === 'object') void this.refresh();
    this.notifyChange();
  }

  openView(place: View): void {
    this.state.views.push(place);
    this.state.mode = { kind: 'browse' };
    void this.refresh();
  }

  replaceViews(place: View): void {
    this.state.views = [];
    this.openView(place);
  }

  async refresh(): Promise<void> {
    const place = getCurrentView(this.state);
    const list = getList(place);
    try {
      if (list) await this.#readList(list);
      else if (place.kind === 'object') await this.#readText(place);
      if (list) list.trouble = undefined;
    } catch (error) {
      if (this.#cli.signal.aborted) return;
      const text = describeError(error);
      if (list) list.trouble = text;
      if (place.kind === 'object' && !list && getCurrentView(this.state) === place) {
        place.text ??= text.split('\n');
        this.showMessage(text, 'bad');
      }
    }
    this.notifyChange();
  }

  refreshSoon(): void {
    clearTimeout(this.#typing);
    this.#typing = setTimeout(() => void this.refresh(), typingPauseMs);
  }

  async #readList(place: ListView): Promise<void> {
    const { noun, owner, search } = place;
    // Notes on stderr would be written into the screen.
    const io = { ...this.#cli.io, stderr: new Writable({ write: (_1, _2, done) => done() }) };
    const context = this.#cli.createInner(io, this.#cli.commandLine, {});
    const listing = await readList(context, {
      noun,
      ...(owner ? { owner } : {}),
      ...(isSearchable(place) ? { search } : {}),
    });
    // The search has changed since the request: ignore the response.
    if (search !== place.search) return;
    const before = listShownItems(place)[place.current]?.['id'];
    place.listing = listing;
    const items = listShownItems(place);
    const at = items.findIndex(({ id }) => id === before);
    place.current = Math.max(0, at >= 0 ? at : Math.min(place.current, items.length - 1));
    const ids = new Set(listing.items.map(({ id }) => String(id)));
    for (const mark of place.marks) if (!ids.has(mark)) place.marks.delete(mark);
  }

  async #readText(place: ObjectView): Promise<void> {
    const { tab } = place;
    const width = mainWidth(this.state.size);
    const text = await readText(this.#cli, this.#runner, place, width);
    if (tab !== place.tab) return;
    place.text = text;
    const count = listTextLines(place, this.state)?.length ?? 0;
    place.top = Math.max(0, Math.min(place.top, count - mainHeight(this.state) + 1));
  }

  async #readTransfers(): Promise<void> {
    // Users without permission to list transfers see none.
    this.state.transfers = await readTransfers(this.#cli).catch(() => []);
    this.notifyChange();
  }

  async runCommand(command: ObjectCommand, verb: OfferedVerb, confirm?: string): Promise<void> {
    getList(getCurrentView(this.state))?.marks.clear();
    if (verb.takesTerminal) {
      const line = formatLine(command);
      try {
        const code = await this.#handOver(typedWords(command));
        this.showMessage(
          code === 0 ? line : `${line} exited with ${code}`,
          code === 0 ? 'good' : 'bad',
        );
      } catch (error) {
        this.showMessage(`${line}: ${describeError(error)}`, 'bad');
      }
      this.notifyChange();
      return;
    }
    const activity: Activity = {
      line: formatLine(command),
      began: new Date(),
      state: 'running',
      text: '',
    };
    this.state.activities.unshift(activity);
    this.state.activities.splice(maxActivities);
    this.showMessage(`${activity.line} ...`, 'passing');
    this.notifyChange();
    const { out, notes, error } = await this.#runner.runChanging(commandWords(command), {
      // The dashboard has asked before each harmful command.
      flags: { yes: 'true', ...(confirm === undefined ? {} : { confirm }) },
      typed: typedWords(command),
    });
    const printed = [notes.trim(), out.trim()].filter((text) => text !== '').join('\n');
    if (error === undefined) {
      activity.state = 'done';
      activity.text = printed;
      this.showMessage(`${activity.line}: done`, 'good');
    } else {
      activity.state = 'failed';
      activity.text = [printed, describeError(error)].filter((text) => text !== '').join('\n');
      this.showMessage(`${activity.line}: ${describeError(error)}`, 'bad');
    }
    await this.refresh();
  }
}

function requireList(place: View): ListView {
  const list = getList(place);
  if (!list) throw new Error('the first view is not a list');
  return list;
}

/** Message and hint of an error. */
function describeError(error: unknown): string {
  const hint = error instanceof VmctlError ? error.hint : undefined;
  const message = getErrorMessage(error);
  return hint === undefined ? message : `${message} (${hint})`;
}
