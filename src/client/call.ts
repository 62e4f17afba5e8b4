/** Call of an operation of the model: what its path, its query and its body need. */
import type { Operation } from '../model/index.ts';

/** An object of the model in memory. */
export type ApiObject = Record<string, unknown>;

export type QueryValue = string | number | bigint | boolean;

export interface Call {
  readonly operation: Operation;
  /** Ids by placeholder of the path: `{ vm: '…' }`. */
  readonly ids?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, QueryValue | undefined>>;
  /** The main object, or the parameters of an action. */
  readonly body?: object;
  /** The object as it is before the call, where somebody has just read all of it that the body is about. */
  readonly before?: ApiObject;
  /** The same change as the user expressed it: what the history records and a dry run compares. */
  readonly recordedAs?: Call;
  readonly headers?: Readonly<Record<string, string>>;
  /** What is tried, in words, for error messages: `start vms/web01`. */
  readonly what?: string;
  readonly signal?: AbortSignal;
  /** The request that the command is about, not one on the way to it. */
  readonly isPrimary?: boolean;
}

/** The collection that a request is about, where that is one of the root. */
export function nounOf({ service }: Operation): { readonly noun?: string } {
  const [, noun = '', , below] = service.split('/');
  return noun === '' || below !== undefined ? {} : { noun };
}

/** What a call is about, in words for messages. */
export function whatOf(call: Call): string {
  return call.what ?? `${call.operation.http} ${pathOf(call)}`;
}

/** The path of a call with its ids and its query. */
export function pathOf({ operation, ids = {}, query = {} }: Call): string {
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const id = ids[name];
    if (!id) throw new Error(`The path ${operation.path} needs the id of ${name}.`);
    return encodeURIComponent(id);
  });
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  if (given.length === 0) return path;
  const pairs = given.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
  return `${path}?${pairs.join('&')}`;
}
