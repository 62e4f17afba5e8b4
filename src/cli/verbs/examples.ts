/** Example commands of a verb, built from its required arguments and flags. */

import { memberVerbs } from '../../model/derive/commands.ts';
import { requiredByAction, requiredOnAdd } from '../../model/derive/required.ts';
import { nounSamples, verbSamples } from '../../model/derive/samples.ts';
import { isSearchable } from '../../model/index.ts';
import { sampleId } from '../../model/notation/commands.ts';
import { firstPath } from '../../model/requirements.ts';
import { asksBeforeDeletions } from './additional-deletions.ts';
import type { Candidate, Verb } from './derive-verbs.ts';
import { toKebabCase } from './fields.ts';
import type { ModelFlag, VerbFlags } from './flags.ts';
import { hasPendingChanges } from './own-flags.ts';
import { sampleValues } from './samples.ts';
import { getVerbOptions, isReferenceVerb } from './verb-names.ts';

/** Returns at most four examples, the simplest first, as lines for a shell. */
export function createExamples(verb: Verb, flags: VerbFlags): readonly string[] {
  const [first] = verb.candidates;
  if (!first) return [];
  const shortest = verb.candidates.reduce((best, one) =>
    one.parents.length < best.parents.length ? one : best,
  );
  const line = createLineBuilder(verb, flags, shortest);
  const plain = line();
  switch (verb.kind) {
    case 'list': {
      if (verb.isStatistics || verb.membership) return [plain];
      const searches = isSearchable(shortest.operation);
      return [
        plain,
        ...(searches ? [`${plain} --search '${getSampleSearch(verb.noun)}' --limit 20`] : []),
        `${plain} -o json`,
      ];
    }
    case 'get':
      return [plain, `${plain} -o yaml`];
    case 'wait': {
      const state = nounSamples[verb.noun]?.state;
      const waits = state === undefined ? [] : [`${plain} --for status=${state} --timeout 5m`];
      return [...waits, `${plain} --for exists`];
    }
    case 'update':
      return [
        line(...listSampleArguments(verb, flags, shortest)),
        ...(hasPendingChanges(verb) ? [`${plain} --memory 4GiB --now`] : []),
      ];
    default: {
      if (getVerbOptions(verb).foundBy) {
        const flagsOfOne = listRequiredFlags(verb, shortest, flags);
        const words = [`vmctl ${verb.noun} ${verb.name}`, ...flagsOfOne, ...getSampleParent(verb)];
        return [words.join(' '), plain];
      }
      const full = line(...listSampleArguments(verb, flags, shortest), ...getSampleParent(verb));
      const named = isReferenceVerb(verb) || getVerbOptions(verb).takesBricks;
      const fromFile = verb.kind === 'add' && !named;
      const { also } = verbSamples[`${verb.noun} ${verb.name}`] ?? {};
      return [
        full,
        ...(fromFile ? [`${plain} -f new.yaml`] : []),
        ...(also === undefined ? [] : [`${plain} ${also}`]),
      ];
    }
  }
}

/** Returns the example for one collection of a verb, with all required flags. */
export function createExampleAt(verb: Verb, flags: VerbFlags, candidate: Candidate): string {
  return createLineBuilder(verb, flags, candidate)(...listSampleArguments(verb, flags, candidate));
}

function getSampleParent(verb: Verb): readonly string[] {
  const { on } = verbSamples[`${verb.noun} ${verb.name}`] ?? {};
  return on === undefined ? [] : [`--on ${on}`];
}

function listSampleArguments(
  verb: Verb,
  flags: VerbFlags,
  candidate: Candidate,
): readonly string[] {
  if (['list', 'get', 'wait'].includes(verb.kind) || getVerbOptions(verb).foundBy) return [];
  if (verb.kind !== 'update')
    return [
      ...listExtraArguments(verb),
      ...listRequiredFlags(verb, candidate, flags),
      ...(asksBeforeDeletions(verb) ? ['--yes'] : []),
    ];
  return [verbSamples[`${verb.noun} ${verb.name}`]?.flags ?? getSampleChange(flags.flags)];
}

/** Creates the function that builds a line: verb, object, the given words, then parents. */
function createLineBuilder(
  verb: Verb,
  flags: VerbFlags,
  candidate: Candidate,
): (...words: readonly string[]) => string {
  const start = `vmctl ${verb.noun} ${verb.name}`;
  const meanings = flags.meanings.get(candidate);
  const parents = [...(meanings?.parents ?? [])].map(([key, { collection, noun }]) => {
    const flag = flags.flags.find((one) => one.key === key);
    const own =
      verbSamples[`${verb.noun} ${verb.name}`]?.parents ?? nounSamples[verb.noun]?.parents;
    return `--${flag?.names[0] ?? key} ${own?.[noun] ?? getSampleObject(noun, collection)}`;
  });
  const object = listSampleObjects(verb, candidate);
  return (...words) => [start, ...object, ...words, ...parents].join(' ');
}

/** Returns the sample name of an object in a collection. */
function getSampleObject(noun: string, collection: string): string {
  const { object, objectAt } = nounSamples[noun] ?? {};
  const byCollection: Readonly<Record<string, string>> = objectAt ?? {};
  const member = memberVerbs[collection]?.sample;
  return byCollection[collection] ?? object ?? member ?? sampleId;
}

function listSampleObjects(
  verb: Verb,
  { collection, owner, takesObject }: Candidate,
): readonly string[] {
  const name = `${verb.noun} ${verb.name}`;
  const first = owner ? [getSampleObject(owner.noun, owner.collection)] : [];
  if (getVerbOptions(verb).takesBricks) return [...first, getSampleBrick(verb)];
  const needsObject = takesObject || isReferenceVerb(verb);
  if (verb.isStatistics || !needsObject) return first;
  return [...first, verbSamples[name]?.object ?? getSampleObject(collection.noun, collection.path)];
}

function getSampleBrick(verb: Verb): string {
  return verb.kind === 'add' ? 'node2:/bricks/b2' : 'node1.example.com:/bricks/b1';
}

function listExtraArguments(verb: Verb): readonly string[] {
  const extra = getVerbOptions(verb).argument;
  return extra ? [extra.paths.length > 1 ? "'auth.allow=10.0.*'" : 'auth.allow'] : [];
}

function getSampleSearch(noun: string): string {
  const [start = ''] = /^\w{1,3}/.exec(nounSamples[noun]?.object ?? '') ?? [];
  return nounSamples[noun]?.search ?? `name=${start}*`;
}

/** Returns a change that is valid for every object of the kind. */
function getSampleChange(flags: readonly ModelFlag[]): string {
  const name = ['description', 'comment', 'name'].find((one) =>
    flags.some(({ names, section }) => section === 'body' && names.includes(one)),
  );
  return name === 'name' ? '--name renamed' : `--${name ?? 'description'} 'a new text'`;
}

/** Returns the required flags with sample values. */
function listRequiredFlags(
  verb: Verb,
  { operation }: Candidate,
  { flags }: VerbFlags,
): readonly string[] {
  const known = verbSamples[`${verb.noun} ${verb.name}`]?.flags;
  if (known !== undefined) return known === '' ? [] : [known];
  if (isReferenceVerb(verb) || getVerbOptions(verb).argument) {
    return [];
  }
  const needed =
    verb.kind === 'add'
      ? requiredOnAdd[operation.type]
      : requiredByAction[operation.type]?.[operation.name];
  return (needed ?? []).flatMap((rule) => {
    const path = firstPath(rule).replace(/\.(id|name)$/, '');
    const name = toKebabCase(path).replaceAll('.', '-');
    const flag = flags.find(
      (one) => one.names.includes(name) || one.names.includes(`${name}-file`),
    );
    if (!flag) return [];
    const shown = flag.names[0] ?? name;
    if (flag.value === undefined) return [`--${shown}`];
    return [`--${shown} ${getSampleValue(verb, shown) ?? flag.value}`];
  });
}

function getSampleValue({ noun }: Verb, flag: string): string | undefined {
  const name = flag === 'name' ? nounSamples[noun]?.newName : undefined;
  return name ?? sampleValues[flag];
}
