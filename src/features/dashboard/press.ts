/** Key handling of the dashboard: lists, objects, sidebar and dialog boxes. */

import { findVerb } from '../../cli/verbs/derive-verbs.ts';
import type { ObjectCommand } from './command-line.ts';
import type { DashboardControl } from './dashboard-control.ts';
import { dialogHeight, listBoxLines } from './dialogs.ts';
import { createInputLine } from './input-line.ts';
import { mainHeight, rowsHeight } from './layout.ts';
import type { Named } from './listing.ts';
import { isTyping, openFilter, pressInInput } from './press-in-input.ts';
import type { KeyName, KeyPress } from './screen/screen-view.ts';
import { listShownItems } from './shown-items.ts';
import { getCurrentView, type Mode } from './state.ts';
import { listTextLines } from './text-lines.ts';
import { listOfferedVerbs, type OfferedVerb } from './verbs.ts';
import {
  createListView,
  createObjectView,
  getList,
  type ListView,
  type ObjectView,
  textTabs,
  toNamed,
} from './views.ts';

/** Letter keys of vi and their equivalents. */
const letterKeys: Readonly<Record<string, KeyName>> = {
  j: 'down',
  k: 'up',
  g: 'home',
  G: 'end',
  l: 'enter',
};

/** Handles a key according to the mode of the dashboard. */
export function press(dashboard: DashboardControl, key: KeyPress): void {
  const { state } = dashboard;
  if (key.name === 'interrupt') {
    dashboard.quit();
    return;
  }
  const { mode } = state;
  if (!isTyping(mode) && pressAnywhere(dashboard, key)) return;
  switch (mode.kind) {
    case 'filter':
    case 'goto':
      pressInInput(dashboard, mode, key);
      return;
    case 'confirm':
      pressInConfirmation(dashboard, mode, key);
      return;
    case 'verbs':
      pressInVerbs(dashboard, mode, key);
      return;
    case 'help':
    case 'activity':
    case 'message':
      pressInText(dashboard, mode, key);
      return;
    case 'leave':
      if (key.text === 'y') dashboard.quit();
      state.mode = { kind: 'browse' };
      return;
    default:
      pressInBrowser(dashboard, key);
  }
}

/** Handles the keys that have the same meaning in all modes. Returns false for other keys. */
function pressAnywhere(dashboard: DashboardControl, { text }: KeyPress): boolean {
  const { state } = dashboard;
  const { mode } = state;
  // A terminal may deliver several characters in one event.
  if (text !== undefined && text.length > 1) {
    for (const one of text) press(dashboard, { text: one });
    return true;
  }
  if (text === '?') {
    state.mode = mode.kind === 'help' ? mode.back : { kind: 'help', top: 0, back: mode };
    return true;
  }
  if (text === '/') return openFilter(dashboard);
  if (text !== 'q') return false;
  if (mode.kind !== 'browse') {
    state.mode = mode.kind === 'help' ? mode.back : { kind: 'browse' };
    if (mode.kind === 'confirm') dashboard.showMessage('nothing changed');
  } else if (dashboard.isBusy) state.mode = { kind: 'leave' };
  else dashboard.quit();
  return true;
}

function pressInBrowser(dashboard: DashboardControl, key: KeyPress): void {
  const { state } = dashboard;
  switch (key.text) {
    case 'm':
      state.mode = { kind: 'message', top: 0 };
      return;
    case 'v':
      state.mode = { kind: 'activity', top: 0 };
      return;
    case ':':
      state.mode = { kind: 'goto', input: createInputLine('') };
      return;
    case 'r':
      void dashboard.refresh();
      return;
    default:
  }
  const name = key.name ?? letterKeys[key.text ?? ''];
  if (state.focus === 'sidebar') pressInSidebar(dashboard, name);
  else pressInView(dashboard, name, key.text);
}

/** Index after a movement key; undefined for other keys. */
function moveIndex(
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

function pressInSidebar(dashboard: DashboardControl, name: KeyName | undefined): void {
  const { state } = dashboard;
  const at = moveIndex(name, state.sidebar, mainHeight(state), state.nouns.length);
  if (at !== undefined) {
    state.sidebar = at;
    return;
  }
  if (name === 'tab' || name === 'right' || name === 'escape') state.focus = 'main';
  if (name !== 'enter') return;
  const noun = state.nouns[state.sidebar]?.noun;
  state.focus = 'main';
  if (noun !== undefined) dashboard.replaceViews(createListView(noun));
}

function pressInView(
  dashboard: DashboardControl,
  name: KeyName | undefined,
  text: string | undefined,
): void {
  const { state } = dashboard;
  const place = getCurrentView(state);
  const list = getList(place);
  if (name === 'escape' || name === 'backspace') {
    goBack(dashboard);
    return;
  }
  if (place.kind === 'object' && switchTab(dashboard, place, name)) return;
  if (place.kind === 'list' && (name === 'tab' || name === 'left')) {
    state.focus = 'sidebar';
    return;
  }
  if (list) pressInList(dashboard, list, name, text);
  else if (place.kind === 'object') scroll(dashboard, place, name);
  if (text !== undefined) pressForVerb(dashboard, text);
}

/** Goes one step back: clears marks, then the search, then closes the view. */
function goBack(dashboard: DashboardControl): void {
  const { state } = dashboard;
  const place = getCurrentView(state);
  const list = getList(place);
  if (list && list.marks.size > 0) list.marks.clear();
  else if (list && list.search !== '') {
    list.search = '';
    void dashboard.refresh();
  } else if (place.kind === 'object' && place.search !== '') place.search = '';
  else if (state.views.length > 1) {
    state.views.pop();
    void dashboard.refresh();
  } else state.focus = 'sidebar';
}

function switchTab(
  dashboard: DashboardControl,
  place: ObjectView,
  name: KeyName | undefined,
): boolean {
  const step = name === 'tab' || name === 'right' ? 1 : name === 'left' ? -1 : 0;
  if (step === 0) return false;
  openTab(dashboard, place, (place.tab + step + place.tabs.length) % place.tabs.length);
  return true;
}

function openTab(dashboard: DashboardControl, place: ObjectView, tab: number): void {
  const name = place.tabs[tab] ?? '';
  place.tab = tab;
  place.top = 0;
  place.search = '';
  place.text = undefined;
  place.list = textTabs.some((one) => one === name)
    ? undefined
    : createListView(name, place.object);
  void dashboard.refresh();
}

function scroll(dashboard: DashboardControl, place: ObjectView, name: KeyName | undefined): void {
  const height = mainHeight(dashboard.state) - 1;
  const lines = listTextLines(place, dashboard.state) ?? [];
  const last = Math.max(0, lines.length - height);
  place.top = moveIndex(name, place.top, height, last + 1) ?? place.top;
}

function pressInList(
  dashboard: DashboardControl,
  list: ListView,
  name: KeyName | undefined,
  text: string | undefined,
): void {
  const { state } = dashboard;
  const items = listShownItems(list);
  const at = moveIndex(name, list.current, rowsHeight(state), items.length);
  if (at !== undefined) {
    list.current = at;
    return;
  }
  const item = items[list.current];
  if (name === 'enter' && item) openObject(dashboard, list, toNamed(list.noun, item));
  if (text === ' ' && item) {
    const id = String(item['id']);
    if (!list.marks.delete(id)) list.marks.add(id);
    list.current = Math.min(list.current + 1, items.length - 1);
  }
}

function openObject(dashboard: DashboardControl, list: ListView, object: Named): void {
  if (findVerb(list.noun, 'get') === undefined) {
    dashboard.showMessage(`${list.noun} have no details`);
    return;
  }
  dashboard.openView(createObjectView(object, list.owner));
}

/** Keys of verbs, `a` for all actions and `e` for events. */
function pressForVerb(dashboard: DashboardControl, text: string): void {
  const { state } = dashboard;
  const place = getCurrentView(state);
  const list = getList(place);
  if (text === 'e' && place.kind === 'object') {
    openTab(dashboard, place, place.tabs.indexOf('events'));
    return;
  }
  const objects = listChosenObjects(dashboard);
  const noun = list?.noun ?? (place.kind === 'object' ? place.object.noun : '');
  const owner = list?.owner ?? place.owner;
  if (text === 'e' && list && objects[0]) {
    openObject(dashboard, list, objects[0]);
    const opened = getCurrentView(state);
    if (opened.kind === 'object') openTab(dashboard, opened, opened.tabs.indexOf('events'));
    return;
  }
  const verbs = listOfferedVerbs(noun);
  if (text === 'a') {
    if (objects.length === 0 || verbs.length === 0) dashboard.showMessage('no actions here');
    else state.mode = { kind: 'verbs', verbs, current: 0 };
    return;
  }
  const verb = verbs.find(({ key }) => key === text);
  if (verb && objects.length > 0) {
    proposeCommand(
      dashboard,
      { noun, verb: verb.name, objects, ...(owner ? { owner } : {}) },
      verb,
    );
  }
}

/** Objects that the next command applies to. */
function listChosenObjects({ state }: DashboardControl): readonly Named[] {
  const place = getCurrentView(state);
  const list = getList(place);
  if (!list) return place.kind === 'object' ? [place.object] : [];
  const items = listShownItems(list);
  const marked = (list.listing?.items ?? []).filter(({ id }) => list.marks.has(String(id)));
  const current = items[list.current];
  const all = marked.length > 0 ? marked : current ? [current] : [];
  return all.map((item) => toNamed(list.noun, item));
}

/** Runs a command, or asks for confirmation first if it is harmful. */
function proposeCommand(
  dashboard: DashboardControl,
  command: ObjectCommand,
  verb: OfferedVerb,
): void {
  const { state } = dashboard;
  state.mode = { kind: 'browse' };
  if (state.isReadOnly) {
    dashboard.showMessage('read-only (--read-only or the context)', 'bad');
    return;
  }
  if (verb.isSingle && command.objects.length > 1) {
    dashboard.showMessage(
      `${verb.name} takes one object, and ${command.objects.length} are marked`,
      'bad',
    );
    return;
  }
  if (!verb.isHarmful) {
    void dashboard.runCommand(command, verb);
    return;
  }
  state.mode = {
    kind: 'confirm',
    proposal: { command, verb },
    ...(state.protectedContext === undefined ? {} : { input: createInputLine('') }),
  };
}

function pressInConfirmation(
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
  if (key.text === 'y' || key.text === 'Y') void dashboard.runCommand(command, verb);
  else dashboard.showMessage('nothing changed');
}

function pressInVerbs(
  dashboard: DashboardControl,
  mode: Mode & { readonly kind: 'verbs' },
  key: KeyPress,
): void {
  const { state } = dashboard;
  const { verbs, current } = mode;
  const name = key.name ?? letterKeys[key.text ?? ''];
  const at = moveIndex(name, current, dialogHeight(state), verbs.length);
  if (at !== undefined) {
    state.mode = { ...mode, current: at };
    return;
  }
  if (name === 'escape') {
    state.mode = { kind: 'browse' };
    return;
  }
  // Compare only defined values: verbs may have no key, and keys no text.
  const { text } = key;
  const byKey = text === undefined ? undefined : verbs.find((one) => one.key === text);
  const verb = name === 'enter' ? verbs[current] : byKey;
  if (!verb) return;
  const place = getCurrentView(state);
  const list = getList(place);
  const owner = list?.owner ?? place.owner;
  const noun = list?.noun ?? (place.kind === 'object' ? place.object.noun : '');
  const objects = listChosenObjects(dashboard);
  proposeCommand(dashboard, { noun, verb: verb.name, objects, ...(owner ? { owner } : {}) }, verb);
}

function pressInText(
  dashboard: DashboardControl,
  mode: Mode & { readonly kind: 'help' | 'activity' | 'message' },
  key: KeyPress,
): void {
  const { state } = dashboard;
  const height = dialogHeight(state);
  const last = Math.max(0, listBoxLines(state, mode).length - height);
  const name = key.name ?? letterKeys[key.text ?? ''];
  const top = moveIndex(name, mode.top, height, last + 1);
  if (top !== undefined) state.mode = { ...mode, top };
  else state.mode = mode.kind === 'help' ? mode.back : { kind: 'browse' };
}
