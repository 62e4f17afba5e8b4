/** Initial contents of a store from a definition document. */

import { randomBytes } from 'node:crypto';
import { itemDefaults, type PlacedDefinition } from '../../definitions/document.ts';
import { type Entry, getMemberScope, listDefinitionEntries } from '../../definitions/entries.ts';
import { getIdentityName, isNameless, isSame } from '../../definitions/identity.ts';
import {
  AmbiguousReference,
  type CandidateRequest,
  type Resolution,
  resolveAttributes,
  resolveReference,
} from '../../definitions/references.ts';
import { fillSecrets } from '../../definitions/secrets.ts';
import {
  createSourceAttributes,
  isPartOfTemplate,
  isWithoutSource,
  listTemplateDisks,
} from '../../definitions/templates.ts';
import { convertAttributes } from '../../definitions/values.ts';
import { getReferencedType, isType, listAttributes } from '../../model/index.ts';
import { isRecord } from '../../records.ts';
import type { SourcePlace } from '../../source-place.ts';
import * as generic from '../api/generic.ts';
import { setPassword } from '../auth/passwords.ts';
import { findBehavior, requireAction } from '../core/behavior.ts';
import { type CollectionRef, isStored, resolveCollection } from '../core/collection-ref.ts';
import type { RuleContext } from '../core/context.ts';
import { Refusal } from '../core/fault.ts';
import { createNameScope } from '../core/input.ts';
import { zeroId } from '../reference-data/default-ids.ts';
import type { StoredObject } from '../store/kinds.ts';
import { addToDirectory, addUnpostable } from './file-only-objects.ts';

/** Adds all objects. Throws with the refused object and the reason. */
export function addInventory(ctx: RuleContext, inventory: PlacedDefinition): void {
  const seeding = new Seeding(ctx);
  const entries = listDefinitionEntries(inventory);
  for (const entry of entries) seeding.add(entry);
  seeding.requireNetworks();
  for (const entry of entries) {
    if (entry.type === 'vm' && entry.runs) seeding.start(entry);
  }
}

class Seeding {
  readonly #ctx: RuleContext;
  /** Ids from the outermost owner to the entry itself. */
  readonly #ids = new Map<Entry, readonly string[]>();

  /** Paths of the objects of processed entries. */
  readonly #taken = new Set<string>();
  /** Networks that become required after the hosts have them. */
  readonly #required: Entry[] = [];

  constructor(ctx: RuleContext) {
    this.#ctx = ctx;
  }

  add(entry: Entry): void {
    if (isPartOfTemplate(entry) && entry.parent && this.#made.has(entry.parent)) return;
    const ctx = this.#ctx;
    const { service, parent, where, type } = entry;
    const above = parent ? (this.#ids.get(parent) ?? []) : [];
    const ref = resolveCollection(ctx.tx, service, above);
    addToDirectory(ctx, ref, entry.wanted);
    const sent = this.#sent(entry, ref);
    if (type === 'cdrom' && !isFileThere(ctx, sent)) return;
    const object = attempt(where, () => {
      const present = findPresent(ctx, ref, entry, sent);
      // Each of several entries with the same name refers to a different object.
      if (present && (entry.isMember || !this.#taken.has(`${ref.collection}/${present}`))) {
        return generic.update(ctx, generic.find(ctx, ref, present), sent);
      }
      const given = addUnpostable(ctx, ref, sent, where);
      if (given) return given;
      if (isWithoutSource(entry)) return this.#template(entry, sent);
      if (service === '/clusters/{cluster}/networks' && sent['required'] !== false) {
        this.#required.push(entry);
        return generic.add(ctx, ref, { ...sent, required: false });
      }
      const defaults = convertAttributes(type, listDefaults(ctx, type), where);
      return generic.add(ctx, ref, this.#withTemplate(entry, { ...defaults, ...sent }));
    });
    const id = String(object['id']);
    this.#taken.add(`${ref.collection}/${id}`);
    this.#ids.set(entry, [...above, id]);
    this.#settle(entry, id, sent);
  }

  /** Marks networks of clusters as required. Earlier, hosts without them would become unusable. */
  requireNetworks(): void {
    for (const entry of this.#required) {
      const [cluster = '', network = ''] = this.#ids.get(entry) ?? [];
      const ref = resolveCollection(this.#ctx.tx, entry.service, [cluster]);
      const target = generic.find(this.#ctx, ref, network);
      attempt(entry.where, () => generic.update(this.#ctx, target, { required: true }));
    }
  }

  start(entry: Entry): void {
    const ctx = this.#ctx;
    const id = this.#ids.get(entry)?.at(-1) ?? '';
    const target = generic.find(ctx, resolveCollection(ctx.tx, '/vms', []), id);
    attempt(entry.where, () => requireAction(ctx, 'vm', 'start')(ctx, target, {}));
  }

  /** Entries of templates created here, with their parts. */
  readonly #made = new Set<Entry>();

  /** The request for an entry, with its known references resolved to ids. */
  #sent(entry: Entry, ref: CollectionRef): StoredObject {
    const { type, wanted, where, isMember } = entry;
    const fields = fillSecrets(wanted, () => randomBytes(12).toString('base64url'));
    if (isMember && wanted['id'] === undefined) {
      const { name: _name, ...more } = fields;
      const named = isNameless(type) ? fields : { name: fields['name'], ...getMemberScope(entry) };
      return { ...more, ...this.#answered(resolveReference(type, named, ignore, ['name']), ref) };
    }
    try {
      return this.#answered(resolveAttributes(type, fields, ignore), ref);
    } catch (error) {
      if (!(error instanceof AmbiguousReference)) throw error;
      throw new Error(`${where.at(...error.steps)}: ${error.problem}`, { cause: error });
    }
  }

  #answered<T>(asking: Resolution<T>, ref: CollectionRef): T {
    let step = asking.next();
    while (!step.done) step = asking.next(candidates(this.#ctx, step.value, ref));
    return step.value;
  }

  /** Entries describe the disks of the VM, so they are not copied from the template. */
  #withTemplate(entry: Entry, sent: StoredObject): StoredObject {
    const isCopied = entry.type === 'vm' && listTemplateDisks(entry).length > 0;
    return isCopied ? { ...sent, template: { id: zeroId } } : sent;
  }

  #settle(entry: Entry, id: string, sent: StoredObject): void {
    const { tx } = this.#ctx;
    if (typeof entry.password === 'string') {
      setPassword(tx, String(entry.wanted['user_name']).replace(/-authz$/, ''), entry.password);
    }
    const { template, disk } = sent;
    const vm = entry.type === 'vm' ? tx.get('vm', id) : undefined;
    if (vm && isRecord(template) && listTemplateDisks(entry).length > 0) {
      const from = { id: String(template['id']) };
      tx.update('vm', { ...vm, template: from, original_template: from });
    }
    const made = entry.type === 'disk_attachment' ? tx.get('disk', id) : undefined;
    if (made && isRecord(disk) && isRecord(disk['template'])) {
      tx.update('disk', { ...made, template: { id: String(disk['template']['id']) } });
    }
  }

  /** Creates a template from a temporary VM; the disks are empty. */
  #template(entry: Entry, sent: StoredObject): StoredObject {
    const ctx = this.#ctx;
    const vms = resolveCollection(ctx.tx, '/vms', []);
    const name = ctx.site.newId();
    const vm = generic.add(ctx, vms, {
      ...createSourceAttributes(sent),
      name,
      template: { id: zeroId },
    });
    const source = String(vm['id']);
    const parts = entry.children.filter(isPartOfTemplate);
    const isDisk = ({ type }: Entry) => type === 'disk_attachment';
    for (const part of parts.filter((one) => !isDisk(one))) this.#part(part, source);
    const templates = resolveCollection(ctx.tx, '/templates', []);
    const template = generic.add(ctx, templates, { ...sent, vm: { id: source } });
    const id = String(template['id']);
    for (const part of parts.filter(isDisk)) this.#giveDisk(this.#part(part, source), source, id);
    const present = ctx.tx.get('vm', source);
    if (present) generic.remove(ctx, generic.find(ctx, vms, source), ctx.parameters);
    this.#made.add(entry);
    return template;
  }

  #part(part: Entry, vm: string): StoredObject {
    const ctx = this.#ctx;
    const word = part.service.slice(part.service.lastIndexOf('/') + 1);
    const ref = resolveCollection(ctx.tx, `/vms/{vm}/${word}`, [vm]);
    const sent = this.#sent(part, ref);
    return attempt(part.where, () => {
      const present = findPresent(ctx, ref, part, sent);
      return present
        ? generic.update(ctx, generic.find(ctx, ref, present), sent)
        : generic.add(ctx, ref, sent);
    });
  }

  /** Moves a disk from the VM to the template. */
  #giveDisk({ id: attachment }: StoredObject, vm: string, template: string): void {
    const { tx } = this.#ctx;
    const id = String(attachment);
    const collection = `/vms/${vm}/diskattachments`;
    const { vm: _vm, ...how } = tx.get('disk_attachment', id, collection) ?? {};
    tx.remove('disk_attachment', id, collection);
    const owner = { id: template };
    tx.insert('disk_attachment', `/templates/${template}/diskattachments`, {
      ...how,
      template: owner,
    });
    const disk = tx.get('disk', id);
    if (disk) tx.update('disk', { ...disk, template: owner });
  }
}

/** The API refuses unknown references when the request is sent. */
function ignore(): void {}

/** The objects of a type that a reference may refer to; undefined for types that are not stored. */
function candidates(
  ctx: RuleContext,
  { type, name }: CandidateRequest,
  ref: CollectionRef,
): readonly StoredObject[] | undefined {
  if (!isType(type)) return undefined;
  const kind = getReferencedType(type);
  if (!isStored(kind)) return undefined;
  if (name === undefined) return ctx.tx.list(kind, {});
  if (kind === 'user') {
    const named = [name, `${name}-authz`].flatMap((one) =>
      ctx.tx.list('user', { where: { user_name: one } }),
    );
    return named;
  }
  const host = kind === 'host_nic' && ref.owner?.kind === 'host' ? ref.owner.id : undefined;
  const where = { name, ...(host === undefined ? {} : { host_id: host }) };
  return ctx.tx.list(kind, { where });
}

/** Whether the ISO file exists: without one, a drive remains empty. */
function isFileThere(ctx: RuleContext, { file }: StoredObject): boolean {
  return !isRecord(file) || ctx.tx.get('file', String(file['id'])) !== undefined;
}

/** The id of an existing default or dependent object: a cluster, a MAC pool, ... */
function findPresent(
  ctx: RuleContext,
  ref: CollectionRef,
  { type, wanted, isMember }: Entry,
  sent: StoredObject,
): string | undefined {
  if (ref.members || findBehavior(ctx, ref.kind)?.compute) return undefined;
  const { where } = ref.options;
  if (isMember) {
    const id = String(sent['id']);
    return ctx.tx.get(ref.kind, id, ref.collection) && id;
  }
  if (isNameless(type)) {
    const found = ctx.tx
      .list(ref.kind, { where: { ...where } })
      .find((one) => isSame(type, sent, one));
    return found && String(found['id']);
  }
  const word = getIdentityName(type, wanted);
  if (type === 'disk_attachment') {
    const found = ctx.tx
      .list('disk_attachment', { where: { ...where } })
      .find(({ disk }) => ctx.tx.get('disk', disk?.id ?? '')?.alias === word);
    return found?.id;
  }
  if (word === undefined || !('name' in listAttributes(ref.type)) || type === 'user')
    return undefined;
  if (type === 'template' && isRecord(sent['version']) && sent['version']['base_template']) {
    return undefined;
  }
  const scope = createNameScope(ctx.tx, ref.type, sent);
  const found = ctx.tx.byName(ref.kind, word, { ...where, ...scope });
  return found && String(found['id']);
}

/** Defaults for members that the API requires but a simulated site does not need. */
function listDefaults(ctx: RuleContext, type: string): StoredObject {
  if (type === 'host') return { root_password: randomBytes(12).toString('base64url') };
  const defaults = itemDefaults[type] ?? {};
  if (type !== 'storage_domain') return defaults;
  const [host] = ctx.tx.list('host', { limit: 1 });
  return { type: 'data', ...(host?.name ? { host: host.name } : {}) };
}

function attempt<T>(where: SourcePlace, add: () => T): T {
  try {
    return add();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new Error(`${where}: ${error.reason}. ${error.detail ?? ''}`.trim(), { cause: error });
  }
}
