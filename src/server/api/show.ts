/** Representation of one object in a response. */

import {
  namingOwners,
  personalParent,
  shownBelow,
  shownInBoth,
  shownInPart,
  shownWithoutLinks,
  unaddressed,
  unaddressedReferences,
  withoutAddressesInside,
} from '../../model/shown-below.ts';
import { isRecord } from '../../records.ts';
import { type CollectionRef, locateObject } from '../core/collection-ref.ts';
import { pickMembers } from '../core/member-selection.ts';
import type { StoredObject } from '../store/kinds.ts';
import { type Presentation, present, presentVisible, withoutAddresses } from './presentation.ts';

/** The representation of an object, without references to objects that the caller cannot see. */
export function show(view: Presentation, ref: CollectionRef, object: StoredObject): StoredObject {
  if (object['id'] === undefined) {
    const { service, path } = locateShown(view, ref, object);
    const {
      id: _id,
      href: _href,
      link: _link,
      ...shown
    } = present(view, ref.kind, object, service, path);
    return view.ctx.filter?.shows(ref.type, shown) ?? shown;
  }
  if (ref.members?.answers === 'link') {
    return { id: object['id'], href: view.apiPath + locateShown(view, ref, object).path };
  }
  return showFollowed(view, ref, object);
}

/** The representation of an object in a list that the request follows. */
export function showFollowed(
  view: Presentation,
  ref: CollectionRef,
  object: StoredObject,
): StoredObject {
  const shown = showWhole(view, ref, object);
  if (!isBrief(view, ref)) return shown;
  const { id, href, name } = shown;
  return { id, href, name };
}

/** Whether the dialect shows only the names of members: VMs, hosts and labels of affinity groups. */
function isBrief({ ctx }: Presentation, { members }: CollectionRef): boolean {
  const { answers } = members ?? {};
  return ctx.site.dialect.engineAnswers && (answers === 'sent' || answers === 'action');
}

/** The full representation, also in collections that show links only. */
function showWhole(view: Presentation, ref: CollectionRef, object: StoredObject): StoredObject {
  const { engineAnswers, hrefsBelowParents } = view.ctx.site.dialect;
  const { service, path } = locateShown(view, ref, object);
  const shown = presentVisible(view, ref.shownAs ?? ref.kind, object, service, path);
  Object.assign(shown, createDomainReference(view, ref), withoutAddress(view, ref.type, shown));
  if (path === nowhere) delete shown['href'];
  if (isUnaddressed(view, ref, object)) {
    delete shown['href'];
    if (ref.owner) delete shown[ref.owner.kind];
  }
  if (isWithoutLinks(view, ref)) delete shown['link'];
  if (engineAnswers) keepPart(shown, shownInPart[ref.service]);
  const naming = namesOwner(view, ref);
  if (naming && ref.owner) {
    const { id } = ref.owner;
    shown[naming.attribute] = { id, href: `${view.apiPath}${naming.collection}/${id}` };
  }
  const beside = findSecondCollection(view, ref);
  if (beside?.attribute === ref.owner?.kind) delete shown[beside?.parent ?? ''];
  const lacking = hrefsBelowParents && withoutAddressesInside[ref.kind];
  return lacking ? withoutAddresses(pickMembers(shown, (name) => !lacking.includes(name))) : shown;
}

/** References of an object that the dialect shows without their addresses. */
function withoutAddress({ ctx }: Presentation, type: string, shown: StoredObject): StoredObject {
  const names = ctx.site.dialect.hrefsBelowParents ? (unaddressedReferences[type] ?? []) : [];
  return Object.fromEntries(
    names.flatMap((name) => {
      const reference = shown[name];
      return isRecord(reference) ? [[name, withoutAddresses(reference)]] : [];
    }),
  );
}

/** The reference of an object on a storage domain to that domain, in the dialect of engines. */
function createDomainReference({ ctx, apiPath }: Presentation, ref: CollectionRef): StoredObject {
  const id = ref.owner?.id;
  const isShown = isOnDomain(ref) || ref.kind === 'disk_snapshot';
  return ctx.site.dialect.engineAnswers && isShown && ref.owner?.kind === 'storage_domain'
    ? { storage_domain: { id, href: `${apiPath}/storagedomains/${id}` } }
    : {};
}

/** Whether a collection has the VMs or templates of a storage domain. */
function isOnDomain({ kind, shownAs = kind }: CollectionRef): boolean {
  return shownAs === 'domain_vm' || shownAs === 'domain_template';
}

/** Whether the dialect shows an object without its address and its parent. */
function isUnaddressed(
  { ctx }: Presentation,
  { type }: CollectionRef,
  object: StoredObject,
): boolean {
  const pattern = ctx.site.dialect.hrefsBelowParents ? unaddressed[type] : undefined;
  return pattern?.test(String(object['name'])) === true;
}

const alwaysShown = ['id', 'href', 'link'];

/** Removes the attributes that the collection does not show. */
function keepPart(shown: StoredObject, part: readonly string[] | undefined): void {
  if (!part) return;
  for (const name of Object.keys(shown)) {
    if (!part.includes(name) && !alwaysShown.includes(name)) delete shown[name];
  }
}

/** The attribute in which the members of a list refer to the owner of the list, if the dialect shows it. */
function namesOwner(
  { ctx }: Presentation,
  { type, owner }: CollectionRef,
): (typeof namingOwners)[string] | undefined {
  return ctx.site.dialect.engineAnswers && owner ? namingOwners[type] : undefined;
}

/** Whether the dialect shows the objects of a collection without links. */
function isWithoutLinks({ ctx }: Presentation, { service }: CollectionRef): boolean {
  return ctx.site.dialect.hrefsBelowParents && shownWithoutLinks.has(service);
}

/** The second collection of the objects, if the dialect shows objects there. */
function findSecondCollection({ ctx }: Presentation, { kind }: CollectionRef) {
  return ctx.site.dialect.hrefsBelowParents ? shownInBoth[kind] : undefined;
}

/** The path of an object that an engine shows without an address. */
const nowhere = '';

/** Path template and path of an object: below its parent if the dialect has such addresses. */
function locateShown(
  view: Presentation,
  ref: CollectionRef,
  object: StoredObject,
): ReturnType<typeof locateObject> {
  const { ctx, alone, afterChange } = view;
  const location = locateObject(ref, String(object['id']));
  const beside = findSecondCollection(view, ref);
  const other = object[beside?.attribute ?? ''];
  if (beside && isRecord(other) && (alone || afterChange || ref.owner?.kind === beside.attribute)) {
    const [, before = '', after = ''] = /^(.*)(\/\w+\/[^/]+)$/.exec(location.path) ?? [];
    return { ...location, path: `${before}/${beside.segment}/${other['id']}${after}` };
  }
  const below = ctx.site.dialect.hrefsBelowParents ? shownBelow[ref.kind] : undefined;
  const isAddressedBelow = alone && below?.addressedBelow && ref.owner !== undefined;
  if (!below || (below.afterChange && !afterChange && !isAddressedBelow)) return location;
  const { owner } = ref;
  const isParent = (kind: string) => below.parents.some(([attribute]) => attribute === kind);
  const isPersonal = ([attribute]: (typeof below.parents)[number]) =>
    attribute === personalParent && below.parents.length > 1;
  const others = below.parents.filter((parent) => (!owner && afterChange) || !isPersonal(parent));
  const own = owner?.kind === personalParent ? below.parents.filter(isPersonal) : [];
  for (const [attribute, collection, word] of [...own, ...others]) {
    const parent = below.byOwner ? owner : object[attribute];
    if (!isRecord(parent) || parent['id'] === undefined) continue;
    return { ...location, path: `${collection}/${parent['id']}/${word}/${object['id']}` };
  }
  const isKnown = !owner || (object[owner.kind] !== undefined && isParent(owner.kind));
  return isKnown ? location : { ...location, path: nowhere };
}
