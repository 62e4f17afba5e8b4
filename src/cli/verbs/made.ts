/** Objects that an operation makes beside the one that it is called on: found, and waited for. */
import pLimit from 'p-limit';
import type { ApiObject } from '../../client/client.ts';
import { ConflictError } from '../../client/errors.ts';
import { stateAttribute } from '../../client/poll.ts';
import { isSearchable } from '../../model/index.ts';
import type { Makes } from '../../model/notation/makes.ts';
import type { Progress } from '../output/progress.ts';
import { type Collection, collectionAt } from './collections.ts';
import { conditionOf } from './conditions.ts';
import { humanNoun } from './flags.ts';
import { isSearchedByName, nameAttributesOf, searchFor } from './identifiers.ts';
import { identity, type Outcome } from './outcomes.ts';
import { type Found, type Ids, operationNamed } from './references.ts';
import type { Run } from './run.ts';
import { lastEvent, settle, waitShown, watch } from './wait-for-state.ts';

interface MakingCall {
  readonly makes: readonly Makes[];
  readonly body: ApiObject;
  readonly send: () => Promise<ApiObject>;
  readonly what: string;
  /** What it is called on. */
  readonly target?: Found;
}

/**
 * Calls what makes another object, and waits for that. Where the new object cannot be told nothing is
 * returned: whoever goes on with the old one in its place may destroy it.
 */
export async function make(
  run: Run,
  { makes, body, send, what, target }: MakingCall,
  progress: Progress,
): Promise<Outcome | undefined> {
  const { operation } = run.resolved.candidate;
  const begun = await alone(async () => {
    const expected = await prepareMaking(run, makes, body, target);
    const answer = await send();
    return { expected, answer, found: expected && (await findMade(run, expected, answer)) };
  });
  const { expected, answer } = begun;
  const isWaiting = run.options['wait'] !== false;
  const settles = target !== undefined && (isWaiting || !expected);
  // What somebody asked to wait for is a state of the new object.
  const { for: _asked, ...options } = run.options;
  const own = expected ? { ...run, options } : run;
  const source = settles ? await settle(own, target, [operation.name], progress) : undefined;
  if (!expected) {
    if (source) return { item: source, isWhole: true };
    run.cli.note(`${target?.label ?? what}: ${run.verb.name}: ${isWaiting ? 'done' : 'begun'}`);
    return target ? { item: identity(target), isWhole: false } : undefined;
  }
  const { collection } = expected;
  const found =
    begun.found ??
    (await findMade(run, expected, answer)) ??
    (isWaiting ? await awaitMade(run, expected, what, progress) : undefined);
  if (found) {
    return { item: await settleMade(run, expected, found, progress), isWhole: true, collection };
  }
  const state = isWaiting ? 'done' : 'begun';
  run.cli.warn(`${what}: ${state}, but the new ${humanNoun(collection.noun)} cannot be identified`);
  return undefined;
}

/** What is known before the call of the object that it makes. */
interface ExpectedObject {
  readonly collection: Collection;
  readonly ids: Ids;
  readonly how: Makes;
  /** The name that was sent for it. */
  readonly name?: string;
  /** What it is made from. */
  readonly source?: Found;
  /** It is no copy, but the same object at another place. */
  readonly isSame: boolean;
  /** Ids of what was there before; nothing where nobody looked. */
  readonly before?: ReadonlySet<string>;
}

/** Ids that were found to be made by this process: of two copies each is told once. */
const claimed = new Set<string>();

/** One after the other: what two calls make at a time could not be told apart. */
const alone = pLimit(1);

/** Looks around before a call; nothing where it makes nothing this time. */
async function prepareMaking(
  run: Run,
  places: readonly Makes[],
  body: ApiObject,
  source?: Found,
): Promise<ExpectedObject | undefined> {
  const how = places.find(({ when }) => when === undefined || (body[when] ?? false) !== false);
  if (!how) return undefined;
  const collection = collectionAt(how.in);
  const named = how.namedBy === undefined ? undefined : (body[how.namedBy] as ApiObject);
  const name = named?.['name'] ?? named?.['alias'];
  const isSame = how.keepsId === true && body['clone'] !== true;
  const expected: ExpectedObject = {
    collection,
    ids: await placeOf(run, collection, body),
    how,
    isSame,
    ...(name === undefined ? {} : { name: String(name) }),
    ...(source ? { source } : {}),
  };
  // A long list is not read where something better than a difference tells the new object.
  if (run.cli.dryRunMode || isSame || how.answeredAs !== undefined) return expected;
  const before = await listed(run, expected).catch(() => undefined);
  return before ? { ...expected, before: new Set(before.map(({ id }) => id)) } : expected;
}

/** The ids in the path of the collection: the request names these objects. */
async function placeOf(run: Run, { parents }: Collection, body: ApiObject): Promise<Ids> {
  let ids: Ids = {};
  for (const { placeholder, collection } of parents) {
    const element = Object.keys(body).find((one) => one.replaceAll('_', '') === placeholder);
    const sent = element === undefined ? undefined : (body[element] as ApiObject);
    const id = sent?.['id'];
    const found =
      id === undefined
        ? (await run.finder.find(String(sent?.['name'] ?? ''), collectionAt(collection), ids)).id
        : String(id);
    ids = { ...ids, [placeholder]: found };
  }
  return ids;
}

interface Listed {
  readonly id: string;
  readonly name: unknown;
}

/** What the collection has now: only what is called as was asked for, where that can be said. */
async function listed(
  run: Run,
  { collection, ids, name }: ExpectedObject,
): Promise<readonly Listed[]> {
  const operation = operationNamed(collection.path, 'list');
  if (!operation) return [];
  const names = nameAttributesOf(collection.type);
  const search =
    name !== undefined && isSearchedByName(collection.type) && isSearchable(operation)
      ? searchFor(name, names)
      : undefined;
  const query = search === undefined ? {} : { search, case_sensitive: true };
  const all: Listed[] = [];
  for await (const items of run.client.streamUndecoded({ operation, ids, query })) {
    for (const item of items) {
      all.push({ id: String(item['id']), name: item['name'] ?? item['alias'] });
    }
  }
  return all;
}

/** A service may list a new object a moment after its job: so often it is looked for then. */
const looksAfterJob = 10;

/**
 * Waits for an object that the service lists only later, as long as the job of the call runs. Nothing
 * when the job has ended and no new object can be told; throws `ConflictError` when the job failed.
 */
async function awaitMade(
  run: Run,
  expected: ExpectedObject,
  what: string,
  progress: Progress,
): Promise<Found | undefined> {
  const { collection, name, before } = expected;
  if (!before) return undefined;
  const label = `${collection.noun}/${name ?? '*'}`;
  let found: Found | undefined;
  let looks = 0;
  const fetch = async (): Promise<ApiObject | undefined> => {
    const status = await jobStatus(run);
    found = await findMade(run, expected, {});
    if (found) return found.item ?? { id: found.id };
    if (status === 'failed' || status === 'aborted') throw new ConflictError(`${what}: ${status}`);
    if (status === 'started') return undefined;
    looks += 1;
    // The condition is met by any object: this one ends the wait for one that will not come.
    return name !== undefined && looks < looksAfterJob ? undefined : {};
  };
  const reason = () => lastEvent(run.client);
  const watched = { label, resume: `vmctl wait ${label}`, fetch, reason };
  await waitShown(run, watched, conditionOf('exists', collection.type), progress);
  return found;
}

/** The state of the job that the last change of this command began; nothing where there is none. */
async function jobStatus({ client }: Run): Promise<unknown> {
  const operation = operationNamed('/jobs', 'list');
  if (!operation) return undefined;
  const search = `correlation_id=${client.correlationId}`;
  const jobs = await client.list({ operation, query: { search } }).catch(() => []);
  return (jobs.find(({ status }) => status === 'started') ?? jobs[0])?.['status'];
}

/** The object that the call has made; nothing while it cannot be told. */
async function findMade(
  run: Run,
  expected: ExpectedObject,
  answer: ApiObject,
): Promise<Found | undefined> {
  const found = await look(run, expected, answer).catch(() => undefined);
  if (found) claimed.add(found.id);
  return found;
}

async function look(
  run: Run,
  expected: ExpectedObject,
  answer: ApiObject,
): Promise<Found | undefined> {
  const { how, source, isSame, before } = expected;
  const answered = how.answeredAs === undefined ? undefined : (answer[how.answeredAs] as ApiObject);
  if (answered?.['id'] !== undefined) return await fetched(run, expected, String(answered['id']));
  if (isSame && source) return await fetched(run, expected, source.id);
  if (!before) return undefined;
  const name = expected.name ?? source?.item?.['name'] ?? source?.item?.['alias'];
  const fresh = (await listed(run, expected)).filter(
    ({ id }) => !before.has(id) && !claimed.has(id),
  );
  // Somebody else may have made something meanwhile; of two with the same name nobody knows.
  const called = fresh.filter((one) => one.name === name);
  const [only, ...others] = expected.name !== undefined || called.length > 0 ? called : fresh;
  return only && others.length === 0 ? await fetched(run, expected, only.id) : undefined;
}

/** The object as other commands name it; nothing where there is no such object. */
async function fetched(run: Run, expected: ExpectedObject, id: string): Promise<Found | undefined> {
  const { noun } = expected.collection;
  const item = await watch(runAt(run, expected), { id, label: `${noun}/${id}` })?.fetch();
  if (!item) return undefined;
  return { id, label: `${noun}/${String(item['name'] ?? item['alias'] ?? id)}`, item };
}

/** Waits until the new object is ready. Returns it as it is then. */
async function settleMade(
  run: Run,
  expected: ExpectedObject,
  found: Found,
  progress: Progress,
): Promise<ApiObject> {
  const state = stateAttribute(expected.collection.type);
  // What a storage domain keeps is a description, which has no state of its own.
  if (found.item && state !== undefined && found.item[state] === undefined) return found.item;
  const settled = await settle(runAt(run, expected), found, ['add'], progress);
  return settled ?? found.item ?? { id: found.id };
}

/** The run as if it were about the collection of the new object. */
function runAt(run: Run, { collection, ids }: ExpectedObject): Run {
  const operation = collection.object ? operationNamed(collection.object, 'get') : undefined;
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
