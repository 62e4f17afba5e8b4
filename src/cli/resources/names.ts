/** Names for references: answers have ids, tables are read by people. */
import type { Client, Thing } from '../../client/client.ts';
import { attributesOf, isType, parseKind } from '../../model/index.ts';
import type { Column } from '../output/columns.ts';
import { homeOf } from './collections.ts';
import { operationNamed, placeholderOf } from './references.ts';

const few = 2;

/**
 * Fills the names in that the columns show and the answer left out, with one list for each kind of
 * object, or single requests where only a few are missing. Whatever fails is shown by its id.
 */
export async function fillNames(
  client: Client,
  type: string,
  items: readonly Thing[],
  columns: readonly Column[],
): Promise<readonly Thing[]> {
  if (!isType(type)) return items;
  let result = items;
  for (const path of columns.flatMap((column) => column.paths)) {
    const [attribute = '', member = '', ...deeper] = path.split('.');
    if (deeper.length > 0 || !['name', 'alias', 'user_name'].includes(member)) continue;
    const kind = attributesOf(type)[attribute]?.kind;
    const parsed = kind ? parseKind(kind) : undefined;
    if (parsed?.form !== 'ref' || parsed.list) continue;
    result = await filled(client, result, attribute, member, parsed.of);
  }
  return result;
}

async function filled(
  client: Client,
  items: readonly Thing[],
  attribute: string,
  member: string,
  type: string,
): Promise<readonly Thing[]> {
  const missing = new Set<string>();
  for (const item of items) {
    const reference = item[attribute] as Thing | undefined;
    if (reference?.['id'] !== undefined && reference[member] === undefined) {
      missing.add(String(reference['id']));
    }
  }
  if (missing.size === 0) return items;
  const known = await lookUp(client, type, missing);
  return items.map((item) => {
    const reference = item[attribute] as Thing | undefined;
    const value = known.get(String(reference?.['id']))?.[member];
    if (value === undefined || reference?.[member] !== undefined) return item;
    return { ...item, [attribute]: { ...reference, [member]: value } };
  });
}

async function lookUp(
  client: Client,
  type: string,
  ids: ReadonlySet<string>,
): Promise<ReadonlyMap<string, Thing>> {
  const home = homeOf(type);
  const list = home && operationNamed(home.path, 'list');
  const get = home?.object ? operationNamed(home.object, 'get') : undefined;
  const known = new Map<string, Thing>();
  if (!home || !list) return known;
  try {
    if (get && ids.size <= few) {
      for (const id of ids) {
        const [item] = await client.glance({ operation: get, ids: { [placeholderOf(home)]: id } });
        if (item) known.set(id, item);
      }
    } else {
      for (const item of await client.glance({ operation: list })) {
        known.set(String(item['id']), item);
      }
    }
  } catch {
    // Not allowed to see them, or gone meanwhile: the id has to do.
  }
  return known;
}
