/** Creation and update of single objects of a definition, after the objects that they depend on. */

import { findRootCollection } from '../../cli/verbs/collections.ts';
import type { OperationRunner } from '../../cli/verbs/operation-runner.ts';
import type { FoundObject, Ids } from '../../cli/verbs/references.ts';
import type { ApiObject } from '../../client/client.ts';
import { ConflictError, NotFoundError } from '../../client/errors.ts';
import { bondAction, bondBody, nicsOfHosts } from '../../definitions/bonds.ts';
import { findObjectService, type Item, itemDefaults } from '../../definitions/document.ts';
import type { Entry } from '../../definitions/entries.ts';
import {
  type OnMissing,
  type Resolution,
  resolveAttributes,
} from '../../definitions/references.ts';
import { fillSecrets } from '../../definitions/secrets.ts';
import {
  isPartOfTemplate,
  isWithoutSource,
  listTemplateDisks,
  matchTemplateDisks,
} from '../../definitions/templates.ts';
import { convertAttributes } from '../../definitions/values.ts';
import { isRecord } from '../../records.ts';
import { pathText } from '../../source-place.ts';
import type { CachedService } from './cached-service.ts';
import {
  compareEntry,
  getParentIds,
  type Matcher,
  type MatchState,
  resolveMember,
} from './matcher.ts';
import { createTemplateSource } from './template-source.ts';

type GetSecret = (name: string) => string;

export class ObjectMaker {
  readonly #runner: OperationRunner;
  readonly #site: CachedService;
  readonly #matcher: Matcher;
  readonly #states: ReadonlyMap<Entry, MatchState>;
  /** Cluster networks that become required only after the hosts have them. */
  readonly optional = new Set<Entry>();

  constructor(
    runner: OperationRunner,
    site: CachedService,
    matcher: Matcher,
    states: ReadonlyMap<Entry, MatchState>,
  ) {
    this.#runner = runner;
    this.#matcher = matcher;
    this.#site = site;
    this.#states = states;
  }

  /**
   * Creates the object, or updates it if the creation of another object has created it (`mayCome`).
   */
  async create(entry: Entry, mayCome: boolean, getSecret: GetSecret): Promise<void> {
    const { service, label } = entry;
    const state = this.#states.get(entry);
    if (!state) throw new Error(`${label} is not in the plan.`);
    const ids = getParentIds(entry, this.#states);
    const own = await this.#resolveAttributes(entry, ids);
    if (mayCome) {
      const present = await this.#matcher.find(entry, own, ids, entry.parent === undefined);
      if (present) {
        state.id = present.id;
        const { changed } = compareEntry(entry, own, present.item ?? {});
        await this.update(entry, [...changed.keys()], present);
        return;
      }
    }
    const body = fillSecrets(await this.#createBody(entry, own), getSecret);
    const item = isWithoutSource(entry)
      ? await this.#createTemplate(entry, body, getSecret)
      : await this.#add(entry, body, ids);
    if (item['id'] !== undefined) state.id = String(item['id']);
    await this.#site.add(service, ids, item);
  }

  /** Updates the named attributes. */
  async update(entry: Entry, names: readonly string[], found: FoundObject): Promise<void> {
    if (names.length === 0) return;
    const ids = getParentIds(entry, this.#states);
    const { service, type, wanted, label } = entry;
    const parts = Object.fromEntries(names.map((name) => [name, wanted[name]]));
    const body = await this.#site.resolve(resolveAttributes(type, parts, requireObject), ids, true);
    if (service === nicsOfHosts) {
      await this.#setBond({ name: wanted['name'], ...body }, ids, label);
      return;
    }
    const path = findObjectService(service) ?? '';
    await this.#runner.change({ path, name: 'update', ids, body }, { ...found, label });
  }

  async #resolveAttributes(entry: Entry, ids: Ids): Promise<Item> {
    const asking: Resolution<Item> = entry.isMember
      ? resolveMember(entry, requireObject)
      : resolveAttributes(entry.type, entry.wanted, requireObject);
    return await this.#site.resolve(asking, ids, true);
  }

  async #createBody(entry: Entry, own: Item): Promise<Item> {
    const { type, where } = entry;
    if (entry.isMember) return this.optional.has(entry) ? { ...own, required: false } : own;
    const defaults = convertAttributes(type, itemDefaults[type] ?? {}, where);
    const usual = await this.#site.resolve(resolveAttributes(type, defaults, requireObject), {});
    const body = { ...usual, ...own };
    if (type === 'disk_attachment' && isRecord(body['disk'])) {
      const { template: _from, ...disk } = body['disk'];
      return { ...body, disk };
    }
    const disks = type === 'vm' ? await this.#listTemplateDisks(entry, body) : [];
    return disks.length > 0 ? { ...body, disk_attachments: disks } : body;
  }

  /** Ids and new attributes of the disks that a VM gets from its template. */
  async #listTemplateDisks(entry: Entry, { template }: Item): Promise<readonly Item[]> {
    const wanted = listTemplateDisks(entry);
    if (wanted.length === 0 || !isRecord(template)) return [];
    const ids = { template: String(template['id']) };
    const list = await this.#site.reload('/templates/{template}/diskattachments', ids);
    const sources = list.flatMap(({ disk }) => (isRecord(disk) ? [disk] : []));
    const disks: Item[] = [];
    for (const { id, ...disk } of matchTemplateDisks(wanted, sources)) {
      const sent = await this.#site.resolve(resolveAttributes('disk', disk, requireObject), {});
      disks.push({ disk: { id, ...sent } });
    }
    return disks;
  }

  /** Makes a network required in its cluster, after the hosts have it. */
  async requireNetwork(entry: Entry): Promise<void> {
    const ids = getParentIds(entry, this.#states);
    const path = findObjectService(entry.service) ?? '';
    const found = { id: this.#states.get(entry)?.id ?? '', label: entry.label };
    await this.#runner.change({ path, name: 'update', ids, body: { required: true } }, found);
  }

  async #setBond(bond: Item, ids: Ids, label: string): Promise<void> {
    const host = { id: String(ids['host']), label };
    await this.#runner.change({ ...bondAction, body: bondBody(bond) }, host);
  }

  async #add(entry: Entry, body: Item, ids: Ids): Promise<ApiObject> {
    if (entry.service === nicsOfHosts) {
      await this.#setBond(body, ids, entry.label);
      const nics = await this.#site.reload(nicsOfHosts, ids);
      return nics.find(({ name }) => name === body['name']) ?? {};
    }
    const verb = entry.isMember ? { verb: 'attach' } : {};
    try {
      return await this.#runner.add({ path: entry.service, name: 'add', ids, body, ...verb });
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
      const own = await this.#resolveAttributes(entry, ids);
      if (!(await this.#matcher.find(entry, own, ids, true))) throw error;
      throw new ConflictError(`${entry.label}: created by another client in the meantime`, {
        hint: 'run the command again to compare with the current state',
        cause: error,
      });
    }
  }

  /** Creates a template. If the definition names no VM for it, creates it from a temporary VM. */
  async #createTemplate(entry: Entry, body: Item, getSecret: GetSecret): Promise<ApiObject> {
    const parts = entry.children.filter(isPartOfTemplate);
    const source = await createTemplateSource(this.#runner, entry, body, async (vm, collection) => {
      const place = { vm };
      const below = parts.filter(({ service }) => service.endsWith(`/${collection}`));
      const bodies: Item[] = [];
      for (const part of below) {
        const own = await this.#resolveAttributes(part, place);
        bodies.push(fillSecrets(await this.#createBody(part, own), getSecret));
      }
      return bodies;
    });
    try {
      // Without this, the template would inherit the comment of the temporary VM.
      return await this.#add(entry, { comment: '', ...body, vm: { id: source.id } }, {});
    } finally {
      await source.remove();
    }
  }
}

/** Handler for references to objects that must exist at this point. */
const requireObject: OnMissing = (path, type, name) => {
  const noun = findRootCollection(type)?.noun ?? `${type}s`;
  throw new NotFoundError(`${pathText(path)}: ${noun}/${name} not found`);
};
