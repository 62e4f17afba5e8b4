/** What the dashboard shows, made from what it knows. */

import { displayWidth, truncated } from '../../cli/text/display-width.ts';
import { escapeControlChars } from '../../escape-control-chars.ts';
import { dialogOf } from './dialogs.ts';
import { keysOf } from './keys.ts';
import { bodyHeight, mainHeight, mainWidth, sidebarWidth, smallest } from './layout.ts';
import { listLines } from './list-lines.ts';
import { type ListPlace, listAt, type ObjectPlace, scrolled } from './place.ts';
import type { Line, ScreenView, Segment } from './screen/screen-view.ts';
import { shownItems } from './shown-items.ts';
import { type DashboardState, placeOf } from './state.ts';
import { progressText } from './transfers.ts';

export function viewOf(state: DashboardState): ScreenView {
  const { size, mode, hasColor, hasUnicode, focus } = state;
  const place = placeOf(state);
  const list = listAt(place);
  const isSmall = size.width < smallest.width || size.height < smallest.height;
  const lines = isSmall
    ? [plain(`too small: at least ${smallest.width} x ${smallest.height}`)]
    : [
        ...(place.kind === 'object' ? [tabLine(place, state)] : []),
        ...(list ? listLines(list, state) : place.kind === 'object' ? textLines(place, state) : []),
      ];
  const dialog = isSmall ? undefined : dialogOf(state);
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
    keys: keysOf(state),
    ...(input
      ? {
          input: {
            ...input.input,
            label: input.kind === 'filter' ? '/' : ':',
            ...(input.note ? { note: input.note } : {}),
          },
        }
      : {}),
    ...(dialog ? { dialog } : {}),
  };
}

/** What says that a text was cut. */
function markOf({ hasUnicode }: Pick<DashboardState, 'hasUnicode'>): string {
  return hasUnicode ? '…' : '...';
}

function plain(text: string, tone: Segment['tone'] = 'plain'): Line {
  return { segments: [{ text, tone }] };
}

function titleLine(state: DashboardState): Line {
  const { title, size, protectedContext, isReadOnly } = state;
  const marks = [
    ...(protectedContext === undefined ? [] : [`protected context ${protectedContext}`]),
    ...(isReadOnly ? ['read-only'] : []),
  ];
  const right = marks.join(', ');
  const room = size.width - displayWidth(right) - 1;
  const left = truncated(title, room, 'middle', markOf(state)).padEnd(room);
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
    if (group !== nouns[index - 1]?.group) lines.push(plain(group, 'dim'));
    if (index === sidebar) current = lines.length;
    const mark = index === sidebar ? '>' : ' ';
    const text = `${mark}${noun}`.padEnd(sidebarWidth - 1);
    lines.push({
      segments: [{ text: truncated(text, sidebarWidth - 1, 'end', markOf(state)), tone: 'plain' }],
      isCurrent: index === sidebar,
    });
  }
  const height = bodyHeight(state);
  const top = scrolled(current - (height >> 1), current, height, lines.length);
  return lines.slice(top, top + height);
}

function headingLine(state: DashboardState): Line {
  const place = placeOf(state);
  const path = state.places.flatMap((one) =>
    one.kind === 'list' ? [one.noun] : [escapeControlChars.line(one.object.name)],
  );
  const list = listAt(place);
  const separator = state.hasUnicode ? ' › ' : ' > ';
  const left = path.join(separator);
  const right = list ? countOf(list) : '';
  const search = list && list.search !== '' ? `  / ${list.search}` : '';
  const width = mainWidth(state.size);
  const room = Math.max(0, width - displayWidth(right) - 1);
  const text = truncated(escapeControlChars.line(left + search), room, 'middle', markOf(state));
  return {
    segments: [
      { text: text + ' '.repeat(Math.max(0, room - displayWidth(text))), tone: 'strong' },
      { text: ` ${right}`, tone: 'dim' },
    ],
  };
}

function countOf(list: ListPlace): string {
  const { listing, marks } = list;
  if (!listing) return 'reading ...';
  const shown = shownItems(list).length;
  const all = listing.items.length;
  const count = shown === all ? String(all) : `${shown} of ${all}`;
  const time = listing.time.toTimeString().slice(0, 8);
  return [
    ...(marks.size > 0 ? [`${marks.size} marked`] : []),
    listing.isCut ? `first ${count}` : count,
    time,
  ].join(', ');
}

function tabLine({ tabs, tab }: ObjectPlace, state: DashboardState): Line {
  const width = mainWidth(state.size);
  const texts = tabs.map((name, index) => (index === tab ? `[${name}]` : ` ${name} `));
  // The tab and those behind it, as far as there is room; then those in front of it.
  let first = tab;
  const space = (from: number) =>
    texts.slice(from, tab + 1).reduce((sum, text) => sum + text.length, 0);
  while (first > 0 && space(first - 1) <= width - 12) first -= 1;
  const segments: Segment[] = [];
  // Marks on both sides say that there are more.
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

function textLines(place: ObjectPlace, state: DashboardState): readonly Line[] {
  if (!place.text) return [plain('reading ...', 'dim')];
  const height = mainHeight(state) - 1;
  const width = mainWidth(state.size);
  return place.text
    .slice(place.top, place.top + height)
    .map((line) => plain(truncated(line, width, 'end', markOf(state))));
}

function statusLines(state: DashboardState): readonly Line[] {
  const { transfers, message, size, hasUnicode } = state;
  const texts = transfers.map((one) => escapeControlChars.line(progressText(one, hasUnicode)));
  const trouble = listAt(placeOf(state))?.trouble;
  const last: Segment = trouble
    ? { text: `not refreshed: ${escapeControlChars.line(trouble)}`, tone: 'bad' }
    : (message ?? { text: '', tone: 'plain' });
  return [
    ...(texts.length > 0
      ? [plain(truncated(texts.join('   '), size.width, 'end', markOf(state)), 'passing')]
      : []),
    { segments: [{ ...last, text: truncated(last.text, size.width, 'end', markOf(state)) }] },
  ];
}
