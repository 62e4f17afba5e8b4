/** Example commands of a verb, made from its required arguments and flags. */

import { memberVerbs } from '../../model/derive/commands.ts';
import { requiredByAction, requiredOnAdd } from '../../model/derive/required.ts';
import { nounSamples, verbSamples } from '../../model/derive/samples.ts';
import { isSearchable } from '../../model/index.ts';
import { sampleId } from '../../model/notation/commands.ts';
import { firstPath } from '../../model/requirements.ts';
import type { Candidate, Verb } from './derive-verbs.ts';
import { kebab } from './fields.ts';
import type { ModelFlag, VerbFlags } from './flags.ts';
import { values } from './samples.ts';
import { isReferenceVerb, verbOptions } from './verb-names.ts';

/** Up to four examples, the plainest first. Each is a line for a shell. */
export function examplesOf(verb: Verb, flags: VerbFlags): readonly string[] {
  const [first] = verb.candidates;
  if (!first) return [];
  const shortest = verb.candidates.reduce((best, one) =>
    one.parents.length < best.parents.length ? one : best,
  );
  const line = lineMaker(verb, flags, shortest);
  const plain = line();
  switch (verb.kind) {
    case 'list': {
      if (verb.isStatistics || verb.membership) return [plain];
      const searches = isSearchable(shortest.operation);
      return [
        plain,
        ...(searches ? [`${plain} --search '${searchOf(verb.noun)}' --limit 20`] : []),
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
      return [line(...argumentsFor(verb, flags, shortest))];
    default: {
      if (verbOptions(verb).foundBy) {
        const flagsOfOne = neededFlags(verb, shortest, flags);
        const words = [`vmctl ${verb.noun} ${verb.name}`, ...flagsOfOne, ...parentOf(verb)];
        return [words.join(' '), plain];
      }
      const full = line(...argumentsFor(verb, flags, shortest), ...parentOf(verb));
      const named = isReferenceVerb(verb) || verbOptions(verb).takesBricks;
      const fromFile = verb.kind === 'add' && !named;
      return fromFile ? [full, `${plain} -f new.yaml`] : [full];
    }
  }
}

/** The example for one of the places of a verb, with all that the service asks for. */
export function exampleAt(verb: Verb, flags: VerbFlags, candidate: Candidate): string {
  return lineMaker(verb, flags, candidate)(...argumentsFor(verb, flags, candidate));
}

/** The parent that the sample of a verb names. */
function parentOf(verb: Verb): readonly string[] {
  const { on } = verbSamples[`${verb.noun} ${verb.name}`] ?? {};
  return on === undefined ? [] : [`--on ${on}`];
}

function argumentsFor(verb: Verb, flags: VerbFlags, candidate: Candidate): readonly string[] {
  if (['list', 'get', 'wait'].includes(verb.kind) || verbOptions(verb).foundBy) return [];
  if (verb.kind !== 'update') return [...extrasOf(verb), ...neededFlags(verb, candidate, flags)];
  return [verbSamples[`${verb.noun} ${verb.name}`]?.flags ?? changeOf(flags.flags)];
}

/** Puts words between what the verb is about and what that belongs to. */
function lineMaker(
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
    return `--${flag?.names[0] ?? key} ${own?.[noun] ?? objectOf(noun, collection)}`;
  });
  const object = objectsOf(verb, candidate);
  return (...words) => [start, ...object, ...words, ...parents].join(' ');
}

/** An object of a collection as somebody would call it. */
function objectOf(noun: string, collection: string): string {
  const { object, objectAt } = nounSamples[noun] ?? {};
  const member = memberVerbs[collection]?.sample;
  return objectAt?.[collection as `/${string}`] ?? object ?? member ?? sampleId;
}

function objectsOf(verb: Verb, { collection, owner, takesObject }: Candidate): readonly string[] {
  const name = `${verb.noun} ${verb.name}`;
  const first = owner ? [objectOf(owner.noun, owner.collection)] : [];
  if (verbOptions(verb).takesBricks) return [...first, brickOf(verb)];
  const needsObject = takesObject || isReferenceVerb(verb);
  if (verb.isStatistics || !needsObject) return first;
  return [...first, verbSamples[name]?.object ?? objectOf(collection.noun, collection.path)];
}

/** A new brick, or one that is there. */
function brickOf(verb: Verb): string {
  return verb.kind === 'add' ? 'node2:/bricks/b2' : 'node1.example.com:/bricks/b1';
}

function extrasOf(verb: Verb): readonly string[] {
  const extra = verbOptions(verb).argument;
  return extra ? [extra.paths.length > 1 ? "'auth.allow=10.0.*'" : 'auth.allow'] : [];
}

function searchOf(noun: string): string {
  const [start = ''] = /^\w{1,3}/.exec(nounSamples[noun]?.object ?? '') ?? [];
  return nounSamples[noun]?.search ?? `name=${start}*`;
}

/** Something that every object of its kind may have changed. */
function changeOf(flags: readonly ModelFlag[]): string {
  const name = ['description', 'comment', 'name'].find((one) =>
    flags.some(({ names, section }) => section === 'body' && names.includes(one)),
  );
  return name === 'name' ? '--name renamed' : `--${name ?? 'description'} 'a new text'`;
}

/** The flags without which the service refuses, where flags can say it. */
function neededFlags(
  verb: Verb,
  { operation }: Candidate,
  { flags }: VerbFlags,
): readonly string[] {
  const known = verbSamples[`${verb.noun} ${verb.name}`]?.flags;
  if (known !== undefined) return known === '' ? [] : [known];
  if (isReferenceVerb(verb) || verbOptions(verb).argument) {
    return [];
  }
  const needed =
    verb.kind === 'add'
      ? requiredOnAdd[operation.type]
      : requiredByAction[operation.type]?.[operation.name];
  return (needed ?? []).flatMap((rule) => {
    const path = firstPath(rule).replace(/\.(id|name)$/, '');
    const name = kebab(path).replaceAll('.', '-');
    const flag = flags.find(
      (one) => one.names.includes(name) || one.names.includes(`${name}-file`),
    );
    if (!flag) return [];
    const shown = flag.names[0] ?? name;
    if (flag.value === undefined) return [`--${shown}`];
    return [`--${shown} ${valueFor(verb, shown) ?? flag.value}`];
  });
}

function valueFor({ noun }: Verb, flag: string): string | undefined {
  const name = flag === 'name' ? nounSamples[noun]?.newName : undefined;
  return name ?? values[flag];
}
