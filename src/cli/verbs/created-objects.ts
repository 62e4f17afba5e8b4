/** Objects that an operation creates in addition to its target: identification and wait. */

import pLimit from 'p-limit';
import type { ApiObject } from '../../client/client.ts';
import { ConflictError } from '../../client/errors.ts';
import { stateAttribute } from '../../client/wait-for-condition.ts';
import { isSearchable, requireOperation } from '../../model/index.ts';
import type { Makes } from '../../model/notation/makes.ts';
import type { Progress } from '../output/progress.ts';
import { getObject } from '../text/objects.ts';
import { type Collection, getCollection } from './collections.ts';
import { parseCondition } from './conditions.ts';
import { getHumanNoun } from './flags.ts';
import { createNameSearch, getNameAttributes, isSearchedByName } from './identifiers.ts';
import { getIdentity, type Outcome } from './outcomes.ts';
import { type FoundObject, findOperation, type Ids } from './references.ts';
import type { Run } from './run.ts';
import {
  createPoller,
  fetchLastEvent,
  waitUntilSettled,
  waitWithProgress,
} from './wait-for-state.ts';

interface CreatingCall {
  readonly makes: readonly Makes[];
  readonly body: ApiObject;
  readonly send: () => Promise<ApiObject>;
  readonly what: string;
  /** Target of the operation. */
  readonly target?: FoundObject;
}

/**
 * Runs an operation that creates another object, and waits for the object. Returns undefined if the
 * new object cannot be identified: the old object in its place could lead a script to destroy it.
 */
export async function runCreatingOperation(
  run: Run,
  { makes, body, send, what, target }: CreatingCall,
  progress: Progress,
): Promise<Outcome | undefined> {
  const { operation } = run.resolved.candidate;
  const begun = await serialize(async () => {
    const expected = await prepareCreation(run, makes, body, target);
    const answer = await send();
    return { expected, answer, found: expected && (await findCreated(run, expected, answer)) };
  });
  const { expected, answer } = begun;
  const isWaiting = run.options['wait'] !== false;
  const settles = target !== undefined && (isWaiting || !expected);
  // `--for` is a condition for the new object.
  const { for: _asked, ...options } = run.options;
  const own = expected ? { ...run, options } : run;
  const source = settles
    ? await waitUntilSettled(own, target, [operation.name], progress)
    : undefined;
  if (!expected) {
    if (source) return { item: source, isWhole: true };
    run.cli.note(`${target?.label ?? what}: ${run.verb.name}: ${isWaiting ? 'done' : 'begun'}`);
    return target ? { item: getIdentity(target), isWhole: false } : undefined;
  }
  const { collection } = expected;
  const found =
    begun.found ??
    (await findCreated(run, expected, answer)) ??
    (isWaiting ? await awaitCreated(run, expected, what, progress) : undefined);
  if (found) {
    return { item: await settleCreated(run, expected, found, progress), isWhole: true, collection };
  }
  const state = isWaiting ? 'done' : 'begun';
  run.cli.warn(
    `${what}: ${state}, but the new ${getHumanNoun(collection.noun)} cannot be identified`,
  );
  return undefined;
}

/** Knowledge about the new object before the call. */
interface ExpectedObject {
  readonly collection: Collection;
  readonly ids: Ids;
  readonly how: Makes;
  /** Name in the request. */
  readonly name?: string;
  /** Source object. */
  readonly source?: FoundObject;
  /** Whether the result is the same object in another collection, not a copy. */
  readonly isSame: boolean;
  /** Ids in the collection before the call; undefined if not read. */
  readonly before?: ReadonlySet<string>;
}

/** Ids of objects created by this process, so that each of two copies is reported once. */
const reportedIds = new Set<string>();

/** Serializes calls: objects of two concurrent calls would be indistinguishable. */
const serialize = pLimit(1);

/** Collects the knowledge before a call; undefined if the call creates no object. */
async function prepareCreation(
  run: Run,
  places: readonly Makes[],
  body: ApiObject,
  source?: FoundObject,
): Promise<ExpectedObject | undefined> {
  const how = places.find(({ when }) => when === undefined || (body[when] ?? false) !== false);
  if (!how) return undefined;
  const collection = getCollection(how.in);
  const named = how.namedBy === undefined ? undefined : getObject(body, how.namedBy);
  const name = named?.['name'] ?? named?.['alias'];
  const isSame = how.keepsId === true && body['clone'] !== true;
  const expected: ExpectedObject = {
    collection,
    ids: await resolveParents(run, collection, body),
    how,
    isSame,
    ...(name === undefined ? {} : { name: String(name) }),
    ...(source ? { source } : {}),
  };
  // The list is unnecessary if the response or the id identifies the new object.
  if (run.cli.dryRunMode || isSame || how.answeredAs !== undefined) return expected;
  const before = await listObjects(run, expected).catch(() => undefined);
  return before ? { ...expected, before: new Set(before.map(({ id }) => id)) } : expected;
}

/** Resolves the parents of the collection from the request. */
async function resolveParents(run: Run, { parents }: Collection, body: ApiObject): Promise<Ids> {
  let ids: Ids = {};
  for (const { placeholder, collection } of parents) {
    const element = Object.keys(body).find((one) => one.replaceAll('_', '') === placeholder);
    const sent = element === undefined ? undefined : getObject(body, element);
    const id = sent?.['id'];
    const found =
      id === undefined
        ? (await run.finder.find(String(sent?.['name'] ?? ''), getCollection(collection), ids)).id
        : String(id);
    ids = { ...ids, [placeholder]: found };
  }
  return ids;
}

interface ListedObject {
  readonly id: string;
  readonly name: unknown;
}

/** Lists the collection, limited to the requested name if possible. */
async function listObjects(
  run: Run,
  { collection, ids, name }: ExpectedObject,
): Promise<readonly ListedObject[]> {
  const operation = findOperation(collection.path, 'list');
  if (!operation) return [];
  const names = getNameAttributes(collection.type);
  const search =
    name !== undefined && isSearchedByName(collection.type) && isSearchable(operation)
      ? createNameSearch(name, names)
      : undefined;
  const query = search === undefined ? {} : { search, case_sensitive: true };
  const all: ListedObject[] = [];
  for await (const items of run.client.streamUndecoded({ operation, ids, query })) {
    for (const item of items) {
      all.push({ id: String(item['id']), name: item['name'] ?? item['alias'] });
    }
  }
  return all;
}

/** Number of polls after the end of the job: a service may list a new object slightly later. */
const pollsAfterJob = 10;

/**
 * Waits for an object that the service lists late, while the job of the call runs. Returns
 * undefined if the job ended and no new object is identifiable. Throws `ConflictError` if the job
 * failed.
 */
async function awaitCreated(
  run: Run,
  expected: ExpectedObject,
  what: string,
  progress: Progress,
): Promise<FoundObject | undefined> {
  const { collection, name, before } = expected;
  if (!before) return undefined;
  const label = `${collection.noun}/${name ?? '*'}`;
  let found: FoundObject | undefined;
  let looks = 0;
  const fetch = async (): Promise<ApiObject | undefined> => {
    const status = await fetchJobStatus(run);
    found = await findCreated(run, expected, {});
    if (found) return found.item ?? { id: found.id };
    if (status === 'failed' || status === 'aborted') throw new ConflictError(`${what}: ${status}`);
    if (status === 'started') return undefined;
    looks += 1;
    // Any object meets the condition: this one ends the wait.
    return name !== undefined && looks < pollsAfterJob ? undefined : {};
  };
  const reason = () => fetchLastEvent(run.client);
  const watched = { label, resume: `vmctl wait ${label}`, fetch, reason };
  await waitWithProgress(run, watched, parseCondition('exists', collection.type), progress);
  return found;
}

/** Returns the state of the job of the last change; undefined if none exists. */
async function fetchJobStatus({ client }: Run): Promise<unknown> {
  const operation = requireOperation('/jobs', 'list');
  const search = `correlation_id=${client.correlationId}`;
  const jobs = await client.list({ operation, query: { search } }).catch(() => []);
  return (jobs.find(({ status }) => status === 'started') ?? jobs[0])?.status;
}

/** Returns the created object; undefined while it is not identifiable. */
async function findCreated(
  run: Run,
  expected: ExpectedObject,
  answer: ApiObject,
): Promise<FoundObject | undefined> {
  const found = await identifyCreated(run, expected, answer).catch(() => undefined);
  if (found) reportedIds.add(found.id);
  return found;
}

async function identifyCreated(
  run: Run,
  expected: ExpectedObject,
  answer: ApiObject,
): Promise<FoundObject | undefined> {
  const { how, source, isSame, before } = expected;
  const answered = how.answeredAs === undefined ? undefined : getObject(answer, how.answeredAs);
  if (answered?.['id'] !== undefined)
    return await fetchObject(run, expected, String(answered['id']));
  if (isSame && source) return await fetchObject(run, expected, source.id);
  if (!before) return undefined;
  const name = expected.name ?? source?.item?.['name'] ?? source?.item?.['alias'];
  const fresh = (await listObjects(run, expected)).filter(
    ({ id }) => !before.has(id) && !reportedIds.has(id),
  );
  // Another client may have created objects. Two with the same name are ambiguous.
  const called = fresh.filter((one) => one.name === name);
  const [only, ...others] = expected.name !== undefined || called.length > 0 ? called : fresh;
  return only && others.length === 0 ? await fetchObject(run, expected, only.id) : undefined;
}

/** Reads an object with its label; undefined if it does not exist. */
async function fetchObject(
  run: Run,
  expected: ExpectedObject,
  id: string,
): Promise<FoundObject | undefined> {
  const { noun } = expected.collection;
  const item = await createPoller(createRunFor(run, expected), {
    id,
    label: `${noun}/${id}`,
  })?.fetch();
  if (!item) return undefined;
  return { id, label: `${noun}/${String(item['name'] ?? item['alias'] ?? id)}`, item };
}

/** Waits until the new object is ready, and returns its final state. */
async function settleCreated(
  run: Run,
  expected: ExpectedObject,
  found: FoundObject,
  progress: Progress,
): Promise<ApiObject> {
  const state = stateAttribute(expected.collection.type);
  // Objects on a storage domain are descriptions without a state.
  if (found.item && state !== undefined && found.item[state] === undefined) return found.item;
  const settled = await waitUntilSettled(createRunFor(run, expected), found, ['add'], progress);
  return settled ?? found.item ?? { id: found.id };
}

/** Returns a run on the collection of the new object. */
function createRunFor(run: Run, { collection, ids }: ExpectedObject): Run {
  const operation = collection.object ? findOperation(collection.object, 'get') : undefined;
  const { parents } = collection;
  const candidate = {
    operation: operation ?? run.resolved.candidate.operation,
    collection,
    parents,
    takesObject: true,
  };
  const meanings = {
    parents: new Map(parents.map((parent) => [parent.placeholder, parent] as const)),
    fields: new Map(),
    queries: new Map(),
  };
  return {
    ...run,
    ids,
    resolved: { candidate, meanings, parentWords: new Map(Object.entries(ids)) },
  };
}
