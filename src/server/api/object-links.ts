/** Links and actions of an object in a response. */
import { operationsOf } from '../../model/index.ts';
import { linksOf } from '../../model/links.ts';
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

/** Adds the links and actions of an object to its representation. */
export function addLinks(view: View, shown: StoredObject, linked: Linked): void {
  const { base, service, type, hidden, changes } = linked;
  const isUpdated = view.ctx.site.dialect.engineAnswers && view.afterUpdate === true;
  const isListed = isListedIn(view);
  const links = without(linksOf(service, type, shown, { isUpdated, isListed }), changes);
  const others = (changes?.others ?? []).map(({ rel, path }) => ({
    rel,
    href: view.apiPath + path,
  }));
  if (others.length > 0) shown['link'] = [...others, ...new LinkList(base, links)];
  else if (links.length > 0 && !hidden?.has('link')) shown['link'] = new LinkList(base, links);
  const actions = actionsOf(service);
  if (actions.length > 0) {
    shown['actions'] = { link: new LinkList(base, without(actions, changes)) };
  }
}

/** Whether objects are shown as in the lists of an engine. */
export function isListedIn({ ctx, alone, allContent }: View): boolean {
  return ctx.site.dialect.engineAnswers && !alone && !allContent;
}

/** The links that an object has of those of its type. */
function without(words: readonly string[], changes: LinkChanges | undefined): readonly string[] {
  return changes ? words.filter((word) => !changes.missing.includes(word)) : words;
}

const actionNames = new Map<string, readonly string[]>();

/** Path words of the actions of a service. */
export function actionsOf(service: string): readonly string[] {
  let names = actionNames.get(service);
  if (!names) {
    names = operationsOf(service)
      .filter((operation) => operation.isAction)
      .map((operation) => operation.path.slice(operation.path.lastIndexOf('/') + 1));
    actionNames.set(service, names);
  }
  return names;
}
