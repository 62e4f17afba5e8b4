/** Makes one object of a definition: what it needs is there by now. */

import { homeOf } from '../../cli/verbs/collections.ts';
import type { OperationRunner } from '../../cli/verbs/operation-runner.ts';
import type { Found, Ids } from '../../cli/verbs/references.ts';
import type { ApiObject } from '../../client/client.ts';
import { ConflictError, NotFoundError } from '../../client/errors.ts';
import { bondAction, bondBody, nicsOfHosts } from '../../definitions/bonds.ts';
import { type Item, isItem, itemDefaults, objectServiceOf } from '../../definitions/document.ts';
import type { Entry } from '../../definitions/entries.ts';
import { type Asking, type OnMissing, resolved } from '../../definitions/references.ts';
import { withSecrets } from '../../definitions/secrets.ts';
import {
  disksOfTemplate,
  disksToMake,
  isFromNothing,
  isPartOfTemplate,
} from '../../definitions/templates.ts';
import { settled } from '../../definitions/values.ts';
import { pathText } from '../../source-place.ts';
import { differencesOf, idsAbove, type Matcher, memberOf, type State } from './match.ts';
import type { Site } from './site.ts';
import { sourceOf } from './template-source.ts';

type SecretOf = (name: string) => string;

export class Maker {
  readonly #runner: OperationRunner;
  readonly #site: Site;
  readonly #matcher: Matcher;
  readonly #states: ReadonlyMap<Entry, State>;
  /** Networks that clusters need only once their hosts have them. */
  readonly optional = new Set<Entry>();

  constructor(
    runner: OperationRunner,
    site: Site,
    matcher: Matcher,
    states: ReadonlyMap<Entry, State>,
  ) {
    this.#runner = runner;
    this.#matcher = matcher;
    this.#site = site;
    this.#states = states;
  }

  /** Adds the object, or corrects it where it came along with something. */
  async make(entry: Entry, mayCome: boolean, secretOf: SecretOf): Promise<void> {
    const { service, label } = entry;
    const state = this.#states.get(entry);
    if (!state) throw new Error(`${label} is not in the plan.`);
    const ids = idsAbove(entry, this.#states);
    const own = await this.#own(entry, ids);
    if (mayCome) {
      const present = await this.#matcher.find(entry, own, ids, entry.parent === undefined);
      if (present) {
        state.id = present.id;
        const { changed } = differencesOf(entry, own, present.item ?? {});
        await this.correct(entry, [...changed.keys()], present);
        return;
      }
    }
    const body = withSecrets(await this.#body(entry, own), secretOf);
    const item = isFromNothing(entry)
      ? await this.#template(entry, body, secretOf)
      : await this.#add(entry, body, ids);
    if (item['id'] !== undefined) state.id = String(item['id']);
    await this.#site.note(service, ids, item);
  }

  /** Sends these attributes. */
  async correct(entry: Entry, names: readonly string[], found: Found): Promise<void> {
    if (names.length === 0) return;
    const ids = idsAbove(entry, this.#states);
    const { service, type, wanted, label } = entry;
    const parts = Object.fromEntries(names.map((name) => [name, wanted[name]]));
    const body = await this.#site.answered(resolved(type, parts, insist), ids, true);
    if (service === nicsOfHosts) {
      await this.#setBond({ name: wanted['name'], ...body }, ids, label);
      return;
    }
    const path = objectServiceOf(service) ?? '';
    await this.#runner.change({ path, name: 'update', ids, body }, { ...found, label });
  }

  async #own(entry: Entry, ids: Ids): Promise<Item> {
    const asking: Asking<Item> = entry.isMember
      ? memberOf(entry, insist)
      : resolved(entry.type, entry.wanted, insist);
    return await this.#site.answered(asking, ids, true);
  }

  async #body(entry: Entry, own: Item): Promise<Item> {
    const { type, where } = entry;
    if (entry.isMember) return this.optional.has(entry) ? { ...own, required: false } : own;
    const defaults = settled(type, itemDefaults[type] ?? {}, where);
    const usual = await this.#site.answered(resolved(type, defaults, insist), {});
    const body = { ...usual, ...own };
    if (type === 'disk_attachment' && isItem(body['disk'])) {
      const { template: _from, ...disk } = body['disk'];
      return { ...body, disk };
    }
    const disks = type === 'vm' ? await this.#disksFromTemplate(entry, body) : [];
    return disks.length > 0 ? { ...body, disk_attachments: disks } : body;
  }

  /** What the disks are called that a machine gets from its template. */
  async #disksFromTemplate(entry: Entry, { template }: Item): Promise<readonly Item[]> {
    const wanted = disksOfTemplate(entry);
    if (wanted.length === 0 || !isItem(template)) return [];
    const ids = { template: String(template['id']) };
    const list = await this.#site.fresh('/templates/{template}/diskattachments', ids);
    const sources = list.flatMap(({ disk }) => (isItem(disk) ? [disk] : []));
    const disks: Item[] = [];
    for (const { id, ...disk } of disksToMake(wanted, sources)) {
      const sent = await this.#site.answered(resolved('disk', disk, insist), {});
      disks.push({ disk: { id, ...sent } });
    }
    return disks;
  }

  /** Says that a cluster needs a network, now that its hosts have it. */
  async require(entry: Entry): Promise<void> {
    const ids = idsAbove(entry, this.#states);
    const path = objectServiceOf(entry.service) ?? '';
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
      const nics = await this.#site.fresh(nicsOfHosts, ids);
      return nics.find(({ name }) => name === body['name']) ?? {};
    }
    const verb = entry.isMember ? { verb: 'attach' } : {};
    try {
      return await this.#runner.add({ path: entry.service, name: 'add', ids, body, ...verb });
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
      const own = await this.#own(entry, ids);
      if (!(await this.#matcher.find(entry, own, ids, true))) throw error;
      throw new ConflictError(`${entry.label}: created by another client in the meantime`, {
        hint: 'run the command again to compare with the current state',
        cause: error,
      });
    }
  }

  /** A template that is made of no machine of the definition is made of one for the purpose. */
  async #template(entry: Entry, body: Item, secretOf: SecretOf): Promise<ApiObject> {
    const parts = entry.children.filter(isPartOfTemplate);
    const source = await sourceOf(this.#runner, entry, body, async (vm, collection) => {
      const place = { vm };
      const below = parts.filter(({ service }) => service.endsWith(`/${collection}`));
      const bodies: Item[] = [];
      for (const part of below) {
        const own = await this.#own(part, place);
        bodies.push(withSecrets(await this.#body(part, own), secretOf));
      }
      return bodies;
    });
    try {
      // Without a comment of its own the template would have that of its source.
      return await this.#add(entry, { comment: '', ...body, vm: { id: source.id } }, {});
    } finally {
      await source.remove();
    }
  }
}

/** For what has to be there by now. */
const insist: OnMissing = (path, type, name) => {
  const noun = homeOf(type)?.noun ?? `${type}s`;
  throw new NotFoundError(`${pathText(path)}: ${noun}/${name} not found`);
};
