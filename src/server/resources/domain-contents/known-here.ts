/** Objects that come from another site name others that are not here: such references are left out. */
import { attributesOf, parseKind, referencedType } from '../../../model/index.ts';
import { isStored } from '../../core/collection-ref.ts';
import { isRecord, type StoredObject } from '../../store/document.ts';
import type { Transaction } from '../../store/transaction.ts';

/** The object without references to what is not here; a structure that has nothing else goes, too. */
export function knownHere<T extends object>(tx: Transaction, type: string, object: T): T {
  const known = new Map<string, unknown>(Object.entries(object));
  for (const [name, value] of Object.entries(object)) {
    const attribute = attributesOf(type)[name];
    if (!attribute) continue;
    const { form, of } = parseKind(attribute.kind);
    if (form === 'struct') {
      const left = Array.isArray(value)
        ? value.flatMap((one: unknown) => (isRecord(one) ? (knownPart(tx, of, one) ?? []) : [one]))
        : isRecord(value)
          ? knownPart(tx, of, value)
          : value;
      if (left === undefined) known.delete(name);
      else known.set(name, left);
    } else if (form === 'ref' && !isHere(tx, of, value)) {
      known.delete(name);
    } else if (form === 'links' && Array.isArray(value)) {
      const here = value.filter((one: unknown) => isHere(tx, of, one));
      known.set(name, here);
    }
  }
  return Object.fromEntries(known) as T;
}

function knownPart(tx: Transaction, type: string, part: StoredObject): StoredObject | undefined {
  const known = knownHere(tx, type, part);
  const isEmptied = Object.keys(known).length === 0 && Object.keys(part).length > 0;
  return isEmptied ? undefined : known;
}

function isHere(tx: Transaction, named: string, value: unknown): boolean {
  const type = referencedType(named);
  if (!isStored(type) || !isRecord(value) || typeof value['id'] !== 'string') return true;
  return tx.get(type, value['id']) !== undefined;
}
