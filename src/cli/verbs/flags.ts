/** Flags of a verb from the model: parents, query parameters, attributes of the body. */

import { nounOptions } from '../../model/derive/commands.ts';
import { listEnumValues } from '../../model/enum-values.ts';
import { isSearchable, parseKind } from '../../model/index.ts';
import type { Kind, SizeUnit } from '../../model/notation/attributes.ts';
import { type Parameter, queryParameters } from '../../model/notation/parameters.ts';
import { findRootCollection, getSingular, type Parent } from './collections.ts';
import type { Candidate, Verb } from './derive-verbs.ts';
import { deriveFields, type Field, isReference, toKebabCase } from './fields.ts';
import { getVerbOptions } from './verb-names.ts';

export interface ModelFlag {
  /** Identity of the flag: the name without hyphens. */
  readonly key: string;
  /** Names without leading dashes; help shows the first. */
  readonly names: readonly string[];
  /** Placeholder of the value; absent for switches. */
  readonly value: string | undefined;
  readonly doc: string;
  readonly isMany: boolean;
  readonly section: 'parents' | 'body' | 'query';
}

/** Meanings of the flags for one collection of the verb. */
export interface Meanings {
  readonly parents: ReadonlyMap<string, Parent>;
  readonly fields: ReadonlyMap<string, Field>;
  readonly queries: ReadonlyMap<string, { readonly name: string; readonly kind: Kind }>;
}

/** Returns the identity of a flag. */
export function getFlagKey(name: string): string {
  return name.replaceAll('-', '').toLowerCase();
}

/** Additional names of query parameters. */
const queryAliases: Readonly<Record<string, readonly string[]>> = {
  max: ['limit'],
  filter: ['filtered'],
};

const queryParametersByName: Readonly<Record<string, Parameter>> = queryParameters;

/** Query parameters that other flags set. */
const hiddenQueries: ReadonlySet<string> = new Set(['async']);

export interface VerbFlags {
  readonly flags: readonly ModelFlag[];
  readonly meanings: ReadonlyMap<Candidate, Meanings>;
}

/** Derives all flags of a verb from the model, merged over its collections. */
export function deriveFlags(verb: Verb): VerbFlags {
  const names = createParentNaming(verb);
  const flags = new Map<string, ModelFlag>();
  const meanings = new Map<Candidate, Meanings>();
  for (const candidate of verb.candidates) {
    meanings.set(candidate, deriveMeanings(verb, candidate, names, flags));
  }
  return { flags: [...flags.values()], meanings };
}

function deriveMeanings(
  verb: Verb,
  candidate: Candidate,
  names: (parent: Parent) => readonly string[],
  flags: Map<string, ModelFlag>,
): Meanings {
  const parents = new Map<string, Parent>();
  const fields = new Map<string, Field>();
  const queries = new Map<string, { name: string; kind: Kind }>();
  const add = (words: readonly string[], flag: Omit<ModelFlag, 'key' | 'names'>) => {
    const key = getFlagKey(words[0] ?? '');
    const known = flags.get(key);
    if (!known) flags.set(key, { key, names: words, ...flag });
    else flags.set(key, { ...known, names: [...new Set([...known.names, ...words])] });
    return key;
  };
  for (const parent of candidate.parents) {
    const words = names(parent);
    const doc = `Parent ${getHumanNoun(parent.noun)} (name or id).`;
    parents.set(add(words, { value: 'REF', doc, isMany: false, section: 'parents' }), parent);
  }
  if (!verb.isStatistics && verb.kind !== 'wait') {
    const { flagAliases = {} } = getVerbOptions(verb);
    for (const [name, field] of deriveFields(verb, candidate.operation)) {
      const more = flagAliases[name] ?? [];
      fields.set(
        add([...listFlagNames(name, field), ...more], { ...describeFlag(field), section: 'body' }),
        field,
      );
    }
  }
  for (const name of verb.kind === 'wait' ? [] : candidate.operation.query) {
    const parameter = queryParametersByName[name];
    if (!parameter || hiddenQueries.has(name)) continue;
    if (name === 'search' && !isSearchable(candidate.operation)) continue;
    const words = [...listSpellings(toKebabCase(name)), ...(queryAliases[name] ?? [])];
    const key = add(words, {
      ...describeValue(parameter.kind),
      doc: parameter.doc,
      section: 'query',
    });
    queries.set(key, { name, kind: parameter.kind });
  }
  return { parents, fields, queries };
}

let parentFlagsByKind: ReadonlyMap<string, readonly string[]> | undefined;

/** Returns other names of a parent flag, by the singular of its noun. */
function getParentFlags(kind: string): readonly string[] | undefined {
  parentFlagsByKind ??= new Map(
    Object.entries(nounOptions).flatMap(([noun, { parentFlags: names }]) =>
      names ? [[getSingular(noun), names]] : [],
    ),
  );
  return parentFlagsByKind.get(kind);
}

/** Returns the spellings of a flag: `storage-domain`, `storagedomain` and `sd`. */
function listSpellings(name: string): readonly string[] {
  const plain = name.replaceAll('-', '');
  const short = getParentFlags(plain);
  if (short) return [...new Set([name, plain, ...short])];
  return [...new Set([name, name.replace('storage-domain', 'storagedomain')])];
}

function describeValue(kind: Kind, unit?: SizeUnit): Pick<ModelFlag, 'value' | 'isMany'> {
  const { form, of, list } = parseKind(kind);
  if (form === 'scalar' && of === 'bool' && !list) return { value: undefined, isMany: false };
  if (of === 'gluster_brick') return { value: 'HOST:/DIR,...', isMany: true };
  if (isReference(kind)) return { value: list ? 'REF,...' : 'REF', isMany: list };
  if (form === 'enum') return { value: list ? 'WORD,...' : 'WORD', isMany: list };
  const word = unit !== undefined ? 'SIZE' : valueWords[of];
  return { value: list ? `${word ?? 'TEXT'},...` : (word ?? 'TEXT'), isMany: list };
}

const valueWords: Readonly<Record<string, string>> = {
  int: 'N',
  long: 'N',
  decimal: 'N',
  date: 'DATE',
  version: 'VERSION',
};

/**
 * Returns the names of a flag. Secrets come from files, because other users can see the command
 * line.
 */
function listFlagNames(name: string, field: Field): readonly string[] {
  return field.secret ? [`${name}-file`] : listSpellings(name);
}

function describeFlag(field: Field): Pick<ModelFlag, 'value' | 'isMany' | 'doc'> {
  const doc = formatDoc(field);
  if (field.secret)
    return { value: 'FILE', isMany: false, doc: 'File with the value; - for stdin.' };
  return { ...describeValue(field.kind, field.unit), doc };
}

/** Formats the help of a flag as a noun phrase. */
function formatDoc({ path, kind, doc, unit }: Field): string {
  const known = attributeDocs[path];
  if (known !== undefined) {
    const isPlain = unit === undefined || unit === 'bytes';
    return isPlain ? known : `${known.replace(/\.$/, '')}; a plain number is in ${unit}.`;
  }
  if (doc.endsWith('.')) return doc;
  const { form, of, list } = parseKind(kind);
  if (form === 'enum') {
    const words = listEnumValues(of);
    const shown = words.slice(0, 6).join(', ');
    return words.length > 6 ? `One of ${shown}, ...` : `One of ${shown}.`;
  }
  if (isReference(kind)) {
    const home = findRootCollection(of);
    const what = home ? getHumanNoun(home.noun) : of.replaceAll('_', ' ');
    return list ? `${what} (names or ids).` : `${what} (name or id).`;
  }
  return `${path.replaceAll(/[._]/g, ' ')}.`;
}

const attributeDocs: Readonly<Record<string, string>> = {
  name: 'Name.',
  description: 'Description.',
  comment: 'Comment.',
  memory: 'Memory, for example 4GiB.',
  template: 'Template (name or id).',
  delete_protected: 'Protection against deletion.',
  stateless: 'Discard changes of the disks at the next stop.',
  start_paused: 'Start in paused state.',
  provisioned_size: 'Virtual size, for example 20GiB.',
  format: 'Format: raw, or cow for thin provisioning.',
  sparse: 'Thin provisioning: allocate space on write.',
  alias: 'Name.',
  address: 'Address.',
  mtu: 'Maximum packet size in bytes.',
  bootable: 'Boot from this disk.',
  active: 'Attach in active state.',
  read_only: 'Read-only for the guest.',
  linked: 'Link state of the cable.',
  plugged: 'Whether the device is plugged in.',
  local: 'Local storage of one host.',
  value: 'Value.',
};

/**
 * Creates the function that names the flag of a parent: by its placeholder if unique in the verb,
 * and by its kind: `--volume` and `--glustervolume`.
 */
function createParentNaming(verb: Verb): (parent: Parent) => readonly string[] {
  const nounsByPlaceholder = new Map<string, Set<string>>();
  for (const { parents } of verb.candidates) {
    for (const { placeholder, noun } of parents) {
      const nouns = nounsByPlaceholder.get(placeholder) ?? new Set<string>();
      nounsByPlaceholder.set(placeholder, nouns.add(noun));
    }
  }
  return ({ placeholder, noun }) => {
    const kind = getSingular(noun);
    const isClear = nounsByPlaceholder.get(placeholder)?.size === 1;
    const words = isClear ? [placeholder, kind] : [kind];
    const others = getParentFlags(kind) ?? [];
    // The hyphenated name comes first: `--storage-domain` is spelled the same in all commands.
    const hyphenated = others.filter((one) => getFlagKey(one) === kind);
    return [...new Set([...hyphenated, ...words, ...others])];
  };
}

/** Returns the name of one object in text. */
export function getHumanNoun(noun: string): string {
  return nounOptions[noun]?.one ?? getSingular(noun);
}
