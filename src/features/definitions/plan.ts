/**
 * Plan of the changes that apply a definition. Planning only reads; `runPlan` makes the changes.
 */

import { getErrorMessage } from '../../caught-errors.ts';
import { findRootCollection, getCollectionNoun } from '../../cli/verbs/collections.ts';
import type { OperationRunner } from '../../cli/verbs/operation-runner.ts';
import type { FoundObject, Ids } from '../../cli/verbs/references.ts';
import { NotFoundError } from '../../client/errors.ts';
import { nicsOfHosts } from '../../definitions/bonds.ts';
import type { Item, PlacedDefinition } from '../../definitions/document.ts';
import { type Entry, listDefinitionEntries } from '../../definitions/entries.ts';
import { getIdentityName } from '../../definitions/identity.ts';
import { type OnMissing, resolveAttributes } from '../../definitions/references.ts';
import { listSecrets } from '../../definitions/secrets.ts';
import { isPartOfTemplate, isWithoutSource } from '../../definitions/templates.ts';
import { listOperations } from '../../model/index.ts';
import { CachedService } from './cached-service.ts';
import type { Change, FixedDifference, Plan } from './changes.ts';
import {
  compareEntry,
  getParentIds,
  isNewScope,
  Matcher,
  type MatchState,
  resolveMember,
} from './matcher.ts';
import { ObjectMaker } from './object-maker.ts';
import { planDeletions } from './prune.ts';
import { definitionError } from './read.ts';

interface PlannedState extends MatchState {
  readonly change: Change | undefined;
}

/**
 * Compares the service with the definition. Throws `bad_definition` if the definition contradicts
 * itself or the API.
 * @param pruned id of the tag of objects to delete if the definition does not contain them
 */
export async function createPlan(
  runner: OperationRunner,
  definition: PlacedDefinition,
  pruned?: string,
): Promise<Plan> {
  let entries: readonly Entry[];
  try {
    entries = listDefinitionEntries(definition);
  } catch (error) {
    throw definitionError(getErrorMessage(error), error);
  }
  return await new Planner(runner).plan(entries, pruned);
}

class Planner {
  readonly #runner: OperationRunner;
  readonly #site: CachedService;
  readonly #matcher: Matcher;
  readonly #maker: ObjectMaker;
  readonly #changes: Change[] = [];
  readonly #fixed: FixedDifference[] = [];
  /** Types and names of all entries of the definition, as `TYPE NAME`. */
  readonly #named = new Set<string>();
  readonly #states = new Map<Entry, PlannedState>();

  constructor(runner: OperationRunner) {
    this.#runner = runner;
    this.#site = new CachedService(runner);
    this.#matcher = new Matcher(this.#site, this.#states);
    this.#maker = new ObjectMaker(runner, this.#site, this.#matcher, this.#states);
  }

  async plan(entries: readonly Entry[], pruned: string | undefined): Promise<Plan> {
    for (const { type, wanted, isMember } of entries) {
      const word = isMember ? undefined : getIdentityName(type, wanted);
      // Some services append `-authz` to user names; both forms are accepted.
      if (word !== undefined)
        this.#named.add(`${type} ${word}`).add(`${type} ${word.replace(/-authz$/, '')}`);
    }
    this.#matcher.register(entries);
    for (const entry of entries) await this.#planEntry(entry);
    this.#requireNetworks(entries);
    for (const entry of entries) {
      if (entry.type === 'vm' && entry.runs) this.#planStart(entry);
    }
    const plan = { changes: this.#changes, fixed: this.#fixed };
    if (pruned === undefined) return { ...plan, deletions: [], kept: [] };
    const matched = new Set([...this.#states.values()].flatMap(({ id }) => id ?? []));
    const context = { runner: this.#runner, site: this.#site, entries, matched };
    return { ...plan, ...(await planDeletions({ ...context, changes: plan.changes }, pruned)) };
  }

  async #planEntry(entry: Entry): Promise<void> {
    const { service, parent, type, label, where } = entry;
    const above = parent && this.#states.get(parent);
    const isBelowNew = above !== undefined && above.found === undefined;
    const note = (found: FoundObject | undefined, change: Change | undefined) =>
      this.#states.set(entry, { id: found?.id, found, change });
    if (isBelowNew && isPartOfTemplate(entry)) {
      note(undefined, above.change);
      return;
    }
    const ids = getParentIds(entry, this.#states);
    const own = await this.#resolve(entry, ids);
    const found = isBelowNew ? undefined : await this.#findObject(entry, own, ids);
    if (found) {
      note(found, this.#planUpdate(entry, own, found));
    } else if (
      service === nicsOfHosts ||
      listOperations(service).some(({ name }) => name === 'add')
    ) {
      note(undefined, this.#planCreation(entry, own, isBelowNew));
    } else if (isPartOfTemplate(entry)) {
      const to = getIdentityName(type, entry.wanted) ?? '';
      this.#fixed.push({ label, path: 'disk', from: '(nothing)', to });
      note(undefined, undefined);
    } else {
      const noun = getCollectionNoun(service);
      throw definitionError(
        `${where}: ${label} does not exist, and the API cannot create ${noun}; only vmctl serve --inventory can`,
      );
    }
  }

  /** Attributes of an entry with resolved references; for a member, the reference to it. */
  async #resolve(entry: Entry, ids: Ids): Promise<Item> {
    const { type, wanted, where } = entry;
    const onMissing = this.#onMissing(entry);
    const asking = entry.isMember
      ? resolveMember(entry, onMissing)
      : resolveAttributes(type, wanted, onMissing);
    return await this.#site.resolve(asking, ids, false, where);
  }

  /** Handler for missing references. Accepts a name that an earlier change may create. */
  #onMissing({ where }: Entry): OnMissing {
    return (path, type, name) => {
      const mayCome = createdWithOthers.has(type) && this.#changes.length > 0;
      if (mayCome || this.#named.has(`${type} ${name}`)) return;
      const noun = findRootCollection(type)?.noun ?? `${type}s`;
      throw new NotFoundError(`${where.at(...path)}: ${noun}/${name} not found`, {
        hint: `vmctl ${noun} list`,
      });
    };
  }

  /** Object that matches an entry; `own` are its attributes with resolved references. */
  async #findObject(entry: Entry, own: Item, ids: Ids): Promise<FoundObject | undefined> {
    if (!entry.isMember && isNewScope(entry.type, own)) return undefined;
    return await this.#matcher.find(entry, own, ids);
  }

  #planCreation(entry: Entry, own: Item, isBelowNew: boolean): Change {
    const { label, type } = entry;
    const parts = isWithoutSource(entry) ? entry.children.filter(isPartOfTemplate) : [];
    const above = entry.parent && this.#states.get(entry.parent);
    // Some objects are created with their parent, for example the management network of a data
    // center.
    const mayCome =
      isBelowNew || (!entry.isMember && isNewScope(type, own)) || createdWithOthers.has(type);
    const change: Change = {
      action: entry.isMember ? 'attach' : 'create',
      label,
      differences: [],
      needs: this.#listNeeds([entry, ...parts], above?.change),
      secrets: [entry, ...parts].flatMap(({ wanted }) => listSecrets(wanted)),
      run: async (getSecret) => await this.#maker.create(entry, mayCome, getSecret),
    };
    this.#changes.push(change);
    return change;
  }

  #listNeeds(entries: readonly Entry[], parent: Change | undefined): readonly Change[] {
    const before = entries.flatMap(({ needs }) => [...needs]).map((one) => this.#states.get(one));
    const changes = [parent, ...before.map((state) => state?.change)];
    return [...new Set(changes.filter((one) => one !== undefined))];
  }

  #planUpdate(entry: Entry, own: Item, found: FoundObject): Change | undefined {
    const { label } = entry;
    const { changed, fixed } = compareEntry(entry, own, found.item ?? {});
    this.#fixed.push(...fixed.map((one) => ({ label, ...one })));
    if (changed.size === 0) return undefined;
    const change: Change = {
      action: 'update',
      label,
      differences: [...changed.values()].flat(),
      needs: this.#listNeeds([entry], undefined),
      secrets: [],
      run: async () => await this.#maker.update(entry, [...changed.keys()], found),
    };
    this.#changes.push(change);
    return change;
  }

  /**
   * New networks of clusters stay optional until the hosts have them: a host without a required
   * network becomes non-operational and cannot add further objects.
   */
  #requireNetworks(entries: readonly Entry[]): void {
    const getChange = (entry: Entry) => this.#states.get(entry)?.change;
    const onHosts = entries.filter(
      ({ service }) => service === '/hosts' || service.startsWith('/hosts/{host}/'),
    );
    const changes = onHosts.flatMap((entry) => getChange(entry) ?? []);
    if (changes.length === 0) return;
    for (const entry of entries) {
      const attached = getChange(entry);
      const { wanted, service, label } = entry;
      const isNew = service === '/clusters/{cluster}/networks' && attached?.action === 'attach';
      if (!isNew || wanted['required'] === false) continue;
      this.#maker.optional.add(entry);
      this.#changes.push({
        action: 'update',
        label,
        differences: [{ path: 'required', from: 'false', to: 'true' }],
        needs: [attached],
        secrets: [],
        run: async () => await this.#maker.requireNetwork(entry),
      });
    }
  }

  #planStart(entry: Entry): void {
    const state = this.#states.get(entry);
    if (!state || state.found?.item?.['status'] === 'up') return;
    const { label } = entry;
    const family = (one: Entry): readonly Entry[] => [one, ...one.children.flatMap(family)];
    const changes = family(entry).map((one) => this.#states.get(one)?.change);
    this.#changes.push({
      action: 'start',
      label,
      differences: [],
      needs: changes.filter((one) => one !== undefined),
      secrets: [],
      run: async () => {
        const step = { path: '/vms/{vm}', name: 'start' };
        await this.#runner.change(step, { id: state.id ?? '', label });
      },
    });
  }
}

/**
 * Types of objects that services create together with others, for example profiles with networks.
 */
const createdWithOthers: ReadonlySet<string> = new Set([
  'vnic_profile',
  'cpu_profile',
  'disk_profile',
  'quota',
  'network',
  'disk',
  'storage_connection',
  'host_nic',
  'host_device',
]);
