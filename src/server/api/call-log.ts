/** Log of the operations in tests, with the parameters that the server reads. */

import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Operation } from '../../model/index.ts';
import type { StoredObject } from '../store/kinds.ts';
import type { ApiRequest, ApiResponse } from './request.ts';

const originals = new WeakMap<object, StoredObject>();

/**
 * Wraps an object. `read` is called for each member that is read by name, not for enumerated
 * members.
 */
export function watched(object: StoredObject, read: (name: string) => void): StoredObject {
  // A spread reads the descriptor of each member just before its value.
  let copied: string | symbol | undefined;
  const proxy = new Proxy(object, {
    getOwnPropertyDescriptor(target, name) {
      copied = name;
      return Reflect.getOwnPropertyDescriptor(target, name);
    },
    get(target, name) {
      if (name !== copied && typeof name === 'string') read(name);
      copied = undefined;
      return Reflect.get(target, name);
    },
  });
  originals.set(proxy, object);
  return proxy;
}

/** Returns the wrapped object, for checks of missing members, which are no use of them. */
export function unwatched(object: StoredObject): StoredObject {
  return originals.get(object) ?? object;
}

/** Line of the log. */
export interface LoggedCall {
  /** `POST /vms/{vm}/start` */
  readonly operation: string;
  readonly status: number;
  /** The `User-Agent` of the client. */
  readonly agent: string;
  /** Names of read query parameters, and of read elements of the action. */
  readonly query: readonly string[];
  readonly body: readonly string[];
}

/** Observed request. */
export interface ObservedCall {
  /** Request and body that record reads. */
  readonly request: ApiRequest;
  readonly body: StoredObject | StoredObject[];
  /** Wraps the response, and writes the line after it is encoded. */
  readonly answered: (response: ApiResponse) => ApiResponse;
}

export class CallLog {
  readonly #file: string;
  /** Written lines, to skip duplicates. */
  readonly #written = new Set<string>();

  /** Creates the folder, and a file for this process in it. */
  constructor(folder: string) {
    mkdirSync(folder, { recursive: true });
    this.#file = join(folder, `${process.pid}-${Date.now()}.jsonl`);
  }

  observe(
    operation: Operation,
    request: ApiRequest,
    body: StoredObject | StoredObject[],
  ): ObservedCall {
    const read = { query: new Set<string>(), body: new Set<string>() };
    return {
      request: { ...request, parameters: new WatchedMap(request.parameters, read.query) },
      // Added and changed objects have no parameters: their attributes belong to their type.
      body:
        Array.isArray(body) || operation.body.length === 0
          ? body
          : watched(body, (name) => read.body.add(name)),
      answered: (response) =>
        whenMade(response, (status) =>
          this.#write({
            operation: `${operation.http} ${operation.path}`,
            status,
            agent: request.header('user-agent') ?? '',
            query: operation.query.filter((name) => read.query.has(name)),
            body: operation.body.filter((name) => read.body.has(name)),
          }),
        ),
    };
  }

  #write(call: LoggedCall): void {
    const line = JSON.stringify(call);
    if (this.#written.has(line)) return;
    this.#written.add(line);
    // Synchronous, because a test can kill the server.
    appendFileSync(this.#file, `${line}\n`);
  }
}

/** Calls `done` after the response is encoded. Lists are encoded item by item. */
function whenMade(response: ApiResponse, done: (status: number) => void): ApiResponse {
  const { body, status } = response;
  if (body === undefined || typeof body === 'string') {
    done(status);
    return response;
  }
  function* pieces(whole: Iterable<string | Uint8Array>) {
    yield* whole;
    done(status);
  }
  return { ...response, body: pieces(body) };
}

/** Map that records read keys. */
class WatchedMap extends Map<string, string> {
  readonly #read: Set<string>;

  constructor(entries: ReadonlyMap<string, string>, read: Set<string>) {
    super(entries);
    this.#read = read;
  }

  override get(name: string): string | undefined {
    this.#read.add(name);
    return super.get(name);
  }
}
