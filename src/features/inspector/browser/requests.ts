/** Section with live requests, with headers and bodies. */
import { element, field, renderState, requireInstance, table } from './dom.ts';
import { type Section, showErrors } from './section.ts';
import type { Session } from './session.ts';

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

const maxStored = 1_000;
const maxShown = 200;
/** Long-poll timeout in milliseconds. */
const waitMs = 20_000;
/** Pause after a failed poll in milliseconds. */
const retryMs = 2_000;

export const requests: Section = (place, session, signal) => {
  const log = new RequestLog();
  place.append(
    element('div', { class: 'bar' }, ...log.controls),
    element('div', { class: 'split' }, log.list, log.detail),
  );
  void follow(session, signal, (entries) => log.add(entries));
  log.render();
};

/** Filtered list of requests, with the details of the selected one. */
class RequestLog {
  readonly list = element('div');
  readonly detail = element('div', { 'aria-live': 'polite' });
  readonly #path = element('input', {
    type: 'search',
    placeholder: '/vms',
    oninput: () => this.render(),
  });
  readonly #status = element(
    'select',
    { onchange: () => this.render() },
    ...['all', '2xx', '4xx', '5xx'].map((text) => element('option', {}, text)),
  );
  readonly #pause = element(
    'button',
    { type: 'button', 'aria-pressed': 'false', onclick: () => this.#togglePause() },
    'Pause',
  );
  #entries: readonly Entry[] = [];
  #isPaused = false;
  /** Sequence number of the selected request. */
  #selected: number | undefined;

  get controls(): readonly HTMLElement[] {
    const clear = element('button', { type: 'button', onclick: () => this.#clear() }, 'Clear');
    return [field('Path', this.#path), field('Status', this.#status), this.#pause, clear];
  }

  add(entries: readonly Entry[]): void {
    this.#entries = [...this.#entries, ...entries].slice(-maxStored);
    if (!this.#isPaused) this.render();
  }

  render(): void {
    const rows = this.#entries
      .filter((entry) => this.#matches(entry))
      .slice(-maxShown)
      .reverse()
      .map((entry) => this.#row(entry));
    this.list.replaceChildren(table([['Time', 'wide'], 'Method', 'Path', 'Status', 'ms'], rows));
    const entry = this.#entries.find(({ sequence }) => sequence === this.#selected);
    this.detail.replaceChildren(...(entry ? renderDetail(entry) : []));
  }

  #matches({ path, status }: Entry): boolean {
    const wanted = this.#status.value;
    return (
      path.includes(this.#path.value) &&
      (wanted === 'all' || String(status ?? '').startsWith(wanted.charAt(0)))
    );
  }

  #togglePause(): void {
    this.#isPaused = !this.#isPaused;
    this.#pause.setAttribute('aria-pressed', String(this.#isPaused));
    this.render();
  }

  #clear(): void {
    this.#entries = [];
    this.#selected = undefined;
    this.render();
  }

  #select({ sequence }: Entry): void {
    this.#selected = sequence;
    this.render();
    this.list.querySelector<HTMLElement>('tr[aria-selected="true"]')?.focus();
  }

  #row(entry: Entry): HTMLTableRowElement {
    const attributes = {
      tabindex: 0,
      'aria-selected': String(entry.sequence === this.#selected),
      onclick: () => this.#select(entry),
      onkeydown: (event: Event) => this.#press(requireInstance(event, KeyboardEvent), entry),
    };
    return element(
      'tr',
      attributes,
      element('td', { class: 'wide' }, entry.at.slice(11, 19)),
      element('td', {}, entry.method),
      element('td', { class: 'text' }, entry.path),
      element('td', {}, renderState(String(entry.status ?? 'no answer'))),
      element('td', { class: 'number' }, String(entry.milliseconds)),
    );
  }

  #press(event: KeyboardEvent, entry: Entry): void {
    const { key } = event;
    const row = requireInstance(event.currentTarget, HTMLElement);
    if (key === 'Enter' || key === ' ') this.#select(entry);
    else if (key === 'ArrowDown') focusRow(row.nextElementSibling);
    else if (key === 'ArrowUp') focusRow(row.previousElementSibling);
    else return;
    event.preventDefault();
  }
}

function focusRow(row: Element | null): void {
  if (row instanceof HTMLElement) row.focus();
}

/** Long-polls for new requests. */
async function follow(
  session: Session,
  signal: AbortSignal,
  onEntries: (entries: readonly Entry[]) => void,
): Promise<void> {
  let since = 0;
  let isFirst = true;
  while (!signal.aborted) {
    const query = isFirst ? `limit=${maxShown}` : `since=${since}&wait=${waitMs}`;
    let failed = true;
    await showErrors(async () => {
      const answer = await session.json(`/_vmctl/requests?${query}`, { signal });
      since = Number(answer['last']);
      // The server and this page belong to the same version, so the entries need no validation.
      onEntries(answer['requests'] as Entry[]);
      failed = false;
    });
    isFirst = false;
    if (failed && !signal.aborted) await new Promise((resolve) => setTimeout(resolve, retryMs));
  }
}

function renderDetail(entry: Entry): readonly HTMLElement[] {
  const { fault, correlation_id: id } = entry;
  return [
    element('h2', {}, `${entry.method} ${entry.path}`),
    element(
      'p',
      {},
      renderState(String(entry.status ?? 'no answer')),
      `  ${entry.at}  ${id ?? ''}`,
    ),
    ...(fault ? [element('p', { class: 'bad' }, [fault.reason, fault.detail].join(': '))] : []),
    ...renderPart('Request', entry.request),
    ...renderPart('Response', entry.response),
  ];
}

function renderPart(title: string, { headers, body }: Part): readonly HTMLElement[] {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [
    element('h2', {}, title),
    element('pre', { tabindex: 0 }, lines.join('\n')),
    ...(body ? [element('pre', { tabindex: 0 }, formatBody(body))] : []),
  ];
}

function formatBody({ text, omitted, bytes }: Body): string {
  if (text === undefined) return `(${bytes ?? 0} bytes: ${omitted ?? 'not text'})`;
  return formatJson(text);
}

/** JSON with indentation; other text unchanged. */
export function formatJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
