/** All services of the API by path, with type and operations (specification 4.5). */
import type { ActionParameters, Ignored, MethodParameters } from '../notation/collections.ts';
import type { TypeName } from '../resources/index.ts';
import { allCollections, type DeclaredCollection } from './collections.ts';

/** Names of the parameters of an operation. */
export interface OperationParameters {
  readonly query: readonly string[];
  /** Elements of the body in addition to the object. */
  readonly body: readonly string[];
  /** Whether the main element is a list, although the operation is not `list`. */
  readonly bodyIsList: boolean;
}

/**
 * Operations of one path. `list`, `get`, `add`, `update`, `remove` and `head` are the HTTP methods
 * of specification 4.1. Other names are actions: POST to the path followed by the name without
 * underscores.
 */
export interface ServiceDefinition {
  /** Type of the objects at the path. */
  readonly type: TypeName;
  readonly operations: Readonly<Record<string, OperationParameters>>;
}

type Declared = MethodParameters | ActionParameters;

function getParameterName(parameter: string | Ignored<string>): string {
  return typeof parameter === 'string' ? parameter : parameter.parameter;
}

function isPlainList(declared: Declared): declared is Extract<Declared, readonly unknown[]> {
  return Array.isArray(declared);
}

function parameters(declared: Declared, listIs: 'query' | 'body'): OperationParameters {
  if (isPlainList(declared)) {
    const names = declared.map(getParameterName);
    const [query, body] = listIs === 'query' ? [names, []] : [[], names];
    return { query, body, bodyIsList: false };
  }
  const { query = [], body = [], bodyIsList = false } = declared;
  return { query: query.map(getParameterName), body: body.map(getParameterName), bodyIsList };
}

type Named = readonly [name: string, declared: Declared | undefined, listIs: 'query' | 'body'];

function operations(named: readonly Named[]): ServiceDefinition['operations'] {
  return Object.fromEntries(
    named.flatMap(([name, declared, listIs]) =>
      declared ? [[name, parameters(declared, listIs)]] : [],
    ),
  );
}

function actions(all: Readonly<Record<string, ActionParameters>> | undefined): Named[] {
  return Object.entries(all ?? {}).map(([name, declared]) => [name, declared, 'body'] as const);
}

function createServices({ type, path, objects, declared }: DeclaredCollection) {
  const { list, add, get, update, remove, removeMany, head } = declared;
  const ofCollection = operations([
    ['list', list, 'query'],
    ['add', add, 'query'],
    ['remove', removeMany, 'query'],
    ...actions(declared.collectionActions),
  ]);
  const ofObject = operations([
    ['head', head, 'query'],
    ['get', get, 'query'],
    ['update', update, 'query'],
    ['remove', remove, 'query'],
    ...actions(declared.actions),
  ]);
  if (!objects) return [[path, { type, operations: { ...ofCollection, ...ofObject } }] as const];
  return [
    [path, { type, operations: ofCollection }] as const,
    [objects, { type, operations: ofObject }] as const,
  ];
}

/** Collections at the top level, in the order of the resources. */
const topLevel = allCollections.map(({ path }) => path).filter((path) => /^\/\w*$/.test(path));

function rank(path: string): number {
  return topLevel.indexOf(`/${path.split('/')[1]}`);
}

/** Order by top-level collection, then by path. */
function inOrder([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return rank(one) - rank(other) || (one < other ? -1 : 1);
}

export const services: Readonly<Record<string, ServiceDefinition>> = Object.fromEntries(
  allCollections.flatMap(createServices).sort(inOrder),
);
