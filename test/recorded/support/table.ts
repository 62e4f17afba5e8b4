/** Table of recorded engines: members of each kind of object, with frequency and form. */
import { readFileSync } from 'node:fs';

export interface Recorded {
  /** Members of an object by path, including `link:x`, `actions:x` and `@href`. */
  readonly members: ReadonlyMap<string, { readonly percent: number; readonly forms: Forms }>;
  readonly objects: number;
}

/** `int`, `word` and so on; empty for elements with children. */
export type Forms = readonly string[];

/** Recorded kinds by path and context: `/vms up`, `/hosts/{id}/nics`. */
export function readRecorded(): ReadonlyMap<string, Recorded> {
  const text = readFileSync(new URL('../../data/recorded.tsv', import.meta.url), 'utf8');
  const kinds = new Map<string, Recorded>();
  let members = new Map<string, { percent: number; forms: Forms }>();
  for (const line of text.split('\n')) {
    const [first = '', second = '', third = ''] = line.split('\t');
    if (first.startsWith('# ')) {
      members = new Map();
      kinds.set(first.slice(2), { members, objects: Number.parseInt(second, 10) });
    } else if (first !== '') {
      const forms = third === '' ? [] : third.split(',');
      members.set(first, { percent: Number(second), forms });
    }
  }
  return kinds;
}

const patterns: Readonly<Record<string, RegExp>> = {
  empty: /^$/,
  bool: /^(true|false)$/,
  int: /^-?\d+$/,
  decimal: /^-?\d+(\.\d+)?(E-?\d+)?$/i,
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  // Engines write the offset of their time zone; for UTC that is Z.
  'date.mmm+hh:mm': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}(Z|[+-]\d\d:\d\d)$/,
  // A word in one recording may be a text in the next: any text without spaces matches.
  word: /^\S+$/,
  text: /\S/,
};

/** Whether a value has one of the recorded forms. */
export function hasForm(value: string, forms: Forms): boolean {
  return forms.some((form) => patterns[form]?.test(value));
}
