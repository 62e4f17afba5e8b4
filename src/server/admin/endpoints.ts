/**
 * `/_vmctl/...`: what only a stand-in has, for whoever tests against it. Asked for with the
 * credentials of the administrator; answers are JSON unless said otherwise.
 *
 * | | |
 * |---|---|
 * | `GET live` | 200 as soon as the API answers; of anybody |
 * | `GET ready` | 200 while the store can be read, 503 otherwise; of anybody |
 * | `GET metrics` | text format of Prometheus |
 * | `GET state` | everything as lines of JSON, for `vmctl serve --load` |
 * | `PUT state` | takes such a state in, in place of everything |
 * | `GET backup` | a backup of state and images, for `vmctl serve --restore` |
 * | `POST reset` | back to what the server began with |
 * | `GET`, `POST`, `DELETE faults`, `DELETE faults/ID` | failures that were asked for |
 * | `GET requests` | the last requests with their answers, without secrets; `since`, `limit`, `method`, `status` and `path` choose, `wait` waits so many milliseconds for one |
 * | `GET ui` | a page for browsers that shows all of this; it signs in by itself |
 * | `POST lose/HOST` | the host with this id or name answers no more |
 */

import {
  type ApiResponse,
  type ClientConnection,
  decodeUrlText,
  jsonObject,
  utf8Text,
} from '../api/request.ts';
import type { Authenticator } from '../auth/authenticate.ts';
import { requireAllowedDocument } from '../core/allowed-text.ts';
import { Refusal } from '../core/fault.ts';
import { FolderError, FolderInUse } from '../files/access.ts';
import { saveState } from '../store/state.ts';
import { type Store, StoreError } from '../store/store.ts';
import type { FaultRules } from './faults.ts';
import type { Metrics } from './metrics.ts';
import { type PageSettings, pageFile } from './page.ts';
import type { JournalFilter, RequestJournal } from './request-journal.ts';

export const adminPath = '/_vmctl';

export interface Administration {
  readonly store: Store;
  readonly authenticator: Authenticator;
  readonly faults: FaultRules;
  readonly metrics: Metrics;
  readonly journal: RequestJournal;
  readonly page: PageSettings;
  /** Puts the given state, or what the server began with, in place of everything. */
  readonly restart: (state?: string) => Promise<void>;
  /** A consistent copy of state and images, piece by piece. */
  readonly backup: () => Promise<Iterable<Uint8Array>>;
  /** The time of the service, in milliseconds. */
  readonly steady: () => number;
  /** A host stops answering. False where no host has this id or name. */
  readonly lose: (host: string) => Promise<boolean>;
}

export interface AdminRequest {
  readonly method: string;
  /** Below `/_vmctl/`. */
  readonly path: string;
  readonly parameters: URLSearchParams;
  readonly header: (name: string) => string | undefined;
  readonly body: () => Promise<Uint8Array>;
  readonly address: string;
  readonly connection: ClientConnection;
}

type Handler = (admin: Administration, request: AdminRequest, rest: string) => Promise<unknown>;

/** Escapes of JSON that may stand for a character that is not allowed. */
const escapedCharacter = /\\u(?:00[01]|d[89a-f]|fff[ef])/i;

/** Refuses a state whose escapes bring in characters that its text does not have. */
function requireAllowedLines(state: string): void {
  for (const line of state.split('\n')) {
    if (escapedCharacter.test(line)) requireAllowedDocument(jsonOf(line), 'The state');
  }
}

/** The value of a line; what is no JSON is refused later. */
function jsonOf(line: string): unknown {
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
    // Read as a whole, so that it is of one moment however slowly it is fetched.
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
        throw new Refusal(400, 'Bad state', reasonOf(error));
      }
      return { status: 'ok' };
    },
  },
  backup: {
    GET: async ({ backup }) => plain('application/octet-stream', await backup().catch(notCopied)),
  },
  reset: {
    POST: async ({ restart, faults }) => {
      await faults.remove();
      await restart();
      return { status: 'ok' };
    },
  },
  requests: {
    GET: async ({ journal }, { parameters, connection }) => {
      const { wait, ...filter } = filterOf(parameters);
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
  faults: {
    GET: async ({ faults }, _request, id) =>
      id === '' ? { faults: faults.all } : (faults.all.find((rule) => rule.id === id) ?? missing()),
    POST: async ({ faults }, request) => {
      try {
        return await faults.share(jsonObject(await request.body(), 'rule'));
      } catch (error) {
        if (error instanceof StoreError || error instanceof Refusal) throw error;
        throw new Refusal(400, 'Bad rule', reasonOf(error));
      }
    },
    DELETE: async ({ faults }, _request, id) =>
      (await faults.remove(id === '' ? undefined : id)) ? { status: 'ok' } : missing(),
  },
};

/** What balancers and supervisors ask, who have no credentials; those who give some are told what they are worth. */
const openToAnybody: ReadonlySet<string> = new Set(['live', 'ready']);

/** Who waits longer is asked to ask again. */
const longestWait = 30_000;

/** What the query of `GET requests` says. Refuses numbers that are none. */
function filterOf(parameters: URLSearchParams): JournalFilter & { readonly wait?: number } {
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

function missing(): never {
  throw new Refusal(404, 'Not Found', 'Rule not found.');
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
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

/** Answers a request below `/_vmctl`. Never throws a refusal: it becomes a JSON document. */
export async function administer(
  admin: Administration,
  request: AdminRequest,
): Promise<ApiResponse> {
  const page = request.method === 'GET' ? pageFile(request.path, admin.page) : undefined;
  if (page) return page;
  try {
    const [word = '', ...rest] = request.path.split('/');
    const isAnybody = request.header('authorization') === undefined && openToAnybody.has(word);
    if (!isAnybody) await authorise(admin, request);
    const methods = Object.hasOwn(handlers, word) ? handlers[word] : undefined;
    if (!methods) {
      const known = Object.keys(handlers).join(', ');
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
    return json(request.method === 'POST' && word === 'faults' ? 201 : 200, result);
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
