/** Selection of `vmctl events list --on vms/web01`: the events that refer to an object. */

import type { ApiObject } from '../../client/client.ts';
import { UsageError } from '../../client/errors.ts';
import { searchFields } from '../../model/derive/search.ts';
import { listAttributes, parseKind } from '../../model/index.ts';
import { isRecord } from '../../records.ts';
import { getFormat } from '../output/print.ts';
import { findRootCollection } from './collections.ts';
import { isUuid } from './identifiers.ts';
import type { ParentReference } from './resolve-collection.ts';
import type { Run } from './run.ts';

/** References of events: attribute by the noun of its objects. */
function listEventReferences(): ReadonlyMap<
  string,
  { readonly name: string; readonly of: string }
> {
  return new Map(
    Object.entries(listAttributes('event')).flatMap(([name, { kind }]) => {
      const { form, of } = parseKind(kind);
      const noun = form === 'ref' ? findRootCollection(of)?.noun : undefined;
      return noun === undefined ? [] : [[noun, { name, of }] as const];
    }),
  );
}

/**
 * Restricts a list of events to those that refer to an object. The service searches by the id if it
 * can; otherwise `vmctl` compares the ids. An id may be that of a deleted object.
 */
export async function selectEventsOf(run: Run, { noun, word }: ParentReference): Promise<Run> {
  const references = listEventReferences();
  const reference = references.get(noun);
  if (!reference) {
    throw new UsageError(`--on ${noun}/${word}: events do not refer to ${noun}`, {
      hint: `use an object of ${[...references.keys()].sort().join(', ')}`,
    });
  }
  const { name, of } = reference;
  const found = await run.finder.createReference(word, of);
  if (!('id' in found)) throw new Error(`The model has no collection of ${noun}.`);
  const { id } = found;
  const isWanted = (event: ApiObject) => {
    const target = event[name];
    return isRecord(target) && target['id'] === id;
  };
  const field = findIdField(name);
  if (field !== undefined && run.query['search'] === undefined && isUuid(id)) {
    return { ...run, query: { ...run.query, search: `${field}=${id}` }, isWanted };
  }
  requireFilteredOutput(run, noun);
  if (run.options['tail'] === true) return { ...run, isWanted };
  // The limit applies to the matching events, which only vmctl can count.
  const { max, ...query } = run.query;
  const options = max === undefined || max === 0 ? run.options : { ...run.options, limit: max };
  return { ...run, query, options, isWanted };
}

/** Search field of events with the id of a reference; undefined if the service has none. */
export function findIdField(reference: string): string | undefined {
  return Object.entries(searchFields['event'] ?? {}).find(
    ([, { path, relations }]) => path === `${reference}.id` && relations?.length !== 0,
  )?.[0];
}

/** Refuses output of unfiltered responses, and pages of the service. */
function requireFilteredOutput({ cli, options, query }: Run, noun: string): void {
  const search = query['search'] === undefined ? '' : ' and --search';
  const format = getFormat(cli);
  const unfiltered = format === 'xml' || format === 'raw' ? `-o ${format}` : undefined;
  const page = options['page'] === undefined ? undefined : '--page';
  const refused =
    unfiltered ?? page ?? (options['pageSize'] === undefined ? undefined : '--page-size');
  if (refused === undefined) return;
  throw new UsageError(`${refused} is not valid with --on ${noun}/NAME${search}`, {
    hint: `remove ${refused}; vmctl selects these events itself`,
  });
}
