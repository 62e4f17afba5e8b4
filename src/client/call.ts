/** Call of an operation of the model, with ids, query and body. */
import type { Operation } from '../model/index.ts';
import type { Resource } from '../model/resource.ts';
import type { TypeName } from '../model/resources/index.ts';

/** Object of a type that is not known when the code is written. */
export type ApiObject = Record<string, unknown>;

/** Object of the named type; of any type if the name is not known when the code is written. */
export type ObjectOf<T extends TypeName> = TypeName extends T ? ApiObject : Resource<T>;

export type QueryValue = string | number | bigint | boolean;

/** `T` is the type of the objects of the operation. */
export interface Call<T extends TypeName = TypeName> {
  readonly operation: Operation<T>;
  /** Ids by the placeholders of the path: `{ vm: '…' }`. */
  readonly ids?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, QueryValue | undefined>>;
  /** Main object, or parameters of an action. */
  readonly body?: object;
  /**
   * Attributes of the object that the body changes, as read before the call. Absent if the command
   * has not read them.
   */
  readonly before?: ApiObject;
  /** The same change in the form that the user entered, for the history and dry runs. */
  readonly recordedAs?: Call;
  readonly headers?: Readonly<Record<string, string>>;
  /** Description for error messages: `start vms/web01`. */
  readonly what?: string;
  readonly signal?: AbortSignal;
  /** Whether this is the request of the command itself, rather than a lookup. */
  readonly isPrimary?: boolean;
}

/** Collection of a request. Empty if it is not at the API root. */
export function getRootNoun({ service }: Operation): { readonly noun?: string } {
  const [, noun = '', , below] = service.split('/');
  return noun === '' || below !== undefined ? {} : { noun };
}

/** Description of a call for messages. */
export function describeCall(call: Call): string {
  return call.what ?? `${call.operation.http} ${buildPath(call)}`;
}

/** Path of a call with ids and query. */
export function buildPath({ operation, ids = {}, query = {} }: Call): string {
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
