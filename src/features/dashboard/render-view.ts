/** Screen view computed from the state of the dashboard. */

import { getDisplayWidth, truncate } from '../../cli/text/display-width.ts';
import { escapeControlChars } from '../../escape-control-chars.ts';
import { openDialog } from './dialogs.ts';
import { listKeyHints } from './keys.ts';
import { bodyHeight, mainHeight, mainWidth, minimumSize, sidebarWidth } from './layout.ts';
import { renderList } from './list-lines.ts';
import { listMessageLines } from './messages.ts';
import type { Line, ScreenView, Segment } from './screen/screen-view.ts';
import { listShownItems } from './shown-items.ts';
import { type DashboardState, getCurrentView } from './state.ts';
import { listTextLines } from './text-lines.ts';
import { formatProgress } from './transfers.ts';
import { getList, type ListView, type ObjectView, scrollTo } from './views.ts';

export function renderView(state: DashboardState): ScreenView {
  const { size, mode, hasColor, hasUnicode, focus } = state;
  const place = getCurrentView(state);
  const list = getList(place);
  const isSmall = size.width < minimumSize.width || size.height < minimumSize.height;
  const lines = isSmall
    ? [plainLine(`too small: at least ${minimumSize.width} x ${minimumSize.height}`)]
    : [
        ...(place.kind === 'object' ? [tabLine(place, state)] : []),
        ...(list
          ? renderList(list, state)
          : place.kind === 'object'
            ? textLines(place, state)
            : []),
      ];
  const dialog = isSmall ? undefined : openDialog(state);
  const input = mode.kind === 'filter' || mode.kind === 'goto' ? mode : undefined;
  return {
    ...size,
    hasColor,
    hasUnicode,
    title: titleLine(state),
    sidebar: {
      width: sidebarWidth,
      lines: sidebarLines(state),
      isFocused: focus === 'sidebar',
    },
    heading: headingLine(state),
    lines,
    status: statusLines(state),
    keys: listKeyHints(state),
    ...(input
      ? {
          input: {
            ...input.input,
            label: input.kind === 'filter' ? '/' : ':',
            // The status shows complete errors.
            ...(input.note && input.note.tone !== 'bad' ? { note: input.note } : {}),
          },
        }
      : {}),
    ...(dialog ? { dialog } : {}),
  };
}

/** Mark of a truncated text. */
function truncationMark({ hasUnicode }: Pick<DashboardState, 'hasUnicode'>): string {
  return hasUnicode ? '…' : '...';
}

function plainLine(text: string, tone: Segment['tone'] = 'plain'): Line {
  return { segments: [{ text, tone }] };
}

function titleLine(state: DashboardState): Line {
  const { title, size, protectedContext, isReadOnly } = state;
  const marks = [
    ...(protectedContext === undefined ? [] : [`protected context ${protectedContext}`]),
    ...(isReadOnly ? ['read-only'] : []),
  ];
  const right = marks.join(', ');
  const room = size.width - getDisplayWidth(right) - 1;
  const left = truncate(title, room, 'middle', truncationMark(state)).padEnd(room);
  return {
    segments: [
      { text: left, tone: 'strong' },
      { text: right, tone: 'bad' },
    ],
  };
}

function sidebarLines(state: DashboardState): readonly Line[] {
  const { nouns, sidebar } = state;
  const lines: Line[] = [];
  let current = 0;
  for (const [index, { noun, group }] of nouns.entries()) {
    if (group !== nouns[index - 1]?.group) lines.push(plainLine(group, 'dim'));
    if (index === sidebar) current = lines.length;
    const mark = index === sidebar ? '>' : ' ';
    const text = `${mark}${noun}`.padEnd(sidebarWidth - 1);
    lines.push({
      segments: [
        { text: truncate(text, sidebarWidth - 1, 'end', truncationMark(state)), tone: 'plain' },
      ],
      isCurrent: index === sidebar,
    });
  }
  const height = bodyHeight(state);
  const top = scrollTo(current - (height >> 1), current, height, lines.length);
  return lines.slice(top, top + height);
}

function headingLine(state: DashboardState): Line {
  const place = getCurrentView(state);
  const path = state.views.flatMap((one) =>
    one.kind === 'list'
      ? [one.noun]
      : [escapeControlChars.line(one.object.label ?? one.object.name)],
  );
  const list = getList(place);
  const separator = state.hasUnicode ? ' › ' : ' > ';
  const left = path.join(separator);
  const right = list ? describeCount(list) : '';
  const filter = list?.search ?? (place.kind === 'object' ? place.search : '');
  const search = filter === '' ? '' : `  / ${filter}`;
  const width = mainWidth(state.size);
  const room = Math.max(0, width - getDisplayWidth(right) - 1);
  const text = truncate(
    escapeControlChars.line(left + search),
    room,
    'middle',
    truncationMark(state),
  );
  return {
    segments: [
      { text: text + ' '.repeat(Math.max(0, room - getDisplayWidth(text))), tone: 'strong' },
      { text: ` ${right}`, tone: 'dim' },
    ],
  };
}

function describeCount(list: ListView): string {
  const { listing, marks } = list;
  if (!listing) return 'reading ...';
  const shown = listShownItems(list).length;
  const all = listing.items.length;
  const count = shown === all ? String(all) : `${shown} of ${all}`;
  const time = listing.time.toTimeString().slice(0, 8);
  return [
    ...(marks.size > 0 ? [`${marks.size} marked`] : []),
    listing.isCut ? `first ${count}` : count,
    time,
  ].join(', ');
}

function tabLine({ tabs, tab }: ObjectView, state: DashboardState): Line {
  const width = mainWidth(state.size);
  const texts = tabs.map((name, index) => (index === tab ? `[${name}]` : ` ${name} `));
  // Scrolls the tab bar: starts as far left as possible with the current tab visible.
  let first = tab;
  const space = (from: number) =>
    texts.slice(from, tab + 1).reduce((sum, text) => sum + text.length, 0);
  while (first > 0 && space(first - 1) <= width - 12) first -= 1;
  const segments: Segment[] = [];
  // Space for the marks of hidden tabs on both sides.
  let room = width - (first > 0 ? 4 : 2);
  if (first > 0) segments.push({ text: '< ', tone: 'dim' });
  for (const [index, text] of texts.entries()) {
    if (index < first) continue;
    if (text.length > room) {
      segments.push({ text: ' >', tone: 'dim' });
      break;
    }
    room -= text.length;
    segments.push({ text, tone: index === tab ? 'strong' : 'dim' });
  }
  return { segments };
}

function textLines(place: ObjectView, state: DashboardState): readonly Line[] {
  const lines = listTextLines(place, state);
  if (!lines) return [plainLine('reading ...', 'dim')];
  return lines.slice(place.top, place.top + mainHeight(state) - 1).map((line) => plainLine(line));
}

function statusLines(state: DashboardState): readonly Line[] {
  const { transfers, size, hasUnicode } = state;
  const texts = transfers.map((one) => escapeControlChars.line(formatProgress(one, hasUnicode)));
  return [
    ...(texts.length > 0
      ? [
          plainLine(
            truncate(texts.join('   '), size.width, 'end', truncationMark(state)),
            'passing',
          ),
        ]
      : []),
    ...listMessageLines(state),
  ];
}
