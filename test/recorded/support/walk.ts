/** Search for all objects of a kind in a service. */
import type { RawApi } from '../../support/raw.ts';
import { type Element, findChild, parseDocument } from './document.ts';

/** An object with its path. */
export interface Found {
  readonly where: string;
  readonly element: Element;
}

/** All objects of a context such as `/vms/{id}/snapshots active`. */
export async function findObjects(api: RawApi, context: string): Promise<Found[]> {
  const [path = '', ...state] = context.split(' ');
  const word = context.includes(' ') ? state.join(' ') : undefined;
  let places = [''];
  for (const part of path.slice(1).split('/')) {
    const wider = places.map(async (place) =>
      part === '{id}' ? (await listed(api, place)).map(({ where }) => where) : [`${place}/${part}`],
    );
    places = (await Promise.all(wider)).flat();
  }
  const single = path.endsWith('{id}');
  const found = await Promise.all(
    places.map(async (place) => (single ? [await one(api, place)] : listed(api, place))),
  );
  return found.flat().filter(({ element }) => isInState(element, word));
}

async function one(api: RawApi, path: string): Promise<Found> {
  const { status, text } = await api.xml('GET', path);
  if (status !== 200) throw new Error(`GET ${path} answered ${status}: ${text}`);
  return { where: path, element: parseDocument(text) };
}

async function listed(api: RawApi, path: string): Promise<Found[]> {
  const { status, text } = await api.xml('GET', path);
  // Not every storage domain has files.
  if (status !== 200) return [];
  return parseDocument(text)
    .children.filter(({ attributes }) => attributes['id'] !== undefined)
    .map((element) => ({ where: `${path}/${element.attributes['id']}`, element }));
}

/** `up` and `not up` are states of VMs, the others are types of snapshots. */
function isInState(element: Element, word: string | undefined): boolean {
  if (word === undefined) return true;
  const status = findChild(element, 'status')?.text;
  if (word === 'up') return status === 'up';
  if (word === 'not up') return status !== 'up';
  return (findChild(element, 'snapshot_type')?.text ?? '') === word;
}
