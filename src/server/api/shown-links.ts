/** Links of an object in a response. */
import { missingCollections } from '../../model/derive/placements.ts';
import { linksOf, linksWithSearches } from '../../model/links.ts';
import { LinkList } from '../../wire/index.ts';
import type { RuleContext } from '../core/context.ts';
import type { StoredObject } from '../store/kinds.ts';

/** What decides on the links: the dialect and the operation. */
interface Answered {
  readonly ctx: RuleContext;
  readonly alone?: boolean;
  readonly afterUpdate?: boolean;
}

/** The links of an object in a response, in the dialect of engines also an empty list of them. */
export function shownLinks(
  { ctx, alone, afterUpdate }: Answered,
  base: string,
  { service, type, object }: { service: string; type: string; object: StoredObject },
): LinkList | undefined {
  const { engineAnswers, linksToSearches } = ctx.site.dialect;
  const relations = linksToSearches ? linksWithSearches : linksOf;
  const answer = afterUpdate ? 'updated' : alone ? 'alone' : undefined;
  const links = relations(service, type, object, engineAnswers ? answer : undefined);
  if (links.length === 0 && !(engineAnswers && missingCollections[type])) return undefined;
  return new LinkList(base, links);
}
