/** Ids of new objects: chosen by the client for some types, by the server for all others. */
import type { KindName, StoredObject } from '../store/kinds.ts';
import type { RuleContext } from './context.ts';
import { Refusal, typeLabel } from './fault.ts';

/** Types whose new objects keep the id of the request. */
const chosenByClients: ReadonlySet<KindName> = new Set<KindName>(['vm', 'cluster']);

/** More types whose new objects keep it in dialects that follow a deployed engine. */
const chosenWithEngines: ReadonlySet<KindName> = new Set<KindName>(['bookmark', 'disk', 'host']);

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * The id of a new object. Refuses with 400 an id that is not a UUID, and with 409 (`ID_IN_USE`) the id
 * of an object that exists.
 */
export function idOfNew(ctx: RuleContext, kind: KindName, sent: StoredObject): string {
  const given = sent['id'];
  const isChosen =
    chosenByClients.has(kind) || (chosenWithEngines.has(kind) && ctx.site.dialect.engineAnswers);
  if (!isChosen || typeof given !== 'string' || given === '') {
    return ctx.site.newId();
  }
  if (!uuid.test(given)) {
    throw new Refusal(400, 'Operation failed', `Invalid UUID string: ${given.slice(0, 100)}`);
  }
  const id = given.toLowerCase();
  if (ctx.tx.get(kind, id)) ctx.refuse('ID_IN_USE', { action: 'add', type: typeLabel(kind), id });
  return id;
}
