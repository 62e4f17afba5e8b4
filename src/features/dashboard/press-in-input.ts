/** Key handling of input lines: a search, a noun, the name of a protected context. */
import { getErrorMessage } from '../../caught-errors.ts';
import { findNoun, nouns } from '../../cli/args/catalog.ts';
import { completeQuery } from '../../cli/completion/search-choices.ts';
import { findSearchType, parseCheckedSearch } from '../../cli/verbs/search-query.ts';
import type { DashboardControl } from './dashboard-control.ts';
import { filterBox } from './dialogs.ts';
import { completeWord, createInputLine, editLine, type InputLine } from './input-line.ts';
import type { KeyPress, Segment } from './screen/screen-view.ts';
import { isSearchable } from './shown-items.ts';
import { type DashboardState, getCurrentView, type Mode } from './state.ts';
import { createListView, getList, type ListView } from './views.ts';

type InputMode =
  | (Mode & { readonly kind: 'filter' | 'goto' })
  | (Mode & { readonly kind: 'confirm' });

/** Whether characters are part of a text. */
export function isTyping(mode: Mode): boolean {
  return (
    mode.kind === 'filter' ||
    mode.kind === 'goto' ||
    (mode.kind === 'confirm' && mode.input !== undefined)
  );
}

/** Opens the filter of the visible lines. Returns false if the mode has no lines. */
export function openFilter({ state }: DashboardControl): boolean {
  const { mode } = state;
  const place = getCurrentView(state);
  switch (mode.kind) {
    case 'browse':
      state.focus = 'main';
      state.mode = { kind: 'filter', input: createInputLine((getList(place) ?? place).search) };
      return true;
    case 'verbs':
      state.mode = { kind: 'filter', input: createInputLine(''), box: mode };
      return true;
    case 'help':
    case 'activity':
    case 'message':
      state.mode = { kind: 'filter', input: createInputLine(mode.search ?? ''), box: mode };
      return true;
    default:
      return false;
  }
}

/** Edits, completes or submits the line. */
export function pressInInput(dashboard: DashboardControl, mode: InputMode, key: KeyPress): void {
  const { state } = dashboard;
  const { input } = mode;
  if (!input) return;
  if (key.name === 'escape') {
    state.mode = (mode.kind === 'filter' ? mode.box : undefined) ?? { kind: 'browse' };
    if (mode.kind === 'confirm') dashboard.showMessage('nothing changed');
    return;
  }
  // Pasted text may end with a line break, which submits the line.
  const [typed = '', ...more] = (key.text ?? '').split(/\r\n?|\n/);
  const isEnter = key.name === 'enter' || more.length > 0;
  const line = key.text === undefined || more.length === 0 ? key : { text: typed };
  const next = key.name === 'tab' ? completeInput(mode, state, input) : editLine(input, line);
  if (mode.kind === 'filter' && mode.box) {
    state.mode = isEnter ? filterBox(mode.box, next.text) : { ...mode, input: next };
  } else if (mode.kind === 'filter') updateFilter(dashboard, next, isEnter);
  else if (mode.kind === 'goto') openNoun(dashboard, next, isEnter);
  else confirmByName(dashboard, mode, next, isEnter);
}

function updateFilter(dashboard: DashboardControl, input: InputLine, isEnter: boolean): void {
  const { state } = dashboard;
  const place = getCurrentView(state);
  const list = getList(place);
  if (!list) {
    state.mode = isEnter ? { kind: 'browse' } : { kind: 'filter', input };
    if (place.search !== input.text) place.top = 0;
    place.search = input.text;
    return;
  }
  const problem = findSearchProblem(list, input.text);
  const words = listSearchWords(list, input.text);
  const isBegun = words.some((word) => word !== input.text && word.startsWith(input.text));
  // An incomplete word that can still become valid is not reported as an error.
  const note = problem && (isEnter || !isBegun) ? problem : describeChoices(words, input.text);
  state.mode = { kind: 'filter', input, ...(note ? { note } : {}) };
  if (problem) return;
  // The service would search for an incomplete field name as text.
  const isField = isBegun && !/[=<>]\S*$/.test(input.text);
  if (list.search !== input.text && (isEnter || !isField)) {
    list.search = input.text;
    list.current = 0;
    list.marks.clear();
    if (isSearchable(list)) dashboard.refreshSoon();
  }
  if (isEnter) {
    state.mode = { kind: 'browse' };
    void dashboard.refresh();
  }
}

/** Syntax error of a search, in one line. */
function findSearchProblem(list: ListView, text: string): Segment | undefined {
  const type = findSearchType(list.noun);
  if (type === undefined || !isSearchable(list) || text.trim() === '') return undefined;
  try {
    parseCheckedSearch(text, { noun: list.noun, type, origin: 'search' });
    return undefined;
  } catch (error) {
    const [first = ''] = getErrorMessage(error).split('\n');
    return { text: first.replace(/^search: /, ''), tone: 'bad' };
  }
}

function listSearchWords(list: ListView, text: string): readonly string[] {
  const type = findSearchType(list.noun);
  if (type === undefined || !isSearchable(list)) return [];
  const offer = completeQuery(text, type);
  if ('choices' in offer) return offer.choices.map(([word]) => word);
  // Completes object names from the visible list only.
  const names = list.noun === offer.noun ? (list.listing?.items ?? []) : [];
  return names.map(({ name }) => `${offer.start}${String(name)}`);
}

const maxChoices = 6;

/** Possible continuations of the line. */
function describeChoices(words: readonly string[], text: string): Segment | undefined {
  const last = words
    .filter((word) => word.startsWith(text))
    .map((word) => word.slice(word.lastIndexOf(' ') + 1));
  if (last.length === 0) return undefined;
  const more = last.length > maxChoices ? ' ...' : '';
  return { text: `${last.slice(0, maxChoices).join(' ')}${more}`, tone: 'dim' };
}

function openNoun(dashboard: DashboardControl, input: InputLine, isEnter: boolean): void {
  const { state } = dashboard;
  if (!isEnter) {
    const note = describeChoices(listNouns(state), input.text);
    state.mode = { kind: 'goto', input, ...(note ? { note } : {}) };
    return;
  }
  const word = input.text.trim();
  const begun = listNouns(state).filter((one) => word !== '' && one.startsWith(word));
  const noun = word === '' ? undefined : (findNoun(word)?.name ?? onlyOne(begun));
  const at = state.nouns.findIndex((one) => one.noun === noun);
  if (word !== '' && at < 0) {
    const isKnown = nouns.some(({ name }) => name === noun);
    const text = isKnown ? `${word} cannot be listed without a parent` : `unknown noun "${word}"`;
    state.mode = { kind: 'goto', input, note: { text, tone: 'bad' } };
    return;
  }
  state.mode = { kind: 'browse' };
  if (noun === undefined) return;
  state.sidebar = at;
  state.focus = 'main';
  dashboard.replaceViews(createListView(noun));
}

function onlyOne(words: readonly string[]): string | undefined {
  return words.length === 1 ? words[0] : undefined;
}

function listNouns(state: DashboardState): readonly string[] {
  return state.nouns.map(({ noun }) => noun);
}

function confirmByName(
  dashboard: DashboardControl,
  mode: Mode & { readonly kind: 'confirm' },
  input: InputLine,
  isEnter: boolean,
): void {
  const { state } = dashboard;
  state.mode = { ...mode, input };
  if (!isEnter) return;
  state.mode = { kind: 'browse' };
  const { command, verb } = mode.proposal;
  if (input.text.trim() === state.protectedContext) {
    void dashboard.runCommand(command, verb, state.protectedContext);
  } else
    dashboard.showMessage(`that is not ${state.protectedContext ?? ''}; nothing changed`, 'bad');
}

function completeInput(mode: InputMode, state: DashboardState, input: InputLine): InputLine {
  const list = getList(getCurrentView(state));
  const words =
    mode.kind === 'goto'
      ? listNouns(state)
      : mode.kind === 'filter' && !mode.box && list
        ? listSearchWords(list, input.text)
        : [];
  return createInputLine(completeWord(input.text, words));
}
