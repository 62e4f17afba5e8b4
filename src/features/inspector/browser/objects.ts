/** All objects as a tree, along the links that the API itself gives; each in JSON and XML. */
import { element } from './dom.ts';
import { pretty } from './requests.ts';
import { attempt, type Section } from './section.ts';
import { appRoot, type Json, type Session } from './session.ts';

/** Something in the tree, by its address. */
interface Place {
  readonly label: string;
  readonly href: string;
  readonly isCollection: boolean;
}

export const objects: Section = (place, session) => {
  const tree = element('ul', { role: 'tree', 'aria-label': 'Objects' });
  const detail = element('div');
  place.append(element('div', { class: 'split' }, tree, detail));
  const open = (one: Place) => void attempt(() => show(detail, session, one));
  tree.addEventListener('keydown', move);
  void attempt(async () => {
    const api = await session.json(`${appRoot}/api`);
    const items = linksOf(api).map((one) => node(one, session, open));
    items[0]?.setAttribute('tabindex', '0');
    tree.replaceChildren(...items);
  });
};

/** The collections that an object leads to. */
function linksOf(object: Json): readonly Place[] {
  const links = Array.isArray(object['link']) ? (object['link'] as Json[]) : [];
  return links
    .filter(({ rel }) => !String(rel).includes('/'))
    .map(({ rel, href }) => ({ label: String(rel), href: String(href), isCollection: true }));
}

async function below(session: Session, { href, isCollection }: Place): Promise<readonly Place[]> {
  const answer = await session.json(href);
  if (!isCollection) return linksOf(answer);
  const [items] = Object.values(answer);
  return (Array.isArray(items) ? (items as Json[]) : []).flatMap((item) => {
    const { id, name, alias, description, href: own } = item;
    if (typeof own !== 'string') return [];
    const label = String(name ?? alias ?? description ?? id);
    return [{ label, href: own, isCollection: false }];
  });
}

function node(place: Place, session: Session, open: (place: Place) => void): HTMLLIElement {
  const group = element('ul', { role: 'group', hidden: true });
  const item = element(
    'li',
    { role: 'treeitem', tabindex: '-1', 'aria-expanded': 'false' },
    element('span', {}, place.label),
    group,
  );
  let isRead = false;
  const expand = async (to: boolean) => {
    if (to && !isRead) {
      isRead = true;
      const places = await below(session, place);
      group.replaceChildren(...places.map((one) => node(one, session, open)));
    }
    item.setAttribute('aria-expanded', String(to));
    group.hidden = !to;
  };
  item.addEventListener('click', (event) => {
    event.stopPropagation();
    focus(item);
    open(place);
    void attempt(() => expand(item.getAttribute('aria-expanded') !== 'true'));
  });
  item.addEventListener('expand', (event) => {
    event.stopPropagation();
    void attempt(() => expand((event as CustomEvent<boolean>).detail));
  });
  item.addEventListener('open', (event) => {
    event.stopPropagation();
    open(place);
  });
  return item;
}

function focus(item: Element | null | undefined): void {
  if (!(item instanceof HTMLElement)) return;
  for (const one of document.querySelectorAll('[role="treeitem"][tabindex="0"]')) {
    one.setAttribute('tabindex', '-1');
  }
  item.setAttribute('tabindex', '0');
  item.focus();
}

/** The keys of a tree, as everywhere: arrows, Home, End, Enter. */
function move(event: KeyboardEvent): void {
  const item = (event.target as Element).closest('[role="treeitem"]');
  if (!item) return;
  const tree = item.closest('[role="tree"]');
  const seen = [...(tree?.querySelectorAll('[role="treeitem"]') ?? [])].filter(
    (one) => one instanceof HTMLElement && one.offsetParent !== null,
  );
  const at = seen.indexOf(item);
  const isOpen = item.getAttribute('aria-expanded') === 'true';
  const tell = (name: string, detail?: boolean) =>
    item.dispatchEvent(new CustomEvent(name, { detail }));
  switch (event.key) {
    case 'ArrowDown':
      focus(seen[at + 1]);
      break;
    case 'ArrowUp':
      focus(seen[at - 1]);
      break;
    case 'Home':
      focus(seen[0]);
      break;
    case 'End':
      focus(seen.at(-1));
      break;
    case 'ArrowRight':
      if (isOpen) focus(item.querySelector('[role="treeitem"]'));
      else tell('expand', true);
      break;
    case 'ArrowLeft':
      if (isOpen) tell('expand', false);
      else focus(item.parentElement?.closest('[role="treeitem"]'));
      break;
    case 'Enter':
    case ' ':
      tell('open');
      break;
    default:
      return;
  }
  event.preventDefault();
}

async function show(detail: HTMLElement, session: Session, { href, label }: Place): Promise<void> {
  const [json, xml] = await Promise.all([
    session.text(href),
    session.text(href, {}, 'application/xml'),
  ]);
  detail.replaceChildren(
    element('h2', {}, label),
    element('p', { class: 'dim' }, href),
    element('h2', {}, 'JSON'),
    element('pre', { tabindex: 0 }, pretty(json)),
    element('h2', {}, 'XML'),
    element('pre', { tabindex: 0 }, indented(xml)),
  );
}

/** XML with a line for each element, as far as it is made of elements. */
function indented(xml: string): string {
  let depth = 0;
  return xml
    .replaceAll(/></g, '>\n<')
    .split('\n')
    .map((line) => {
      if (line.startsWith('</')) depth -= 1;
      const text = '  '.repeat(Math.max(0, depth)) + line;
      if (/^<[^/?!]/.test(line) && !line.includes('</') && !line.endsWith('/>')) depth += 1;
      return text;
    })
    .join('\n');
}
