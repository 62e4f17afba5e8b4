/** Messages of the dashboard: the lines of the status, and the complete text. */
import { escapeControlChars } from '../../escape-control-chars.ts';
import { foldLine } from './fold.ts';
import type { Line, Segment } from './screen/screen-view.ts';
import { type DashboardState, getCurrentView } from './state.ts';
import { getList } from './views.ts';

/** Current messages, the most important first: of the input line, the last refresh, a command. */
export function listMessages(state: DashboardState): readonly Segment[] {
  const { mode, message } = state;
  const note = mode.kind === 'filter' || mode.kind === 'goto' ? mode.note : undefined;
  const trouble = getList(getCurrentView(state))?.trouble;
  return [
    ...(note?.tone === 'bad' ? [note] : []),
    ...(trouble === undefined
      ? []
      : [{ text: `not refreshed: ${trouble}`, tone: 'bad' } satisfies Segment]),
    ...(message ? [message] : []),
  ].map(({ text, tone }) => ({ text: escapeControlChars.line(text), tone }));
}

/** The first message, folded. A message that needs most of the screen is shown by a key. */
export function listMessageLines(state: DashboardState): readonly Line[] {
  const { text, tone } = listMessages(state)[0] ?? { text: '', tone: 'plain' };
  const limit = Math.max(1, Math.floor(state.size.height / 3));
  const lines = foldLine(text, state.size.width).map((one) => toLine(one, tone));
  if (lines.length <= limit) return lines;
  return [...lines.slice(0, limit - 1), toLine('m shows the complete message', 'strong')];
}

function toLine(text: string, tone: Segment['tone']): Line {
  return { segments: [{ text, tone }] };
}
