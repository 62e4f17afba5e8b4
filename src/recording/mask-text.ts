/**
 * Masking of secrets in documents and forms; other text stays unchanged, byte for byte. Malformed
 * documents are refused, because the limits of their secrets are unknown.
 */
import { hidden, isSecretName, isSecretParent, secretNames } from './secret-names.ts';

/** Receives every masked secret. */
export type OnSecret = (secret: string) => void;

const ignoreSecret: OnSecret = () => undefined;

interface JsonLevel {
  /** Name of the member with this value; items of arrays inherit it. */
  readonly place: string;
  readonly isObject: boolean;
  /** Offset of a value that is secret as a whole. */
  readonly secretFrom?: number;
  /** Name of the member whose value follows. */
  key?: string;
  /** Value of its member `name`. */
  pairName?: string;
  /** Span of its member `value`. */
  value?: readonly [from: number, to: number];
}

type Span = readonly [from: number, to: number];

/** Part of a text with its substitute. */
type Replacement = readonly [...Span, substitute: string];

/** JSON document without secrets; undefined if it is malformed. */
export function maskJson(text: string, onSecret: OnSecret = ignoreSecret): string | undefined {
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  const token = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/gs;
  const levels: JsonLevel[] = [];
  const spans: Replacement[] = [];
  const hide = ([from, to]: Span) => spans.push([from, to, `"${hidden}"`]);
  let depth = 0;
  for (const { 0: word, index } of text.matchAll(token)) {
    const level = levels.at(-1);
    const end = index + word.length;
    if (word === '{' || word === '[') {
      const place = level?.isObject ? (level.key ?? '') : (level?.place ?? '');
      const isSecret = level !== undefined && isSecretMember(level);
      if (isSecret) depth += 1;
      levels.push({ place, isObject: word === '{', ...(isSecret ? { secretFrom: index } : {}) });
    } else if (word === '}' || word === ']') {
      levels.pop();
      if (level?.secretFrom !== undefined) {
        depth -= 1;
        hide([level.secretFrom, end]);
      } else if (level?.value && isSecretName(level.pairName ?? '')) {
        onSecret(String(JSON.parse(text.slice(...level.value))));
        hide(level.value);
      }
    } else if (word === ',') {
      if (level?.isObject) delete level.key;
    } else if (level?.isObject && level.key === undefined) {
      level.key = String(JSON.parse(word));
    } else if (word !== ':' && word !== 'null') {
      const value = String(JSON.parse(word));
      if (depth > 0) onSecret(value);
      else if (level && isSecretMember(level)) {
        onSecret(value);
        hide([index, end]);
      } else {
        if (level?.isObject && level.key === 'name') level.pairName = value;
        if (level?.isObject && level.key === 'value') level.value = [index, end];
        const inner = maskInner(value, onSecret);
        if (inner !== value) spans.push([index, end, JSON.stringify(inner)]);
      }
    }
  }
  return replaceSpans(text, spans);
}

/** Start of an XML document that is the value of a member (OVF). */
const innerDocument = /^\s*<(?:\?xml\s|(?:[\w.-]+:)?Envelope[\s>])/;

/** Text of a member without secrets. Only embedded XML documents can have any. */
export function maskInner(text: string, onSecret: OnSecret = ignoreSecret): string {
  return innerDocument.test(text) ? (maskXml(text, onSecret) ?? hidden) : text;
}

/** Whether the next value of an object is a secret. */
function isSecretMember({ isObject, key, place }: JsonLevel): boolean {
  if (!isObject || key === undefined) return false;
  return isSecretName(key) || (key === 'value' && isSecretParent(place));
}

interface XmlLevel {
  readonly name: string;
  readonly isSecret: boolean;
  /** Whether `value` elements below are secret. */
  readonly isPlace: boolean;
  /** Text tokens of the element, by index. */
  readonly texts: number[];
  pairName?: string;
  value?: readonly number[];
}

const xmlToken =
  /<!--[\s\S]*?-->|<!\[CDATA\[[\s\S]*?\]\]>|<\?[\s\S]*?\?>|<!(?!--|\[CDATA\[)[^>]*>|<(?![!?])(?:"[^"]*"|'[^']*'|[^>"'<])*>|[^<]+/g;

/** XML document without secrets; undefined if it is malformed. */
export function maskXml(text: string, onSecret: OnSecret = ignoreSecret): string | undefined {
  const tokens = text.match(xmlToken) ?? [];
  if (tokens.join('').length !== text.length) return undefined;
  const open: XmlLevel[] = [];
  const secret = new Set<number>();
  for (const [index, token] of tokens.entries()) {
    if (token.startsWith('</')) {
      const closed = open.pop();
      if (closed?.name !== localName(token.slice(2))) return undefined;
      closeElement(closed, open.at(-1), tokens, secret);
    } else if (/^<[^!?]/.test(token)) {
      tokens[index] = maskAttributes(token, onSecret);
      if (!token.endsWith('/>')) open.push(createLevel(localName(token.slice(1)), open.at(-1)));
    } else if (!/^<(?:\?|!(?!\[CDATA\[))/.test(token) || open.at(-1)?.isSecret) {
      const level = open.at(-1);
      level?.texts.push(index);
      if (level?.isSecret && token.trim() !== '') secret.add(index);
      else if (/^\s*(?:&lt;|<!\[CDATA\[)/.test(token)) {
        const text = decodeXmlText(token);
        const inner = maskInner(text, onSecret);
        if (inner !== text) tokens[index] = escapeXml(inner);
      }
    }
  }
  if (open.length > 0) return undefined;
  for (const index of secret) {
    onSecret(decodeXmlText(tokens[index] ?? ''));
    // Mask only the first of several consecutive text tokens.
    tokens[index] = secret.has(index - 1) ? '' : hidden;
  }
  return tokens.join('');
}

function createLevel(name: string, parent: XmlLevel | undefined): XmlLevel {
  const isPlace = isSecretParent(name) || parent?.isPlace === true;
  const isSecret =
    parent?.isSecret === true ||
    isSecretName(name) ||
    (name === 'value' && parent?.isPlace === true);
  return { name, isSecret, isPlace, texts: [] };
}

/** Records a name or value in the parent element, and masks the value of a complete pair. */
function closeElement(
  { name, texts, pairName = '', value = [] }: XmlLevel,
  parent: XmlLevel | undefined,
  tokens: readonly string[],
  secret: Set<number>,
): void {
  if (isSecretName(pairName)) for (const index of value) secret.add(index);
  if (!parent) return;
  if (name === 'name')
    parent.pairName = texts.map((index) => decodeXmlText(tokens[index] ?? '')).join('');
  if (name === 'value') parent.value = texts;
}

/** Element name without prefix and attributes. */
function localName(tag: string): string {
  return /^(?:[^\s/>:]*:)?([^\s/>]*)/.exec(tag)?.[1] ?? '';
}

function maskAttributes(tag: string, onSecret: OnSecret): string {
  return tag.replace(
    /([\w.-]+)(\s*=\s*)("[^"]*"|'[^']*')/g,
    (whole, name: string, equals: string, value: string) => {
      if (!isSecretName(name)) return whole;
      onSecret(decodeXmlText(value.slice(1, -1)));
      return `${name}${equals}"${hidden}"`;
    },
  );
}

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
};

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Decoded text of a token. */
function decodeXmlText(token: string): string {
  const [, data] = /^<!\[CDATA\[([\s\S]*)\]\]>$/.exec(token) ?? [];
  if (data !== undefined) return data;
  return token
    .trim()
    .replace(/&(#x?)?(\w+);/g, (whole, number: string | undefined, name: string) => {
      if (number === undefined) return entities[name] ?? whole;
      const code = Number.parseInt(name, number === '#' ? 10 : 16);
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    });
}

/**
 * Query or form parameters without secrets. Masks secret names, or all names except those in
 * `shown`.
 */
export function maskParameters(
  text: string,
  onSecret: OnSecret = ignoreSecret,
  shown?: ReadonlySet<string>,
): string {
  return text
    .split('&')
    .map((pair) => {
      const at = pair.indexOf('=');
      if (at < 0) return pair;
      const name = decodeFormText(pair.slice(0, at));
      if (shown ? shown.has(name) : !isSecretName(name)) return pair;
      onSecret(decodeFormText(pair.slice(at + 1)));
      return `${pair.slice(0, at)}=${hidden}`;
    })
    .join('&');
}

function decodeFormText(text: string): string {
  const spaced = text.replaceAll('+', ' ');
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced;
  }
}

const settingPattern = new RegExp(
  `^([ \\t]*[\\w.-]*?${secretNames}[ \\t]*[=:][ \\t]*)(\\S.*)$`,
  'gim',
);

/** Other text, with the values of lines such as `password=...` masked. */
export function maskLines(text: string, onSecret: OnSecret = ignoreSecret): string {
  return text.replace(settingPattern, (_, start: string, value: string) => {
    onSecret(value.trim());
    return `${start}${hidden}`;
  });
}

/** Text with parts replaced; of nested parts only the outer ones. */
function replaceSpans(text: string, spans: readonly Replacement[]): string {
  let result = '';
  let at = 0;
  for (const [from, to, substitute] of [...spans].sort(([a], [b]) => a - b)) {
    if (from < at) continue;
    result += text.slice(at, from) + substitute;
    at = to;
  }
  return result + text.slice(at);
}
