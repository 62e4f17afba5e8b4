/** New ids for the disks in a document, because its ids can belong to other disks. */
import { randomUUID } from 'node:crypto';

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Replaces each of these ids by a new one, in any spelling. Ids other than UUIDs remain. */
export function withNewDiskIds(text: string, ids: Iterable<string>): string {
  return [...new Set(ids)]
    .filter((id) => uuid.test(id))
    .reduce((left, id) => left.replaceAll(new RegExp(id, 'gi'), randomUUID()), text);
}
