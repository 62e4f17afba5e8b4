/** Sections of several kinds: permissions and events. */

import type { Item } from '../../cli/output/view.ts';
import { getObjectName, readEffectivePermissions } from '../../cli/verbs/effective-permissions.ts';
import { findIdField } from '../../cli/verbs/events-of-object.ts';
import { isSearchText } from '../../cli/verbs/identifiers.ts';
import type { ApiObject } from '../../client/client.ts';
import { requireOperation } from '../../model/index.ts';
import type { TypeName } from '../../model/resources/index.ts';
import { isRecord, toRecord } from '../../records.ts';
import type { SectionPlan, Subject } from './section.ts';

/** Number of events in a description. */
const eventCount = 10;

/** Section with the permissions on an object, and their origin if they are inherited. */
export function planPermissions({ client, object, label }: Subject, type: TypeName): SectionPlan {
  return {
    key: 'permissions',
    title: 'Permissions',
    read: async () => {
      const { permissions, unreadable } = await readEffectivePermissions(client, type, object);
      if (permissions.length === 0 && unreadable.length > 0) return undefined;
      const rows = permissions.map(({ permission: { role, user, group }, origin }) => ({
        role: role?.name ?? role?.id,
        user: user && (user.user_name ?? user.name ?? user.id),
        group: group && (group.name ?? group.id),
        inherited_from: origin === label ? undefined : origin,
      }));
      return [...rows, ...unreadable.map((one) => ({ role: `(not permitted: ${one})` }))];
    },
  };
}

/** Section with the newest events that refer to an object by an attribute such as `vm`. */
export function planEvents(subject: Subject, attribute: string): SectionPlan {
  const field = findIdField(attribute);
  if (field === undefined) throw new Error(`Events are not searchable by the id of ${attribute}.`);
  return planFoundEvents(subject, 'Events', `${field}=${subject.id}`);
}

/** Section with the newest events that a search finds; omitted without a search. */
export function planFoundEvents(
  { client }: Subject,
  title: string,
  search: string | undefined,
): SectionPlan {
  return {
    key: 'events',
    title,
    isOmittedIfEmpty: search === undefined,
    read: async () => {
      if (search === undefined) return [];
      const events = await client.list({
        operation: requireOperation('/events', 'list'),
        query: { search, max: eventCount },
        what: 'list events',
      });
      return events.map(({ time, severity, description }) => ({ time, severity, description }));
    },
  };
}

/**
 * Search for the name of an object in a field; `message="*web01*"` with `isPart`. `undefined` if the
 * search language cannot express the name.
 */
export function createTextSearch(field: string, name: unknown, isPart = false): string | undefined {
  const text = String(name);
  if (!isSearchText(text)) return undefined;
  return `${field}="${isPart ? `*${text}*` : text}"`;
}

/** Name of a referenced object, or its id. */
export function getName(reference: unknown): string | undefined {
  return isRecord(reference) ? getObjectName(reference) || undefined : undefined;
}

/** Names of a list of objects. */
export function listNames(objects: unknown): readonly string[] {
  return Array.isArray(objects) ? objects.flatMap((one) => getName(one) ?? []) : [];
}

/** Value at a path of members. */
export function getAt(object: ApiObject, path: string): unknown {
  return path.split('.').reduce((value: unknown, name) => toRecord(value)[name], object);
}

/** Values without absent, empty and false ones. */
export function compact(values: Item): Item {
  return Object.fromEntries(
    Object.entries(values).filter(
      ([, value]) =>
        value !== undefined &&
        value !== '' &&
        value !== false &&
        !(Array.isArray(value) && value.length === 0),
    ),
  );
}
