/** Dialog boxes over the list: verbs, confirmation, help and activity log. */

import { escapeControlChars } from '../../escape-control-chars.ts';
import { formatLine } from './command-line.ts';
import { foldLine } from './fold.ts';
import { allKeys } from './keys.ts';
import { bodyHeight, mainWidth } from './layout.ts';
import { listMessages } from './messages.ts';
import type { Dialog, KeyHint, Line, Segment } from './screen/screen-view.ts';
import { type BoxMode, type DashboardState, getCurrentView, type Mode } from './state.ts';
import { matchesFilter } from './text-lines.ts';
import { listOfferedVerbs } from './verbs.ts';
import { getList, scrollTo } from './views.ts';

/** Lines of a box for borders, title and keys. */
const frameHeight = 4;

/** Columns of a box for borders and padding. */
const frameWidth = 4;

const close: KeyHint = { key: 'Esc', label: 'close' };
const answers: readonly KeyHint[] = [
  { key: 'y', label: 'yes' },
  { key: 'n', label: 'no' },
];

/** The open dialog box, if any. */
export function openDialog(state: DashboardState): Dialog | undefined {
  const { mode } = state;
  switch (mode.kind) {
    case 'verbs':
      return verbsDialog(state, mode);
    case 'confirm':
      return confirmDialog(state, mode);
    case 'help':
    case 'activity':
    case 'message':
      return textDialog(state, mode);
    case 'filter':
      return mode.box && openBox(state, filterBox(mode.box, mode.input.text));
    case 'leave': {
      const text = 'Commands are still running. Their operations continue on the service. Quit?';
      return { title: 'Leave', lines: wrapLines(text, state), keys: answers };
    }
    default:
      return undefined;
  }
}

/** Number of content lines in a box. */
export function dialogHeight(state: DashboardState): number {
  return bodyHeight(state) - frameHeight;
}

/** A box with a different filter. Actions without a match remain, so that one is always current. */
export function filterBox(box: BoxMode, search: string): BoxMode {
  if (box.kind !== 'verbs') return { ...box, search, top: 0 };
  const verbs = box.verbs.filter(({ name, purpose }) =>
    matchesFilter(`${name} ${purpose}`, search),
  );
  return verbs.length === 0 ? box : { ...box, verbs, current: 0 };
}

function openBox(state: DashboardState, box: BoxMode): Dialog {
  return box.kind === 'verbs' ? verbsDialog(state, box) : textDialog(state, box);
}

type TextMode = Exclude<BoxMode, { readonly kind: 'verbs' }>;

const titles = {
  help: 'Keys',
  activity: 'Changes in this session',
  message: 'Messages',
} as const satisfies Record<TextMode['kind'], string>;

/** Lines of a text box that match its filter. */
export function listBoxLines(state: DashboardState, box: TextMode): readonly Line[] {
  const { search = '' } = box;
  const all =
    box.kind === 'help'
      ? helpLines(state)
      : box.kind === 'activity'
        ? activityLines(state)
        : messageLines(state);
  const found = all.filter(({ segments }) =>
    matchesFilter(segments.map(({ text }) => text).join(''), search),
  );
  return found.length > 0 ? found : wrapLines('no lines matching the filter', state, 'dim');
}

function messageLines(state: DashboardState): readonly Line[] {
  const all = listMessages(state);
  if (all.length === 0) return wrapLines('no messages', state, 'dim');
  return all.flatMap(({ text, tone }) => wrapLines(text, state, tone));
}

function verbsDialog(
  state: DashboardState,
  { verbs, current }: Mode & { readonly kind: 'verbs' },
): Dialog {
  const height = dialogHeight(state);
  const width = Math.max(...verbs.map(({ name }) => name.length)) + 2;
  const top = scrollTo(current - (height >> 1), current, height, verbs.length);
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
  const what =
    objects.length === 1
      ? String(objects[0]?.label ?? objects[0]?.name)
      : `${objects.length} objects`;
  const lines = [
    ...wrapLines(`${verb.name} ${what}?`, state, 'strong'),
    ...(verb.alsoDeletes === undefined ? [] : wrapLines(`It ${verb.alsoDeletes}.`, state, 'bad')),
    ...wrapLines(formatLine(command), state, 'dim'),
    ...(input
      ? wrapLines(
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

function textDialog(state: DashboardState, box: TextMode): Dialog {
  const lines = listBoxLines(state, box);
  const height = dialogHeight(state);
  const isLonger = lines.length > height;
  return {
    title: titles[box.kind],
    lines: lines.slice(box.top, box.top + height),
    keys: [...(isLonger ? [{ key: 'up down', label: 'scroll' }] : []), close],
  };
}

function helpLines(state: DashboardState): readonly Line[] {
  const place = getCurrentView(state);
  const noun =
    (place.kind === 'object' && !place.list ? place.object.noun : getList(place)?.noun) ?? '';
  const verbs = listOfferedVerbs(noun).flatMap(({ key, purpose }) =>
    key ? [{ key, label: purpose }] : [],
  );
  return [...allKeys, ...verbs].flatMap(({ key, label }): readonly Line[] => {
    const isLong = key.length > 12;
    const head: Segment = { text: isLong ? key : key.padEnd(14), tone: 'strong' };
    const [first = '', ...more] = foldLine(label, mainWidth(state.size) - frameWidth - 14);
    const indented = (text: string): Line => ({
      segments: [{ text: ' '.repeat(14) + text, tone: 'plain' }],
    });
    return isLong
      ? [{ segments: [head] }, ...[first, ...more].map(indented)]
      : [{ segments: [head, { text: first, tone: 'plain' }] }, ...more.map(indented)];
  });
}

const tones = { running: 'passing', done: 'good', failed: 'bad' } as const;

function activityLines(state: DashboardState): readonly Line[] {
  if (state.activities.length === 0) return wrapLines('no changes yet', state, 'dim');
  return state.activities.flatMap(({ line, began, state: now, text }) => [
    ...wrapLines(`${began.toTimeString().slice(0, 8)} ${line}: ${now}`, state, tones[now]),
    ...text
      .split('\n')
      .filter((one) => one !== '')
      .flatMap((one) => wrapLines(`  ${one}`, state)),
  ]);
}

function wrapLines(
  text: string,
  { size }: DashboardState,
  tone: Segment['tone'] = 'plain',
): readonly Line[] {
  const width = mainWidth(size) - frameWidth;
  return foldLine(escapeControlChars.line(text), width).map((one) => ({
    segments: [{ text: one, tone }],
  }));
}
