/** Verbs that change objects: create, attach, update, delete and actions. */

import type { ApiObject } from '../../client/client.ts';
import { UsageError } from '../../client/errors.ts';
import { typeOptions } from '../../model/derive/commands.ts';
import { lifecycles } from '../../model/derive/lifecycles.ts';
import { makesByType } from '../../model/derive/makes.ts';
import type { Makes } from '../../model/notation/makes.ts';
import { Progress, ProgressBoard } from '../output/progress.ts';
import { getObject } from '../text/objects.ts';
import { confirmAdditionalDeletions } from './additional-deletions.ts';
import { updateDisk } from './attached-disk.ts';
import { findRootCollection, getCollection, listCollections } from './collections.ts';
import { isUuid, parseReference } from './identifiers.ts';
import { changeIfNeeded, findNamesake, findPresent, findPresentTargets } from './if-needed.ts';
import { addNetworkSetup } from './network-setup.ts';
import {
  getIdentity,
  type Outcome,
  printActionOutput,
  printEmptyList,
  printOutcomes,
} from './outcomes.ts';
import { parseParallel, processAll } from './parallel.ts';
import {
  createBrickReferences,
  createBricks,
  type Finder,
  type FoundObject,
  getPlaceholder,
} from './references.ts';
import { parseOn } from './resolve-collection.ts';
import { buildRunBody, hasQuery, type Run } from './run.ts';
import { addRunOnce } from './run-once.ts';
import { resolveTargets } from './selection.ts';
import { reduceUpdate } from './update.ts';
import { getVerbOptions, isReferenceVerb } from './verb-names.ts';
import { waitForCompanion, waitUntilSettled } from './wait-for-state.ts';

type Body = Record<string, unknown>;

/** Functions that complete the body for one object, by verb. */
const objectBodies: Readonly<
  Record<string, (run: Run, target: FoundObject, body: Body) => Promise<Body>>
> = {
  'hosts setup-networks': addNetworkSetup,
  'vms preview-snapshot': resolveSnapshot,
  'vms start': addRunOnce,
  'cdroms change': resolveDisc,
};

/** Replaces the name of an ISO image by the id that the service accepts. */
async function resolveDisc({ client }: Run, _: FoundObject, body: Body): Promise<Body> {
  const id = getObject(body, 'file')?.['id'];
  if (typeof id !== 'string' || id === '') return body;
  const { resolveIsoImage } = await import('./iso-images.ts');
  return { ...body, file: { ...getObject(body, 'file'), id: await resolveIsoImage(client, id) } };
}

/** Resolves the snapshot among those of the VM; a description is a valid name. */
async function resolveSnapshot({ finder }: Run, { id }: FoundObject, body: Body): Promise<Body> {
  const snapshot = getObject(body, 'snapshot');
  if (typeof snapshot?.['id'] !== 'string') return body;
  const found = await finder.find(snapshot['id'], getCollection('/vms/{vm}/snapshots'), { vm: id });
  return { ...body, snapshot: { ...snapshot, id: found.id } };
}

/** Operation for one object. Returns undefined if it has no output. */
export type ObjectOperation = (progress: Progress) => Promise<Outcome | undefined>;

/** Runs the verb for every named object in every parent, and prints the outcomes. */
export async function runChange(run: Run, ...others: readonly Run[]): Promise<void> {
  const works: ObjectOperation[] = [];
  for (const one of [run, ...others]) works.push(...(await createWorks(one)));
  await runWorks(run, works);
}

/** Runs the operations in parallel, prints their outcomes, and throws their errors. */
export async function runWorks(run: Run, works: readonly ObjectOperation[]): Promise<void> {
  const { cli, options } = run;
  const limits = {
    parallel: parseParallel(options['parallel']),
    failFast: options['failFast'] === true,
  };
  const board = works.length > 1 ? new ProgressBoard(cli) : undefined;
  const { done: outcomes, failure } = await processAll(cli, works, limits, (work) =>
    runWithProgress(work, new Progress(cli, board)),
  );
  if (works.length === 0) await printEmptyList(run);
  await printOutcomes(
    run,
    outcomes.filter((one) => one !== undefined),
    works.length === 1,
  );
  if (failure) throw failure.done.length === 0 ? failure.toAllFailedError() : failure;
}

/** Runs an operation and ends its progress. */
export async function runWithProgress<T>(
  work: (progress: Progress) => Promise<T>,
  progress: Progress,
): Promise<T> {
  let isDone = false;
  try {
    const result = await work(progress);
    isDone = true;
    return result;
  } finally {
    progress.end(isDone);
  }
}

/** Creates an operation for each object. Resolves all objects before the first change. */
async function createWorks(run: Run): Promise<readonly ObjectOperation[]> {
  const { verb, words, resolved, options } = run;
  const { candidate } = resolved;
  const body = await buildRunBody(run);
  const ifNeeded = options['ifNeeded'] === true;
  if (verb.kind === 'add') {
    const made = makesByType[candidate.operation.type]?.['add'];
    const isReference = isReferenceVerb(verb);
    const present = ifNeeded && isReference ? await findPresent(run) : undefined;
    const missing = words.filter((word) => !present?.has(word));
    const nothingToDo = [...(present?.values() ?? [])].map(
      (found): ObjectOperation =>
        async () => ({ item: getIdentity(found), isWhole: false }),
    );
    const bodies = await createBodies({ ...run, words: missing }, body);
    const works = bodies.map(
      (one, index): ObjectOperation =>
        async (progress) => {
          const present = ifNeeded ? await findNamesake(run, one) : undefined;
          if (present) return present;
          if (made) return await requestObject(run, made, one, progress);
          return await addObject(run, one, progress, isReference ? missing[index] : undefined);
        },
    );
    return [...nothingToDo, ...works];
  }
  if (!candidate.takesObject) {
    return [() => changeCollection(run, { ...body, ...createBrickReferences(words) })];
  }
  if (verb.kind === 'update' && Object.keys(body).length === 0) {
    throw new UsageError(`${verb.noun} ${verb.name}: no change given`, {
      hint: `vmctl ${verb.noun} ${verb.name} --help lists the flags; --set sets any attribute`,
    });
  }
  const targets =
    ifNeeded && verb.kind === 'remove' ? await findPresentTargets(run) : await resolveTargets(run);
  await confirmAdditionalDeletions(run, targets);
  const bodyFor = objectBodies[`${verb.noun} ${verb.name}`];
  return targets.map((target) => async (progress) => {
    const own = bodyFor ? await bodyFor(run, target, body) : body;
    const perform = () =>
      verb.kind === 'update'
        ? updateDifferences(run, target, own, progress)
        : changeObject(run, target, own, progress);
    return ifNeeded ? await changeIfNeeded(run, target, progress, perform) : await perform();
  });
}

/**
 * Adds an object and waits until it is ready. `word` names an existing object to attach. `onAdded`
 * receives the response before the wait.
 */
export async function addObject(
  run: Run,
  body: object,
  progress: Progress,
  word?: string,
  onAdded?: (item: ApiObject) => void,
): Promise<Outcome> {
  const { client, verb, resolved, ids, query } = run;
  const { operation, collection } = resolved.candidate;
  const called = word === undefined ? undefined : parseReference(word, collection.noun);
  const { name, alias, id: given }: Body = { ...body };
  const named = called ?? name ?? alias ?? given;
  const item = await client.object({
    operation,
    ids,
    query,
    body,
    what: `${verb.name} ${collection.noun}${named === undefined ? '' : `/${String(named)}`}`,
  });
  onAdded?.(item);
  const id = item['id'];
  const label = [collection.noun, called ?? item['name'] ?? item['alias'] ?? id ?? named]
    .filter((one) => one !== undefined)
    .join('/');
  const isNew = !isReferenceVerb(verb);
  await waitForCompanion(run, body, item, progress);
  // Only a move of the attachment changes the state of an attached object.
  const moves = lifecycles[collection.type]?.moves ?? {};
  if (id === undefined || (!isNew && moves[verb.name] === undefined)) {
    // Some responses are empty or contain only the id.
    const isWhole = id !== undefined && hasAttributes(item);
    if (!isWhole) progress.reportResult(label, formatPast(verb.name));
    return { item: Object.keys(item).length > 0 ? item : describeNamed(named), isWhole };
  }
  const found: FoundObject = { id: String(id), label, item };
  const settled = await waitUntilSettled(run, found, isNew ? ['add'] : [verb.name], progress);
  return { item: settled ?? item, isWhole: true };
}

/** Machine-readable result for an object that the response does not describe. */
function describeNamed(named: unknown): ApiObject {
  if (named === undefined) return { status: 'complete' };
  return isUuid(String(named)) ? { id: named } : { name: named };
}

/** Whether a response has plain attributes besides the identity. */
function hasAttributes(item: ApiObject): boolean {
  return Object.entries(item).some(
    ([name, value]) => name !== 'id' && name !== 'href' && typeof value !== 'object',
  );
}

/** Requests an object of another collection; the response describes only the request. */
async function requestObject(
  run: Run,
  makes: readonly Makes[],
  body: object,
  progress: Progress,
): Promise<Outcome | undefined> {
  const { client, verb, resolved, ids, query } = run;
  const { operation, collection } = resolved.candidate;
  const what = `${verb.name} ${collection.noun}`;
  const send = () => client.object({ operation, ids, query, body, what });
  const { runCreatingOperation } = await import('./created-objects.ts');
  return await runCreatingOperation(run, { makes, body: { ...body }, send, what }, progress);
}

/**
 * Sends the differences to the current object. Without differences, the outcome is the current
 * object.
 */
async function updateDifferences(
  run: Run,
  target: FoundObject,
  body: Body,
  progress: Progress,
): Promise<Outcome | undefined> {
  const { body: sent, present } = await reduceUpdate(run, target, body);
  if (sent) return await sendUpdate(run, target, sent, progress, present);
  progress.reportResult(target.label, 'no changes; nothing to do');
  // A dry run prints requests only.
  if (run.cli.dryRunMode || !present) return undefined;
  return { item: present, isWhole: true };
}

/** Sends an update. For a running VM, notes list the attributes in effect now and at its next start. */
export async function sendUpdate(
  run: Run,
  target: FoundObject,
  body: Body,
  progress: Progress,
  before?: ApiObject,
): Promise<Outcome | undefined> {
  if (!hasQuery(run, 'next_run')) return await changeObject(run, target, body, progress, before);
  const effect = await import('./pending-changes.ts');
  if (run.options['now'] === true) await effect.requireLiveChanges(run, target, body);
  try {
    const outcome = await changeObject(run, target, body, progress, before);
    if (outcome) await effect.noteEffect(run, target, body, outcome.item);
    return outcome;
  } catch (error) {
    throw await effect.addMemoryHint(run, target, body, error);
  }
}

/**
 * Runs the verb for one object and waits until it is stable. `before` is the current object, if it
 * was just read.
 */
export async function changeObject(
  run: Run,
  target: FoundObject,
  body: Body,
  progress: Progress,
  before?: ApiObject,
): Promise<Outcome | undefined> {
  const { cli, client, verb, resolved } = run;
  const { operation, collection } = resolved.candidate;
  const isAsync = run.options['wait'] === false;
  const call = {
    operation,
    ids: { ...run.ids, [getPlaceholder(collection)]: target.id },
    query: { ...run.query, ...(isAsync && hasQuery(run, 'async') ? { async: true } : {}) },
    what: `${verb.name} ${target.label}`,
    ...(before ? { before } : {}),
  };
  const known = { item: getIdentity(target), isWhole: false };
  if (verb.kind === 'update') {
    const sent = { ...call, body };
    const item =
      operation.type === 'disk'
        ? await updateDisk(run, sent, target.id)
        : await client.object(sent);
    const moves = lifecycles[collection.type]?.moves['update'] !== undefined;
    const settled = moves ? await waitUntilSettled(run, target, ['update'], progress) : undefined;
    if (settled || item['id'] !== undefined) return { item: settled ?? item, isWhole: true };
    progress.reportResult(target.label, formatPast(verb.name));
    return known;
  }
  if (verb.kind === 'remove') {
    await client.action(Object.keys(body).length > 0 ? { ...call, body } : call);
    await waitUntilSettled(run, target, [verb.name, 'remove'], progress);
    progress.reportResult(target.label, formatPast(verb.name));
    return known;
  }
  const actionBody = isAsync && operation.body.includes('async') ? { async: true, ...body } : body;
  const send = () => client.action({ ...call, body: actionBody });
  const makes = makesByType[operation.type]?.[operation.name];
  if (makes) {
    const { runCreatingOperation } = await import('./created-objects.ts');
    return await runCreatingOperation(
      run,
      { makes, body, send, what: call.what, target },
      progress,
    );
  }
  const answer = await send();
  cli.live?.hide();
  const isAnswered = await printActionOutput(run, operation, answer).finally(() =>
    cli.live?.show(),
  );
  if (isAnswered) return undefined;
  const item = await waitUntilSettled(run, target, [operation.name], progress);
  if (item) return { item, isWhole: true };
  progress.reportResult(target.label, `${verb.name}: ${isAsync ? 'begun' : 'done'}`);
  return known;
}

/** Runs an action or removal on a collection. */
async function changeCollection(run: Run, body: Body): Promise<Outcome | undefined> {
  const { cli, client, verb, resolved, ids, query } = run;
  const { operation, collection } = resolved.candidate;
  const call = { operation, ids, query, body, what: `${verb.name} ${collection.noun}` };
  const answer = await client.action(call);
  if (await printActionOutput(run, operation, answer)) return undefined;
  cli.note(`${collection.noun}: ${verb.name}: done`);
  const { status = 'complete', job } = answer;
  return { item: { status, ...(job === undefined ? {} : { job }) }, isWhole: false };
}

function formatPast(verb: string): string {
  if (verb.startsWith('remove-')) return 'removed';
  if (verb.startsWith('add-')) return 'added';
  if (verb === 'unassign' || verb === 'detach') return `${verb}ed`;
  return verb.endsWith('e') ? `${verb}d` : `${verb}ed`;
}

/** Creates the bodies to send: one, or one for each attached object. */
export async function createBodies(run: Run, body: Body): Promise<readonly object[]> {
  const { verb, words, finder, resolved } = run;
  const { type } = resolved.candidate.operation;
  const { takesBricks, namesObject } = getVerbOptions(verb);
  if (takesBricks) return [await createBricks(finder, words)];
  if (isReferenceVerb(verb)) {
    const bodies: object[] = [];
    for (const word of words)
      bodies.push({ ...body, ...(await createReference(finder, word, type)) });
    return bodies;
  }
  const target = namesObject ? await resolvePermissionObject(run) : {};
  return [{ ...typeOptions[type]?.alwaysSent, ...body, ...target }];
}

async function createReference(finder: Finder, word: string, type: string): Promise<object> {
  const attribute = typeOptions[type]?.referredBy;
  if (attribute === undefined) return await finder.createReference(word, type);
  const home = findRootCollection(type);
  return { [attribute]: home ? parseReference(word, home.noun) : word };
}

/** Resolves `--object vms/web01`, the object of a permission. */
async function resolvePermissionObject(run: Run): Promise<Body> {
  const text = run.options['object'];
  if (typeof text !== 'string') return {};
  const { noun, word } = parseOn(text, '--object');
  const home = listCollections(noun).find(({ parents }) => parents.length === 0);
  if (!home) throw new UsageError(`--object ${text}: ${noun} have other kinds of parents`);
  const { id } = await run.finder.find(word, home);
  return { [home.type]: { id } };
}
