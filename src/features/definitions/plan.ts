/**
 * Plan of the changes that make a service as a definition says: computed by reading only, run later.
 */

import { homeOf, nounOfCollection } from '../../cli/verbs/collections.ts';
import type { Difference } from '../../cli/verbs/differences.ts';
import type { OperationRunner } from '../../cli/verbs/operation-runner.ts';
import type { Found, Ids } from '../../cli/verbs/references.ts';
import { NotFoundError } from '../../client/errors.ts';
import { nicsOfHosts } from '../../definitions/bonds.ts';
import type { Item, PlacedDefinition } from '../../definitions/document.ts';
import { type Entry, entriesOf } from '../../definitions/entries.ts';
import { wordOf } from '../../definitions/identity.ts';
import { type OnMissing, resolved } from '../../definitions/references.ts';
import { secretsIn } from '../../definitions/secrets.ts';
import { isFromNothing, isPartOfTemplate } from '../../definitions/templates.ts';
import { listOperations } from '../../model/index.ts';
import { Maker } from './make.ts';
import { differencesOf, idsAbove, isNewScope, Matcher, memberOf, type State } from './match.ts';
import { badDefinition } from './read.ts';
import { Site } from './site.ts';

export interface Change {
  readonly action: 'create' | 'attach' | 'update' | 'start';
  /** `vms/web01`, or `vms/web01/nics/nic1`. */
  readonly label: string;
  readonly differences: readonly Difference[];
  /** Changes that have to be done before. */
  readonly needs: readonly Change[];
  /** Names of the secrets that are sent. */
  readonly secrets: readonly string[];
  readonly run: (secretOf: (name: string) => string) => Promise<void>;
}

/** A difference that no change of the object takes away. */
export interface Fixed extends Difference {
  readonly label: string;
}

export interface Plan {
  readonly changes: readonly Change[];
  readonly fixed: readonly Fixed[];
}

interface Planned extends State {
  readonly change: Change | undefined;
}

/** Reads what there is and compares. Throws where the definition contradicts itself or the API. */
export async function planOf(runner: OperationRunner, definition: PlacedDefinition): Promise<Plan> {
  let entries: readonly Entry[];
  try {
    entries = entriesOf(definition);
  } catch (error) {
    throw badDefinition((error as Error).message, error);
  }
  return await new Planner(runner).plan(entries);
}

class Planner {
  readonly #runner: OperationRunner;
  readonly #site: Site;
  readonly #matcher: Matcher;
  readonly #maker: Maker;
  readonly #changes: Change[] = [];
  readonly #fixed: Fixed[] = [];
  /** Types and names of all that the definition has. */
  readonly #named = new Set<string>();
  readonly #states = new Map<Entry, Planned>();

  constructor(runner: OperationRunner) {
    this.#runner = runner;
    this.#site = new Site(runner);
    this.#matcher = new Matcher(this.#site, this.#states);
    this.#maker = new Maker(runner, this.#site, this.#matcher, this.#states);
  }

  async plan(entries: readonly Entry[]): Promise<Plan> {
    for (const { type, wanted, isMember } of entries) {
      const word = isMember ? undefined : wordOf(type, wanted);
      // Users are known by their names with and without the end that some services put there.
      if (word !== undefined)
        this.#named.add(`${type} ${word}`).add(`${type} ${word.replace(/-authz$/, '')}`);
    }
    this.#matcher.expect(entries);
    for (const entry of entries) await this.#entry(entry);
    this.#requireNetworks(entries);
    for (const entry of entries) {
      if (entry.type === 'vm' && entry.runs) this.#start(entry);
    }
    return { changes: this.#changes, fixed: this.#fixed };
  }

  async #entry(entry: Entry): Promise<void> {
    const { service, parent, type, label, where } = entry;
    const above = parent && this.#states.get(parent);
    const isBelowNew = above !== undefined && above.found === undefined;
    const note = (found: Found | undefined, change: Change | undefined) =>
      this.#states.set(entry, { id: found?.id, found, change });
    if (isBelowNew && isPartOfTemplate(entry)) {
      note(undefined, above.change);
      return;
    }
    const ids = idsAbove(entry, this.#states);
    const own = await this.#resolved(entry, ids);
    const found = isBelowNew ? undefined : await this.#found(entry, own, ids);
    if (found) {
      note(found, this.#update(entry, own, found));
    } else if (
      service === nicsOfHosts ||
      listOperations(service).some(({ name }) => name === 'add')
    ) {
      note(undefined, this.#create(entry, own, isBelowNew));
    } else if (isPartOfTemplate(entry)) {
      const to = wordOf(type, entry.wanted) ?? '';
      this.#fixed.push({ label, path: 'disk', from: '(nothing)', to });
      note(undefined, undefined);
    } else {
      const noun = nounOfCollection(service);
      throw badDefinition(
        `${where}: ${label} does not exist, and the API cannot create ${noun}; only vmctl serve --inventory can`,
      );
    }
  }

  /** The attributes with their references looked up; of a member, the reference to it. */
  async #resolved(entry: Entry, ids: Ids): Promise<Item> {
    const { type, wanted, where } = entry;
    const onMissing = this.#onMissing(entry);
    const asking = entry.isMember ? memberOf(entry, onMissing) : resolved(type, wanted, onMissing);
    return await this.#site.answered(asking, ids, false, where);
  }

  /** A name that nothing has may be that of something which is made before. */
  #onMissing({ where }: Entry): OnMissing {
    return (path, type, name) => {
      const mayCome = comingAlong.has(type) && this.#changes.length > 0;
      if (mayCome || this.#named.has(`${type} ${name}`)) return;
      const noun = homeOf(type)?.noun ?? `${type}s`;
      throw new NotFoundError(`${where.at(...path)}: ${noun}/${name} not found`, {
        hint: `vmctl ${noun} list`,
      });
    };
  }

  /** What is there of an object; `own` are its attributes with their references looked up. */
  async #found(entry: Entry, own: Item, ids: Ids): Promise<Found | undefined> {
    if (!entry.isMember && isNewScope(entry.type, own)) return undefined;
    return await this.#matcher.find(entry, own, ids);
  }

  #create(entry: Entry, own: Item, isBelowNew: boolean): Change {
    const { label, type } = entry;
    const parts = isFromNothing(entry) ? entry.children.filter(isPartOfTemplate) : [];
    const above = entry.parent && this.#states.get(entry.parent);
    // Some things come with what they are in: the management network of a data center.
    const mayCome =
      isBelowNew || (!entry.isMember && isNewScope(type, own)) || comingAlong.has(type);
    const change: Change = {
      action: entry.isMember ? 'attach' : 'create',
      label,
      differences: [],
      needs: this.#needs([entry, ...parts], above?.change),
      secrets: [entry, ...parts].flatMap(({ wanted }) => secretsIn(wanted)),
      run: async (secretOf) => await this.#maker.make(entry, mayCome, secretOf),
    };
    this.#changes.push(change);
    return change;
  }

  #needs(entries: readonly Entry[], parent: Change | undefined): readonly Change[] {
    const before = entries.flatMap(({ needs }) => [...needs]).map((one) => this.#states.get(one));
    const changes = [parent, ...before.map((state) => state?.change)];
    return [...new Set(changes.filter((one) => one !== undefined))];
  }

  #update(entry: Entry, own: Item, found: Found): Change | undefined {
    const { label } = entry;
    const { changed, fixed } = differencesOf(entry, own, found.item ?? {});
    this.#fixed.push(...fixed.map((one) => ({ label, ...one })));
    if (changed.size === 0) return undefined;
    const change: Change = {
      action: 'update',
      label,
      differences: [...changed.values()].flat(),
      needs: this.#needs([entry], undefined),
      secrets: [],
      run: async () => await this.#maker.correct(entry, [...changed.keys()], found),
    };
    this.#changes.push(change);
    return change;
  }

  /**
   * New networks of clusters are optional until the hosts have them: a host without a required network
   * becomes non-operational, and nothing could be added through it.
   */
  #requireNetworks(entries: readonly Entry[]): void {
    const changeOf = (entry: Entry) => this.#states.get(entry)?.change;
    const onHosts = entries.filter(
      ({ service }) => service === '/hosts' || service.startsWith('/hosts/{host}/'),
    );
    const changes = onHosts.flatMap((entry) => changeOf(entry) ?? []);
    if (changes.length === 0) return;
    for (const entry of entries) {
      const attached = changeOf(entry);
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
        run: async () => await this.#maker.require(entry),
      });
    }
  }

  #start(entry: Entry): void {
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

/** Types of objects that come with others: profiles with networks, disks with machines of templates. */
const comingAlong: ReadonlySet<string> = new Set([
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
