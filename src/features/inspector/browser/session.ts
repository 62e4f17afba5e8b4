/** Session of the page: sign-in and authenticated requests. */
import { asObjects, getObject, type Json, parseObject } from './json.ts';

const meta = (name: string) =>
  document.querySelector(`meta[name="${name}"]`)?.getAttribute('content') ?? '';

/** Root path of the application: `/virt-app`. */
export const appRoot = meta('app-root');

const key = 'vmctl-inspector';

/** Header that excludes the requests of this page from the request log. */
const ownRequest = { 'Vmctl-Inspector': 'true' };

/** An error response, with the message of the server. */
export class Refused extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export class Session {
  readonly username: string;
  readonly #token: string;

  private constructor(username: string, token: string) {
    this.username = username;
    this.#token = token;
  }

  /** The stored session of this tab, if any. */
  static restore(): Session | undefined {
    const text = sessionStorage.getItem(key);
    if (text === null) return undefined;
    const { username, token } = parseObject(text);
    return new Session(String(username), String(token));
  }

  /** Signs in with a password. Throws `Refused` with the reason of the service. */
  static async signIn(username: string, password: string): Promise<Session> {
    const answer = await fetch(`${appRoot}/sso/oauth/token`, {
      method: 'POST',
      headers: { Accept: 'application/json', ...ownRequest },
      body: new URLSearchParams({
        grant_type: 'password',
        scope: meta('scope'),
        username,
        password,
      }),
    });
    const body = parseObject(await answer.text());
    const token = body['access_token'];
    if (typeof token !== 'string') {
      const reason = String(body['error_description'] ?? body['error'] ?? answer.status);
      throw new Refused(answer.status, `not signed in: ${reason}`);
    }
    sessionStorage.setItem(key, JSON.stringify({ username, token }));
    return new Session(username, token);
  }

  /** Revokes the token and deletes the stored session. */
  async signOut(): Promise<void> {
    sessionStorage.removeItem(key);
    await fetch(`${appRoot}/services/sso-logout`, {
      method: 'POST',
      headers: { Accept: 'application/json', ...ownRequest },
      body: new URLSearchParams({ token: this.#token, scope: meta('scope') }),
    }).catch(() => undefined);
  }

  /** Response text for an absolute path. Throws `Refused`. */
  async text(
    path: string,
    options: RequestInit = {},
    accept = 'application/json',
  ): Promise<string> {
    const answer = await fetch(path, {
      ...options,
      headers: {
        Accept: accept,
        Authorization: `Bearer ${this.#token}`,
        ...ownRequest,
        ...options.headers,
      },
    });
    const text = await answer.text();
    if (answer.ok) return text;
    if (answer.status === 401) sessionStorage.removeItem(key);
    throw new Refused(answer.status, findReason(text) ?? `HTTP status ${answer.status}`);
  }

  async json(path: string, options: RequestInit = {}): Promise<Json> {
    return parseObject(await this.text(path, options));
  }

  /** Objects of an API collection: `/vms?follow=statistics`. */
  async list(path: string, options: RequestInit = {}): Promise<readonly Json[]> {
    const [only] = Object.values(await this.json(`${appRoot}/api${path}`, options));
    return asObjects(only);
  }
}

/** Reason of a refusal: from a fault of the API or from an error of the server. */
function findReason(text: string): string | undefined {
  try {
    const body = parseObject(text);
    const fault = body['fault'] === undefined ? body : getObject(body, 'fault');
    const parts = [fault['reason'], fault['detail']].filter((part) => typeof part === 'string');
    return parts.length > 0 ? parts.join(': ') : undefined;
  } catch {
    return undefined;
  }
}
