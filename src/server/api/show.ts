/** Representation of one object in a response. */

import {
  personalParent,
  shownBelow,
  shownBeside,
  shownWithoutLinks,
  unaddressed,
} from '../../model/shown-below.ts';
import { type CollectionRef, locationOf } from '../core/collection-ref.ts';
import { isRecord, type StoredObject } from '../store/kinds.ts';
import { type Presentation, present, presentVisible } from './presentation.ts';

/** The representation of an object, without references to objects that the caller cannot see. */
export function show(view: Presentation, ref: CollectionRef, object: StoredObject): StoredObject {
  if (object['id'] === undefined) {
    const { service, path } = placeOf(view, ref, object);
    const {
      id: _id,
      href: _href,
      link: _link,
      ...shown
    } = present(view, ref.kind, object, service, path);
    return view.ctx.filter?.shows(ref.type, shown) ?? shown;
  }
  if (ref.members?.answers === 'link') {
    return { id: object['id'], href: view.apiPath + placeOf(view, ref, object).path };
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
export function isBrief({ ctx }: Presentation, { members }: CollectionRef): boolean {
  const { answers } = members ?? {};
  return ctx.site.dialect.engineAnswers && (answers === 'sent' || answers === 'action');
}

/** The full representation, also in collections that show links only. */
export function showWhole(
  view: Presentation,
  ref: CollectionRef,
  object: StoredObject,
): StoredObject {
  const { service, path } = placeOf(view, ref, object);
  const shown = presentVisible(view, ref.kind, object, service, path);
  if (path === nowhere) delete shown['href'];
  if (isUnaddressed(view, ref, object)) {
    delete shown['href'];
    if (ref.owner) delete shown[ref.owner.kind];
  }
  if (isWithoutLinks(view, ref)) delete shown['link'];
  const beside = besideOf(view, ref);
  if (beside?.attribute === ref.owner?.kind) delete shown[beside?.parent ?? ''];
  return shown;
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

/** Whether the dialect shows the objects of a collection without links. */
export function isWithoutLinks({ ctx }: Presentation, { service }: CollectionRef): boolean {
  return ctx.site.dialect.hrefsBelowParents && shownWithoutLinks.has(service);
}

/** The second collection of the objects, if the dialect shows objects there. */
function besideOf({ ctx }: Presentation, { kind }: CollectionRef) {
  return ctx.site.dialect.hrefsBelowParents ? shownBeside[kind] : undefined;
}

/** The path of an object that an engine shows without an address. */
const nowhere = '';

/** Path template and path of an object: below its parent if the dialect has such addresses. */
function placeOf(
  view: Presentation,
  ref: CollectionRef,
  object: StoredObject,
): ReturnType<typeof locationOf> {
  const { ctx, alone, afterChange } = view;
  const location = locationOf(ref, String(object['id']));
  const beside = besideOf(view, ref);
  const other = object[beside?.attribute ?? ''];
  if (beside && isRecord(other) && (alone || afterChange || ref.owner?.kind === beside.attribute)) {
    const [, before = '', after = ''] = /^(.*)(\/\w+\/[^/]+)$/.exec(location.path) ?? [];
    return { ...location, path: `${before}/${beside.word}/${other['id']}${after}` };
  }
  const below = ctx.site.dialect.hrefsBelowParents ? shownBelow[ref.kind] : undefined;
  const isAddressedBelow = alone && below?.addressedBelow && ref.owner !== undefined;
  if (!below || (below.afterChange && !afterChange && !isAddressedBelow)) return location;
  const { owner } = ref;
  const isParent = (kind: string) => below.parents.some(([attribute]) => attribute === kind);
  const isPersonal = ([attribute]: (typeof below.parents)[number]) => attribute === personalParent;
  const others = below.parents.filter((parent) => (!owner && afterChange) || !isPersonal(parent));
  const own = owner?.kind === personalParent ? below.parents.filter(isPersonal) : [];
  for (const [attribute, collection, word] of [...own, ...others]) {
    const parent = object[attribute];
    if (!isRecord(parent) || parent['id'] === undefined) continue;
    return { ...location, path: `${collection}/${parent['id']}/${word}/${object['id']}` };
  }
  const isKnown = !owner || (object[owner.kind] !== undefined && isParent(owner.kind));
  return isKnown ? location : { ...location, path: nowhere };
}
