/** Rules that make requests fail: made, switched off and on, kept in a file. */
import { element, field, table } from './dom.ts';
import { attempt, repeated, type Section } from './section.ts';
import type { Json, Session } from './session.ts';

const path = '/_vmctl/faults';
const interval = 3_000;

/** Rules that are switched off: the server does not know them, this tab does. */
const off: Json[] = [];

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
  const list = element('div');
  const inputs = members.map((name) => [name, element('input', { name })] as const);
  const drop = element('input', { type: 'checkbox' });
  // What was asked for before the last change is not drawn any more.
  let turn = 0;
  const draw = async () => {
    turn += 1;
    const own = turn;
    const { faults: all } = await session.json(path);
    if (own !== turn) return;
    const rows = [
      ...(all as Json[]).map((rule) => row(rule, true)),
      ...off.map((rule) => row(rule, false)),
    ];
    list.replaceChildren(table(['Rule', 'On', ''], rows));
  };
  const change = (work: () => Promise<unknown>) => {
    turn += 1;
    void attempt(async () => {
      await work();
      await draw();
    });
  };

  function row(rule: Json, isOn: boolean): HTMLTableRowElement {
    const text = JSON.stringify(ruleOf(rule));
    // Once is enough: the row is drawn anew when it is done.
    const disable = ({ currentTarget }: Event) =>
      (currentTarget as HTMLElement).setAttribute('disabled', '');
    const toggle = (event: Event) => {
      disable(event);
      change(async () => {
        if (isOn) {
          await remove(session, rule);
          off.push(ruleOf(rule));
        } else {
          await add(session, rule);
          off.splice(off.indexOf(rule), 1);
        }
      });
    };
    const forget = (event: Event) => {
      disable(event);
      change(async () => {
        if (isOn) await remove(session, rule);
        else off.splice(off.indexOf(rule), 1);
      });
    };
    return element(
      'tr',
      {},
      element('td', { class: 'text' }, element('code', {}, text)),
      element(
        'td',
        {},
        element('input', {
          type: 'checkbox',
          checked: isOn,
          'aria-label': `${text} is on`,
          onchange: toggle,
        }),
      ),
      element(
        'td',
        {},
        element(
          'button',
          { type: 'button', onclick: forget, 'aria-label': `Remove ${text}` },
          'Remove',
        ),
      ),
    );
  }

  const form = element(
    'form',
    {
      class: 'bar',
      onsubmit: (event) => {
        event.preventDefault();
        const rule = {
          ...Object.fromEntries(
            inputs.flatMap(([name, { value }]) =>
              value === '' ? [] : [[name, numbers.has(name) ? Number(value) : value]],
            ),
          ),
          ...(drop.checked ? { drop: true } : {}),
        };
        change(() => add(session, rule));
      },
    },
    ...inputs.map(([name, input]) => field(name, input)),
    field('drop the connection', drop),
    element('button', {}, 'Add'),
  );
  const file = element('input', {
    type: 'file',
    accept: 'application/json',
    onchange: () =>
      change(async () => {
        const text = (await file.files?.[0]?.text()) ?? '[]';
        for (const rule of JSON.parse(text) as Json[]) await add(session, rule);
        file.value = '';
      }),
  });
  const save = element(
    'button',
    {
      type: 'button',
      onclick: () =>
        change(async () => {
          const { faults: all } = await session.json(path);
          download('faults.json', JSON.stringify((all as Json[]).map(ruleOf), null, 2));
        }),
    },
    'Save to a file',
  );
  place.append(form, list, element('div', { class: 'bar' }, save, field('Load from a file', file)));
  repeated(draw, interval, signal);
};

/** A rule as it is added: without what the server adds to it. */
function ruleOf({ id: _id, left: _left, ...rule }: Json): Json {
  return rule;
}

async function add(session: Session, rule: Json): Promise<void> {
  await session.json(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(ruleOf(rule)),
  });
}

async function remove(session: Session, rule: Json): Promise<void> {
  await session.json(`${path}/${encodeURIComponent(String(rule['id']))}`, { method: 'DELETE' });
}

function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  element('a', { href: url, download: name }).click();
  URL.revokeObjectURL(url);
}
