/**
 * Masking of secrets in documents and forms, which otherwise stay as they are, byte for byte. What is
 * not well-formed is not masked but refused: nobody knows where a secret in it begins and ends.
 */
import { hidden, isSecretName, isSecretPlace, secretNames } from './secret-names.ts';

/** Is told of every secret that was masked. */
export type OnSecret = (secret: string) => void;

const nobody: OnSecret = () => undefined;

interface JsonLevel {
  /** Name of the member that it is the value of; arrays hand it on to their items. */
  readonly place: string;
  readonly isObject: boolean;
  /** Everything in it is a secret, from here on. */
  readonly secretFrom?: number;
  /** The member whose value comes next. */
  key?: string;
  /** What its member `name` says. */
  pairName?: string;
  /** Where the text of its member `value` is. */
  value?: readonly [from: number, to: number];
}

type Span = readonly [from: number, to: number];

/** Part of a text, and what replaces it. */
type Replacement = readonly [...Span, substitute: string];

/** A document in JSON without its secrets; undefined where it is not well-formed. */
export function maskJson(text: string, onSecret: OnSecret = nobody): string | undefined {
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
  return replaced(text, spans);
}

/** The beginning of a document in XML that is the value of a member: OVF. */
const innerDocument = /^\s*<(?:\?xml\s|(?:[\w.-]+:)?Envelope[\s>])/;

/** The text of a member without secrets: only documents in XML have any. */
export function maskInner(text: string, onSecret: OnSecret = nobody): string {
  return innerDocument.test(text) ? (maskXml(text, onSecret) ?? hidden) : text;
}

/** Whether the value that comes next in an object is a secret. */
function isSecretMember({ isObject, key, place }: JsonLevel): boolean {
  if (!isObject || key === undefined) return false;
  return isSecretName(key) || (key === 'value' && isSecretPlace(place));
}

interface XmlLevel {
  readonly name: string;
  readonly isSecret: boolean;
  /** `value` below it is a secret. */
  readonly isPlace: boolean;
  /** The pieces of text in it, by their index among all tokens. */
  readonly texts: number[];
  pairName?: string;
  value?: readonly number[];
}

const xmlToken =
  /<!--[\s\S]*?-->|<!\[CDATA\[[\s\S]*?\]\]>|<\?[\s\S]*?\?>|<!(?!--|\[CDATA\[)[^>]*>|<(?![!?])(?:"[^"]*"|'[^']*'|[^>"'<])*>|[^<]+/g;

/** A document in XML without its secrets; undefined where it is not well-formed. */
export function maskXml(text: string, onSecret: OnSecret = nobody): string | undefined {
  const tokens = text.match(xmlToken) ?? [];
  if (tokens.join('').length !== text.length) return undefined;
  const open: XmlLevel[] = [];
  const secret = new Set<number>();
  for (const [index, token] of tokens.entries()) {
    if (token.startsWith('</')) {
      const closed = open.pop();
      if (closed?.name !== localName(token.slice(2))) return undefined;
      endOf(closed, open.at(-1), tokens, secret);
    } else if (/^<[^!?]/.test(token)) {
      tokens[index] = maskAttributes(token, onSecret);
      if (!token.endsWith('/>')) open.push(levelOf(localName(token.slice(1)), open.at(-1)));
    } else if (!/^<(?:\?|!(?!\[CDATA\[))/.test(token) || open.at(-1)?.isSecret) {
      const level = open.at(-1);
      level?.texts.push(index);
      if (level?.isSecret && token.trim() !== '') secret.add(index);
      else if (/^\s*(?:&lt;|<!\[CDATA\[)/.test(token)) {
        const text = xmlText(token);
        const inner = maskInner(text, onSecret);
        if (inner !== text) tokens[index] = escapedXml(inner);
      }
    }
  }
  if (open.length > 0) return undefined;
  for (const index of secret) {
    onSecret(xmlText(tokens[index] ?? ''));
    // Of a text in several pieces one is enough.
    tokens[index] = secret.has(index - 1) ? '' : hidden;
  }
  return tokens.join('');
}

function levelOf(name: string, parent: XmlLevel | undefined): XmlLevel {
  const isPlace = isSecretPlace(name) || parent?.isPlace === true;
  const isSecret =
    parent?.isSecret === true ||
    isSecretName(name) ||
    (name === 'value' && parent?.isPlace === true);
  return { name, isSecret, isPlace, texts: [] };
}

/** Notes what an element says of the one around it, and masks the value of a pair that is complete. */
function endOf(
  { name, texts, pairName = '', value = [] }: XmlLevel,
  parent: XmlLevel | undefined,
  tokens: readonly string[],
  secret: Set<number>,
): void {
  if (isSecretName(pairName)) for (const index of value) secret.add(index);
  if (!parent) return;
  if (name === 'name')
    parent.pairName = texts.map((index) => xmlText(tokens[index] ?? '')).join('');
  if (name === 'value') parent.value = texts;
}

/** The name of an element without prefix and attributes. */
function localName(tag: string): string {
  return /^(?:[^\s/>:]*:)?([^\s/>]*)/.exec(tag)?.[1] ?? '';
}

function maskAttributes(tag: string, onSecret: OnSecret): string {
  return tag.replace(
    /([\w.-]+)(\s*=\s*)("[^"]*"|'[^']*')/g,
    (whole, name: string, equals: string, value: string) => {
      if (!isSecretName(name)) return whole;
      onSecret(xmlText(value.slice(1, -1)));
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

function escapedXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** The characters that a piece of text stands for. */
function xmlText(token: string): string {
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

/** Parameters of a query or form without secrets: by their names, or all but the ones in `shown`. */
export function maskParameters(
  text: string,
  onSecret: OnSecret = nobody,
  shown?: ReadonlySet<string>,
): string {
  return text
    .split('&')
    .map((pair) => {
      const at = pair.indexOf('=');
      if (at < 0) return pair;
      const name = formText(pair.slice(0, at));
      if (shown ? shown.has(name) : !isSecretName(name)) return pair;
      onSecret(formText(pair.slice(at + 1)));
      return `${pair.slice(0, at)}=${hidden}`;
    })
    .join('&');
}

function formText(text: string): string {
  const spaced = text.replaceAll('+', ' ');
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced;
  }
}

const setting = new RegExp(`^([ \\t]*[\\w.-]*?${secretNames}[ \\t]*[=:][ \\t]*)(\\S.*)$`, 'gim');

/** Lines such as `password=...` of other texts, without what stands behind the name of a secret. */
export function maskLines(text: string, onSecret: OnSecret = nobody): string {
  return text.replace(setting, (_, start: string, value: string) => {
    onSecret(value.trim());
    return `${start}${hidden}`;
  });
}

/** A text with parts of it replaced; of parts within each other the outer ones. */
function replaced(text: string, spans: readonly Replacement[]): string {
  let result = '';
  let at = 0;
  for (const [from, to, substitute] of [...spans].sort(([a], [b]) => a - b)) {
    if (from < at) continue;
    result += text.slice(at, from) + substitute;
    at = to;
  }
  return result + text.slice(at);
}
