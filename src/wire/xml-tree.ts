/** XML document as a tree, for formats that the model does not describe. */
import { XmlCursor } from './xml-cursor.ts';

export interface XmlNode {
  /** Name without its prefix: `Item`. */
  readonly name: string;
  /** Attributes by name, with the prefix: `ovf:href`. */
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlNode[];
  /** Empty if the element has children. */
  readonly text: string;
}

/**
 * Parses a document. Throws a `WireError` if it is not well formed, is nested too deeply, or mixes
 * text and elements.
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
