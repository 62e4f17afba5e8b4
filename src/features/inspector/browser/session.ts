/** Who is signed in, and requests in that name. */

export type Json = Readonly<Record<string, unknown>>;

const meta = (name: string) =>
  document.querySelector(`meta[name="${name}"]`)?.getAttribute('content') ?? '';

/** Path of the application: `/virt-app`. */
export const appRoot = meta('app-root');

const key = 'vmctl-inspector';

/** Keeps the requests of this page out of the list of requests that it shows. */
const ownRequest = { 'Vmctl-Inspector': 'true' };

/** An answer that is no success, in the words of the server. */
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

  /** The one of this tab, if somebody has signed in here. */
  static remembered(): Session | undefined {
    const text = sessionStorage.getItem(key);
    if (text === null) return undefined;
    const { username, token } = JSON.parse(text) as { username: string; token: string };
    return new Session(username, token);
  }

  /** Signs in as everywhere. Throws `Refused` with what the service says. */
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
    const body = (await answer.json()) as Json;
    const token = body['access_token'];
    if (typeof token !== 'string') {
      const reason = String(body['error_description'] ?? body['error'] ?? answer.status);
      throw new Refused(answer.status, `not signed in: ${reason}`);
    }
    sessionStorage.setItem(key, JSON.stringify({ username, token }));
    return new Session(username, token);
  }

  /** Gives the token back, and forgets it. */
  async signOut(): Promise<void> {
    sessionStorage.removeItem(key);
    await fetch(`${appRoot}/services/sso-logout`, {
      method: 'POST',
      headers: { Accept: 'application/json', ...ownRequest },
      body: new URLSearchParams({ token: this.#token, scope: meta('scope') }),
    }).catch(() => undefined);
  }

  /** The text that is answered; paths begin with a slash. Throws `Refused`. */
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
    throw new Refused(answer.status, reasonIn(text) ?? `HTTP status ${answer.status}`);
  }

  async json(path: string, options: RequestInit = {}): Promise<Json> {
    return JSON.parse(await this.text(path, options)) as Json;
  }

  /** The objects of a collection of the API: `/vms?follow=statistics`. */
  async list(path: string): Promise<readonly Json[]> {
    const [only] = Object.values(await this.json(`${appRoot}/api${path}`));
    return Array.isArray(only) ? (only as Json[]) : [];
  }
}

/** Why something was refused: of a fault, or of an answer of the stand-in itself. */
function reasonIn(text: string): string | undefined {
  try {
    const body = JSON.parse(text) as Json;
    const fault = (body['fault'] ?? body) as Json;
    const parts = [fault['reason'], fault['detail']].filter((part) => typeof part === 'string');
    return parts.length > 0 ? parts.join(': ') : undefined;
  } catch {
    return undefined;
  }
}
