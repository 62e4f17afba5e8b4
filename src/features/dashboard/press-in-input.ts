/** Keys while a line is being typed: a search, a noun, the name of a protected context. */
import { nounOf, nouns } from '../../cli/args/catalog.ts';
import { searchChoices } from '../../cli/completion/search-choices.ts';
import { checkedSearch, searchedOf } from '../../cli/verbs/search-query.ts';
import type { DashboardControl } from './dashboard-control.ts';
import { completedBy, edited, type InputLine, inputLine } from './input-line.ts';
import { type ListPlace, listAt, listPlace } from './place.ts';
import type { KeyPress, Segment } from './screen/screen-view.ts';
import { isSearchable } from './shown-items.ts';
import { type DashboardState, type Mode, placeOf } from './state.ts';

type InputMode =
  | (Mode & { readonly kind: 'filter' | 'goto' })
  | (Mode & { readonly kind: 'confirm' });

/** Edits the line, completes it, or does what it says. */
export function pressInInput(dashboard: DashboardControl, mode: InputMode, key: KeyPress): void {
  const { state } = dashboard;
  const { input } = mode;
  if (!input) return;
  if (key.name === 'escape') {
    state.mode = { kind: 'browse' };
    if (mode.kind === 'confirm') dashboard.say('nothing changed');
    return;
  }
  // What is pasted may end with the end of a line.
  const [typed = '', ...more] = (key.text ?? '').split(/\r\n?|\n/);
  const isEnter = key.name === 'enter' || more.length > 0;
  const line = key.text === undefined || more.length === 0 ? key : { text: typed };
  const next = key.name === 'tab' ? completed(mode, state, input) : edited(input, line);
  if (mode.kind === 'filter') filter(dashboard, next, isEnter);
  else if (mode.kind === 'goto') goTo(dashboard, next, isEnter);
  else confirm(dashboard, mode, next, isEnter);
}

function filter(dashboard: DashboardControl, input: InputLine, isEnter: boolean): void {
  const { state } = dashboard;
  const list = listAt(placeOf(state));
  if (!list) return;
  const problem = problemOf(list, input.text);
  const words = searchWords(list, input.text);
  const isBegun = words.some((word) => word !== input.text && word.startsWith(input.text));
  // What may still become right is no mistake yet.
  const note = problem && (isEnter || !isBegun) ? problem : choicesNote(words, input.text);
  state.mode = { kind: 'filter', input, ...(note ? { note } : {}) };
  if (problem) return;
  // The beginning of a field would be searched for as a text.
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

/** What is wrong with a search, in one line. */
function problemOf(list: ListPlace, text: string): Segment | undefined {
  const type = searchedOf(list.noun);
  if (type === undefined || !isSearchable(list) || text.trim() === '') return undefined;
  try {
    checkedSearch(text, { noun: list.noun, type, origin: 'search' });
    return undefined;
  } catch (error) {
    const [first = ''] = (error as Error).message.split('\n');
    return { text: first.replace(/^search: /, ''), tone: 'bad' };
  }
}

function searchWords(list: ListPlace, text: string): readonly string[] {
  const type = searchedOf(list.noun);
  if (type === undefined || !isSearchable(list)) return [];
  const offer = searchChoices(text, type);
  if ('choices' in offer) return offer.choices.map(([word]) => word);
  // Names of objects: those that are shown are known here.
  const names = list.noun === offer.noun ? (list.listing?.items ?? []) : [];
  return names.map(({ name }) => `${offer.start}${String(name)}`);
}

const maxChoices = 6;

/** What the line may go on with. */
function choicesNote(words: readonly string[], text: string): Segment | undefined {
  const last = words
    .filter((word) => word.startsWith(text))
    .map((word) => word.slice(word.lastIndexOf(' ') + 1));
  if (last.length === 0) return undefined;
  const more = last.length > maxChoices ? ' ...' : '';
  return { text: `${last.slice(0, maxChoices).join(' ')}${more}`, tone: 'dim' };
}

function goTo(dashboard: DashboardControl, input: InputLine, isEnter: boolean): void {
  const { state } = dashboard;
  if (!isEnter) {
    const note = choicesNote(nounWords(state), input.text);
    state.mode = { kind: 'goto', input, ...(note ? { note } : {}) };
    return;
  }
  const word = input.text.trim();
  const begun = nounWords(state).filter((one) => word !== '' && one.startsWith(word));
  const noun = word === '' ? undefined : (nounOf(word)?.name ?? onlyOne(begun));
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
  dashboard.jump(listPlace(noun));
}

function onlyOne(words: readonly string[]): string | undefined {
  return words.length === 1 ? words[0] : undefined;
}

function nounWords(state: DashboardState): readonly string[] {
  return state.nouns.map(({ noun }) => noun);
}

function confirm(
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
    void dashboard.perform(command, verb, state.protectedContext);
  } else dashboard.say(`that is not ${state.protectedContext ?? ''}; nothing changed`, 'bad');
}

function completed(mode: InputMode, state: DashboardState, input: InputLine): InputLine {
  const list = listAt(placeOf(state));
  const words =
    mode.kind === 'goto'
      ? nounWords(state)
      : mode.kind === 'filter' && list
        ? searchWords(list, input.text)
        : [];
  return inputLine(completedBy(input.text, words));
}
