/** Queries on the model: attributes of types, operations, paths. */
import { type OperationParameters, type ServiceDefinition, services } from './derive/services.ts';
import { types } from './derive/types.ts';
import type { Attribute, Kind, ScalarKind, TypeDefinition } from './notation/attributes.ts';
import type { DeclaredPath, OperationAt, TypeAt } from './paths.ts';
import type { TypeName } from './resources/index.ts';

/** Declaration of a type. Throws for an unknown type, which is a programming error. */
export function getType(name: string): TypeDefinition {
  const found = types[name];
  if (!found) throw new Error(`The model has no type ${name}.`);
  return found;
}

/**
 * First path of a service with two paths: clusters are at the top level and below their data
 * center.
 */
export function primaryPath(path: string): string {
  return path.replace(/^\/datacenters\/\{datacenter\}(?=\/clusters)/, '');
}

/** Whether the model has a type of this name. */
export function isType(name: string): name is TypeName {
  return Object.hasOwn(types, name);
}

const identifiedAttributes: Readonly<Record<string, Attribute>> = {
  name: { kind: 'string', mut: 'CU' },
  description: { kind: 'string', mut: 'CU' },
  comment: { kind: 'string', mut: 'CU' },
};

const attributesByType = new Map<string, Readonly<Record<string, Attribute>>>();

/** Attributes of a type and its bases, base first, without `id` and `href`. */
export function listAttributes(name: string): Readonly<Record<string, Attribute>> {
  let attributes = attributesByType.get(name);
  if (!attributes) {
    const type = getType(name);
    const inherited = type.base
      ? listAttributes(type.base)
      : type.identified
        ? identifiedAttributes
        : {};
    // No prototype: lookups of names from documents and paths, for example "constructor", must not
    // find its members.
    const own: Record<string, Attribute> = Object.assign(
      Object.create(null),
      inherited,
      type.attributes,
    );
    attributes = own;
    attributesByType.set(name, attributes);
  }
  return attributes;
}

/** Type of the objects that references of this type identify. */
export function getReferencedType(name: TypeName): TypeName {
  const { standsFor } = getType(name);
  return standsFor !== undefined && isType(standsFor) ? standsFor : name;
}

/** Whether objects of the type have an id (specification 2.2). */
export function isIdentified(name: string): boolean {
  const type = getType(name);
  return type.identified ?? (type.base ? isIdentified(type.base) : false);
}

/** XML element of one object of the type, and JSON key of a list of them. */
export function getTag(name: string): string {
  return getType(name).tag ?? name;
}

/** XML element of a list of objects of the type. */
export function getPluralTag(name: string): string {
  const { plural } = getType(name);
  if (plural) return plural;
  const tag = getTag(name);
  return /[^aeiou]y$/.test(tag) ? `${tag.slice(0, -1)}ies` : `${tag}s`;
}

/** Parsed kind. `of` is a scalar kind, or the name of an enum or type. */
export type ParsedKind = (
  | { readonly form: 'scalar'; readonly of: ScalarKind }
  | { readonly form: 'enum'; readonly of: string }
  | { readonly form: TypeForm; readonly of: TypeName }
) & { readonly list: boolean };

const scalarKinds: readonly ScalarKind[] = ['string', 'int', 'long', 'decimal', 'bool', 'date'];

const typeForms = ['struct', 'ref', 'links'] as const;

type TypeForm = (typeof typeForms)[number];

const parsedKinds = new Map<string, ParsedKind>();

/** Parses a kind: `list enum boot_device` is a list of values of the enum `boot_device`. */
export function parseKind(kind: Kind): ParsedKind {
  let parsed = parsedKinds.get(kind);
  if (!parsed) {
    parsed = splitKind(kind);
    parsedKinds.set(kind, parsed);
  }
  return parsed;
}

function splitKind(kind: Kind): ParsedKind {
  const words = kind.split(' ');
  const list = words[0] === 'list';
  if (list) words.shift();
  const [first = '', of] = words;
  if (of === undefined) {
    const scalar = scalarKinds.find((one) => one === first);
    if (!scalar) throw new Error(`The model has no kind ${first}.`);
    return { form: 'scalar', of: scalar, list };
  }
  const form = typeForms.find((one) => one === first);
  if (!form) return { form: 'enum', of, list };
  if (!isType(of)) throw new Error(`The model has no type ${of}.`);
  return { form, of, list: list || form === 'links' };
}

/** Type of the objects in an attribute or of its references. `undefined` for plain values. */
export function getObjectType(kind: Kind): TypeName | undefined {
  const { form, of } = parseKind(kind);
  return form === 'scalar' || form === 'enum' ? undefined : of;
}

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'DELETE' | 'HEAD';

/** Operation of the API (specification 4.1). `T` is the type of its objects, if it is known. */
export interface Operation<T extends TypeName = TypeName> {
  /** Name in snake case: `list`, `add`, `reset_emulated_machine`. */
  readonly name: string;
  readonly http: HttpMethod;
  /** Path template below the API root: `/vms/{vm}/start`. */
  readonly path: string;
  /** Path template of the service: `/vms/{vm}`. */
  readonly service: string;
  /** Type of the objects of the service. */
  readonly type: T;
  readonly isAction: boolean;
  /** Names of the query parameters. */
  readonly query: readonly string[];
  /** Names of the elements of the action body. */
  readonly body: readonly string[];
  /** Whether the main parameter is a list, although the operation is not `list` (adding bricks). */
  readonly listBody: boolean;
}

const methods: Readonly<Record<string, HttpMethod>> = {
  head: 'HEAD',
  list: 'GET',
  get: 'GET',
  add: 'POST',
  update: 'PUT',
  remove: 'DELETE',
};

const operationsByPath = new Map<string, readonly Operation[]>();

/** Operations of a service, by its declared path template. */
export function listOperations(path: string): readonly Operation[] {
  const service = services[path];
  if (!service) return [];
  let operations = operationsByPath.get(path);
  if (!operations) {
    operations = Object.entries(service.operations).map(([name, parameters]) =>
      operation(path, service, name, parameters),
    );
    operationsByPath.set(path, operations);
  }
  return operations;
}

/** Operation of a declared path. */
export function requireOperation<P extends DeclaredPath>(
  path: P,
  name: OperationAt<P>,
): Operation<TypeAt<P>> {
  const found = listOperations(path).find((one) => one.name === name);
  if (!found) throw new Error(`The model has no ${name} of ${path}.`);
  // The type at the path is inferred from the declarations that the operations derive from.
  return found as Operation<TypeAt<P>>;
}

let everyOperation: readonly Operation[] | undefined;

/** All operations of the API. */
export function listAllOperations(): readonly Operation[] {
  everyOperation ??= Object.keys(services).flatMap((path) => listOperations(path));
  return everyOperation;
}

function operation(
  path: string,
  service: ServiceDefinition,
  name: string,
  { query, body, bodyIsList }: OperationParameters,
): Operation {
  const http = methods[name];
  return {
    name,
    http: http ?? 'POST',
    path: http ? path : `${path === '/' ? '' : path}/${name.replaceAll('_', '')}`,
    service: path,
    type: service.type,
    isAction: http === undefined,
    query,
    body,
    listBody: bodyIsList,
  };
}

/** Whether a path template addresses one object: `/vms/{vm}`, not `/vms`. */
export function addressesObject(path: string): boolean {
  return path === '/' || path.endsWith('}');
}

let childrenByPath: ReadonlyMap<string, readonly string[]> | undefined;

/** Sub-collections of an object: the `rel` of its links, and the segment of their paths. */
export function listSubCollections(path: string): readonly string[] {
  childrenByPath ??= mapSubCollections();
  return childrenByPath.get(path) ?? [];
}

function mapSubCollections(): ReadonlyMap<string, readonly string[]> {
  const children = new Map<string, string[]>();
  for (const path of Object.keys(services)) {
    if (path === '/') continue;
    const end = path.lastIndexOf('/');
    const parent = path.slice(0, end) || '/';
    const names = children.get(parent);
    if (names) names.push(path.slice(end + 1));
    else children.set(parent, [path.slice(end + 1)]);
  }
  return children;
}

const linksByType = new Map<string, ReadonlySet<string>>();

/** Links of objects of a type, at any path. */
export function listLinkNames(type: string): ReadonlySet<string> {
  let names = linksByType.get(type);
  if (!names) {
    const paths = Object.keys(services).filter(
      (path) => addressesObject(path) && services[path]?.type === type,
    );
    names = new Set(paths.flatMap((path) => listSubCollections(path)));
    linksByType.set(type, names);
  }
  return names;
}

/** Types whose lists declare a search although their objects have no search fields. */
const withoutFields = new Set([
  'nic',
  'watchdog',
  'external_host_provider',
  'openstack_image_provider',
  'openstack_network_provider',
  'openstack_volume_provider',
]);

/** Whether a list can be searched: it declares a search, and its type has search fields. */
export function isSearchable({ query, type }: Pick<Operation, 'query' | 'type'>): boolean {
  return query.includes('search') && !withoutFields.has(type);
}
