/** DOM builders. Texts from the server are never parsed as HTML. */

type Child = Node | string | undefined;

interface Attributes {
  readonly [name: string]: string | number | boolean | ((event: Event) => void) | undefined;
}

/** The value as an instance of a class. Throws if it is missing or of another class. */
export function requireInstance<T>(value: unknown, type: abstract new (...args: never) => T): T {
  if (value instanceof type) return value;
  throw new Error(`The page has no ${type.name} here.`);
}

/**
 * Creates an element. Function attributes such as `onclick` become listeners; `false` and
 * `undefined` attributes are omitted.
 */
export function element<N extends keyof HTMLElementTagNameMap>(
  name: N,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[N] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, '');
    else if (value !== undefined && value !== false) made.setAttribute(key, String(value));
  }
  made.append(...children.filter((child) => child !== undefined));
  return made;
}

/** Column title. Columns marked `wide` are hidden on narrow screens. */
export type Title = string | readonly [title: string, where: 'wide'];

/** Creates a table. */
export function table(titles: readonly Title[], rows: readonly HTMLTableRowElement[]): HTMLElement {
  const head = element(
    'tr',
    {},
    ...titles.map((one) => {
      const [title, where] = typeof one === 'string' ? [one] : one;
      return element('th', { scope: 'col', class: where }, title);
    }),
  );
  return element(
    'div',
    { class: 'scroll' },
    element('table', {}, element('thead', {}, head), element('tbody', {}, ...rows)),
  );
}

/** Creates an input field with its label above it. */
export function field(label: string, input: HTMLElement): HTMLLabelElement {
  return element('label', {}, label, input);
}

/** Creates a coloured word for a state. */
export function renderState(text: string): HTMLElement {
  const kind = /^(up|ok|active|operational|finished|transferring|2\d\d)$/.test(text)
    ? 'good'
    : /^(down|maintenance|3\d\d|normal)$/.test(text)
      ? 'dim'
      : /error|fail|non_|alert|illegal|[45]\d\d|not /.test(text)
        ? 'bad'
        : 'wait';
  return element('span', { class: kind }, text);
}

/** Formats a size in bytes with a binary unit. */
export function formatBytes(count: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
  const power = count > 0 ? Math.min(Math.floor(Math.log2(count) / 10), units.length - 1) : 0;
  return `${Number((count / 1024 ** power).toFixed(1))} ${units[power]}`;
}
