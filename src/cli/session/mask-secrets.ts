/** Masking of passwords, tokens and keys in printed requests. */

import { maskInner, maskParameters, maskXml } from '../../recording/mask-text.ts';
import {
  hidden,
  isSecretHeader,
  isSecretName,
  isSecretParent,
  secretNames,
  secretParents,
} from '../../recording/secret-names.ts';
import { isRecord } from '../../records.ts';
import { parseJson } from '../../wire/json-parser.ts';
import { formatJson } from '../text/json.ts';

export { hidden } from '../../recording/secret-names.ts';

/** Masks headers that contain credentials. */
export function maskHeaders(
  headers: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, isSecretHeader(name) ? hidden : value]),
  );
}

/** Masks the secrets of a parsed JSON value. `place` is the name of its member. */
export function maskValue(value: unknown, place = ''): unknown {
  if (Array.isArray(value)) return value.map((one) => maskValue(one, place));
  if (typeof value === 'string') return maskInner(value);
  return isRecord(value) ? maskObject(value, place) : value;
}

/** Masks the secrets of an object. `place` is the name of its member. */
export function maskObject(object: object, place = ''): Record<string, unknown> {
  const fields: Readonly<Record<string, unknown>> = { ...object };
  const isPair = typeof fields['name'] === 'string' && isSecretName(fields['name']);
  return Object.fromEntries(
    Object.entries(fields).map(([name, member]) => {
      const isSecret =
        isSecretName(name) || (name === 'value' && (isPair || isSecretParent(place)));
      return [name, isSecret && member !== null ? hidden : maskValue(member, name)];
    }),
  );
}

const jsonMember = new RegExp(
  `("${secretNames}"\\s*:\\s*)("(?:[^"\\\\]|\\\\.)*"?|[^\\s,}\\]]+)`,
  'gi',
);
const xmlElement = new RegExp(`(<(${secretNames})(?:\\s[^<>]*)?>)[^<]*`, 'gi');
const xmlPlace = new RegExp(
  `(<(${secretParents})(?:\\s[^<>]*)?>(?:(?!</\\2>)[\\s\\S])*?<value>)[^<]*`,
  'gi',
);
const xmlPair = new RegExp(
  `(<name>${secretNames}</name>\\s*<value>)[^<]*|(<value>)[^<]*(</value>\\s*<name>${secretNames}</name>)`,
  'gi',
);

/** Masks the secrets of a request or response body. `space` indents JSON. */
export function maskBody(body: string | Uint8Array, space?: number): string {
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
      return formatJson(maskValue(parseJson(text)), space);
    } catch {
      return text.replace(jsonMember, `$1"${hidden}"`);
    }
  }
  return maskParameters(text);
}

/**
 * Names of secrets in flags and attribute paths, which join words differently: `--ticket-value`.
 */
const secretWords = `(?:${secretNames}|(?:\\w+_)?${secretParents}_value)`;
const secretFlag = new RegExp(`^${secretWords}$`, 'i');
const secretNoun = /^\w*(ticket|authentication-?key)s?$/i;
const secretLine = /^((?:proxy-)?authorization|cookie)\s*:/i;
const userInfo = /^([a-z][a-z0-9+.-]*:\/\/[^/\s:@]*):[^/\s@]*@/i;

/** Masks the secrets of a command line. */
export function maskCommandLine(words: readonly string[]): readonly string[] {
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
    if (body >= 0) return `${word.slice(0, body)}${maskBody(word.slice(body))}`;
    return maskPath(word.replace(userInfo, `$1:${hidden}@`));
  });
}

/** Whether a flag or an attribute path is that of a secret. */
function isSecretFlag(words: string): boolean {
  return secretFlag.test(words.replace(/^-+/, '').replaceAll(/[-.[\]]+/g, '_'));
}

/** Masks the secrets in the query of a path or URL. */
export function maskPath(path: string): string {
  const at = path.indexOf('?');
  return at < 0 ? path : `${path.slice(0, at + 1)}${maskBody(path.slice(at + 1))}`;
}
