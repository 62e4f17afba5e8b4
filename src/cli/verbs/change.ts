/** Verbs that change something: create, attach, update, delete and all actions. */
import type { ApiObject } from '../../client/client.ts';
import { UsageError } from '../../client/errors.ts';
import { typeOptions } from '../../model/derive/commands.ts';
import { lifecycles } from '../../model/derive/lifecycles.ts';
import { makesByType } from '../../model/derive/makes.ts';
import type { Makes } from '../../model/notation/makes.ts';
import { Progress, ProgressBoard } from '../output/progress.ts';
import { updateDisk } from './attached-disk.ts';
import { collectionAt, collectionsOf, homeOf } from './collections.ts';
import { bareWord, isUuid } from './identifiers.ts';
import { changeIfNeeded, namesake, presentByWord, presentTargets } from './if-needed.ts';
import { networkSetup } from './network-setup.ts';
import { identity, type Outcome, printNothing, printOutcomes, showOutput } from './outcomes.ts';
import { BulkError, forEach, parallelOf } from './parallel.ts';
import { brickNames, type Finder, type Found, newBricks, placeholderOf } from './references.ts';
import { parseOn } from './resolve-collection.ts';
import { bodyOf, hasQuery, type Run } from './run.ts';
import { targetsOf } from './selection.ts';
import { reduced } from './update.ts';
import { isReferenceVerb, verbOptions } from './verb-names.ts';
import { settle, settleCompanion } from './wait-for-state.ts';

type Body = Record<string, unknown>;

/** What is sent for one object, where that depends on the object. */
const objectBodies: Readonly<
  Record<string, (run: Run, target: Found, body: Body) => Promise<Body>>
> = { 'hosts setup-networks': networkSetup, 'vms preview-snapshot': ownSnapshot };

/** The snapshot is one of the machine's own: it may be named by its description. */
async function ownSnapshot({ finder }: Run, { id }: Found, body: Body): Promise<Body> {
  const snapshot = body['snapshot'] as Body | undefined;
  if (typeof snapshot?.['id'] !== 'string') return body;
  const found = await finder.find(snapshot['id'], collectionAt('/vms/{vm}/snapshots'), { vm: id });
  return { ...body, snapshot: { ...snapshot, id: found.id } };
}

/** What is done for one object; nothing comes of it where there is nothing to show. */
export type Work = (progress: Progress) => Promise<Outcome | undefined>;

/** Does what the verb says to every object that was named, at every place, and prints what came of it. */
export async function runChange(run: Run, ...others: readonly Run[]): Promise<void> {
  const works: Work[] = [];
  for (const one of [run, ...others]) works.push(...(await worksOf(one)));
  await runWorks(run, works);
}

/** Does the work for each object, some at a time, prints what came of it, and fails as they did. */
export async function runWorks(run: Run, works: readonly Work[]): Promise<void> {
  const { cli, options } = run;
  const limits = {
    parallel: parallelOf(options['parallel']),
    failFast: options['failFast'] === true,
  };
  const board = works.length > 1 ? new ProgressBoard(cli) : undefined;
  let outcomes: readonly (Outcome | undefined)[];
  let failure: BulkError<Outcome | undefined> | undefined;
  try {
    outcomes = await forEach(cli, works, limits, (work) => shown(work, new Progress(cli, board)));
  } catch (error) {
    if (!(error instanceof BulkError)) throw error;
    failure = error as BulkError<Outcome | undefined>;
    outcomes = failure.done;
  }
  if (works.length === 0) await printNothing(run);
  await printOutcomes(
    run,
    outcomes.filter((one) => one !== undefined),
    works.length === 1,
  );
  if (failure) throw failure.done.length === 0 ? failure.ofAll() : failure;
}

/** Does a piece of work and shows how it goes. */
export async function shown<T>(
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

/** One piece of work for each object; all of them are found before the first is touched. */
async function worksOf(run: Run): Promise<readonly Work[]> {
  const { verb, words, resolved, options } = run;
  const { candidate } = resolved;
  const body = await bodyOf(run);
  const ifNeeded = options['ifNeeded'] === true;
  if (verb.kind === 'add') {
    const made = makesByType[candidate.operation.type]?.['add'];
    const isReference = isReferenceVerb(verb);
    const present = ifNeeded && isReference ? await presentByWord(run) : undefined;
    const missing = words.filter((word) => !present?.has(word));
    const nothingToDo = [...(present?.values() ?? [])].map(
      (found): Work =>
        async () => ({ item: identity(found), isWhole: false }),
    );
    const bodies = await bodiesOf({ ...run, words: missing }, body);
    const works = bodies.map(
      (one, index): Work =>
        async (progress) => {
          const present = ifNeeded ? await namesake(run, one) : undefined;
          if (present) return present;
          if (made) return await order(run, made, one, progress);
          return await add(run, one, progress, isReference ? missing[index] : undefined);
        },
    );
    return [...nothingToDo, ...works];
  }
  if (!candidate.takesObject) {
    return [() => changeCollection(run, { ...body, ...brickNames(words) })];
  }
  if (verb.kind === 'update' && Object.keys(body).length === 0) {
    throw new UsageError(`${verb.noun} ${verb.name}: no change given`, {
      hint: `vmctl ${verb.noun} ${verb.name} --help lists the flags; --set sets any attribute`,
    });
  }
  const targets =
    ifNeeded && verb.kind === 'remove' ? await presentTargets(run) : await targetsOf(run);
  const bodyFor = objectBodies[`${verb.noun} ${verb.name}`];
  return targets.map((target) => async (progress) => {
    const own = bodyFor ? await bodyFor(run, target, body) : body;
    const perform = () =>
      verb.kind === 'update'
        ? changeWhatDiffers(run, target, own, progress)
        : change(run, target, own, progress);
    return ifNeeded ? await changeIfNeeded(run, target, progress, perform) : await perform();
  });
}

/**
 * Adds one object and waits until it is ready; `word` names one that exists already. `onAdded` gets what
 * the service answers, before it is waited for.
 */
export async function add(
  run: Run,
  body: object,
  progress: Progress,
  word?: string,
  onAdded?: (item: ApiObject) => void,
): Promise<Outcome> {
  const { client, verb, resolved, ids, query } = run;
  const { operation, collection } = resolved.candidate;
  const called = word === undefined ? undefined : bareWord(word, collection.noun);
  const { name, alias, id: given } = body as Body;
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
  await settleCompanion(run, body, item, progress);
  // What is attached has a state of its own, which only a move of the attachment changes.
  const moves = lifecycles[collection.type]?.moves ?? {};
  if (id === undefined || (!isNew && moves[verb.name] === undefined)) {
    // Some operations answer nothing, or only which object it was.
    const isWhole = id !== undefined && saysMore(item);
    if (!isWhole) progress.tell(label, pastOf(verb.name));
    return { item: Object.keys(item).length > 0 ? item : known(named), isWhole };
  }
  const found: Found = { id: String(id), label, item };
  const settled = await settle(run, found, isNew ? ['add'] : [verb.name], progress);
  return { item: settled ?? item, isWhole: true };
}

/** What programs get of an object that the service says nothing of. */
function known(named: unknown): ApiObject {
  if (named === undefined) return { status: 'complete' };
  return isUuid(String(named)) ? { id: named } : { name: named };
}

/** Whether an answer says more of an object than which one it is, and what it refers to. */
function saysMore(item: ApiObject): boolean {
  return Object.entries(item).some(
    ([name, value]) => name !== 'id' && name !== 'href' && typeof value !== 'object',
  );
}

/** Asks for an object of another collection: what is answered is only the request. */
async function order(
  run: Run,
  makes: readonly Makes[],
  body: object,
  progress: Progress,
): Promise<Outcome | undefined> {
  const { client, verb, resolved, ids, query } = run;
  const { operation, collection } = resolved.candidate;
  const what = `${verb.name} ${collection.noun}`;
  const send = () => client.object({ operation, ids, query, body, what });
  const { make } = await import('./made.ts');
  return await make(run, { makes, body: body as Body, send, what }, progress);
}

/** Sends what differs from the object as it is; where nothing does, the object is all there is to show. */
async function changeWhatDiffers(
  run: Run,
  target: Found,
  body: Body,
  progress: Progress,
): Promise<Outcome | undefined> {
  const { body: sent, present } = await reduced(run, target, body);
  if (sent) return await change(run, target, sent, progress, present);
  progress.tell(target.label, 'no changes; nothing to do');
  // A dry run shows requests, and there is none.
  if (run.cli.dryRunMode || !present) return undefined;
  return { item: present, isWhole: true };
}

/**
 * Does what the verb says to one object, and waits until it has come to rest. `before` is the object
 * as it is, where somebody has just read it.
 */
export async function change(
  run: Run,
  target: Found,
  body: Body,
  progress: Progress,
  before?: ApiObject,
): Promise<Outcome | undefined> {
  const { cli, client, verb, resolved } = run;
  const { operation, collection } = resolved.candidate;
  const isAsync = run.options['wait'] === false;
  const call = {
    operation,
    ids: { ...run.ids, [placeholderOf(collection)]: target.id },
    query: { ...run.query, ...(isAsync && hasQuery(run, 'async') ? { async: true } : {}) },
    what: `${verb.name} ${target.label}`,
    ...(before ? { before } : {}),
  };
  const known = { item: identity(target), isWhole: false };
  if (verb.kind === 'update') {
    const sent = { ...call, body };
    const item =
      operation.type === 'disk'
        ? await updateDisk(run, sent, target.id)
        : await client.object(sent);
    const moves = lifecycles[collection.type]?.moves['update'] !== undefined;
    const settled = moves ? await settle(run, target, ['update'], progress) : undefined;
    if (settled || item['id'] !== undefined) return { item: settled ?? item, isWhole: true };
    progress.tell(target.label, pastOf(verb.name));
    return known;
  }
  if (verb.kind === 'remove') {
    await client.action(Object.keys(body).length > 0 ? { ...call, body } : call);
    await settle(run, target, [verb.name, 'remove'], progress);
    progress.tell(target.label, pastOf(verb.name));
    return known;
  }
  const actionBody = isAsync && operation.body.includes('async') ? { async: true, ...body } : body;
  const send = () => client.action({ ...call, body: actionBody });
  const makes = makesByType[operation.type]?.[operation.name];
  if (makes) {
    const { make } = await import('./made.ts');
    return await make(run, { makes, body, send, what: call.what, target }, progress);
  }
  const answer = await send();
  cli.live?.hide();
  const isAnswered = await showOutput(run, operation, answer).finally(() => cli.live?.show());
  if (isAnswered) return undefined;
  const item = await settle(run, target, [operation.name], progress);
  if (item) return { item, isWhole: true };
  progress.tell(target.label, `${verb.name}: ${isAsync ? 'begun' : 'done'}`);
  return known;
}

/** Actions and removals that are about a collection as a whole. */
async function changeCollection(run: Run, body: Body): Promise<Outcome | undefined> {
  const { cli, client, verb, resolved, ids, query } = run;
  const { operation, collection } = resolved.candidate;
  const call = { operation, ids, query, body, what: `${verb.name} ${collection.noun}` };
  const answer = await client.action(call);
  if (await showOutput(run, operation, answer)) return undefined;
  cli.note(`${collection.noun}: ${verb.name}: done`);
  const { status = 'complete', job } = answer;
  return { item: { status, ...(job === undefined ? {} : { job }) }, isWhole: false };
}

function pastOf(verb: string): string {
  if (verb.startsWith('remove-')) return 'removed';
  if (verb.startsWith('add-')) return 'added';
  if (verb === 'unassign' || verb === 'detach') return `${verb}ed`;
  return verb.endsWith('e') ? `${verb}d` : `${verb}ed`;
}

/** The bodies to send: one, or one for each object that is attached. */
export async function bodiesOf(run: Run, body: Body): Promise<readonly object[]> {
  const { verb, words, finder, resolved } = run;
  const { type } = resolved.candidate.operation;
  const { takesBricks, namesObject } = verbOptions(verb);
  if (takesBricks) return [await newBricks(finder, words)];
  if (isReferenceVerb(verb)) {
    const bodies: object[] = [];
    for (const word of words) bodies.push({ ...body, ...(await referenceTo(finder, word, type)) });
    return bodies;
  }
  const target = namesObject ? await objectOf(run) : {};
  return [{ ...typeOptions[type]?.alwaysSent, ...body, ...target }];
}

async function referenceTo(finder: Finder, word: string, type: string): Promise<object> {
  const attribute = typeOptions[type]?.referredBy;
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
  if (!home) throw new UsageError(`--object ${text}: ${noun} have other kinds of parents`);
  const { id } = await run.finder.find(word, home);
  return { [home.type]: { id } };
}
