/** What keys do: in lists, in objects, at the side, and in boxes. */

import { verbOf } from '../../cli/verbs/derive-verbs.ts';
import type { CommandLine } from './command-line.ts';
import type { DashboardControl } from './dashboard-control.ts';
import { dialogHeight, dialogLines } from './dialogs.ts';
import { inputLine } from './input-line.ts';
import { mainHeight, rowsHeight } from './layout.ts';
import type { Named } from './listing.ts';
import {
  type ListPlace,
  listAt,
  listPlace,
  namedBy,
  type ObjectPlace,
  objectPlace,
  textTabs,
} from './place.ts';
import { pressInInput } from './press-in-input.ts';
import type { KeyName, KeyPress } from './screen/screen-view.ts';
import { shownItems } from './shown-items.ts';
import { type Mode, placeOf } from './state.ts';
import { type OfferedVerb, offeredVerbs } from './verbs.ts';

/** Letters for those who know them from elsewhere. */
const letters: Readonly<Record<string, KeyName>> = {
  j: 'down',
  k: 'up',
  g: 'home',
  G: 'end',
  l: 'enter',
};

/** Does what a key means where somebody is. */
export function press(dashboard: DashboardControl, key: KeyPress): void {
  const { state } = dashboard;
  if (key.name === 'interrupt') {
    dashboard.leave();
    return;
  }
  const { mode } = state;
  switch (mode.kind) {
    case 'filter':
    case 'goto':
      pressInInput(dashboard, mode, key);
      return;
    case 'confirm':
      pressInQuestion(dashboard, mode, key);
      return;
    case 'verbs':
      pressInVerbs(dashboard, mode, key);
      return;
    case 'help':
    case 'activity':
      pressInText(dashboard, mode, key);
      return;
    case 'leave':
      if (key.text === 'y') dashboard.leave();
      state.mode = { kind: 'browse' };
      return;
    default:
      browse(dashboard, key);
  }
}

function browse(dashboard: DashboardControl, key: KeyPress): void {
  const { state } = dashboard;
  // Several keys may come at once, from fast fingers and slow lines.
  if (key.text !== undefined && key.text.length > 1) {
    for (const text of key.text) press(dashboard, { text });
    return;
  }
  switch (key.text) {
    case 'q':
      if (dashboard.isBusy) state.mode = { kind: 'leave' };
      else dashboard.leave();
      return;
    case '?':
      state.mode = { kind: 'help', top: 0 };
      return;
    case 'v':
      state.mode = { kind: 'activity', top: 0 };
      return;
    case ':':
      state.mode = { kind: 'goto', input: inputLine('') };
      return;
    case 'r':
      void dashboard.refresh();
      return;
    default:
  }
  const name = key.name ?? letters[key.text ?? ''];
  if (state.focus === 'sidebar') pressAtSide(dashboard, name);
  else pressInPlace(dashboard, name, key.text);
}

/** The index after a key that moves; nothing for other keys. */
function moved(
  name: KeyName | undefined,
  at: number,
  page: number,
  count: number,
): number | undefined {
  const steps: Partial<Record<KeyName, number>> = {
    up: -1,
    down: 1,
    pageup: -page,
    pagedown: page,
    home: -count,
    end: count,
  };
  const step = name === undefined ? undefined : steps[name];
  return step === undefined ? undefined : Math.max(0, Math.min(count - 1, at + step));
}

function pressAtSide(dashboard: DashboardControl, name: KeyName | undefined): void {
  const { state } = dashboard;
  const at = moved(name, state.sidebar, mainHeight(state), state.nouns.length);
  if (at !== undefined) {
    state.sidebar = at;
    return;
  }
  if (name === 'tab' || name === 'right' || name === 'escape') state.focus = 'main';
  if (name !== 'enter') return;
  const noun = state.nouns[state.sidebar]?.noun;
  state.focus = 'main';
  if (noun !== undefined) dashboard.jump(listPlace(noun));
}

function pressInPlace(
  dashboard: DashboardControl,
  name: KeyName | undefined,
  text: string | undefined,
): void {
  const { state } = dashboard;
  const place = placeOf(state);
  const list = listAt(place);
  if (name === 'escape' || name === 'backspace') {
    back(dashboard);
    return;
  }
  if (place.kind === 'object' && turnsTab(dashboard, place, name)) return;
  if (place.kind === 'list' && (name === 'tab' || name === 'left')) {
    state.focus = 'sidebar';
    return;
  }
  if (list) pressInList(dashboard, list, name, text);
  else if (place.kind === 'object') scroll(dashboard, place, name);
  if (text !== undefined) pressForVerb(dashboard, text);
}

/** One step back; what was searched for goes first. */
function back(dashboard: DashboardControl): void {
  const { state } = dashboard;
  const list = listAt(placeOf(state));
  if (list && list.marks.size > 0) list.marks.clear();
  else if (list && list.search !== '') {
    list.search = '';
    void dashboard.refresh();
  } else if (state.places.length > 1) {
    state.places.pop();
    void dashboard.refresh();
  } else state.focus = 'sidebar';
}

function turnsTab(
  dashboard: DashboardControl,
  place: ObjectPlace,
  name: KeyName | undefined,
): boolean {
  const step = name === 'tab' || name === 'right' ? 1 : name === 'left' ? -1 : 0;
  if (step === 0) return false;
  openTab(dashboard, place, (place.tab + step + place.tabs.length) % place.tabs.length);
  return true;
}

function openTab(dashboard: DashboardControl, place: ObjectPlace, tab: number): void {
  const name = place.tabs[tab] ?? '';
  place.tab = tab;
  place.top = 0;
  place.text = undefined;
  place.list = textTabs.some((one) => one === name) ? undefined : listPlace(name, place.object);
  void dashboard.refresh();
}

function scroll(dashboard: DashboardControl, place: ObjectPlace, name: KeyName | undefined): void {
  const height = mainHeight(dashboard.state) - 1;
  const last = Math.max(0, (place.text?.length ?? 0) - height);
  place.top = moved(name, place.top, height, last + 1) ?? place.top;
}

function pressInList(
  dashboard: DashboardControl,
  list: ListPlace,
  name: KeyName | undefined,
  text: string | undefined,
): void {
  const { state } = dashboard;
  const items = shownItems(list);
  const at = moved(name, list.current, rowsHeight(state), items.length);
  if (at !== undefined) {
    list.current = at;
    return;
  }
  const item = items[list.current];
  if (name === 'enter' && item) open(dashboard, list, namedBy(list.noun, item));
  if (text === '/') state.mode = { kind: 'filter', input: inputLine(list.search) };
  if (text === ' ' && item) {
    const id = String(item['id']);
    if (!list.marks.delete(id)) list.marks.add(id);
    list.current = Math.min(list.current + 1, items.length - 1);
  }
}

function open(dashboard: DashboardControl, list: ListPlace, object: Named): void {
  if (verbOf(list.noun, 'get') === undefined) {
    dashboard.say(`${list.noun} have no details`);
    return;
  }
  dashboard.enter(objectPlace(object, list.owner));
}

/** Keys that stand for verbs, and for what tells about an object. */
function pressForVerb(dashboard: DashboardControl, text: string): void {
  const { state } = dashboard;
  const place = placeOf(state);
  const list = listAt(place);
  if (text === 'e' && place.kind === 'object') {
    openTab(dashboard, place, place.tabs.indexOf('events'));
    return;
  }
  const objects = chosen(dashboard);
  const noun = list?.noun ?? (place.kind === 'object' ? place.object.noun : '');
  const owner = list?.owner ?? place.owner;
  if (text === 'e' && list && objects[0]) {
    open(dashboard, list, objects[0]);
    const opened = placeOf(state);
    if (opened.kind === 'object') openTab(dashboard, opened, opened.tabs.indexOf('events'));
    return;
  }
  const verbs = offeredVerbs(noun);
  if (text === 'a') {
    if (objects.length === 0 || verbs.length === 0) dashboard.say('no actions here');
    else state.mode = { kind: 'verbs', verbs, current: 0 };
    return;
  }
  const verb = verbs.find(({ key }) => key === text);
  if (verb && objects.length > 0) {
    propose(dashboard, { noun, verb: verb.name, objects, ...(owner ? { owner } : {}) }, verb);
  }
}

/** The objects that a command would be about. */
function chosen({ state }: DashboardControl): readonly Named[] {
  const place = placeOf(state);
  const list = listAt(place);
  if (!list) return place.kind === 'object' ? [place.object] : [];
  const items = shownItems(list);
  const marked = (list.listing?.items ?? []).filter(({ id }) => list.marks.has(String(id)));
  const current = items[list.current];
  const all = marked.length > 0 ? marked : current ? [current] : [];
  return all.map((item) => namedBy(list.noun, item));
}

/** Runs a command at once, or asks first where it does harm. */
function propose(dashboard: DashboardControl, command: CommandLine, verb: OfferedVerb): void {
  const { state } = dashboard;
  state.mode = { kind: 'browse' };
  if (state.isReadOnly) {
    dashboard.say('read-only (--read-only or the context)', 'bad');
    return;
  }
  if (verb.isSingle && command.objects.length > 1) {
    dashboard.say(`${verb.name} takes one object, and ${command.objects.length} are marked`, 'bad');
    return;
  }
  if (!verb.isHarmful) {
    void dashboard.perform(command, verb);
    return;
  }
  state.mode = {
    kind: 'confirm',
    proposal: { command, verb },
    ...(state.protectedContext === undefined ? {} : { input: inputLine('') }),
  };
}

function pressInQuestion(
  dashboard: DashboardControl,
  mode: Mode & { readonly kind: 'confirm' },
  key: KeyPress,
): void {
  const { state } = dashboard;
  const { command, verb } = mode.proposal;
  if (mode.input) {
    pressInInput(dashboard, mode, key);
    return;
  }
  state.mode = { kind: 'browse' };
  if (key.text === 'y' || key.text === 'Y') void dashboard.perform(command, verb);
  else dashboard.say('nothing changed');
}

function pressInVerbs(
  dashboard: DashboardControl,
  mode: Mode & { readonly kind: 'verbs' },
  key: KeyPress,
): void {
  const { state } = dashboard;
  const { verbs, current } = mode;
  const name = key.name ?? letters[key.text ?? ''];
  const at = moved(name, current, dialogHeight(state), verbs.length);
  if (at !== undefined) {
    state.mode = { ...mode, current: at };
    return;
  }
  if (name === 'escape' || key.text === 'q') {
    state.mode = { kind: 'browse' };
    return;
  }
  // Many verbs have no key, and many keys have no text: neither may match the other.
  const { text } = key;
  const byKey = text === undefined ? undefined : verbs.find((one) => one.key === text);
  const verb = name === 'enter' ? verbs[current] : byKey;
  if (!verb) return;
  const place = placeOf(state);
  const list = listAt(place);
  const owner = list?.owner ?? place.owner;
  const noun = list?.noun ?? (place.kind === 'object' ? place.object.noun : '');
  const objects = chosen(dashboard);
  propose(dashboard, { noun, verb: verb.name, objects, ...(owner ? { owner } : {}) }, verb);
}

function pressInText(
  dashboard: DashboardControl,
  mode: Mode & { readonly kind: 'help' | 'activity' },
  key: KeyPress,
): void {
  const { state } = dashboard;
  const height = dialogHeight(state);
  const last = Math.max(0, dialogLines(state) - height);
  const name = key.name ?? letters[key.text ?? ''];
  const top = moved(name, mode.top, height, last + 1);
  state.mode = top === undefined ? { kind: 'browse' } : { ...mode, top };
}
