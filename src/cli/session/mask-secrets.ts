/** Masking of passwords, tokens and keys in requests that are shown. */
import { maskInner, maskParameters, maskXml } from '../../recording/mask-text.ts';
import {
  hidden,
  isSecretHeader,
  isSecretName,
  isSecretPlace,
  secretNames,
  secretPlaces,
} from '../../recording/secret-names.ts';
import { parseJson } from '../../wire/json-parser.ts';
import { jsonText } from '../text/json.ts';

export { hidden } from '../../recording/secret-names.ts';

/** Headers with the values left out that could sign somebody in. */
export function maskedHeaders(
  headers: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, isSecretHeader(name) ? hidden : value]),
  );
}

/** A value read from JSON, its secrets left out. */
export function masked(value: unknown, place = ''): unknown {
  if (Array.isArray(value)) return value.map((one) => masked(one, place));
  if (typeof value === 'string') return maskInner(value);
  if (typeof value !== 'object' || value === null) return value;
  const fields = value as Readonly<Record<string, unknown>>;
  const isPair = typeof fields['name'] === 'string' && isSecretName(fields['name']);
  return Object.fromEntries(
    Object.entries(fields).map(([name, member]) => {
      const isSecret = isSecretName(name) || (name === 'value' && (isPair || isSecretPlace(place)));
      return [name, isSecret && member !== null ? hidden : masked(member, name)];
    }),
  );
}

const jsonMember = new RegExp(
  `("${secretNames}"\\s*:\\s*)("(?:[^"\\\\]|\\\\.)*"?|[^\\s,}\\]]+)`,
  'gi',
);
const xmlElement = new RegExp(`(<(${secretNames})(?:\\s[^<>]*)?>)[^<]*`, 'gi');
const xmlPlace = new RegExp(
  `(<(${secretPlaces})(?:\\s[^<>]*)?>(?:(?!</\\2>)[\\s\\S])*?<value>)[^<]*`,
  'gi',
);
const xmlPair = new RegExp(
  `(<name>${secretNames}</name>\\s*<value>)[^<]*|(<value>)[^<]*(</value>\\s*<name>${secretNames}</name>)`,
  'gi',
);

/** The body of a request or an answer, its secrets left out; JSON is indented where asked. */
export function maskedBody(body: string | Uint8Array, space?: number): string {
  const text = typeof body === 'string' ? body : Buffer.from(body).toString('utf8');
  const start = text.trimStart().charAt(0);
  if (start === '<') {
    const whole = maskXml(text);
    if (whole !== undefined) return whole;
    return text
      .replace(xmlElement, `$1${hidden}`)
      .replace(xmlPlace, `$1${hidden}`)
      .replace(xmlPair, (_, before?: string, open = '', close = '') =>
        before === undefined ? `${open}${hidden}${close}` : `${before}${hidden}`,
      );
  }
  if (start === '{' || start === '[') {
    try {
      return jsonText(masked(parseJson(text)), space);
    } catch {
      return text.replace(jsonMember, `$1"${hidden}"`);
    }
  }
  return maskParameters(text);
}

/** The same where words are joined otherwise, as in flags and in paths of attributes: `--ticket-value`. */
const secretWords = `(?:${secretNames}|(?:\\w+_)?${secretPlaces}_value)`;
const secretFlag = new RegExp(`^${secretWords}$`, 'i');
/** Nouns and verbs whose `--value` is a secret. */
const secretNoun = /^\w*(ticket|authentication-?key)s?$/i;
const secretLine = /^((?:proxy-)?authorization|cookie)\s*:/i;
const userInfo = /^([a-z][a-z0-9+.-]*:\/\/[^/\s:@]*):[^/\s@]*@/i;

/** The words of a command line, without the secrets that somebody may have written there. */
export function maskedWords(words: readonly string[]): readonly string[] {
  const isBelowPlace = words.some((word) => secretNoun.test(word));
  const isSecret = (flag: string) =>
    isSecretFlag(flag) || (isBelowPlace && /^(--)?value$/.test(flag));
  return words.map((word, index) => {
    const before = words[index - 1] ?? '';
    if (before.startsWith('-') && isSecret(before)) return hidden;
    const at = word.indexOf('=');
    if (at > 0 && isSecret(word.slice(0, at))) return `${word.slice(0, at)}=${hidden}`;
    const [, header] = secretLine.exec(word) ?? [];
    if (header !== undefined) return `${header}: ${hidden}`;
    const body = word.search(/[{[<]/);
    if (body >= 0) return `${word.slice(0, body)}${maskedBody(word.slice(body))}`;
    return maskedPath(word.replace(userInfo, `$1:${hidden}@`));
  });
}

/** Whether a flag, or the path of an attribute, is that of a secret. */
function isSecretFlag(words: string): boolean {
  return secretFlag.test(words.replace(/^-+/, '').replaceAll(/[-.[\]]+/g, '_'));
}

/** A path or an address, the secrets in its query left out. */
export function maskedPath(path: string): string {
  const at = path.indexOf('?');
  return at < 0 ? path : `${path.slice(0, at + 1)}${maskedBody(path.slice(at + 1))}`;
}
