// Common tree for XML and JSON, so that the same rules compare responses in both.

/** An element of a document: XML element, or JSON object, array item or scalar. */
export class Node {
  constructor(name, type = 'element') {
    this.name = name;
    /**
     * 'element' for XML; 'object', 'string', 'number', 'boolean', 'null' or 'emptyarray' for JSON.
     */
    this.type = type;
    /**
     * id, href and rel, which are attributes in XML and plain members in JSON, and any other XML
     * attribute.
     */
    this.attributes = {};
    /** JSON types of attributes that are not strings. */
    this.attributeTypes = {};
    this.children = [];
    this.text = '';
    /** Whether the JSON member was an array. */
    this.array = false;
  }
  get id() {
    return this.attributes.id;
  }
  child(name) {
    return this.children.find((node) => node.name === name);
  }
  all(name) {
    return this.children.filter((node) => node.name === name);
  }
  /** Text or attribute at a dotted path below this node; undefined if missing. */
  at(path) {
    let node = this;
    for (const word of path.split('.')) {
      const next = node.child(word);
      if (!next) return node.attributes[word];
      node = next;
    }
    return node.text;
  }
  get isLeaf() {
    return this.children.length === 0;
  }
}

const ENTITIES = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };
const decode = (text) =>
  text.replace(/&(#x[0-9a-f]+|#\d+|\w+);/gi, (whole, word) => {
    if (word[0] !== '#') return ENTITIES[word] ?? whole;
    return String.fromCodePoint(
      word[1] === 'x' || word[1] === 'X'
        ? Number.parseInt(word.slice(2), 16)
        : Number(word.slice(1)),
    );
  });

/** Parses an XML document into its root node; throws with the offset if it is malformed. */
export function parseXml(text) {
  const token =
    /<!--[\s\S]*?-->|<\?[\s\S]*?\?>|<!DOCTYPE[^>]*>|<!\[CDATA\[([\s\S]*?)\]\]>|<\/([^\s>]+)\s*>|<([^\s/>!?]+)((?:\s+[^\s=>]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*(\/?)>|([^<]+)/gy;
  const top = new Node('#document');
  const stack = [top];
  while (token.lastIndex < text.length) {
    const offset = token.lastIndex;
    const found = token.exec(text);
    if (!found)
      throw new Error(`XML is not well formed at ${offset}: ${text.slice(offset, offset + 30)}`);
    const [, cdata, closing, opening, attributes, selfClosed, characters] = found;
    const current = stack.at(-1);
    if (cdata !== undefined) current.text += cdata;
    else if (characters !== undefined) current.text += decode(characters);
    else if (closing !== undefined) {
      if (current.name !== closing)
        throw new Error(`XML closes ${closing} inside ${current.name} at ${offset}`);
      if (current.children.length) current.text = current.text.trim();
      stack.pop();
    } else if (opening !== undefined) {
      const node = new Node(opening);
      for (const pair of attributes.matchAll(/([^\s=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g))
        node.attributes[pair[1]] = decode(pair[2] ?? pair[3]);
      current.children.push(node);
      if (!selfClosed) stack.push(node);
    }
  }
  if (stack.length !== 1) throw new Error(`XML ends inside ${stack.at(-1).name}`);
  if (top.children.length !== 1) throw new Error(`XML has ${top.children.length} root elements`);
  return top.children[0];
}

const ATTRIBUTES = new Set(['id', 'href', 'rel']);

/** Creates a tree from a parsed JSON value; the root has no name, because JSON has none. */
export function fromJson(value, name = null) {
  if (value === null) return new Node(name, 'null');
  if (typeof value !== 'object') {
    const leaf = new Node(name, typeof value);
    leaf.text = String(value);
    return leaf;
  }
  const node = new Node(name, 'object');
  for (const [key, member] of Object.entries(value)) {
    if (ATTRIBUTES.has(key) && member !== null && typeof member !== 'object') {
      node.attributes[key] = String(member);
      if (typeof member !== 'string') node.attributeTypes[key] = typeof member;
    } else if (!Array.isArray(member)) node.children.push(fromJson(member, key));
    else if (member.length === 0) node.children.push(new Node(key, 'emptyarray'));
    else {
      for (const item of member) {
        const child = fromJson(item, key);
        child.array = true;
        node.children.push(child);
      }
    }
  }
  return node;
}

/**
 * Kind and content of a body, from its content type and its text: {kind:
 * 'xml'|'json'|'html'|'text'|'empty', root?, problem?}.
 */
export function parseBody(text, contentType = '') {
  if (text === '' || text === undefined) return { kind: 'empty' };
  const says = contentType.split(';')[0].trim();
  if (says.endsWith('/html') || /^\s*<(!doctype html|html)/i.test(text)) return { kind: 'html' };
  try {
    if (says.endsWith('json')) return { kind: 'json', root: fromJson(JSON.parse(text)) };
    if (says.endsWith('xml')) return { kind: 'xml', root: parseXml(text) };
  } catch (problem) {
    return { kind: 'text', problem: problem.message };
  }
  return { kind: 'text' };
}

const escapeText = (text) =>
  text.replace(/[&<>]/g, (character) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[character]);
const escapeAttribute = (text) => escapeText(text).replace(/"/g, '&quot;');

/**
 * Converts {root: {...}} from the JSON form of the API to XML: id, href and rel become attributes,
 * arrays repeated elements.
 */
export function toXml(body) {
  const write = (name, value) => {
    if (Array.isArray(value)) return value.map((item) => write(name, item)).join('');
    if (value === null || value === undefined) return `<${name}/>`;
    if (typeof value !== 'object') return `<${name}>${escapeText(String(value))}</${name}>`;
    let attributes = '';
    let content = '';
    for (const [key, member] of Object.entries(value)) {
      if (ATTRIBUTES.has(key) && typeof member !== 'object')
        attributes += ` ${key}="${escapeAttribute(String(member))}"`;
      else content += write(key, member);
    }
    return content ? `<${name}${attributes}>${content}</${name}>` : `<${name}${attributes}/>`;
  };
  return Object.entries(body)
    .map(([name, value]) => write(name, value))
    .join('');
}

/**
 * Formats a tree as short XML-like text for reports: at most `lines` lines, without levels deeper
 * than `depth`, and without `links` by default.
 */
export function excerpt(node, { depth = 3, lines = 24, links = false } = {}) {
  const out = [];
  const write = (at, level) => {
    if (out.length >= lines) return;
    if (!links && level > 0 && (at.name === 'link' || at.name === 'actions')) return;
    const attributes = Object.entries(at.attributes)
      .map(([key, value]) => ` ${key}="${value}"`)
      .join('');
    const name = at.name ?? '(root)';
    const pad = '  '.repeat(level);
    if (at.isLeaf) {
      const kind =
        at.type === 'element' || at.type === 'object'
          ? ''
          : ` (${at.type}${at.array ? ', array' : ''})`;
      out.push(
        at.text === ''
          ? `${pad}<${name}${attributes}/>${kind}`
          : `${pad}<${name}${attributes}>${at.text.length > 160 ? `${at.text.slice(0, 160)}…` : at.text}</${name}>${kind}`,
      );
    } else if (level >= depth) out.push(`${pad}<${name}${attributes}>…</${name}>`);
    else {
      out.push(`${pad}<${name}${attributes}>`);
      for (const child of at.children) {
        if (out.length >= lines) {
          out.push(`${pad}  …`);
          return;
        }
        write(child, level + 1);
      }
      out.push(`${pad}</${name}>`);
    }
  };
  write(node, 0);
  return out.join('\n');
}
