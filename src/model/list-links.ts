/** Links to follow for lists of other objects in a response. */
import { listAttributes, listLinkNames, listSubCollections, parseKind } from './index.ts';

/** Attributes whose name differs from the last segment of their collection, by that segment. */
const attributeByWord: Readonly<Record<string, string>> = {
  fenceagents: 'agents',
  storage: 'storages',
  weights: 'weight',
  glusterbricks: 'bricks',
  storageserverconnections: 'storageconnections',
};

/** Attribute that contains a collection, without underscores. */
export function attributeOfCollection(word: string): string {
  return attributeByWord[word] ?? word;
}

/**
 * Value of `follow` that adds a list of other objects to a response, for a path of the model such
 * as `/vms/{vm}`: `nics`, `fenceagents`, `disk_attachments.disk`. Returns `'inline'` if every
 * response contains the list, and `'elsewhere'` if objects at this path do not have it.
 */
export function linksForList(path: string, type: string, attribute: string): string {
  const { kind, through } = listAttributes(type)[attribute] ?? {};
  if (kind === undefined || parseKind(kind).form !== 'links') return 'inline';
  const plain = attribute.replaceAll('_', '');
  const isShown = (word: string) => attributeOfCollection(word) === plain;
  const word = listSubCollections(path).find(isShown);
  if (word !== undefined) return word === plain ? attribute : word;
  if (![...listLinkNames(type)].some(isShown)) return 'inline';
  const [first = ''] = through?.split('.') ?? [];
  return listSubCollections(path).includes(first.replaceAll('_', ''))
    ? (through ?? '')
    : 'elsewhere';
}
