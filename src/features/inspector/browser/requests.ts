/** Requests as they come, with headers and bodies. */
import { element, field, stateWord, table } from './dom.ts';
import { attempt, type Section } from './section.ts';
import type { Json, Session } from './session.ts';

interface Body {
  readonly text?: string;
  readonly omitted?: string;
  readonly bytes?: number;
}

interface Part {
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Body;
}

interface Entry {
  readonly sequence: number;
  readonly at: string;
  readonly method: string;
  readonly path: string;
  readonly status?: number;
  readonly milliseconds: number;
  readonly correlation_id?: string;
  readonly fault?: { readonly reason?: string; readonly detail?: string };
  readonly request: Part;
  readonly response: Part;
}

const kept = 1_000;
const shown = 200;
/** The server answers after so many milliseconds at the latest. */
const wait = 20_000;

export const requests: Section = (place, session, signal) => {
  let entries: Entry[] = [];
  let isPaused = false;
  let chosen: number | undefined;
  const list = element('div');
  const detail = element('div', { 'aria-live': 'polite' });
  const path = element('input', { type: 'search', placeholder: '/vms', oninput: () => draw() });
  const status = element(
    'select',
    { onchange: () => draw() },
    ...['all', '2xx', '4xx', '5xx'].map((text) => element('option', {}, text)),
  );
  const pause = element(
    'button',
    {
      type: 'button',
      'aria-pressed': 'false',
      onclick: () => {
        isPaused = !isPaused;
        pause.setAttribute('aria-pressed', String(isPaused));
        draw();
      },
    },
    'Pause',
  );
  const clear = element(
    'button',
    {
      type: 'button',
      onclick: () => {
        entries = [];
        chosen = undefined;
        draw();
      },
    },
    'Clear',
  );
  place.append(
    element('div', { class: 'bar' }, field('Path', path), field('Status', status), pause, clear),
    element('div', { class: 'split' }, list, detail),
  );

  const fits = ({ path: target, status: code }: Entry) =>
    target.includes(path.value) &&
    (status.value === 'all' || String(code ?? '').startsWith(status.value.charAt(0)));

  function draw(): void {
    const rows = entries.filter(fits).slice(-shown).reverse();
    list.replaceChildren(
      table(
        [['Time', 'wide'], 'Method', 'Path', 'Status', 'ms'],
        rows.map((entry) => row(entry)),
      ),
    );
    const entry = entries.find(({ sequence }) => sequence === chosen);
    detail.replaceChildren(...(entry ? parts(entry) : []));
  }

  function row(entry: Entry): HTMLTableRowElement {
    const choose = () => {
      chosen = entry.sequence;
      draw();
      list.querySelector<HTMLElement>('tr[aria-selected="true"]')?.focus();
    };
    return element(
      'tr',
      {
        tabindex: 0,
        'aria-selected': String(entry.sequence === chosen),
        onclick: choose,
        onkeydown: (event) => {
          const { key } = event as KeyboardEvent;
          const at = event.currentTarget as HTMLElement;
          const next = key === 'ArrowDown' ? at.nextElementSibling : at.previousElementSibling;
          if (key === 'Enter' || key === ' ') choose();
          else if (key === 'ArrowDown' || key === 'ArrowUp') (next as HTMLElement | null)?.focus();
          else return;
          event.preventDefault();
        },
      },
      element('td', { class: 'wide' }, entry.at.slice(11, 19)),
      element('td', {}, entry.method),
      element('td', { class: 'text' }, entry.path),
      element('td', {}, stateWord(String(entry.status ?? 'no answer'))),
      element('td', { class: 'number' }, String(entry.milliseconds)),
    );
  }

  void follow(session, signal, (news) => {
    entries = [...entries, ...news].slice(-kept);
    if (!isPaused) draw();
  });
  draw();
};

/** Asks for what is new, again and again. */
async function follow(
  session: Session,
  signal: AbortSignal,
  onNews: (entries: readonly Entry[]) => void,
): Promise<void> {
  let since = 0;
  let isFirst = true;
  while (!signal.aborted) {
    const query = isFirst ? `limit=${shown}` : `since=${since}&wait=${wait}`;
    let failed = true;
    await attempt(async () => {
      const answer = await session.json(`/_vmctl/requests?${query}`, { signal });
      since = Number(answer['last']);
      onNews(answer['requests'] as Entry[]);
      failed = false;
    });
    isFirst = false;
    if (failed && !signal.aborted) await new Promise((resolve) => setTimeout(resolve, 2_000));
  }
}

function parts(entry: Entry): readonly HTMLElement[] {
  const { fault, correlation_id: id } = entry;
  return [
    element('h2', {}, `${entry.method} ${entry.path}`),
    element('p', {}, stateWord(String(entry.status ?? 'no answer')), `  ${entry.at}  ${id ?? ''}`),
    ...(fault ? [element('p', { class: 'bad' }, [fault.reason, fault.detail].join(': '))] : []),
    ...part('Request', entry.request),
    ...part('Response', entry.response),
  ];
}

function part(title: string, { headers, body }: Part): readonly HTMLElement[] {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [
    element('h2', {}, title),
    element('pre', { tabindex: 0 }, lines.join('\n')),
    ...(body ? [element('pre', { tabindex: 0 }, bodyText(body))] : []),
  ];
}

function bodyText({ text, omitted, bytes }: Body): string {
  if (text === undefined) return `(${bytes ?? 0} bytes: ${omitted ?? 'not text'})`;
  return pretty(text);
}

/** JSON with its levels indented; everything else as it is. */
export function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text) as Json, null, 2);
  } catch {
    return text;
  }
}
