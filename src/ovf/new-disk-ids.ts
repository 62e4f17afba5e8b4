/** New ids for the disks that a document names: those that it has may be there, and belong to somebody. */
import { randomUUID } from 'node:crypto';

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The document with another id in the place of each of these, however it spells them. Others than UUIDs stay. */
export function withNewDiskIds(text: string, ids: Iterable<string>): string {
  return [...new Set(ids)]
    .filter((id) => uuid.test(id))
    .reduce((left, id) => left.replaceAll(new RegExp(id, 'gi'), randomUUID()), text);
}
