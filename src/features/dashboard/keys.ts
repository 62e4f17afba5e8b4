/** Key hints of the dashboard: the help and the last line of the screen. */

import type { KeyHint } from './screen/screen-view.ts';
import { type DashboardState, getCurrentView } from './state.ts';
import { listOfferedVerbs } from './verbs.ts';
import { getList } from './views.ts';

/** All keys with their effects, except for the keys of verbs. */
export const allKeys: readonly KeyHint[] = [
  { key: 'up down PgUp PgDn Home End', label: 'move; j k g G as well' },
  { key: 'Tab, left right', label: 'nouns, list; tabs of an object' },
  { key: 'Enter', label: 'open' },
  { key: 'Esc', label: 'back' },
  { key: '/', label: 'search lists (language of --search), filter texts; Tab completes' },
  { key: ':', label: 'go to a noun; Tab completes' },
  { key: 'Space', label: 'mark; the next command applies to all marked objects' },
  { key: 'a', label: 'all actions' },
  { key: 'e', label: 'events of the object' },
  { key: 'v', label: 'changes in this session' },
  { key: 'm', label: 'complete messages' },
  { key: 'r', label: 'refresh now' },
  { key: '?', label: 'this help' },
  { key: 'q', label: 'close a box, or quit; Ctrl-C quits' },
];

/** Key hints of the last line: the most important first, as many as fit. */
export function listKeyHints(state: DashboardState): readonly KeyHint[] {
  const shown: KeyHint[] = [];
  let room = state.size.width;
  for (const hint of listAllHints(state)) {
    room -= hint.key.length + hint.label.length + 3;
    if (room < 0) break;
    shown.push(hint);
  }
  return shown;
}

function listAllHints(state: DashboardState): readonly KeyHint[] {
  const place = getCurrentView(state);
  if (state.mode.kind !== 'browse') {
    const hasLines = state.mode.kind !== 'confirm' && state.mode.kind !== 'leave';
    return [
      { key: '?', label: state.mode.kind === 'help' ? 'close' : 'help' },
      { key: 'q', label: 'close' },
      ...(hasLines ? [{ key: '/', label: 'filter' }] : []),
    ];
  }
  if (state.focus === 'sidebar') {
    return [
      { key: '?', label: 'help' },
      { key: 'q', label: 'leave' },
      { key: 'Enter', label: 'open' },
      { key: ':', label: 'go to' },
      { key: 'Tab', label: 'list' },
    ];
  }
  const noun = place.kind === 'object' && !place.list ? place.object.noun : getList(place)?.noun;
  const verbs = state.isReadOnly
    ? []
    : listOfferedVerbs(noun ?? '').flatMap(({ key, name }) => (key ? [{ key, label: name }] : []));
  const moving =
    place.kind === 'object'
      ? [
          { key: 'Esc', label: 'back' },
          { key: '/', label: 'filter' },
          { key: 'Tab', label: 'tabs' },
        ]
      : [
          { key: '/', label: 'search' },
          { key: 'Enter', label: 'open' },
        ];
  return [
    { key: '?', label: 'help' },
    { key: 'q', label: 'leave' },
    ...moving,
    { key: 'a', label: 'more' },
    ...verbs,
  ];
}
