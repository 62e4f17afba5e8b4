/** XML document as a tree, for formats that no type of the API describes. */
import { XmlCursor } from './xml-cursor.ts';

export interface XmlNode {
  /** Without its prefix: `Item`. */
  readonly name: string;
  /** By name, with the prefix that was written: `ovf:href`. */
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlNode[];
  /** Of an element without children. */
  readonly text: string;
}

/**
 * Reads a document. Throws a `WireError` where it is not well formed, nested too deep, or mixes text
 * and elements.
 */
export function readXmlTree(text: string): XmlNode {
  const cursor = new XmlCursor(text);
  cursor.root();
  const root = nodeAt(cursor);
  cursor.end();
  return root;
}

function nodeAt(cursor: XmlCursor): XmlNode {
  const name = localName(cursor.name);
  const attributes = new Map<string, string>();
  for (let index = 0; index < cursor.attributeEnd; index += 2) {
    attributes.set(cursor.attributes[index] ?? '', cursor.attributes[index + 1] ?? '');
  }
  const children: XmlNode[] = [];
  let content = '';
  if (cursor.hasChildren()) while (cursor.nextChild()) children.push(nodeAt(cursor));
  else content = cursor.content();
  return { name, attributes, children, text: content };
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}
