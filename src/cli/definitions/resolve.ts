/** Names in the values of a definition, looked up: references get the ids that the service gave. */
import { NotFoundError } from '../../client/errors.ts';
import { attributesOf, isType, parseKind } from '../../model/index.ts';
import type { Finder } from '../resources/references.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Told of a name that nothing has; what it returns is used instead, or it throws. */
export type OnMissing = (path: string, error: NotFoundError) => void;

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
