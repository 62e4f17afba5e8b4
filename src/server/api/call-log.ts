/** Log of the operations that tests call, and of the parameters that the server reads of each. */

import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Operation } from '../../model/index.ts';
import type { StoredObject } from '../store/kinds.ts';
import type { ApiRequest, ApiResponse } from './request.ts';

const originals = new WeakMap<object, StoredObject>();

/** The same object; `read` is told of each member that is looked up, not of those enumerated. */
export function watched(object: StoredObject, read: (name: string) => void): StoredObject {
  // A copy of all members asks for the descriptor of each just before its value.
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

/** The object itself, where it is watched: whether a member is missing says nothing of its use. */
export function unwatched(object: StoredObject): StoredObject {
  return originals.get(object) ?? object;
}

/** One line of the log. */
export interface LoggedCall {
  /** `POST /vms/{vm}/start` */
  readonly operation: string;
  readonly status: number;
  /** The `User-Agent` of the client. */
  readonly agent: string;
  /** Names of the query parameters, and of the elements of the action, that were read. */
  readonly query: readonly string[];
  readonly body: readonly string[];
}

/** A call that is observed while it is answered. */
export interface ObservedCall {
  /** The same request and body; what is read of them is noted. */
  readonly request: ApiRequest;
  readonly body: StoredObject | StoredObject[];
  /** The same response; the call is noted when all of it was made. */
  readonly answered: (response: ApiResponse) => ApiResponse;
}

export class CallLog {
  readonly #file: string;
  /** What is in the file already: the same call again tells nothing new. */
  readonly #written = new Set<string>();

  /** Writes into a file of its own in the folder, which it makes. */
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
      // What is added or changed has no parameters; each attribute of it is of its type.
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
    // At once: a server may be killed.
    appendFileSync(this.#file, `${line}\n`);
  }
}

/** Calls back when the response is made, of which the items of lists are made one by one. */
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

/** Notes whose value is looked up. */
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
