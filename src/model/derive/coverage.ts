/**
 * Accepted parameters and actions without an effect, with the reason, for `docs/coverage.md`. The
 * server reads all other parameters, and a test covers the effect of each.
 */
import type {
  ActionParameters,
  Collection,
  Ignored,
  MethodParameters,
} from '../notation/collections.ts';
import { allCollections } from './collections.ts';

export interface IgnoredParameter {
  readonly in: 'query' | 'body';
  readonly parameter: string;
  /** Method and path. */
  readonly operation: string;
  readonly why: string;
}

/** HTTP method and level of each operation of a collection. */
const methods = [
  { name: 'list', http: 'GET', level: 'collection' },
  { name: 'add', http: 'POST', level: 'collection' },
  { name: 'removeMany', http: 'DELETE', level: 'collection' },
  { name: 'get', http: 'GET', level: 'object' },
  { name: 'update', http: 'PUT', level: 'object' },
  { name: 'remove', http: 'DELETE', level: 'object' },
  { name: 'head', http: 'HEAD', level: 'object' },
] as const;

function ignoredIn(
  declared: MethodParameters | ActionParameters | undefined,
  operation: string,
  plainIs: 'query' | 'body',
): IgnoredParameter[] {
  const found = (place: 'query' | 'body', list: readonly (string | Ignored<string>)[]) =>
    list.flatMap((one) =>
      typeof one === 'string'
        ? []
        : [{ in: place, parameter: one.parameter, operation, why: one.ignored }],
    );
  if (declared === undefined) return [];
  if (!('length' in declared)) {
    return [...found('query', declared.query ?? []), ...found('body', declared.body ?? [])];
  }
  return found(plainIs, declared);
}

/** Path of each operation of a collection, by its name in the declaration. */
function listOperationPaths(path: string, objects: string | undefined, declared: Collection) {
  const single = objects ?? path;
  return [
    ...methods.map(({ name, http, level }) => ({
      name: name === 'removeMany' ? 'remove' : name,
      key: `${http} ${level === 'collection' ? path : single}`,
      parameters: declared[name],
      plainIs: 'query' as const,
    })),
    ...[
      { actions: declared.actions, at: single },
      { actions: declared.collectionActions, at: path },
    ].flatMap(({ actions, at }) =>
      Object.entries(actions ?? {}).map(([name, parameters]) => ({
        name,
        key: `POST ${at === '/' ? '' : at}/${name.replaceAll('_', '')}`,
        parameters,
        plainIs: 'body' as const,
      })),
    ),
  ];
}

const everyOperation = allCollections.flatMap(({ path, objects, declared }) =>
  listOperationPaths(path, objects, declared)
    .filter(({ parameters }) => parameters !== undefined)
    .map((operation) => ({ ...operation, declared })),
);

export const ignoredParameters: readonly IgnoredParameter[] = everyOperation.flatMap(
  ({ key, parameters, plainIs }) => ignoredIn(parameters, key, plainIs),
);

/** Accepted actions without a visible effect, with the reason. */
export const actionsWithoutEffect: Readonly<Record<string, string>> = Object.fromEntries(
  everyOperation.flatMap(({ name, key, declared }) => {
    const why = declared.withoutEffect?.[name];
    return why === undefined ? [] : [[key, why]];
  }),
);

/**
 * Operations that this service always refuses, with the reason, so that no test can cover their
 * success.
 */
export const refusedOperations: Readonly<Record<string, string>> = Object.fromEntries(
  everyOperation.flatMap(({ name, key, declared }) => {
    const why = declared.alwaysRefused?.[name];
    return why === undefined ? [] : [[key, why]];
  }),
);
