/** Permits that a command requires, and the objects on which it requires them. */

import { findKind, getCollection } from '../../cli/verbs/collections.ts';
import { type Candidate, findVerb } from '../../cli/verbs/derive-verbs.ts';
import { type Link, readTargets } from '../../cli/verbs/effective-permissions.ts';
import { type Finder, findOperation, getPlaceholder } from '../../cli/verbs/references.ts';
import { type ParentReference, parseOn } from '../../cli/verbs/resolve-collection.ts';
import type { ApiObject, Client } from '../../client/client.ts';
import { UsageError } from '../../client/errors.ts';

import { getObjectType, isType, listAttributes } from '../../model/index.ts';
import type { Need } from '../../model/notation/permits.ts';
import { listNeeds } from '../../model/required-permits.ts';

/** Permit with the object on which it is required; without one, on the system. */
export interface Requirement {
  readonly permit: string;
  readonly target?: Link;
  /** Kind of a target that the command line does not name. */
  readonly missing?: string;
}

interface Request {
  readonly client: Client;
  readonly finder: Finder;
  readonly verb: string;
  readonly object: string;
  readonly on: readonly string[];
}

/** Lists the required permits of a command; undefined if only super users may run it. */
export async function listRequirements(
  request: Request,
): Promise<readonly Requirement[] | undefined> {
  const { client, finder, verb: word, object: text } = request;
  const [kind = '', ref] = splitObject(text);
  const noun = findKind(kind);
  const verb = noun === undefined ? undefined : findVerb(noun, word);
  if (noun === undefined) {
    throw new UsageError(`${text}: the kind is missing or unknown`, {
      hint: `write the kind first: vms/${ref ?? text}`,
    });
  }
  if (!verb) {
    throw new UsageError(`${word} ${text}: no such operation`, { hint: `vmctl ${noun} --help` });
  }
  if (['list', 'get', 'wait'].includes(verb.kind)) {
    throw new UsageError(`${word} ${text}: reads require no permit`, {
      hint: 'the service omits objects that a user may not see',
    });
  }
  const others = request.on.map((one) => parseOn(one));
  const candidate = selectCandidate(verb.candidates, ref !== undefined, others, `${word} ${text}`);
  const owner = await findOwner(finder, candidate, others);
  const self =
    ref === undefined ? undefined : await findSelf(client, finder, candidate, ref, owner);
  const needs = listNeeds(candidate.operation);
  if (!needs) return undefined;
  const targets = await Promise.all(
    others
      .filter(({ noun: one }) => one !== candidate.parents.at(-1)?.noun)
      .map((one) => findNamed(finder, one)),
  );
  const found = await Promise.all(
    needs.map((need) => resolveNeed(client, need, { candidate, owner, self, targets })),
  );
  checkTargets(targets, found.flat(), `${word} ${text}`);
  return found.flat();
}

function splitObject(text: string): readonly [kind: string, ref?: string] {
  const at = text.indexOf('/');
  if (at < 0) return [text];
  if (at === text.length - 1) throw new UsageError(`${text}: the name is empty`);
  return [text.slice(0, at), text.slice(at + 1)];
}

/** Selects the collection: that of the parent in `--on`, otherwise the one without parents. */
function selectCandidate(
  candidates: readonly Candidate[],
  hasObject: boolean,
  others: readonly ParentReference[],
  command: string,
): Candidate {
  const possible = candidates.filter(
    ({ takesObject, owner }) => takesObject === hasObject && !owner,
  );
  if (possible.length === 0) {
    throw new UsageError(
      hasObject ? `${command}: not an operation of an object` : `${command}: object missing`,
      { hint: hasObject ? 'write only the kind: vms' : 'write the kind and the name: vms/web01' },
    );
  }
  const below = possible.find(
    ({ parents }) => parents.length === 1 && others.some(({ noun }) => noun === parents[0]?.noun),
  );
  const selected = below ?? possible.find(({ parents }) => parents.length === 0);
  if (selected) return selected;
  const parent = possible.find(({ parents }) => parents.length === 1)?.parents[0]?.noun;
  throw new UsageError(`${command}: parent missing`, {
    hint:
      parent === undefined
        ? 'objects with several parents are not supported'
        : `add --on ${parent}/NAME`,
  });
}

async function findNamed(finder: Finder, { noun, word }: ParentReference): Promise<Link> {
  const collection = getCollection(`/${noun}`);
  const { item, id } = await finder.find(word, collection);
  return { type: collection.type, object: { id, ...item } };
}

async function findOwner(
  finder: Finder,
  { parents }: Candidate,
  others: readonly ParentReference[],
): Promise<Link | undefined> {
  const reference = others.find(({ noun }) => noun === parents[0]?.noun);
  return reference && (await findNamed(finder, reference));
}

/** Reads the object completely, because lists of members lack references. */
async function findSelf(
  client: Client,
  finder: Finder,
  { collection, parents }: Candidate,
  ref: string,
  owner: Link | undefined,
): Promise<Link> {
  const ids = owner && parents[0] ? { [parents[0].placeholder]: String(owner.object['id']) } : {};
  const { id, label } = await finder.find(ref, collection, ids);
  const operation = findOperation(collection.object ?? '', 'get');
  const own = { ...ids, [getPlaceholder(collection)]: id };
  const object: ApiObject = operation
    ? await client.object({ operation, ids: own, what: `get ${label}` })
    : { id };
  return { type: collection.type, object: { ...object } };
}

interface Subject {
  readonly candidate: Candidate;
  readonly owner: Link | undefined;
  readonly self: Link | undefined;
  readonly targets: readonly Link[];
}

async function resolveNeed(
  client: Client,
  { permit, on, path = '' }: Need,
  { candidate, owner, self, targets }: Subject,
): Promise<readonly Requirement[]> {
  const type = candidate.collection.type;
  if (on === 'self' && self) return [{ permit, target: self }];
  if (on === 'owner' && owner) return [{ permit, target: owner }];
  if (on === 'own' || on === 'others') {
    throw new UsageError(`the permits of ${candidate.collection.noun} depend on their user`, {
      hint: 'users may change their own; others require manipulate_users',
    });
  }
  if (on === 'referred' && self) {
    const found = await readTargets(client, self, path.split('.'));
    return found.length > 0 ? found.map((target) => ({ permit, target })) : [{ permit }];
  }
  if (on !== 'sent') return [{ permit }];
  const wanted = findTargetType(type, path.split('.'));
  const given = targets.filter((one) => one.type === wanted);
  if (given.length > 0) return given.map((target) => ({ permit, target }));
  return [{ permit, missing: wanted ?? path }];
}

/** Type at the end of a path of references. */
function findTargetType(
  type: string,
  [first = '', ...rest]: readonly string[],
): string | undefined {
  const declared = listAttributes(type)[first];
  const target = declared ? getObjectType(declared.kind) : isType(first) ? first : undefined;
  return target === undefined || rest.length === 0 ? target : findTargetType(target, rest);
}

/** Refuses objects of `--on` that the operation does not use. */
function checkTargets(
  targets: readonly Link[],
  requirements: readonly Requirement[],
  command: string,
): void {
  const unused = targets.find((one) => !requirements.some(({ target }) => target === one));
  if (!unused) return;
  throw new UsageError(`${command}: the answer does not depend on a ${unused.type}`, {
    hint: 'remove this --on',
  });
}
