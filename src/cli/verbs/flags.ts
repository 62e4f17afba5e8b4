/** Flags of a verb that come from the model: parents, query parameters, attributes of the body. */
import { nounOptions } from '../../model/derive/commands.ts';
import { type EnumName, enums } from '../../model/enums.ts';
import { isSearchable, parseKind } from '../../model/index.ts';
import type { Kind, SizeUnit } from '../../model/notation/attributes.ts';
import { type Parameter, queryParameters } from '../../model/notation/parameters.ts';
import { homeOf, type Parent, singular } from './collections.ts';
import type { Candidate, Verb } from './derive-verbs.ts';
import { type Field, fieldsOf, isReference, kebab } from './fields.ts';
import { verbOptions } from './verb-names.ts';

export interface ModelFlag {
  /** Identity: the same word with other hyphens is the same flag. */
  readonly key: string;
  /** As typed, without dashes; the first one is shown. */
  readonly names: readonly string[];
  /** What stands behind it; absent for switches. */
  readonly value: string | undefined;
  readonly doc: string;
  readonly isMany: boolean;
  readonly section: 'parents' | 'body' | 'query';
}

/** What the flags mean for one of the places at which the verb is possible. */
export interface Meanings {
  readonly parents: ReadonlyMap<string, Parent>;
  readonly fields: ReadonlyMap<string, Field>;
  readonly queries: ReadonlyMap<string, { readonly name: string; readonly kind: Kind }>;
}

/** The identity of a flag. */
export function keyOf(name: string): string {
  return name.replaceAll('-', '').toLowerCase();
}

/** Query parameters under friendlier names, beside their own. */
const queryAliases: Readonly<Record<string, readonly string[]>> = {
  max: ['limit'],
  filter: ['filtered'],
};

/** Query parameters that are set by other flags of the command line. */
const hiddenQueries: ReadonlySet<string> = new Set(['async']);

export interface VerbFlags {
  readonly flags: readonly ModelFlag[];
  readonly meanings: ReadonlyMap<Candidate, Meanings>;
}

/** All flags that come from the model, merged over the places of the verb. */
export function flagsOf(verb: Verb): VerbFlags {
  const names = parentNames(verb);
  const flags = new Map<string, ModelFlag>();
  const meanings = new Map<Candidate, Meanings>();
  for (const candidate of verb.candidates) {
    meanings.set(candidate, meaningsOf(verb, candidate, names, flags));
  }
  return { flags: [...flags.values()], meanings };
}

function meaningsOf(
  verb: Verb,
  candidate: Candidate,
  names: (parent: Parent) => readonly string[],
  flags: Map<string, ModelFlag>,
): Meanings {
  const parents = new Map<string, Parent>();
  const fields = new Map<string, Field>();
  const queries = new Map<string, { name: string; kind: Kind }>();
  const add = (words: readonly string[], flag: Omit<ModelFlag, 'key' | 'names'>) => {
    const key = keyOf(words[0] ?? '');
    const known = flags.get(key);
    if (!known) flags.set(key, { key, names: words, ...flag });
    else flags.set(key, { ...known, names: [...new Set([...known.names, ...words])] });
    return key;
  };
  for (const parent of candidate.parents) {
    const words = names(parent);
    const doc = `Parent ${humanNoun(parent.noun)} (name or id).`;
    parents.set(add(words, { value: 'REF', doc, isMany: false, section: 'parents' }), parent);
  }
  if (!verb.isStatistics && verb.kind !== 'wait') {
    const { flagAliases = {} } = verbOptions(verb);
    for (const [name, field] of fieldsOf(verb, candidate.operation)) {
      const more = flagAliases[name] ?? [];
      fields.set(
        add([...wordsFor(name, field), ...more], { ...shownAs(field), section: 'body' }),
        field,
      );
    }
  }
  for (const name of verb.kind === 'wait' ? [] : candidate.operation.query) {
    const parameter = (queryParameters as Readonly<Record<string, Parameter>>)[name];
    if (!parameter || hiddenQueries.has(name)) continue;
    if (name === 'search' && !isSearchable(candidate.operation)) continue;
    const words = [...spellingsOf(kebab(name)), ...(queryAliases[name] ?? [])];
    const key = add(words, {
      ...valueFlag(parameter.kind),
      doc: parameter.doc,
      section: 'query',
    });
    queries.set(key, { name, kind: parameter.kind });
  }
  return { parents, fields, queries };
}

let flagsOfParents: ReadonlyMap<string, readonly string[]> | undefined;

/** Other names of the flag of a parent, by the singular of its noun. */
function parentFlags(kind: string): readonly string[] | undefined {
  flagsOfParents ??= new Map(
    Object.entries(nounOptions).flatMap(([noun, { parentFlags: names }]) =>
      names ? [[singular(noun), names]] : [],
    ),
  );
  return flagsOfParents.get(kind);
}

/** `storage-domain` may be written `storagedomain` and `sd`, whatever it stands for. */
function spellingsOf(name: string): readonly string[] {
  const plain = name.replaceAll('-', '');
  const short = parentFlags(plain);
  if (short) return [...new Set([name, plain, ...short])];
  return [...new Set([name, name.replace('storage-domain', 'storagedomain')])];
}

function valueFlag(kind: Kind, unit?: SizeUnit): Pick<ModelFlag, 'value' | 'isMany'> {
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

/** Secrets come from files: what is on the command line is seen by everybody. */
function wordsFor(name: string, field: Field): readonly string[] {
  return field.secret ? [`${name}-file`] : spellingsOf(name);
}

function shownAs(field: Field): Pick<ModelFlag, 'value' | 'isMany' | 'doc'> {
  const doc = docOf(field);
  if (field.secret)
    return { value: 'FILE', isMany: false, doc: 'File with the value; - for stdin.' };
  return { ...valueFlag(field.kind, field.unit), doc };
}

/** The help of a flag of the model, as a noun phrase. */
function docOf({ path, kind, doc, unit }: Field): string {
  const known = attributeDocs[path];
  if (known !== undefined) {
    const isPlain = unit === undefined || unit === 'bytes';
    return isPlain ? known : `${known.replace(/\.$/, '')}; a plain number is in ${unit}.`;
  }
  if (doc.endsWith('.')) return doc;
  const { form, of, list } = parseKind(kind);
  if (form === 'enum') {
    const words: readonly string[] = enums[of as EnumName];
    const shown = words.slice(0, 6).join(', ');
    return words.length > 6 ? `One of ${shown}, ...` : `One of ${shown}.`;
  }
  if (isReference(kind)) {
    const home = homeOf(of);
    const what = home ? humanNoun(home.noun) : of.replaceAll('_', ' ');
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
 * What the flag of a parent is called: as its placeholder where that is unmistakable among the
 * places of the verb, and as its kind: `--volume` and `--glustervolume`.
 */
function parentNames(verb: Verb): (parent: Parent) => readonly string[] {
  const nounsByPlaceholder = new Map<string, Set<string>>();
  for (const { parents } of verb.candidates) {
    for (const { placeholder, noun } of parents) {
      const nouns = nounsByPlaceholder.get(placeholder) ?? new Set<string>();
      nounsByPlaceholder.set(placeholder, nouns.add(noun));
    }
  }
  return ({ placeholder, noun }) => {
    const kind = singular(noun);
    const isClear = nounsByPlaceholder.get(placeholder)?.size === 1;
    const words = isClear ? [placeholder, kind] : [kind];
    const others = parentFlags(kind) ?? [];
    // With hyphens first: `--storage-domain` has the same spelling in all commands.
    const hyphenated = others.filter((one) => keyOf(one) === kind);
    return [...new Set([...hyphenated, ...words, ...others])];
  };
}

/** One object of a noun, in words. */
export function humanNoun(noun: string): string {
  return nounOptions[noun]?.one ?? singular(noun);
}
