/** Section with all objects as a tree, along the links of the API, in JSON and XML. */
import { element, requireInstance } from './dom.ts';
import { asObjects, type Json } from './json.ts';
import { formatJson } from './requests.ts';
import { type Section, showErrors } from './section.ts';
import { appRoot, type Session } from './session.ts';

/** Node of the tree. */
interface TreeNode {
  readonly label: string;
  readonly href: string;
  readonly isCollection: boolean;
}

export const objects: Section = (place, session) => {
  const tree = element('ul', { role: 'tree', 'aria-label': 'Objects' });
  const detail = element('div');
  place.append(element('div', { class: 'split' }, tree, detail));
  const open = (one: TreeNode) => void showErrors(() => show(detail, session, one));
  tree.addEventListener('keydown', moveFocus);
  void showErrors(async () => {
    const api = await session.json(`${appRoot}/api`);
    const items = listLinks(api).map((one) => createItem(one, session, open));
    items[0]?.setAttribute('tabindex', '0');
    tree.replaceChildren(...items);
  });
};

/** Collections that an object links to. */
function listLinks(object: Json): readonly TreeNode[] {
  const links = asObjects(object['link']);
  return links
    .filter(({ rel }) => !String(rel).includes('/'))
    .map(({ rel, href }) => ({ label: String(rel), href: String(href), isCollection: true }));
}

async function readChildren(
  session: Session,
  { href, isCollection }: TreeNode,
): Promise<readonly TreeNode[]> {
  const answer = await session.json(href);
  if (!isCollection) return listLinks(answer);
  const [items] = Object.values(answer);
  return asObjects(items).flatMap((item) => {
    const { id, name, alias, description, href: own } = item;
    if (typeof own !== 'string') return [];
    const label = String(name ?? alias ?? description ?? id);
    return [{ label, href: own, isCollection: false }];
  });
}

function createItem(
  place: TreeNode,
  session: Session,
  open: (place: TreeNode) => void,
): HTMLLIElement {
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
      const places = await readChildren(session, place);
      group.replaceChildren(...places.map((one) => createItem(one, session, open)));
    }
    item.setAttribute('aria-expanded', String(to));
    group.hidden = !to;
  };
  item.addEventListener('click', (event) => {
    event.stopPropagation();
    focus(item);
    open(place);
    void showErrors(() => expand(item.getAttribute('aria-expanded') !== 'true'));
  });
  item.addEventListener('expand', (event) => {
    event.stopPropagation();
    const isExpanded = requireInstance(event, CustomEvent).detail === true;
    void showErrors(() => expand(isExpanded));
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

/** Keyboard navigation of the tree (WAI-ARIA): arrows, Home, End, Enter. */
function moveFocus(event: KeyboardEvent): void {
  const item = requireInstance(event.target, Element).closest('[role="treeitem"]');
  if (!item) return;
  const tree = item.closest('[role="tree"]');
  const seen = [...(tree?.querySelectorAll('[role="treeitem"]') ?? [])].filter(
    (one) => one instanceof HTMLElement && one.offsetParent !== null,
  );
  const at = seen.indexOf(item);
  const isOpen = item.getAttribute('aria-expanded') === 'true';
  const dispatch = (name: string, detail?: boolean) =>
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
      else dispatch('expand', true);
      break;
    case 'ArrowLeft':
      if (isOpen) dispatch('expand', false);
      else focus(item.parentElement?.closest('[role="treeitem"]'));
      break;
    case 'Enter':
    case ' ':
      dispatch('open');
      break;
    default:
      return;
  }
  event.preventDefault();
}

async function show(
  detail: HTMLElement,
  session: Session,
  { href, label }: TreeNode,
): Promise<void> {
  const [json, xml] = await Promise.all([
    session.text(href),
    session.text(href, {}, 'application/xml'),
  ]);
  detail.replaceChildren(
    element('h2', {}, label),
    element('p', { class: 'dim' }, href),
    element('h2', {}, 'JSON'),
    element('pre', { tabindex: 0 }, formatJson(json)),
    element('h2', {}, 'XML'),
    element('pre', { tabindex: 0 }, indentXml(xml)),
  );
}

/** XML with one element per line. */
function indentXml(xml: string): string {
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
