/** Plain HTTP requests, based on the specification only, without code of our client. */
import { Agent, request } from 'node:https';
import { currentTest } from './current-test.ts';
import type { TestServer } from './server.ts';

export interface RawAnswer {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly text: string;
  readonly bytes: Buffer;
  /** Body parsed as JSON. */
  json<T = Record<string, unknown>>(): T;
  /** Text of the first element with a name, at any depth. */
  element(name: string): string | undefined;
  /** Value of the first attribute with a name. */
  attribute(name: string): string | undefined;
}

export interface RawOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  readonly ca?: string;
  readonly agent?: Agent;
}

/** Sends one request and reads the complete response. */
export function send(url: string, options: RawOptions = {}): Promise<RawAnswer> {
  const { method = 'GET', headers = {}, body, ca, agent } = options;
  return new Promise((resolve, reject) => {
    const outgoing = request(
      url,
      {
        method,
        headers: {
          ...(body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }),
          ...headers,
        },
        ...(ca === undefined ? {} : { ca }),
        ...(agent ? { agent } : {}),
      },
      (response) => {
        const pieces: Buffer[] = [];
        response.on('data', (piece: Buffer) => pieces.push(piece));
        response.on('error', reject);
        response.on('end', () => {
          const bytes = Buffer.concat(pieces);
          resolve(createAnswer(response.statusCode ?? 0, response.headers, bytes));
        });
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

function createAnswer(
  status: number,
  headers: NodeJS.Dict<string | string[]>,
  bytes: Buffer,
): RawAnswer {
  const text = bytes.toString('utf8');
  return {
    status,
    headers,
    bytes,
    text,
    json: <T>() => JSON.parse(text) as T,
    element: (name) => new RegExp(`<${name}(?: [^>]*)?>([^<]*)</${name}>`).exec(text)?.[1],
    attribute: (name) => new RegExp(` ${name}="([^"]*)"`).exec(text)?.[1],
  };
}

/** Authenticated session with a server, without the client. */
export class RawApi {
  readonly server: TestServer;
  readonly token: string;
  readonly agent: Agent;

  constructor(server: TestServer, token: string) {
    this.server = server;
    this.token = token;
    this.agent = new Agent({ keepAlive: true, ca: server.ca });
  }

  /** Signs in with the password grant. */
  static async signIn(server: TestServer, scope = 'virt-app-api'): Promise<RawApi> {
    const answer = await requestToken(server, scope);
    return new RawApi(server, String(answer.json()['access_token']));
  }

  /** Sends a request below the API root. */
  call(method: string, path: string, options: Omit<RawOptions, 'method'> = {}): Promise<RawAnswer> {
    return send(`${this.server.ready.api_url}${path}`, {
      ...options,
      method,
      agent: this.agent,
      headers: {
        Authorization: `Bearer ${this.token}`,
        'User-Agent': currentTest(),
        ...options.headers,
      },
    });
  }

  xml(
    method: string,
    path: string,
    body?: string,
    headers: RawOptions['headers'] = {},
  ): Promise<RawAnswer> {
    return this.call(method, path, {
      headers: { Accept: 'application/xml', 'Content-Type': 'application/xml', ...headers },
      ...(body === undefined ? {} : { body }),
    });
  }

  json(
    method: string,
    path: string,
    body?: unknown,
    headers: RawOptions['headers'] = {},
  ): Promise<RawAnswer> {
    return this.call(method, path, {
      headers: { Accept: 'application/json', 'Content-Type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  /** Repeats a read until it meets the condition. */
  async until(path: string, met: (answer: RawAnswer) => boolean): Promise<RawAnswer> {
    for (;;) {
      const answer = await this.json('GET', path);
      if (met(answer)) return answer;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}

/** Requests a token with the administrator's password or another one. */
export function requestToken(
  server: TestServer,
  scope = 'virt-app-api',
  secret = server.password,
): Promise<RawAnswer> {
  const form = new URLSearchParams({
    grant_type: 'password',
    scope,
    username: server.ready.username,
    password: secret,
  });
  return send(`${server.ready.auth_url}/oauth/token`, {
    method: 'POST',
    ca: server.ca,
    headers: { Accept: 'application/json', 'Content-Type': 'application/x-www-form-urlencoded' },
    body: form.toString(),
  });
}
