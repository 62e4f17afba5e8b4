/** Behavior of events: external events and dismissal. */

import { type EventName, events } from '../../model/events.ts';
import type { Resource } from '../../model/resource.ts';
import { defineBehavior } from '../core/behavior.ts';
import type { RuleContext } from '../core/context.ts';
import { incomplete, notFound } from '../core/fault.ts';
import { requireUuid } from '../core/input.ts';
import { isStoredIn } from '../store/conditions.ts';
import type { StoredObject } from '../store/kinds.ts';
import { dismissedEvents } from '../store/search-values.ts';

const eventBySeverity: Readonly<Record<string, EventName>> = {
  normal: 'EXTERNAL_EVENT_NORMAL',
  warning: 'EXTERNAL_EVENT_WARNING',
  error: 'EXTERNAL_EVENT_ERROR',
  alert: 'EXTERNAL_EVENT_ALERT',
};

const linked = [
  'vm',
  'host',
  'cluster',
  'data_center',
  'storage_domain',
  'template',
  'user',
] as const;

/** Kinds with an external status, which an event can set. */
const kindsWithHealth: ReadonlySet<string> = new Set(['host', 'storage_domain']);

/** The null UUID. */
const nilId = '00000000-0000-0000-0000-000000000000';

const dismissedSearch = /(?:^|\s)deleted\s*!?=/i;

function moveEvent(ctx: RuleContext, event: Resource<'event'>, collection: string): void {
  ctx.tx.remove('event', event.id ?? '');
  ctx.tx.insert('event', collection, event);
}

export const eventBehavior = defineBehavior('event', {
  attach(ctx, _place, sent): Resource<'event'> {
    const event = sent;
    const { origin = '', custom_id: customId, severity = 'normal' } = event;
    if (origin.toLowerCase() === ctx.site.dialect.origin.toLowerCase()) {
      ctx.refuse('EVENT_ORIGIN_RESERVED', { action: 'add', origin });
    }
    const same = { origin, custom_id: customId ?? -1 };
    const duplicate = ctx.tx
      .list('event', { where: { custom_id: same.custom_id } })
      .some((other) => other.origin === origin);
    if (duplicate) ctx.refuse('EVENT_CUSTOM_ID_IN_USE', { action: 'add', origin, customId });
    const references: Record<string, { id: string; name?: string }> = {};
    for (const name of linked) {
      const id = event[name]?.id;
      if (!id || id === nilId) continue;
      requireUuid(id);
      const object = ctx.tx.get(name, id);
      const title = name === 'user' ? undefined : object?.name;
      references[name] = { id, ...(title ? { name: title } : {}) };
      const { external_status: health }: StoredObject = event[name] ?? {};
      if (object && health !== undefined && kindsWithHealth.has(name)) {
        const reported: StoredObject = { ...object, external_status: health };
        ctx.tx.update(name, reported);
      }
    }
    const id = ctx.addEvent({
      ...same,
      ...(ctx.site.dialect.engineAnswers
        ? { correlation_id: event.correlation_id, user: undefined }
        : {}),
      ...(event.correlation_id === undefined ? {} : { correlation_id: event.correlation_id }),
      severity,
      description: event.description ?? '',
      code: events[eventBySeverity[severity] ?? 'EXTERNAL_EVENT_NORMAL'].code,
      ...(event.flood_rate === undefined ? {} : { flood_rate: event.flood_rate }),
      ...(event.custom_data === undefined ? {} : { custom_data: event.custom_data }),
      ...references,
    });
    return ctx.tx.get('event', id) ?? {};
  },

  // Lists exclude dismissed events, unless a search requests them.
  locate(ctx, ref, id) {
    const isNamed = id !== undefined && ctx.site.dialect.engineAnswers;
    if (isNamed || dismissedSearch.test(ctx.parameters.text('search') ?? '')) return ref;
    const condition = isStoredIn(ref.collection);
    return { ...ref, options: { ...ref.options, condition } };
  },

  remove(ctx, { object }) {
    moveEvent(ctx, object, dismissedEvents);
    ctx.event('EVENT_REMOVED', {}, { ObjectName: object.id });
  },

  collectionActions: {
    undelete(ctx, _place, body) {
      const event = body['event'];
      const named = event?.id;
      if (event && named === undefined) throw incomplete('Event', ['id'], 'undelete');
      const where = { collection: dismissedEvents, ...(named === undefined ? {} : { id: named }) };
      const dismissed = ctx.tx.list('event', { where });
      if (named !== undefined && dismissed.length === 0) {
        throw notFound(`No dismissed event ${named}.`);
      }
      for (const event of dismissed) moveEvent(ctx, event, '/events');
      ctx.event('ALERTS_SHOWN_AGAIN');
      return undefined;
    },
  },
});
