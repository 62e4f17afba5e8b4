/** Waiting for objects to reach a state, with progress. */

import type { ApiObject, Client } from '../../client/client.ts';
import { InterruptedError, NotFoundError } from '../../client/errors.ts';
import {
  type Condition,
  conditionFor,
  type PolledObject,
  stateAttribute,
  waitFor,
} from '../../client/wait-for-condition.ts';
import { typeOptions } from '../../model/derive/commands.ts';
import { requireOperation } from '../../model/index.ts';
import { formatPlain } from '../output/cells.ts';
import type { Progress } from '../output/progress.ts';
import { longestTimerMs, parseDuration } from '../text/duration.ts';
import { getObject } from '../text/objects.ts';
import { findRootCollection } from './collections.ts';
import { parseCondition } from './conditions.ts';
import { type FoundObject, findOperation, getPlaceholder, type Ids } from './references.ts';
import type { Run } from './run.ts';

const defaultTimeout = '10m';

/** Parses `--wait-timeout` into milliseconds (default 10 minutes). */
export function parseWaitTimeout(options: { readonly waitTimeout?: unknown }): number {
  const milliseconds = parseDuration(
    String(options.waitTimeout ?? defaultTimeout),
    '--wait-timeout',
  );
  return Math.min(milliseconds, longestTimerMs);
}

/**
 * Waits until an operation on an object ends. Returns the final object; undefined with `--no-wait`,
 * or if the object has no state to poll.
 */
export async function waitUntilSettled(
  run: Run,
  found: FoundObject,
  operations: readonly string[],
  progress: Progress,
): Promise<ApiObject | undefined> {
  const { collection } = run.resolved.candidate;
  const asked = run.options['for'];
  if (stateAttribute(collection.type) === undefined && asked === undefined) return undefined;
  const watched = createPoller(run, found);
  if (!watched) return undefined;
  const goal =
    typeof asked === 'string'
      ? parseCondition(asked, collection.type)
      : conditionFor(collection.type, operations, found.label);
  if (run.options['wait'] === false) {
    run.cli.note(`not waiting; to wait: ${watched.resume} --for ${goal.text}`);
    return undefined;
  }
  return await waitWithProgress(run, { ...watched, existed: true }, goal, progress);
}

/** Waits for an object that was created with another: the new disk of an attachment. */
export async function waitForCompanion(
  run: Run,
  sent: object,
  item: ApiObject,
  progress: Progress,
): Promise<void> {
  const along = typeOptions[run.resolved.candidate.collection.type]?.createdAlong;
  const made = along ? getObject(item, along.attribute) : undefined;
  const home = along ? findRootCollection(along.type) : undefined;
  const get = home?.object ? findOperation(home.object, 'get') : undefined;
  if (!along || !home || !get || made?.['id'] === undefined) return;
  // An object with an id in the request existed before.
  const given = along ? getObject(sent, along.attribute) : undefined;
  if (run.options['wait'] === false || given?.['id'] !== undefined) return;
  const id = String(made['id']);
  const label = `${home.noun}/${String(made['alias'] ?? made['name'] ?? id)}`;
  const fetch = () =>
    run.client
      .object({ operation: get, ids: { [getPlaceholder(home)]: id } })
      .catch((error: unknown) => {
        if (error instanceof NotFoundError) return undefined;
        throw error;
      });
  const watched = { label, resume: `vmctl wait ${home.noun}/${id}`, existed: true, fetch };
  await waitWithProgress(run, watched, conditionFor(along.type, ['add'], label), progress);
}

/** Returns the text of the last event that this command caused. */
export async function fetchLastEvent(client: Client): Promise<string | undefined> {
  const operation = requireOperation('/events', 'list');
  const search = `correlation_id=${client.correlationId}`;
  const [event] = await client.list({ operation, query: { search, max: 1 } });
  return event?.correlation_id === client.correlationId
    ? formatPlain(event.description)
    : undefined;
}

/** Waits for a condition and shows intermediate states. */
export async function waitWithProgress<O extends object>(
  run: Run,
  watched: PolledObject<O>,
  goal: Condition<O>,
  progress: Progress,
): Promise<O | undefined> {
  try {
    const reason = () => fetchLastEvent(run.client);
    return await waitFor({ reason, ...watched }, goal, {
      timeout: parseWaitTimeout(run.options),
      signal: run.cli.signal,
      onChange: (state, why) => progress.show(watched.label, state, why),
      reasons: progress.showsReasons,
      onUnavailable: (error) => {
        progress.clear();
        run.cli.warn(`${error.message}; retrying until the timeout`);
      },
      onAvailable: () => run.cli.note('the server responds again'),
    });
  } catch (error) {
    if (!(error instanceof InterruptedError)) throw error;
    // `main` reports the reason of the signal, so the hint about the running operation is added to
    // it.
    const command = `${watched.resume} --for ${goal.text}`;
    throw Object.assign(error, {
      hint: `the operation continues on the service; to wait for it: ${command}`,
      next: [command],
    });
  } finally {
    progress.clear();
  }
}

/** Creates a poller for an object; undefined if the API cannot return single objects. */
export function createPoller(run: Run, found: FoundObject): PolledObject | undefined {
  const { client, ids } = run;
  const { collection } = run.resolved.candidate;
  const get = collection.object ? findOperation(collection.object, 'get') : undefined;
  if (!get) return undefined;
  const all: Ids = { ...ids, [getPlaceholder(collection)]: found.id };
  return {
    label: found.label,
    resume: formatResumeCommand(run, found),
    fetch: async () => {
      try {
        return await client.object({ operation: get, ids: all, what: `get ${found.label}` });
      } catch (error) {
        if (error instanceof NotFoundError) return undefined;
        throw error;
      }
    },
  };
}

/** Formats the command that waits for the same object, with the flags for its parents. */
function formatResumeCommand(run: Run, found: FoundObject): string {
  const { collection, owner } = run.resolved.candidate;
  if (collection.parents.length === 0) return `vmctl wait ${found.label}`;
  if (owner) return `vmctl ${collection.noun} wait ${found.id}`;
  const { meanings, parentWords } = run.resolved;
  const flags = [...meanings.parents].map(
    ([key, parent]) => `--${key} ${parentWords.get(parent.placeholder) ?? ''}`,
  );
  const word = found.label.slice(found.label.indexOf('/') + 1);
  return `vmctl ${collection.noun} wait ${word} ${flags.join(' ')}`;
}
