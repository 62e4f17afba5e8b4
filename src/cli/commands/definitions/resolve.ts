/** Resolution of the names in a definition to the ids that the service gave. */
import { NotFoundError } from '../../../client/errors.ts';
import { attributesOf, isType, parseKind } from '../../../model/index.ts';
import { scopeOf } from '../../../model/naming.ts';
import { homeOf } from '../../verbs/collections.ts';
import type { Scope } from '../../verbs/identifiers.ts';
import type { Finder } from '../../verbs/references.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Told of a name that nothing has; what it returns is used instead, or it throws. */
export type OnMissing = (path: string, error: NotFoundError) => void;

/** For what has to be there by now. */
export function insist(_path: string, error: NotFoundError): never {
  throw error;
}

/** A copy of the object in which references are ids; `onMissing` leaves a name as it is. */
export async function resolved(
  finder: Finder,
  type: string,
  fields: Fields,
  onMissing: OnMissing,
  prefix = '',
): Promise<Record<string, unknown>> {
  const attributes = isType(type) ? attributesOf(type) : {};
  const result: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    const attribute = attributes[name];
    const path = `${prefix}${name}`;
    result[name] = attribute
      ? await resolvedValue(finder, parseKind(attribute.kind), value, onMissing, path)
      : value;
  }
  return result;
}

type Parsed = ReturnType<typeof parseKind>;

async function resolvedValue(
  finder: Finder,
  kind: Parsed,
  value: unknown,
  onMissing: OnMissing,
  path: string,
): Promise<unknown> {
  if (Array.isArray(value)) {
    const items: unknown[] = [];
    for (const one of value) items.push(await resolvedValue(finder, kind, one, onMissing, path));
    return items;
  }
  if (typeof value !== 'object' || value === null) return value;
  const fields = value as Fields;
  if (kind.form === 'struct') return await resolved(finder, kind.of, fields, onMissing, `${path}.`);
  if (kind.form !== 'ref' && kind.form !== 'links') return value;
  const names = Object.keys(fields);
  if (names.includes('id')) return value;
  if (isScoped(kind.of, names)) return await scoped(finder, kind.of, fields, onMissing, path);
  if (names.length > 1) return await resolved(finder, kind.of, fields, onMissing, `${path}.`);
  const [name] = Object.values(fields);
  try {
    return await finder.reference(String(name), kind.of);
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
    onMissing(path, error);
    return value;
  }
}

/** A reference that says where the name is meant: `{ name: mgmt, data_center: south }`. */
function isScoped(type: string, names: readonly string[]): boolean {
  const scope = scopeOf(type);
  return (
    scope !== undefined && names.length === 2 && ['name', scope].every((one) => names.includes(one))
  );
}

async function scoped(
  finder: Finder,
  type: string,
  fields: Fields,
  onMissing: OnMissing,
  path: string,
): Promise<Fields> {
  const { name, ...around } = fields;
  const own = await resolved(finder, type, around, onMissing, `${path}.`);
  const scope = scopeIn(type, own);
  const home = homeOf(type);
  // What is around it is not there yet, as was told.
  if (!scope || !home) return fields;
  const found = await finder.look(String(name), home, {}, scope);
  if (found) return { id: found.id };
  const place = nameOf(around[scope.attribute]) ?? scope.id;
  const what = `there is no such object with the ${scope.attribute} ${place}`;
  onMissing(path, new NotFoundError(`${home.noun}/${String(name)}: ${what}`));
  return fields;
}

/**
 * The reference to something that is only named by what it is put into: the network of a cluster is
 * the one of its data center. Throws where nothing has the name.
 */
export async function referenceWithin(
  finder: Finder,
  type: string,
  named: Fields,
  above: Fields = {},
): Promise<Fields> {
  const scope = scopeOf(type) ?? '';
  if (above[scope] === undefined) return await finder.reference(String(named['name']), type);
  const member = { ...named, [scope]: above[scope] };
  return await scoped(finder, type, member, insist, type);
}

/** What an object, its references looked up, says of where its name is meant. */
export function scopeIn(type: string, own: Fields): Scope | undefined {
  const attribute = scopeOf(type);
  const id = attribute && (own[attribute] as { readonly id?: string } | undefined)?.id;
  return attribute !== undefined && id !== undefined ? { attribute, id } : undefined;
}

function nameOf(value: unknown): string | undefined {
  const name = (value as { readonly name?: unknown } | undefined)?.name;
  return name === undefined ? undefined : String(name);
}
