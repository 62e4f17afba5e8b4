/**
 * Redaction of recorded requests and responses. Keeps only harmless headers, masks values with
 * secret names in documents, and masks known secrets in all other text. Omits bodies that cannot be
 * parsed.
 */
import { isUtf8 } from 'node:buffer';
import type { RecordedBody } from './exchange.ts';
import { maskJson, maskLines, maskParameters, maskXml, type OnSecret } from './mask-text.ts';
import { hidden } from './secret-names.ts';

/** Maximum size of a recorded body in bytes. */
export const maxRecordedBodyBytes = 64 * 2 ** 20;

const requestHeaders: ReadonlySet<string> = new Set([
  ...['accept', 'all-content', 'content-type', 'correlation-id', 'expect', 'filter', 'prefer'],
  ...['version', 'x-ovirt-expect'],
]);

const responseHeaders: ReadonlySet<string> = new Set([
  ...['allow', 'content-disposition', 'content-type', 'correlation-id', 'location', 'retry-after'],
  'www-authenticate',
]);

/** Parameters of a sign-in that are not secret. */
const harmlessParameters: ReadonlySet<string> = new Set([
  ...['grant_type', 'scope', 'username', 'token_type'],
]);

/** User and password in a URL; excludes similar texts. */
const userInformation = /:\/\/[^\s/?#"'<>@:\\]+:[^\s/?#"'<>@\\]+@/g;

/** Minimum length of a secret in characters. Shorter ones would match too much other text. */
const shortestSecret = 6;

export class Redactor {
  /** Known secrets in all notations. */
  readonly #secrets = new Set<string>();

  /** Remembers a secret in all its notations. */
  readonly #addSecret: OnSecret = (secret) => {
    if (secret.length < shortestSecret || secret === hidden) return;
    const [, ticket] = /^https?:\/\/.*\/([^/?#]+)$/.exec(secret) ?? [];
    for (const text of ticket === undefined ? [secret] : [secret, ticket]) {
      const notations = [
        text,
        JSON.stringify(text).slice(1, -1),
        encodeURIComponent(text),
        new URLSearchParams({ '': text }).toString().slice(1),
        text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`),
        text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
      ];
      for (const notation of notations) this.#secrets.add(notation);
    }
  };

  /** Path and query without secrets. */
  target(path: string): string {
    return this.#redactUrl(path, isSignIn(path));
  }

  /** Redacts a path or URL; `signsIn` masks all parameters except for the harmless ones. */
  #redactUrl(path: string, signsIn: boolean): string {
    const at = path.indexOf('?');
    if (at < 0) return this.#maskKnownSecrets(path);
    const shown = signsIn ? harmlessParameters : undefined;
    const query = maskParameters(path.slice(at + 1), this.#addSecret, shown);
    return this.#maskKnownSecrets(`${path.slice(0, at)}?${query}`);
  }

  /** Any other text without the known secrets. */
  text(text: string): string {
    return this.#maskKnownSecrets(text);
  }

  /** Redacted headers of a request. */
  requestHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    for (const [name, value] of Object.entries(headers)) {
      if (/^(proxy-)?authorization$/i.test(name)) this.#addCredentials(value);
    }
    return this.#selectHeaders(headers, requestHeaders);
  }

  /** Redacted headers of a response. */
  responseHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    const chosen = this.#selectHeaders(headers, responseHeaders);
    const { location } = chosen;
    if (location === undefined) return chosen;
    // Redirects outside of the API may carry credentials in their parameters.
    const isOfApi = /^[^?]*\/api(?:[/;?]|$)/.test(location);
    return { ...chosen, location: this.#redactUrl(location, !isOfApi) };
  }

  /** Body without secrets; undefined if empty. `path` is the request target. */
  body(
    path: string,
    headers: Readonly<Record<string, string>>,
    body: string | Uint8Array | undefined,
  ): RecordedBody | undefined {
    if (body === undefined || body.length === 0) return undefined;
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    const omitted = (why: string) => ({ omitted: why, bytes: bytes.length });
    if (bytes.length > maxRecordedBodyBytes) return omitted('too long');
    const lower = lowerCaseNames(headers);
    if (path.startsWith('/_vmctl/')) return omitted('request to the administration of vmctl serve');
    if (lower['content-encoding']) return omitted('compressed');
    const type = (lower['content-type'] ?? '').toLowerCase();
    if (!isUtf8(bytes)) {
      if (!type.startsWith('image/')) return omitted('not text');
      return { base64: Buffer.from(bytes).toString('base64') };
    }
    const masked = this.#maskBody(Buffer.from(bytes).toString('utf8'), type, isSignIn(path));
    return masked === undefined
      ? omitted('not well-formed')
      : { text: this.#maskKnownSecrets(masked) };
  }

  #maskBody(text: string, type: string, signsIn: boolean): string | undefined {
    if (type.includes('json')) return maskJson(text, this.#addSecret);
    if (type.includes('xml')) return maskXml(text, this.#addSecret);
    if (type.includes('x-www-form-urlencoded')) {
      return maskParameters(text, this.#addSecret, signsIn ? harmlessParameters : undefined);
    }
    const start = text.trimStart().charAt(0);
    if (start === '{' || start === '[') return maskJson(text, this.#addSecret);
    // HTML pages are rarely well-formed, and contain no data of the API.
    if (type.includes('html')) return maskLines(text, this.#addSecret);
    if (start === '<') return maskXml(text, this.#addSecret);
    return signsIn ? undefined : maskLines(text, this.#addSecret);
  }

  #addCredentials(header: string): void {
    const [scheme = '', value = ''] = header.trim().split(/\s+/, 2);
    this.#addSecret(value);
    if (!/^basic$/i.test(scheme)) return;
    const pair = Buffer.from(value, 'base64').toString('utf8');
    this.#addSecret(pair.slice(pair.indexOf(':') + 1));
  }

  #selectHeaders(
    headers: Readonly<Record<string, string>>,
    names: ReadonlySet<string>,
  ): Readonly<Record<string, string>> {
    return Object.fromEntries(
      Object.entries(lowerCaseNames(headers))
        .filter(([name]) => names.has(name))
        .map(([name, value]) => [name, this.#maskKnownSecrets(value)]),
    );
  }

  #maskKnownSecrets(text: string): string {
    let result = text.replace(userInformation, `://${hidden}@`);
    for (const secret of this.#secrets) {
      if (result.includes(secret)) result = result.replaceAll(secret, hidden);
    }
    return result;
  }
}

function lowerCaseNames(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
}

/** Whether a path belongs to the sign-in or sign-out. */
function isSignIn(path: string): boolean {
  return /^[^?]*\/(?:sso|services\/sso)/.test(path);
}
