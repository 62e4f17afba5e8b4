/** The keys of the dashboard: what help and the last line say of them. */

import { listAt } from './place.ts';
import type { KeyHint } from './screen/screen-view.ts';
import { type DashboardState, placeOf } from './state.ts';
import { offeredVerbs } from './verbs.ts';

/** Every key with what it does, but for those of the verbs. */
export const allKeys: readonly KeyHint[] = [
  { key: 'up down PgUp PgDn Home End', label: 'move; j k g G as well' },
  { key: 'Tab, left right', label: 'nouns, list; tabs of an object' },
  { key: 'Enter', label: 'open' },
  { key: 'Esc', label: 'back' },
  { key: '/', label: 'search (language of --search); Tab completes' },
  { key: ':', label: 'go to a noun; Tab completes' },
  { key: 'Space', label: 'mark; the next command applies to all marked objects' },
  { key: 'a', label: 'all actions' },
  { key: 'e', label: 'events of the object' },
  { key: 'v', label: 'changes in this session' },
  { key: 'r', label: 'refresh now' },
  { key: '?', label: 'this help' },
  { key: 'q', label: 'quit; Ctrl-C as well' },
];

/** The keys that the last line names: those that matter most first, as many as have room. */
export function keysOf(state: DashboardState): readonly KeyHint[] {
  const shown: KeyHint[] = [];
  let room = state.size.width;
  for (const hint of hintsOf(state)) {
    room -= hint.key.length + hint.label.length + 3;
    if (room < 0) break;
    shown.push(hint);
  }
  return shown;
}

function hintsOf(state: DashboardState): readonly KeyHint[] {
  const place = placeOf(state);
  if (state.focus === 'sidebar') {
    return [
      { key: '?', label: 'help' },
      { key: 'q', label: 'leave' },
      { key: 'Enter', label: 'open' },
      { key: ':', label: 'go to' },
      { key: 'Tab', label: 'list' },
    ];
  }
  const noun = place.kind === 'object' && !place.list ? place.object.noun : listAt(place)?.noun;
  const verbs = state.isReadOnly
    ? []
    : offeredVerbs(noun ?? '').flatMap(({ key, name }) => (key ? [{ key, label: name }] : []));
  const moving =
    place.kind === 'object'
      ? [
          { key: 'Esc', label: 'back' },
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
