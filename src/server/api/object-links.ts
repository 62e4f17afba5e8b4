/** Links and actions of an object in a response. */

import { missingCollections } from '../../model/derive/placements.ts';
import { listOperations } from '../../model/index.ts';
import { listLinks, listLinksWithSearches } from '../../model/links.ts';
import { LinkList } from '../../wire/index.ts';
import type { LinkChanges } from '../core/behavior.ts';
import type { RuleContext } from '../core/context.ts';
import type { StoredObject } from '../store/kinds.ts';

/** The members of a presentation that the links depend on. */
interface View {
  readonly ctx: RuleContext;
  readonly apiPath: string;
  readonly allContent: boolean;
  readonly alone?: boolean;
  readonly afterUpdate?: boolean;
}

interface Linked {
  /** Address of the object. */
  readonly base: string;
  /** Path template of the object. */
  readonly service: string;
  readonly type: string;
  /** Attributes that the dialect does not show. */
  readonly hidden: ReadonlySet<string> | undefined;
  readonly changes: LinkChanges | undefined;
}

/**
 * Path words of the links of an object in a response, in the dialect of engines also an empty list of them.
 * Undefined if the object has no links.
 */
function linkWords(
  view: View,
  { service, type, object }: { service: string; type: string; object: StoredObject },
): readonly string[] | undefined {
  const { engineAnswers, linksToSearches } = view.ctx.site.dialect;
  const relations = linksToSearches ? listLinksWithSearches : listLinks;
  const words = relations(service, type, object, engineAnswers ? getLinkForm(view) : undefined);
  if (words.length === 0 && !(engineAnswers && missingCollections[type])) return undefined;
  return words;
}

/** The form of the response, on which the links depend. */
function getLinkForm({
  afterUpdate,
  alone,
  allContent,
}: View): 'updated' | 'alone' | 'listed' | undefined {
  if (afterUpdate) return 'updated';
  if (alone) return 'alone';
  return allContent ? undefined : 'listed';
}

/** Adds the links and actions of an object to its representation. */
export function addLinks(view: View, shown: StoredObject, linked: Linked): void {
  const { base, service, type, hidden, changes } = linked;
  const known = linkWords(view, { service, type, object: shown });
  const links = known && new LinkList(base, without(known, changes));
  const others = (changes?.others ?? []).map(({ rel, path }) => ({
    rel,
    href: view.apiPath + path,
  }));
  if (others.length > 0) shown['link'] = [...others, ...(links ?? [])];
  else if (links && !hidden?.has('link')) shown['link'] = links;
  const actions = listActionNames(service);
  if (actions.length > 0) {
    shown['actions'] = { link: new LinkList(base, without(actions, changes)) };
  }
}

/** The links that an object has of those of its type. */
function without(words: readonly string[], changes: LinkChanges | undefined): readonly string[] {
  return changes ? words.filter((word) => !changes.missing.includes(word)) : words;
}

const actionNames = new Map<string, readonly string[]>();

/** Path words of the actions of a service. */
export function listActionNames(service: string): readonly string[] {
  let names = actionNames.get(service);
  if (!names) {
    names = listOperations(service)
      .filter((operation) => operation.isAction)
      .map((operation) => operation.path.slice(operation.path.lastIndexOf('/') + 1));
    actionNames.set(service, names);
  }
  return names;
}
