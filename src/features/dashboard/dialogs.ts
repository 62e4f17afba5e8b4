/** Boxes over the list: verbs, questions, help, what was done. */

import { folded } from '../../cli/text/display-width.ts';
import { escapeControlChars } from '../../escape-control-chars.ts';
import { lineOf } from './command-line.ts';
import { allKeys } from './keys.ts';
import { bodyHeight, mainWidth } from './layout.ts';
import { listAt, scrolled } from './place.ts';
import type { Dialog, KeyHint, Line, Segment } from './screen/screen-view.ts';
import { type DashboardState, type Mode, placeOf } from './state.ts';
import { offeredVerbs } from './verbs.ts';

/** Lines of a box that are not its own: borders, title, keys. */
const frameHeight = 4;

/** Columns of a box that are not its own: borders and blanks. */
const frameWidth = 4;

const close: KeyHint = { key: 'Esc', label: 'close' };
const answers: readonly KeyHint[] = [
  { key: 'y', label: 'yes' },
  { key: 'n', label: 'no' },
];

/** The box that is open, if one is. */
export function dialogOf(state: DashboardState): Dialog | undefined {
  const { mode } = state;
  switch (mode.kind) {
    case 'verbs':
      return verbsDialog(state, mode);
    case 'confirm':
      return confirmDialog(state, mode);
    case 'help':
      return scrollable('Keys', helpLines(state), mode.top, state);
    case 'activity':
      return scrollable('Changes in this session', activityLines(state), mode.top, state);
    case 'leave': {
      const text = 'Commands are still running. Their operations continue on the service. Quit?';
      return { title: 'Leave', lines: wrapped(text, state), keys: answers };
    }
    default:
      return undefined;
  }
}

/** Lines that a box has room for. */
export function dialogHeight(state: DashboardState): number {
  return bodyHeight(state) - frameHeight;
}

/** How many lines help and what was done have, to scroll in them. */
export function dialogLines(state: DashboardState): number {
  return (state.mode.kind === 'help' ? helpLines(state) : activityLines(state)).length;
}

function verbsDialog(
  state: DashboardState,
  { verbs, current }: Mode & { readonly kind: 'verbs' },
): Dialog {
  const height = dialogHeight(state);
  const width = Math.max(...verbs.map(({ name }) => name.length)) + 2;
  const top = scrolled(current - (height >> 1), current, height, verbs.length);
  const lines = verbs.map(({ name, purpose, key }, index): Line => {
    const lead = `${index === current ? '>' : ' '}${key ?? ' '} `;
    return {
      segments: [
        { text: lead, tone: 'strong' },
        { text: name.padEnd(width), tone: 'plain' },
        { text: purpose, tone: 'dim' },
      ],
      isCurrent: index === current,
    };
  });
  return {
    title: 'Actions',
    lines: lines.slice(top, top + height),
    keys: [{ key: 'Enter', label: 'confirm' }, close],
  };
}

function confirmDialog(
  state: DashboardState,
  { proposal: { command, verb }, input }: Mode & { readonly kind: 'confirm' },
): Dialog {
  const { objects } = command;
  const what = objects.length === 1 ? String(objects[0]?.name) : `${objects.length} objects`;
  const lines = [
    ...wrapped(`${verb.name} ${what}?`, state, 'strong'),
    ...wrapped(lineOf(command), state, 'dim'),
    ...(input
      ? wrapped(
          `Context ${state.protectedContext ?? ''} is protected. Type its name to continue.`,
          state,
          'bad',
        )
      : []),
  ];
  return {
    title: verb.purpose,
    lines,
    keys: input ? [{ key: 'Enter', label: 'confirm' }, close] : answers,
    ...(input ? { input: { label: 'context: ', ...input } } : {}),
  };
}

function scrollable(
  title: string,
  lines: readonly Line[],
  top: number,
  state: DashboardState,
): Dialog {
  const height = dialogHeight(state);
  const isLonger = lines.length > height;
  return {
    title,
    lines: lines.slice(top, top + height),
    keys: [...(isLonger ? [{ key: 'up down', label: 'scroll' }] : []), close],
  };
}

function helpLines(state: DashboardState): readonly Line[] {
  const place = placeOf(state);
  const noun =
    (place.kind === 'object' && !place.list ? place.object.noun : listAt(place)?.noun) ?? '';
  const verbs = offeredVerbs(noun).flatMap(({ key, purpose }) =>
    key ? [{ key, label: purpose }] : [],
  );
  return [...allKeys, ...verbs].flatMap(({ key, label }): readonly Line[] => {
    const isLong = key.length > 12;
    const head: Segment = { text: isLong ? key : key.padEnd(14), tone: 'strong' };
    const tail: Segment = { text: label, tone: 'plain' };
    return isLong
      ? [{ segments: [head] }, { segments: [{ text: ' '.repeat(14), tone: 'plain' }, tail] }]
      : [{ segments: [head, tail] }];
  });
}

const tones = { running: 'passing', done: 'good', failed: 'bad' } as const;

function activityLines(state: DashboardState): readonly Line[] {
  if (state.activities.length === 0) return wrapped('no changes yet', state, 'dim');
  return state.activities.flatMap(({ line, began, state: now, text }) => [
    ...wrapped(`${began.toTimeString().slice(0, 8)} ${line}: ${now}`, state, tones[now]),
    ...text
      .split('\n')
      .filter((one) => one !== '')
      .flatMap((one) => wrapped(`  ${one}`, state)),
  ]);
}

function wrapped(
  text: string,
  { size }: DashboardState,
  tone: Segment['tone'] = 'plain',
): readonly Line[] {
  const width = mainWidth(size) - frameWidth;
  const lines = folded(escapeControlChars.line(text), width, width);
  return lines.map((one) => ({ segments: [{ text: one, tone }] }));
}
