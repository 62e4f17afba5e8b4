/** Presentation of stored objects: href, links, actions, references, defaults. */

import { services } from '../../model/derive/services.ts';
import { getReferencedType, getType, listAttributes, parseKind } from '../../model/index.ts';
import type { Attribute } from '../../model/notation/attributes.ts';
import type { TypeName } from '../../model/resources/index.ts';
import { isRecord } from '../../records.ts';
import { type Extent, findBehavior } from '../core/behavior.ts';
import { findTopCollection, getObjectTemplate, isStored } from '../core/collection-ref.ts';
import { type RuleContext, systemCaller } from '../core/context.ts';
import { maskSecretValue } from '../core/masked-secrets.ts';
import { getKindType, type KindName, type StoredObject } from '../store/kinds.ts';
import { addLinks } from './object-links.ts';

export interface Presentation {
  readonly ctx: RuleContext;
  /** API root of the request, the prefix of hrefs. */
  readonly apiPath: string;
  /** Whether the response contains parts that are costly to compute. */
  readonly allContent: boolean;
  /** Whether it is the response to GET of one object. */
  readonly alone?: boolean;
  /** Whether the client requested them. */
  readonly everything: boolean;
  /** Whether the object is nested in the objects of a list. */
  readonly brief?: boolean;
  /** Whether it includes attributes that the dialect never sends. */
  readonly complete?: boolean;
  /** Whether it is the response to an add or an update. */
  readonly afterChange?: boolean;
  /** Whether it is the response to an update. */
  readonly afterUpdate?: boolean;
  /** Called if the representation depends on the path of another object. */
  readonly onLookUp?: (lookedUp: PathLookup) => void;
}

/** The collection that contained an object. */
export interface PathLookup {
  readonly kind: KindName;
  readonly id: string;
  readonly collection: string | undefined;
}

/** Whether an attribute is shown at all. */
function isShown(type: string, name: string, { writeOnly }: Attribute): boolean {
  return !writeOnly && (getType(type).answers?.includes(name) ?? true);
}

/** Attributes shown only when `all_content` asks for them, and after an object was changed. */
const allContentOnly: Readonly<Record<string, ReadonlySet<string>>> = {
  vm: new Set([
    'console',
    'virtio_scsi',
    'soundcard_enabled',
    'rng_device',
    'tpm_enabled',
    'payloads',
  ]),
  template: new Set(['console', 'virtio_scsi', 'soundcard_enabled', 'rng_device', 'tpm_enabled']),
  instance_type: new Set([
    'console',
    'virtio_scsi',
    'soundcard_enabled',
    'rng_device',
    'tpm_enabled',
  ]),
  snapshot: new Set(['initialization']),
  host: new Set(['hosted_engine', 'network_operation_in_progress']),
  gluster_brick: new Set([
    'device',
    'fs_name',
    'gluster_clients',
    'memory_pools',
    'mnt_options',
    'pid',
    'port',
  ]),
  gluster_hook: new Set(['content']),
};

/** Attributes in the response to GET of the object only. */
const aloneOnly: Readonly<Record<string, ReadonlySet<string>>> = {
  vm: new Set(['numa_tune_mode']),
};

/** Hidden attributes of a type: never sent in the dialect, or shown only with all content or for one object. */
export function listHiddenAttributes(
  {
    allContent,
    alone = false,
    complete = false,
    ctx,
  }: Pick<Presentation, 'allContent' | 'alone' | 'complete' | 'ctx'>,
  type: string,
): ReadonlySet<string> | undefined {
  const parts = [
    complete ? undefined : ctx.site.dialect.unsent[type],
    alone ? undefined : aloneOnly[type],
    allContent ? undefined : allContentOnly[type],
  ].filter((one) => one !== undefined);
  return parts.length > 1 ? new Set(parts.flatMap((one) => [...one])) : parts[0];
}

/** Types with full responses to an add or an update. */
export const wholeChanged: ReadonlySet<string> = new Set(['vm', 'snapshot']);

/** Types with all content in the response to GET of one object. */
export const wholeAlone: ReadonlySet<string> = new Set(['gluster_brick', 'gluster_hook']);

/** How much of an object `Behavior.present` computes for a response. */
function createExtent({ brief = false, alone = false }: Presentation): Extent {
  return { brief, alone };
}

/**
 * Representation of an object. `service` and `path` are its path template and its path below the
 * API root: `/vms/{vm}` and `/vms/123`.
 */
export function present(
  view: Presentation,
  kind: KindName,
  object: StoredObject,
  service: string,
  path: string,
): StoredObject {
  const type = getKindType(kind);
  const shows = getAttributeWriters(type);
  const behavior = findBehavior(view.ctx, kind);
  const computed = behavior?.present?.(view.ctx, object, view.everything, createExtent(view));
  const hidden = listHiddenAttributes(view, type);
  const base = view.apiPath + path;
  const own = { base, service };
  const { engineAnswers } = view.ctx.site.dialect;
  // Objects that can only be listed have no address: CPU units.
  const isAddressed = services[service] !== undefined;
  const shown: StoredObject = { id: object['id'], ...(isAddressed ? { href: base } : {}) };
  // Computed values replace stored ones, also with undefined.
  for (const source of computed ? [object, computed] : [object]) {
    for (const name in source) {
      const show = shows.get(name);
      if (show === undefined || hidden?.has(name)) continue;
      const value = source[name] ?? undefined;
      shown[name] = show === asItIs || value === undefined ? value : show(view, value, own);
    }
  }
  if (view.everything) {
    for (const [name, referring] of Object.entries(behavior?.references ?? {})) {
      const referred = referring(view.ctx, object);
      if (referred) shown[name] = shows.get(name)?.(view, referred, own);
    }
  }
  if (view.afterChange) {
    Object.assign(shown, behavior?.presentChanged?.(view.ctx, object, base));
  }
  fillDefaults(shown, type, hidden);
  const changes = engineAnswers ? behavior?.linked?.(view.ctx, object) : undefined;
  addLinks(view, shown, { base, service, type, hidden, changes });
  return shown;
}

/** Representation without references to hidden objects. */
export function presentVisible(
  view: Presentation,
  kind: KindName,
  object: StoredObject,
  service: string,
  path: string,
): StoredObject {
  const shown = present(view, kind, object, service, path);
  return view.ctx.filter?.shows(getKindType(kind), shown) ?? shown;
}

/** Adds attributes that an object was stored without, with their defaults: an empty `comment`. */
function fillDefaults(shown: StoredObject, type: string, hidden?: ReadonlySet<string>): void {
  for (const [name, value] of listShownDefaults(type)) {
    if (!(name in shown) && !hidden?.has(name)) shown[name] = value;
  }
}

type Defaults = readonly (readonly [string, Attribute['default']])[];

const defaultsByType = new Map<string, Defaults>();

/** Attributes with a default in responses. */
export function listShownDefaults(type: string): Defaults {
  let defaults = defaultsByType.get(type);
  if (!defaults) {
    const attributes: readonly [string, Attribute][] = Object.entries(listAttributes(type));
    defaults = attributes.flatMap(([name, attribute]) =>
      attribute.default !== undefined && isShown(type, name, attribute)
        ? [[name, attribute.default] as const]
        : [],
    );
    defaultsByType.set(type, defaults);
  }
  return defaults;
}

/** Address and path template of the object with an attribute. */
export interface Own {
  readonly base: string;
  readonly service: string;
}

/** Writer of the value of an attribute. */
export type Show = (view: Presentation, value: unknown, own?: Own) => unknown;

const asItIs: Show = (_view, value) => value;

const masked: Show = (_view, value) => maskSecretValue(value);

/** Cached writers of attributes, by type. */
const showsByType = new Map<string, ReadonlyMap<string, Show>>();

/** Writers of the attributes of a type, without hidden attributes. */
export function getAttributeWriters(type: string): ReadonlyMap<string, Show> {
  let shows = showsByType.get(type);
  if (!shows) {
    const attributes: readonly [string, Attribute][] = Object.entries(listAttributes(type));
    shows = new Map(
      attributes
        .filter(([name, attribute]) => isShown(type, name, attribute))
        .map(([name, attribute]) => [
          name,
          attribute.secret ? masked : createAttributeWriter(type, name, attribute),
        ]),
    );
    showsByType.set(type, shows);
  }
  return shows;
}

/** Removes the addresses in an object. */
export function withoutAddresses(object: StoredObject): StoredObject {
  const without = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(without);
    return isRecord(value) ? withoutAddresses(value) : value;
  };
  const rest = Object.entries(object).filter(([name]) => name !== 'href');
  return Object.fromEntries(rest.map(([name, value]) => [name, without(value)]));
}

function createAttributeWriter(type: string, name: string, attribute: Attribute): Show {
  const { kind, withoutAddress, withoutAddressesWithin } = attribute;
  const { form, of } = parseKind(kind);
  if (form === 'scalar' || form === 'enum') return asItIs;
  const referred = getReferencedType(of);
  const reference = (view: Presentation, value: StoredObject) =>
    presentReference(view, referred, value);
  switch (form) {
    case 'ref':
      if (withoutAddress || withoutAddressesWithin) {
        return (view, value) => {
          if (!isRecord(value)) return undefined;
          const { href, ...shown } = reference(view, value);
          const own = withoutAddressesWithin && href !== undefined ? { href } : {};
          return { ...own, ...withoutAddresses(shown) };
        };
      }
      return (view, value, own) =>
        isRecord(value)
          ? besides(reference(view, value), of === type ? own : undefined)
          : undefined;
    case 'links':
      return (view, value, own) =>
        Array.isArray(value)
          ? value.map((item: StoredObject) => below(reference(view, item), name, own))
          : undefined;
    case 'struct':
      if (isPlain(of)) return asItIs;
      return (view, value) => {
        if (Array.isArray(value)) {
          return value.map((item: StoredObject) => presentPart(view, of, item));
        }
        return isRecord(value) ? presentPart(view, of, value) : undefined;
      };
  }
}

/** An object without a root collection is in a sub-collection of the object that lists it. */
function below(shown: StoredObject, list: string, own: Own | undefined): StoredObject {
  const word = list.replaceAll('_', '');
  if (!own || shown['href'] !== undefined || shown['id'] === undefined) return shown;
  const collection = `${own.service}/${word}`;
  return services[collection] && services[getObjectTemplate(collection)]
    ? { ...shown, href: `${own.base}/${word}/${shown['id']}` }
    : shown;
}

/** An object of the same type without a root collection is in the same collection. */
function besides(shown: StoredObject, own: Own | undefined): StoredObject {
  if (!own || shown['href'] !== undefined) return shown;
  return { ...shown, href: `${own.base.slice(0, own.base.lastIndexOf('/'))}/${shown['id']}` };
}

/**
 * Whether objects of a type are shown unchanged: without references, secrets and write-only
 * attributes.
 */
function isPlain(type: string, within: readonly string[] = []): boolean {
  if (within.includes(type)) return true;
  if (findTopCollection(type) !== undefined) return false;
  return Object.values(listAttributes(type)).every(({ kind, secret, writeOnly }: Attribute) => {
    const { form, of } = parseKind(kind);
    if (secret || writeOnly || form === 'ref' || form === 'links') return false;
    return form !== 'struct' || isPlain(of, [...within, type]);
  });
}

/** Representation of a nested object: with hrefs of references, without write-only attributes. */
function presentPart(view: Presentation, type: string, part: StoredObject): StoredObject {
  const attributes: Readonly<Record<string, Attribute>> = listAttributes(type);
  const shows = getAttributeWriters(type);
  const shown: StoredObject = {};
  for (const name in part) {
    const value = part[name];
    const show = shows.get(name);
    if (show) shown[name] = show === asItIs ? value : show(view, value);
    else if (!attributes[name]) shown[name] = value;
  }
  // Some nested objects have an address: icons, the data center of a quota, slaves of a bond.
  const id = part['id'];
  const home = typeof id === 'string' ? findHomeCollection(view, type, id) : undefined;
  if (home !== undefined) shown['href'] = `${view.apiPath}${home}/${id}`;
  return shown;
}

/** Reference with its address, or the representation of a complete object. */
function presentReference(
  view: Presentation,
  type: TypeName,
  reference: StoredObject,
): StoredObject {
  const shown = isBare(reference) ? reference : presentWhole(view, type, reference);
  const id = reference['id'];
  // The user of the service itself has no address.
  if (typeof id !== 'string' || (type === 'user' && id === systemCaller.userId)) return shown;
  const home = findHomeCollection(view, type, id);
  return home === undefined ? shown : { ...shown, href: `${view.apiPath}${home}/${id}` };
}

/** Whether an object contains only its id or name. */
function isBare(reference: StoredObject): boolean {
  for (const name in reference) {
    if (name !== 'id' && name !== 'name' && name !== 'user_name') return false;
  }
  return true;
}

function presentWhole(view: Presentation, type: TypeName, object: StoredObject): StoredObject {
  const shown = presentPart(view, type, object);
  const hidden = listHiddenAttributes(view, type);
  for (const name of hidden ?? []) delete shown[name];
  fillDefaults(shown, type, hidden);
  return shown;
}

/** Collection of an object with an address. */
function findHomeCollection(view: Presentation, type: string, id: string): string | undefined {
  const collection =
    findTopCollection(type) ?? (isStored(type) ? collectionIn(view, type, id) : undefined);
  return collection !== undefined && isService(collection) ? collection : undefined;
}

/** Whether objects of a collection have addresses: permits have them only below their roles. */
function isService(collection: string): boolean {
  return collection.lastIndexOf('/') > 0 || services[collection] !== undefined;
}

/** Cached collections by context, because the objects of a list often refer to the same objects. */
const lookedUp = new WeakMap<RuleContext, Map<string, string | undefined>>();

function collectionIn(
  { ctx, onLookUp }: Presentation,
  kind: KindName,
  id: string,
): string | undefined {
  const collection = findCollection(ctx, kind, id);
  onLookUp?.({ kind, id, collection });
  return collection;
}

/** The collection that contains an object, looked up once per context. */
export function findCollection(ctx: RuleContext, kind: KindName, id: string): string | undefined {
  let known = lookedUp.get(ctx);
  if (!known) {
    known = new Map();
    lookedUp.set(ctx, known);
  }
  const key = `${kind} ${id}`;
  if (!known.has(key)) known.set(key, ctx.tx.findCollection(kind, id));
  return known.get(key);
}
