/** `--if-needed`: success without a request if the object is already in the resulting state. */
import { VmctlError } from '../../client/errors.ts';
import { getState, stateAttribute } from '../../client/poll.ts';
import { lifecycles } from '../../model/derive/lifecycles.ts';
import type { Move } from '../../model/notation/lifecycle.ts';
import type { Progress } from '../output/progress.ts';
import type { Candidate, Verb } from './derive-verbs.ts';
import { nameAttributesOf } from './identifiers.ts';
import { identity, type Outcome } from './outcomes.ts';
import type { Found } from './references.ts';
import type { Run } from './run.ts';
import { targetsOf } from './selection.ts';
import { isReferenceVerb } from './verb-names.ts';
import { settle, watch } from './wait-for-state.ts';

/** Whether `--if-needed` applies to a verb: it leads to a state, adds or removes. */
export function canBeNeedless(verb: Verb): boolean {
  return verb.candidates.some((candidate) => {
    if (verb.kind === 'remove') return candidate.takesObject;
    if (verb.kind === 'add') return addsByName(verb, candidate);
    return moveOf(candidate) !== undefined;
  });
}

function addsByName(verb: Verb, { collection }: Candidate): boolean {
  return isReferenceVerb(verb) || nameAttributesOf(collection.type).length > 0;
}

/** The move of an action that changes the state. */
function moveOf({ operation, collection }: Candidate): Move | undefined {
  if (!operation.isAction) return undefined;
  const move = lifecycles[collection.type]?.moves[operation.name];
  if (move?.to === undefined || move.stays) return undefined;
  return move.from.includes(move.to) && !move.idempotent ? undefined : move;
}

/** Whether a verb only removes a relation to the parent. */
function detaches({ name }: Verb): boolean {
  return name === 'detach' || name === 'unassign' || name.startsWith('remove-');
}

/** State after `assign` and the verbs that attach, or before their opposites. */
function participleOf({ name }: Verb): string {
  return name.endsWith('assign') ? 'assigned' : 'attached';
}

/** Kind and name of the parent, as in `vms/web01`. */
function parentLabel({ resolved: { candidate, parentWords }, ownerWord }: Run): string {
  const parent = candidate.owner ?? candidate.parents.at(-1);
  const word = ownerWord ?? parentWords.get(parent?.placeholder ?? '');
  if (!parent || !word) throw new Error(`${candidate.collection.path} has no parent.`);
  return word.startsWith(`${parent.noun}/`) ? word : `${parent.noun}/${word}`;
}

/** The objects that are already assigned or attached, by word; prints a note for each. */
export async function presentByWord(run: Run): Promise<ReadonlyMap<string, Found>> {
  const { cli, finder, resolved, ids, words, verb } = run;
  const present = new Map<string, Found>();
  const done = participleOf(verb);
  const parent = parentLabel(run);
  for (const word of words) {
    const found = await finder.look(word, resolved.candidate.collection, ids);
    if (!found) continue;
    cli.note(`${found.label} is already ${done} to ${parent}; nothing to do`);
    present.set(word, found);
  }
  return present;
}

/** The existing object with the name of a new one; undefined if absent. */
export async function namesake(run: Run, body: object): Promise<Outcome | undefined> {
  const { cli, finder, resolved, ids } = run;
  const { collection } = resolved.candidate;
  const members = new Map<string, unknown>(Object.entries(body));
  const name = nameAttributesOf(collection.type)
    .map((attribute) => members.get(attribute))
    .find((one) => typeof one === 'string');
  if (typeof name !== 'string') return undefined;
  const found = await finder.look(name, collection, ids);
  if (!found) return undefined;
  cli.note(`${found.label} already exists, unchanged`);
  return { item: identity(found), isWhole: false };
}

/** The existing objects of a verb that removes them. */
export async function presentTargets(run: Run): Promise<readonly Found[]> {
  const { cli, finder, resolved, ids, words, verb, options } = run;
  if (options['all'] === true || options['glob'] === true) return await targetsOf(run);
  const { collection } = resolved.candidate;
  const absence = detaches(verb)
    ? `is not ${participleOf(verb)} to ${parentLabel(run)}`
    : 'does not exist';
  const present: Found[] = [];
  for (const word of words) {
    const found = await finder.look(word, collection, ids);
    if (found) present.push(found);
    else cli.note(`${collection.noun}/${word} ${absence}; nothing to do`);
  }
  return present;
}

/**
 * Runs the action on an object, unless it is already in the resulting state or on the way there; the
 * latter waits. A refusal because another client was faster is a success as well.
 */
export async function changeIfNeeded(
  run: Run,
  target: Found,
  progress: Progress,
  change: () => Promise<Outcome | undefined>,
): Promise<Outcome | undefined> {
  const move = moveOf(run.resolved.candidate);
  if (!move) return await change();
  const done = await reached(run, target, move, progress, target.item);
  if (done) return done;
  try {
    return await change();
  } catch (error) {
    if (!(error instanceof VmctlError) || (error.status !== 409 && error.status !== 400)) {
      throw error;
    }
    const late = await reached(run, target, move, progress, undefined);
    if (late) return late;
    throw error;
  }
}

/** The result of a move that another client has made or started; undefined if none. */
async function reached(
  run: Run,
  target: Found,
  move: Move,
  progress: Progress,
  known: Found['item'],
): Promise<Outcome | undefined> {
  const { cli, resolved, verb } = run;
  const { type } = resolved.candidate.collection;
  const attribute = stateAttribute(type) ?? '';
  const now = known?.[attribute] === undefined ? await watch(run, target)?.fetch() : known;
  const state = getState(type, now);
  if (state === move.to || move.or?.includes(state)) {
    cli.note(`${target.label} is already ${state}; nothing to do`);
    return { item: identity(target), isWhole: false };
  }
  if (!move.via?.some(([passing]) => passing === state)) return undefined;
  cli.note(`${target.label}: ${verb.name} is already in progress (${state})`);
  const item = await settle(run, target, [resolved.candidate.operation.name], progress);
  return { item: item ?? identity(target), isWhole: item !== undefined };
}
