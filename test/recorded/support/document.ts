/** XML document for tests: ordered elements, and paths of their content. */
import { XMLParser } from 'fast-xml-parser';

export interface Element {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly Element[];
  readonly text: string;
}

const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: '',
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: false,
});

type Node = Readonly<Record<string, unknown>>;

/** Root element of a document. */
export function parseDocument(text: string): Element {
  const nodes = parser.parse(text) as Node[];
  const root = nodes.map(toElement).find((one) => one !== undefined);
  if (!root) throw new Error(`There is no element in ${text}`);
  return root;
}

function toElement(node: Node): Element | undefined {
  const tag = Object.keys(node).find((name) => name !== ':@');
  if (tag === undefined || tag.startsWith('#') || tag.startsWith('?')) return undefined;
  const inside = node[tag] as Node[];
  const children = inside.map(toElement).filter((one) => one !== undefined);
  const text = inside.map((one) => String(one['#text'] ?? '')).join('');
  const attributes = (node[':@'] ?? {}) as Record<string, string>;
  return { tag, attributes, children, text: children.length > 0 ? '' : text };
}

/** Content of an object: values by path, in the notation of the table. */
export function listFacts(element: Element): Map<string, string[]> {
  const facts = new Map<string, string[]>();
  const note = (path: string, value: string) => {
    const values = facts.get(path);
    if (values) values.push(value);
    else facts.set(path, [value]);
  };
  const visit = ({ attributes, children }: Element, path: string) => {
    for (const name of Object.keys(attributes)) note(`${path}@${name}`, attributes[name] ?? '');
    for (const child of children) {
      if (child.tag === 'link') {
        note(`${path}/link:${child.attributes['rel']}`, '');
      } else if (child.tag === 'actions') {
        for (const { attributes: link } of child.children)
          note(`${path}/actions:${link['rel']}`, '');
      } else {
        const own = `${path}/${child.tag}`;
        note(own, child.text);
        visit(child, own);
      }
    }
  };
  visit(element, '');
  return facts;
}

/** First child with a name. */
export function findChild(element: Element, tag: string): Element | undefined {
  return element.children.find((one) => one.tag === tag);
}
