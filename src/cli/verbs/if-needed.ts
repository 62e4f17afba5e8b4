/** `--if-needed`: success without a request if the object is already in the resulting state. */
import { VmctlError } from '../../client/errors.ts';
import { getState, stateAttribute } from '../../client/wait-for-condition.ts';
import { lifecycles } from '../../model/derive/lifecycles.ts';
import type { Move } from '../../model/notation/lifecycle.ts';
import type { Progress } from '../output/progress.ts';
import type { Candidate, Verb } from './derive-verbs.ts';
import { getNameAttributes } from './identifiers.ts';
import { getIdentity, type Outcome } from './outcomes.ts';
import type { FoundObject } from './references.ts';
import type { Run } from './run.ts';
import { resolveTargets } from './selection.ts';
import { isReferenceVerb } from './verb-names.ts';
import { createPoller, waitUntilSettled } from './wait-for-state.ts';

/** Whether `--if-needed` applies to a verb: it leads to a state, adds or removes. */
export function canBeNeedless(verb: Verb): boolean {
  return verb.candidates.some((candidate) => {
    if (verb.kind === 'remove') return candidate.takesObject;
    if (verb.kind === 'add') return canFindByName(verb, candidate);
    return findMove(candidate) !== undefined;
  });
}

function canFindByName(verb: Verb, { collection }: Candidate): boolean {
  return isReferenceVerb(verb) || getNameAttributes(collection.type).length > 0;
}

/** Returns the state transition of an action, if it has one. */
function findMove({ operation, collection }: Candidate): Move | undefined {
  if (!operation.isAction) return undefined;
  const move = lifecycles[collection.type]?.moves[operation.name];
  if (move?.to === undefined || move.stays) return undefined;
  return move.from.includes(move.to) && !move.idempotent ? undefined : move;
}

/** Whether a verb only removes a relation to the parent. */
function isDetaching({ name }: Verb): boolean {
  return name === 'detach' || name === 'unassign' || name.startsWith('remove-');
}

/** State after `assign` and the verbs that attach, or before their opposites. */
function getParticiple({ name }: Verb): string {
  return name.endsWith('assign') ? 'assigned' : 'attached';
}

/** Kind and name of the parent, as in `vms/web01`. */
function formatParent({ resolved: { candidate, parentWords }, ownerWord }: Run): string {
  const parent = candidate.owner ?? candidate.parents.at(-1);
  const word = ownerWord ?? parentWords.get(parent?.placeholder ?? '');
  if (!parent || !word) throw new Error(`${candidate.collection.path} has no parent.`);
  return word.startsWith(`${parent.noun}/`) ? word : `${parent.noun}/${word}`;
}

/** Finds objects that are already assigned or attached, by word. Prints a note for each. */
export async function findPresent(run: Run): Promise<ReadonlyMap<string, FoundObject>> {
  const { cli, finder, resolved, ids, words, verb } = run;
  const present = new Map<string, FoundObject>();
  const done = getParticiple(verb);
  const parent = formatParent(run);
  for (const word of words) {
    const found = await finder.findIfExists(word, resolved.candidate.collection, ids);
    if (!found) continue;
    cli.note(`${found.label} is already ${done} to ${parent}; nothing to do`);
    present.set(word, found);
  }
  return present;
}

/** Finds the existing object with the name of a new one. */
export async function findNamesake(run: Run, body: object): Promise<Outcome | undefined> {
  const { cli, finder, resolved, ids } = run;
  const { collection } = resolved.candidate;
  const members = new Map<string, unknown>(Object.entries(body));
  const name = getNameAttributes(collection.type)
    .map((attribute) => members.get(attribute))
    .find((one) => typeof one === 'string');
  if (typeof name !== 'string') return undefined;
  const found = await finder.findIfExists(name, collection, ids);
  if (!found) return undefined;
  cli.note(`${found.label} already exists, unchanged`);
  return { item: getIdentity(found), isWhole: false };
}

/** Resolves the existing objects of a removal. Prints a note for each missing one. */
export async function findPresentTargets(run: Run): Promise<readonly FoundObject[]> {
  const { cli, finder, resolved, ids, words, verb, options } = run;
  if (options['all'] === true || options['glob'] === true) return await resolveTargets(run);
  const { collection } = resolved.candidate;
  const absence = isDetaching(verb)
    ? `is not ${getParticiple(verb)} to ${formatParent(run)}`
    : 'does not exist';
  const present: FoundObject[] = [];
  for (const word of words) {
    const found = await finder.findIfExists(word, collection, ids);
    if (found) present.push(found);
    else cli.note(`${collection.noun}/${word} ${absence}; nothing to do`);
  }
  return present;
}

/**
 * Runs the action on an object, unless it is in the resulting state or on the way. The latter
 * waits. A refusal counts as success if another client was faster.
 */
export async function changeIfNeeded(
  run: Run,
  target: FoundObject,
  progress: Progress,
  change: () => Promise<Outcome | undefined>,
): Promise<Outcome | undefined> {
  const move = findMove(run.resolved.candidate);
  if (!move) return await change();
  const done = await findReachedState(run, target, move, progress, target.item);
  if (done) return done;
  try {
    return await change();
  } catch (error) {
    if (!(error instanceof VmctlError) || (error.status !== 409 && error.status !== 400)) {
      throw error;
    }
    const late = await findReachedState(run, target, move, progress, undefined);
    if (late) return late;
    throw error;
  }
}

/** Returns the outcome of a transition that another client made or started; undefined if none. */
async function findReachedState(
  run: Run,
  target: FoundObject,
  move: Move,
  progress: Progress,
  known: FoundObject['item'],
): Promise<Outcome | undefined> {
  const { cli, resolved, verb } = run;
  const { type } = resolved.candidate.collection;
  const attribute = stateAttribute(type) ?? '';
  const now = known?.[attribute] === undefined ? await createPoller(run, target)?.fetch() : known;
  const state = getState(type, now);
  if (state === move.to || move.or?.includes(state)) {
    cli.note(`${target.label} is already ${state}; nothing to do`);
    return { item: getIdentity(target), isWhole: false };
  }
  if (!move.via?.some(([passing]) => passing === state)) return undefined;
  cli.note(`${target.label}: ${verb.name} is already in progress (${state})`);
  const item = await waitUntilSettled(run, target, [resolved.candidate.operation.name], progress);
  return { item: item ?? getIdentity(target), isWhole: item !== undefined };
}
