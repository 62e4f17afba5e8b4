/**
 * Redaction of requests and answers that are written down. Only headers that are known to be harmless
 * stay; of documents whatever is a secret by its name or place goes; and what was found to be a secret
 * is looked for everywhere else. What cannot be understood is left out.
 */
import { isUtf8 } from 'node:buffer';
import type { RecordedBody } from './exchange.ts';
import { maskJson, maskLines, maskParameters, maskXml, type OnSecret } from './mask-text.ts';
import { hidden } from './secret-names.ts';

/** Bytes of a body that are written down at most. */
export const maxRecordedBody = 64 * 2 ** 20;

const requestHeaders: ReadonlySet<string> = new Set([
  ...['accept', 'all-content', 'content-type', 'correlation-id', 'expect', 'filter', 'prefer'],
  ...['version', 'x-ovirt-expect'],
]);

const responseHeaders: ReadonlySet<string> = new Set([
  ...['allow', 'content-disposition', 'content-type', 'correlation-id', 'location', 'retry-after'],
  'www-authenticate',
]);

/** What of a sign-in says nothing secret. */
const harmlessParameters: ReadonlySet<string> = new Set([
  ...['grant_type', 'scope', 'username', 'token_type'],
]);

/** User and password in an address, as far as no other text looks like it. */
const userInformation = /:\/\/[^\s/?#"'<>@:\\]+:[^\s/?#"'<>@\\]+@/g;

/** Characters below which a text is too common to be looked for everywhere. */
const shortestSecret = 6;

export class Redactor {
  /** Texts that stand for secrets, in every notation. */
  readonly #secrets = new Set<string>();

  /** Notes a secret, however it may be written elsewhere. */
  readonly #learn: OnSecret = (secret) => {
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
    return this.#address(path, isSignIn(path));
  }

  /** A path or an address; `signsIn` says that parameters are secrets unless they are known not to be. */
  #address(path: string, signsIn: boolean): string {
    const at = path.indexOf('?');
    if (at < 0) return this.#scrubbed(path);
    const shown = signsIn ? harmlessParameters : undefined;
    const query = maskParameters(path.slice(at + 1), this.#learn, shown);
    return this.#scrubbed(`${path.slice(0, at)}?${query}`);
  }

  /** Any other text without the secrets that are known by now. */
  text(text: string): string {
    return this.#scrubbed(text);
  }

  /** The headers of a request that say what it is. */
  requestHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    for (const [name, value] of Object.entries(headers)) {
      if (/^(proxy-)?authorization$/i.test(name)) this.#learnCredentials(value);
    }
    return this.#chosen(headers, requestHeaders);
  }

  /** The headers of an answer that say what it is. */
  responseHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    const chosen = this.#chosen(headers, responseHeaders);
    const { location } = chosen;
    if (location === undefined) return chosen;
    // Whoever is sent elsewhere may take along what signs him in there.
    const isOfApi = /^[^?]*\/api(?:[/;?]|$)/.test(location);
    return { ...chosen, location: this.#address(location, !isOfApi) };
  }

  /** A body without secrets; nothing where there is none. `path` is where it was sent. */
  body(
    path: string,
    headers: Readonly<Record<string, string>>,
    body: string | Uint8Array | undefined,
  ): RecordedBody | undefined {
    if (body === undefined || body.length === 0) return undefined;
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    const omitted = (why: string) => ({ omitted: why, bytes: bytes.length });
    if (bytes.length > maxRecordedBody) return omitted('too long');
    const lower = lowerCase(headers);
    if (path.startsWith('/_vmctl/')) return omitted('request to the administration of vmctl serve');
    if (lower['content-encoding']) return omitted('compressed');
    const type = (lower['content-type'] ?? '').toLowerCase();
    if (!isUtf8(bytes)) {
      if (!type.startsWith('image/')) return omitted('not text');
      return { base64: Buffer.from(bytes).toString('base64') };
    }
    const masked = this.#masked(Buffer.from(bytes).toString('utf8'), type, isSignIn(path));
    return masked === undefined ? omitted('not well-formed') : { text: this.#scrubbed(masked) };
  }

  #masked(text: string, type: string, signsIn: boolean): string | undefined {
    if (type.includes('json')) return maskJson(text, this.#learn);
    if (type.includes('xml')) return maskXml(text, this.#learn);
    if (type.includes('x-www-form-urlencoded')) {
      return maskParameters(text, this.#learn, signsIn ? harmlessParameters : undefined);
    }
    const start = text.trimStart().charAt(0);
    if (start === '{' || start === '[') return maskJson(text, this.#learn);
    // Pages for browsers are seldom well-formed, and hold nothing of the API.
    if (type.includes('html')) return maskLines(text, this.#learn);
    if (start === '<') return maskXml(text, this.#learn);
    return signsIn ? undefined : maskLines(text, this.#learn);
  }

  #learnCredentials(header: string): void {
    const [scheme = '', value = ''] = header.trim().split(/\s+/, 2);
    this.#learn(value);
    if (!/^basic$/i.test(scheme)) return;
    const pair = Buffer.from(value, 'base64').toString('utf8');
    this.#learn(pair.slice(pair.indexOf(':') + 1));
  }

  #chosen(
    headers: Readonly<Record<string, string>>,
    names: ReadonlySet<string>,
  ): Readonly<Record<string, string>> {
    return Object.fromEntries(
      Object.entries(lowerCase(headers))
        .filter(([name]) => names.has(name))
        .map(([name, value]) => [name, this.#scrubbed(value)]),
    );
  }

  #scrubbed(text: string): string {
    let result = text.replace(userInformation, `://${hidden}@`);
    for (const secret of this.#secrets) {
      if (result.includes(secret)) result = result.replaceAll(secret, hidden);
    }
    return result;
  }
}

function lowerCase(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
}

/** Whether something is sent to where people sign in and out. */
function isSignIn(path: string): boolean {
  return /^[^?]*\/(?:sso|services\/sso)/.test(path);
}
