/**
 * Administrative endpoints below `/_vmctl/`, which real engines lack. They require the credentials
 * of the administrator, unless noted otherwise. Responses are JSON by default.
 *
 * | | |
 * |---|---|
 * | `GET live` | 200 after the API has started; without credentials |
 * | `GET ready` | 200 while the store is readable, 503 otherwise; without credentials |
 * | `GET metrics` | Prometheus text format |
 * | `GET state` | complete state as JSON lines, for `vmctl serve --load` |
 * | `PUT state` | replaces the complete state with such a document |
 * | `GET backup` | backup of state and images, for `vmctl serve --restore` |
 * | `POST reset` | restores the initial state |
 * | `GET requests` | recent requests with their responses, without secrets (see `parseFilter`) |
 * | `POST lose/HOST` | the host with this id or name stops responding |
 */

import { getErrorMessage } from '../../caught-errors.ts';
import { type ApiResponse, decodeUrlText, utf8Text } from '../api/request.ts';
import type { Authenticator } from '../auth/authenticate.ts';
import { requireAllowedDocument } from '../core/allowed-text.ts';
import { Refusal } from '../core/fault.ts';
import { FolderError, FolderInUse } from '../files/access.ts';
import { saveState } from '../store/state.ts';
import type { Store } from '../store/store.ts';
import {
  type AdminRequest,
  Created,
  type PageSettings,
  type ServerExtension,
} from './extension.ts';
import type { Metrics } from './metrics.ts';
import type { JournalFilter, RequestJournal } from './request-journal.ts';

export const adminPath = '/_vmctl';

export interface Administration {
  readonly store: Store;
  readonly authenticator: Authenticator;
  readonly extensions: readonly ServerExtension[];
  readonly metrics: Metrics;
  readonly journal: RequestJournal;
  readonly page: PageSettings;
  /** Replaces the complete state with the given one, or with the initial state. */
  readonly restart: (state?: string) => Promise<void>;
  /** A consistent copy of state and images, in pieces. */
  readonly backup: () => Promise<Iterable<Uint8Array>>;
  /** Service time in milliseconds. */
  readonly steady: () => number;
  /** Makes a host non-responsive. Resolves with false if no host has this id or name. */
  readonly lose: (host: string) => Promise<boolean>;
}

type Handler = (admin: Administration, request: AdminRequest, rest: string) => Promise<unknown>;

/** JSON escapes that may encode a forbidden character. */
const escapedCharacter = /\\u(?:00[01]|d[89a-f]|fff[ef])/i;

/** Refuses a state whose escapes encode characters that are forbidden in its text. */
function requireAllowedLines(state: string): void {
  for (const line of state.split('\n')) {
    if (escapedCharacter.test(line)) requireAllowedDocument(parseLine(line), 'The state');
  }
}

/** The value of a line; undefined for invalid JSON, which is refused later. */
function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

const ok = () => Promise.resolve({ status: 'ok' });

const handlers: Readonly<Record<string, Readonly<Record<string, Handler>>>> = {
  live: { GET: ok },
  ready: {
    GET: async ({ store }) => {
      store.read((tx) => tx.tasks.nextDue());
      return { status: 'ok' };
    },
  },
  metrics: {
    GET: async ({ metrics, store }) => plain('text/plain; version=0.0.4', [metrics.text(store)]),
  },
  state: {
    // Read completely before sending, so that a slow download is consistent.
    GET: async ({ store, steady }) =>
      plain(
        'application/x-ndjson',
        store.read((tx) => [...saveState(tx, steady())]),
      ),
    PUT: async ({ restart }, request) => {
      const state = utf8Text(await request.body(), 'The state');
      try {
        requireAllowedLines(state);
        await restart(state);
      } catch (error) {
        throw new Refusal(400, 'Bad state', getErrorMessage(error));
      }
      return { status: 'ok' };
    },
  },
  backup: {
    GET: async ({ backup }) => plain('application/octet-stream', await backup().catch(notCopied)),
  },
  reset: {
    POST: async ({ restart, extensions }) => {
      for (const extension of extensions) await extension.reset?.();
      await restart();
      return { status: 'ok' };
    },
  },
  requests: {
    GET: async ({ journal }, { parameters, connection }) => {
      const { wait, ...filter } = parseFilter(parameters);
      const since = filter.since ?? 0;
      if (wait !== undefined) {
        await journal.wait(since, Math.min(wait, longestWait), connection);
      }
      const requests = journal.requests(filter);
      return { requests, last: Math.max(journal.last, since) };
    },
  },
  lose: {
    POST: async ({ lose }, _request, host) => {
      if (await lose(decodeUrlText(host))) return { status: 'ok' };
      throw new Refusal(404, 'Not Found', `Host ${host} not found.`);
    },
  },
};

/**
 * Endpoints for load balancers and supervisors, available without credentials. Sent credentials are
 * still validated.
 */
const openToAnybody: ReadonlySet<string> = new Set(['live', 'ready']);

/** Maximum milliseconds of a long poll. */
const longestWait = 30_000;

/** Parses the query of `GET requests`. Refuses invalid numbers. */
function parseFilter(parameters: URLSearchParams): JournalFilter & { readonly wait?: number } {
  const number = (name: string) => {
    const text = parameters.get(name);
    if (text === null) return undefined;
    if (/^\d{1,15}$/.test(text)) return Number(text);
    throw new Refusal(400, 'Bad parameter', `${name}=${text} is not an integer.`);
  };
  const text = (name: string) => parameters.get(name) ?? undefined;
  const all = {
    since: number('since'),
    limit: number('limit'),
    wait: number('wait'),
    method: text('method'),
    status: text('status'),
    path: text('path'),
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

function notCopied(error: unknown): never {
  if (!(error instanceof FolderError)) throw error;
  if (error instanceof FolderInUse) throw new Refusal(409, 'Conflict', error.message);
  throw new Refusal(503, 'Service Unavailable', error.message);
}

class Plain {
  readonly type: string;
  readonly body: Iterable<string | Uint8Array>;

  constructor(type: string, body: Iterable<string | Uint8Array>) {
    this.type = type;
    this.body = body;
  }
}

function plain(type: string, body: Iterable<string | Uint8Array>): Plain {
  return new Plain(type, body);
}

/** Handles a request below `/_vmctl`. Returns refusals as a JSON document and never throws them. */
export async function administer(
  admin: Administration,
  request: AdminRequest,
): Promise<ApiResponse> {
  const page = findPage(admin, request);
  if (page) return page;
  try {
    const [word = '', ...rest] = request.path.split('/');
    const isAnybody = request.header('authorization') === undefined && openToAnybody.has(word);
    if (!isAnybody) await authorise(admin, request);
    const all = { ...handlers, ...listExtensionHandlers(admin.extensions) };
    const methods = Object.hasOwn(all, word) ? all[word] : undefined;
    if (!methods) {
      const known = Object.keys(all).join(', ');
      throw new Refusal(404, 'Not Found', `${adminPath} has ${known}.`);
    }
    const handler = methods[request.method];
    if (!handler) {
      const allow = Object.keys(methods).join(', ');
      throw new Refusal(405, 'Method Not Allowed', `${adminPath}/${word} allows ${allow}.`);
    }
    const result = await handler(admin, request, rest.join('/'));
    if (result instanceof Plain) {
      return { status: 200, headers: { 'Content-Type': result.type }, body: result.body };
    }
    return result instanceof Created ? json(201, result.value) : json(200, result);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const challenge = error.status === 401 ? { 'WWW-Authenticate': 'Basic realm="vmctl"' } : {};
    const { status, headers, body } = json(error.status, {
      reason: error.reason,
      detail: error.detail,
    });
    return {
      status,
      headers: { ...headers, ...error.headers, ...challenge },
      ...(body ? { body } : {}),
    };
  }
}

/** The handlers of extensions. */
function listExtensionHandlers(extensions: readonly ServerExtension[]): typeof handlers {
  const all = extensions.flatMap(({ endpoints = {} }) => Object.entries(endpoints));
  return Object.fromEntries(
    all.map(([word, methods]) => [
      word,
      Object.fromEntries(
        Object.entries(methods).map(([method, endpoint]): [string, Handler] => [
          method,
          (_admin, request, rest) => endpoint(request, rest),
        ]),
      ),
    ]),
  );
}

/** A page of an extension. */
function findPage(
  { extensions, page: settings }: Administration,
  { method, path }: AdminRequest,
): ApiResponse | undefined {
  if (method !== 'GET') return undefined;
  for (const { page } of extensions) {
    const found = page?.(path, settings);
    if (found) return found;
  }
  return undefined;
}

async function authorise({ authenticator }: Administration, request: AdminRequest): Promise<void> {
  const found = await authenticator.authenticate(
    {
      authorization: request.header('authorization'),
      cookie: undefined,
      prefer: undefined,
      sessionTtl: undefined,
      address: request.address,
    },
    adminPath,
  );
  if ('refusal' in found) throw found.refusal;
  if ('refused' in found) throw new Refusal(401, 'Unauthorized', found.refused);
  if (!found.caller.superUser) {
    throw new Refusal(403, 'Forbidden', 'Only the administrator of the system has access.');
  }
}

function json(status: number, value: unknown): ApiResponse {
  return {
    status,
    headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' },
    body: `${JSON.stringify(value)}\n`,
  };
}
