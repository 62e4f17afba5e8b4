/** What is sent to make an object, or to attach one that exists. */
import { UsageError } from '../../client/errors.ts';
import { collectionsOf, homeOf } from './collections.ts';
import { bareWord } from './identifiers.ts';
import type { Finder } from './references.ts';
import { newBricks } from './references.ts';
import { parseOn } from './resolve-collection.ts';
import type { Run } from './run.ts';
import {
  alwaysSent,
  brickVerbs,
  isReferenceVerb,
  objectVerbs,
  referenceAttribute,
} from './verb-names.ts';

type Body = Record<string, unknown>;

/** The bodies to send: one, or one for each object that is attached. */
export async function bodiesOf(run: Run, body: Body): Promise<readonly object[]> {
  const { verb, words, finder, resolved } = run;
  const { type } = resolved.candidate.operation;
  const name = `${verb.noun} ${verb.name}`;
  if (brickVerbs.has(name)) return [await newBricks(finder, words)];
  if (isReferenceVerb(verb.noun, verb.name)) {
    const bodies: object[] = [];
    for (const word of words) bodies.push({ ...body, ...(await referenceTo(finder, word, type)) });
    return bodies;
  }
  const target = objectVerbs.has(name) ? await objectOf(run) : {};
  return [{ ...alwaysSent[type], ...body, ...target }];
}

async function referenceTo(finder: Finder, word: string, type: string): Promise<object> {
  const attribute = referenceAttribute[type];
  if (attribute === undefined) return await finder.reference(word, type);
  const home = homeOf(type);
  return { [attribute]: home ? bareWord(word, home.noun) : word };
}

/** `--object vms/web01`: what a permission is about. */
async function objectOf(run: Run): Promise<Body> {
  const text = run.options['object'];
  if (typeof text !== 'string') return {};
  const { noun, word } = parseOn(text, '--object');
  const home = collectionsOf(noun).find(({ parents }) => parents.length === 0);
  if (!home) throw new UsageError(`--object ${text}: ${noun} belong to other objects`);
  const { id } = await run.finder.find(word, home);
  return { [home.type]: { id } };
}
