/**
 * Call of an operation: request, addressed collection or object, permissions, and the unencoded
 * response.
 */
import type { Dialect } from '../../model/dialect.ts';
import type { FileAnswer } from '../../model/files.ts';
import { addressesObject, type Operation } from '../../model/index.ts';
import type { CollectionExtras, MediaType } from '../../wire/index.ts';
import { authorise } from '../auth/authorise.ts';
import {
  type CollectionRef,
  getCollectionTemplate,
  resolveCollection,
} from '../core/collection-ref.ts';
import type { RuleContext } from '../core/context.ts';
import { Refusal } from '../core/fault.ts';
import type { StoredObject } from '../store/kinds.ts';
import type { EncodedObjects } from './encoded-objects.ts';
import * as generic from './generic.ts';
import { replaceHidden } from './hidden-references.ts';
import { type Presentation, wholeAlone, wholeChanged } from './presentation.ts';
import { type ApiRequest, booleanParameter, type Match } from './request.ts';
import { requireSupported } from './unsupported.ts';

export interface ApiCall {
  readonly request: ApiRequest;
  readonly match: Match;
  readonly operation: Operation;
  readonly body: StoredObject | StoredObject[];
  readonly dialect: Dialect;
  /** File that the client accepts instead of a document. */
  readonly file?: FileAnswer | undefined;
  /** Cache of encoded objects, for reads. */
  readonly encoded?: EncodedObjects | undefined;
}

/** Unencoded response. */
export type Answer = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
} & (
  | { readonly form: 'empty' }
  | { readonly form: 'file'; readonly media: string; readonly content: string | Uint8Array }
  | { readonly form: 'object'; readonly type: string; readonly object: StoredObject }
  /** Encoded object, in any format. */
  | { readonly form: 'text'; readonly text: (media: MediaType) => string }
  | {
      readonly form: 'list';
      /** Path template of the list. */
      readonly service?: string;
      readonly type: string;
      readonly parts: readonly ListPart[];
      readonly extras: CollectionExtras;
    }
  /** Response to an action, or state of a creation, which has the same members. */
  | { readonly form: 'action' | 'creation'; readonly action: StoredObject }
);

/** Consecutive objects of a list. */
export interface ListPart {
  /** Objects, or encoded items. Other requests may run at each undefined element. */
  readonly objects: (media: MediaType) => Iterable<StoredObject | string | undefined>;
}

export function createPresentation(
  ctx: RuleContext,
  { request, operation }: ApiCall,
): Presentation {
  const requested =
    request.parameters.get('all_content') ?? request.header('all-content') ?? undefined;
  const changes = operation.http !== 'GET' && operation.http !== 'HEAD';
  const alone = operation.name === 'get';
  const everything = booleanParameter(requested) === true;
  return {
    ctx,
    apiPath: request.apiPath,
    alone,
    allContent: changes || everything || (alone && wholeAlone.has(operation.type)),
    everything: everything || (changes && wholeChanged.has(operation.type)),
    afterChange: operation.name === 'add' || operation.name === 'update',
    afterUpdate: operation.name === 'update',
  };
}

/** Resolves the addressed collection, or the collection of the addressed object. */
export function resolveCallCollection(ctx: RuleContext, { match }: ApiCall): CollectionRef {
  const { parentIsUnknown = false } = match;
  if (!parentIsUnknown) ctx.filter?.enter(match.service, match.ids);
  const named = addressesObject(match.service);
  const ref = generic.located(
    ctx,
    named
      ? resolveCollection(ctx.tx, getCollectionTemplate(match.service), match.ids.slice(0, -1))
      : resolveCollection(ctx.tx, match.service, match.ids, parentIsUnknown),
    named ? match.ids.at(-1) : undefined,
  );
  return ctx.filter?.part(ref) ?? ref;
}

export function targetIn(ctx: RuleContext, call: ApiCall): ReturnType<typeof generic.find> {
  return generic.find(ctx, resolveCallCollection(ctx, call), call.match.ids.at(-1) ?? '');
}

/**
 * Refuses a change without permission, or without support of the hypervisor. Replaces references to
 * hidden objects in the body, so that they do not exist for later steps.
 */
export function permit(
  ctx: RuleContext,
  call: ApiCall,
  ref: CollectionRef,
  object?: StoredObject,
): void {
  const { body, operation } = call;
  const sent = Array.isArray(body) ? {} : body;
  const checked = authorise(ctx, operation, { ref, ...(object ? { object } : {}), sent });
  requireSupported(ctx, call, ref, object);
  if (ctx.filter) replaceHidden(ctx, ctx.filter, ref, { operation, body, checked });
}

/** Returns the object or action in the body. Refuses a list with 400. */
export function sentIn({ body }: ApiCall): StoredObject {
  if (!Array.isArray(body)) return body;
  throw new Refusal(400, 'Request syntactically incorrect.', 'expected one object, found a list');
}
