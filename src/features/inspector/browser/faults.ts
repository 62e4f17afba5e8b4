/** Section for fault rules: add, enable, disable, save and load. */
import { element, field, requireInstance, table } from './dom.ts';
import { asObjects, type Json } from './json.ts';
import { poll, type Section, showErrors } from './section.ts';
import type { Session } from './session.ts';

const path = '/_vmctl/faults';
const intervalMs = 3_000;

/** Disabled rules. Only this tab stores them; the server has deleted them. */
const disabled: Json[] = [];

const members = [
  'operation',
  'type',
  'name',
  'rate',
  'times',
  'delay',
  'status',
  'detail',
] as const;
const numbers: ReadonlySet<string> = new Set(['rate', 'times', 'delay', 'status']);

export const faults: Section = (place, session, signal) => {
  const list = new RuleList(session);
  const bar = element('div', { class: 'bar' }, saveButton(session, list), loadField(session, list));
  place.append(createForm(session, list), list.element, bar);
  poll(() => list.refresh(), intervalMs, signal);
};

/** Table of the rules. */
class RuleList {
  readonly element = element('div');
  readonly #session: Session;
  /** Number of the latest request; older responses are ignored. */
  #turn = 0;

  constructor(session: Session) {
    this.#session = session;
  }

  async refresh(): Promise<void> {
    this.#turn += 1;
    const turn = this.#turn;
    const enabled = await readRules(this.#session);
    if (turn !== this.#turn) return;
    const rows = [
      ...enabled.map((rule) => this.#row(rule, true)),
      ...disabled.map((rule) => this.#row(rule, false)),
    ];
    this.element.replaceChildren(table(['Rule', 'On', ''], rows));
  }

  /** Runs a change of the rules, then refreshes. */
  change(work: () => Promise<unknown>): void {
    this.#turn += 1;
    void showErrors(async () => {
      await work();
      await this.refresh();
    });
  }

  #row(rule: Json, isEnabled: boolean): HTMLTableRowElement {
    const text = JSON.stringify(omitServerMembers(rule));
    const toggle = (event: Event) => {
      disableControl(event);
      this.change(() => (isEnabled ? this.#disable(rule) : this.#enable(rule)));
    };
    const remove = (event: Event) => {
      disableControl(event);
      this.change(async () => {
        if (isEnabled) await removeRule(this.#session, rule);
        else disabled.splice(disabled.indexOf(rule), 1);
      });
    };
    const checkbox = element('input', {
      type: 'checkbox',
      checked: isEnabled,
      'aria-label': `${text} is on`,
      onchange: toggle,
    });
    const button = element(
      'button',
      { type: 'button', onclick: remove, 'aria-label': `Remove ${text}` },
      'Remove',
    );
    return element(
      'tr',
      {},
      element('td', { class: 'text' }, element('code', {}, text)),
      element('td', {}, checkbox),
      element('td', {}, button),
    );
  }

  async #disable(rule: Json): Promise<void> {
    await removeRule(this.#session, rule);
    disabled.push(omitServerMembers(rule));
  }

  async #enable(rule: Json): Promise<void> {
    await addRule(this.#session, rule);
    disabled.splice(disabled.indexOf(rule), 1);
  }
}

/** Prevents a second click until the row is rendered again. */
function disableControl({ currentTarget }: Event): void {
  requireInstance(currentTarget, HTMLElement).setAttribute('disabled', '');
}

function createForm(session: Session, list: RuleList): HTMLFormElement {
  const inputs = members.map((name) => [name, element('input', { name })] as const);
  const drop = element('input', { type: 'checkbox' });
  const submit = (event: Event) => {
    event.preventDefault();
    const values = inputs.flatMap(([name, { value }]) =>
      value === '' ? [] : [[name, numbers.has(name) ? Number(value) : value] as const],
    );
    const rule = { ...Object.fromEntries(values), ...(drop.checked ? { drop: true } : {}) };
    list.change(() => addRule(session, rule));
  };
  return element(
    'form',
    { class: 'bar', onsubmit: submit },
    ...inputs.map(([name, input]) => field(name, input)),
    field('drop the connection', drop),
    element('button', {}, 'Add'),
  );
}

function loadField(session: Session, list: RuleList): HTMLLabelElement {
  const load = async () => {
    const text = (await file.files?.[0]?.text()) ?? '[]';
    const rules: unknown = JSON.parse(text);
    if (!Array.isArray(rules)) throw new Error('The file is not a list of rules.');
    for (const rule of asObjects(rules)) await addRule(session, rule);
    file.value = '';
  };
  const file = element('input', {
    type: 'file',
    accept: 'application/json',
    onchange: () => list.change(load),
  });
  return field('Load from a file', file);
}

function saveButton(session: Session, list: RuleList): HTMLButtonElement {
  const save = async () => {
    const rules = (await readRules(session)).map(omitServerMembers);
    download('faults.json', JSON.stringify(rules, null, 2));
  };
  return element('button', { type: 'button', onclick: () => list.change(save) }, 'Save to a file');
}

/** Rule without the members that the server adds. */
function omitServerMembers({ id: _id, left: _left, ...rule }: Json): Json {
  return rule;
}

async function readRules(session: Session): Promise<readonly Json[]> {
  const { faults: all } = await session.json(path);
  return asObjects(all);
}

async function addRule(session: Session, rule: Json): Promise<void> {
  await session.json(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(omitServerMembers(rule)),
  });
}

async function removeRule(session: Session, rule: Json): Promise<void> {
  await session.json(`${path}/${encodeURIComponent(String(rule['id']))}`, { method: 'DELETE' });
}

function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  element('a', { href: url, download: name }).click();
  URL.revokeObjectURL(url);
}
