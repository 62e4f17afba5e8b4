/** Documents as generated clients write back what they have read. */
import { XMLBuilder, XMLParser } from 'fast-xml-parser';
import { isType, listAttributes, parseKind } from '../../../src/model/index.ts';
import { wireName } from '../../../src/wire/shape.ts';

/** One element: its name, its children under it, its attributes under `:@`. */
type Node = Record<string, unknown>;

const options = {
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: '',
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: false,
  // The parser and the builder do not change entities.
  processEntities: false,
} as const;

const parser = new XMLParser(options);
const builder = new XMLBuilder({ ...options, suppressEmptyNode: true });

/**
 * Each link becomes a list element with its address: `<link rel="nics" href="..."/>` is written as
 * `<nics href="..."/>`. Objects of followed links stay in that element. The document has no actions.
 */
export function asClientsWrite(xml: string, type: string): string {
  const nodes = parser.parse(xml) as Node[];
  const [root] = nodes.filter((node) => getName(node) !== '?xml');
  if (!root) throw new Error('The document is empty.');
  rewrite(root, type);
  return String(builder.build([root]));
}

/** The document with a different text in one of its members. */
export function withMember(xml: string, member: string, text: string): string {
  const [root] = parser.parse(xml) as Node[];
  if (!root) throw new Error('The document is empty.');
  const name = getName(root);
  const others = (root[name] as Node[]).filter((child) => getName(child) !== member);
  root[name] = [...others, { [member]: [{ '#text': text }] }];
  return String(builder.build([root]));
}

function getName(node: Node): string {
  return Object.keys(node).find((key) => key !== ':@') ?? '';
}

/** Whether a node is the template of a search, which clients pass over. */
function isSearch(node: Node): boolean {
  const { rel = '' } = (node[':@'] ?? {}) as Record<string, string>;
  return rel.endsWith('/search');
}

function rewrite(node: Node, type: string | undefined): void {
  const name = getName(node);
  if (name === '#text') return;
  const children = (node[name] ?? []) as Node[];
  const kept: Node[] = [];
  const links: Node[] = [];
  for (const child of children) {
    const tag = getName(child);
    if (tag === 'actions') continue;
    if (isSearch(child)) continue;
    if (tag === 'link') links.push(child);
    else kept.push(child);
  }
  for (const child of kept) rewrite(child, isType(getName(child)) ? getName(child) : undefined);
  for (const link of links) {
    const { rel = '', href = '' } = (link[':@'] ?? {}) as Record<string, string>;
    const tag = getElement(rel, type ?? name);
    const there = kept.find((child) => getName(child) === tag);
    if (there) there[':@'] = { ...(there[':@'] as object | undefined), href };
    else kept.push({ [tag]: [], ':@': { href } });
  }
  node[name] = kept;
}

/** The list that clients know for a link: its name has underscores. */
function getElement(rel: string, type: string): string {
  if (!isType(type)) return rel;
  const known = Object.entries(listAttributes(type)).find(
    ([name]) => name.replaceAll('_', '') === rel,
  );
  return known ? wireName(known[0], parseKind(known[1].kind)) : rel;
}
