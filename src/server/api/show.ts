/** An object as it is answered. */
import { type CollectionRef, locationOf } from '../core/collection-ref.ts';
import type { StoredObject } from '../store/kinds.ts';
import { type Presentation, present, presentVisible } from './presentation.ts';

/** The object as it is answered: in its place, without references to what the caller does not see. */
export function show(view: Presentation, ref: CollectionRef, object: StoredObject): StoredObject {
  const { service, path } = locationOf(ref, String(object['id']));
  if (object['id'] === undefined) {
    const {
      id: _id,
      href: _href,
      link: _link,
      ...shown
    } = present(view, ref.kind, object, service, path);
    return view.ctx.filter?.shows(ref.type, shown) ?? shown;
  }
  if (ref.members?.answers === 'link') return { id: object['id'], href: view.apiPath + path };
  return presentVisible(view, ref.kind, object, service, path);
}
