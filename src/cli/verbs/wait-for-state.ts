/** Waiting for objects to reach a state, with progress. */
import type { ApiObject, Client } from '../../client/client.ts';
import { InterruptedError, NotFoundError } from '../../client/errors.ts';
import {
  type Condition,
  conditionFor,
  type PolledObject,
  stateAttribute,
  waitFor,
} from '../../client/poll.ts';
import { typeOptions } from '../../model/derive/commands.ts';
import { plainText } from '../output/cells.ts';
import type { Progress } from '../output/progress.ts';
import { durationOf } from '../text/duration.ts';
import { homeOf } from './collections.ts';
import { conditionOf } from './conditions.ts';
import { type Found, type Ids, operationNamed, placeholderOf } from './references.ts';
import type { Run } from './run.ts';

const defaultTimeout = '10m';

/** Milliseconds that `--wait-timeout` allows. */
export function waitTimeout(options: { readonly waitTimeout?: unknown }): number {
  return durationOf(String(options.waitTimeout ?? defaultTimeout), '--wait-timeout');
}

/**
 * Waits until what was begun for an object has ended. Returns the object as it is then, or
 * `undefined` when nobody waits or there is nothing to look at.
 */
export async function settle(
  run: Run,
  found: Found,
  operations: readonly string[],
  progress: Progress,
): Promise<ApiObject | undefined> {
  const { collection } = run.resolved.candidate;
  const asked = run.options['for'];
  if (stateAttribute(collection.type) === undefined && asked === undefined) return undefined;
  const watched = watch(run, found);
  if (!watched) return undefined;
  const goal =
    typeof asked === 'string'
      ? conditionOf(asked, collection.type)
      : conditionFor(collection.type, operations, found.label);
  if (run.options['wait'] === false) {
    run.cli.note(`not waiting; to wait: ${watched.resume} --for ${goal.text}`);
    return undefined;
  }
  return await waitShown(run, { ...watched, existed: true }, goal, progress);
}

/** Waits for what was made along with an object: the new disk of an attachment. */
export async function settleCompanion(
  run: Run,
  sent: object,
  item: ApiObject,
  progress: Progress,
): Promise<void> {
  const along = typeOptions[run.resolved.candidate.collection.type]?.createdAlong;
  const made = along ? (item[along.attribute] as ApiObject | undefined) : undefined;
  const home = along ? homeOf(along.type) : undefined;
  const get = home?.object ? operationNamed(home.object, 'get') : undefined;
  if (!along || !home || !get || made?.['id'] === undefined) return;
  // One that was named by its id was there before.
  const given = along ? ((sent as ApiObject)[along.attribute] as ApiObject | undefined) : undefined;
  if (run.options['wait'] === false || given?.['id'] !== undefined) return;
  const id = String(made['id']);
  const label = `${home.noun}/${String(made['alias'] ?? made['name'] ?? id)}`;
  const fetch = () =>
    run.client
      .object({ operation: get, ids: { [placeholderOf(home)]: id } })
      .catch((error: unknown) => {
        if (error instanceof NotFoundError) return undefined;
        throw error;
      });
  const watched = { label, resume: `vmctl wait ${home.noun}/${id}`, existed: true, fetch };
  await waitShown(run, watched, conditionFor(along.type, ['add'], label), progress);
}

/** The last event of what this command has begun, as the service words it. */
export async function lastEvent(client: Client): Promise<string | undefined> {
  const operation = operationNamed('/events', 'list');
  if (!operation) return undefined;
  const search = `correlation_id=${client.correlationId}`;
  const [event] = await client.list({ operation, query: { search, max: 1 } });
  return event?.['correlation_id'] === client.correlationId
    ? plainText(event['description'])
    : undefined;
}

/** Waits for a goal and shows the states on the way. */
export async function waitShown(
  run: Run,
  watched: PolledObject,
  goal: Condition,
  progress: Progress,
): Promise<ApiObject | undefined> {
  try {
    const reason = () => lastEvent(run.client);
    return await waitFor({ reason, ...watched }, goal, {
      timeout: waitTimeout(run.options),
      signal: run.cli.signal,
      onChange: (state, why) => progress.show(watched.label, state, why),
      reasons: progress.givesReasons,
      onUnavailable: (error) => {
        progress.clear();
        run.cli.warn(`${error.message}; retrying until the timeout`);
      },
      onAvailable: () => run.cli.note('the server responds again'),
    });
  } catch (error) {
    if (!(error instanceof InterruptedError)) throw error;
    // The reason of the signal is what gets reported, so it is told here what goes on without us.
    const command = `${watched.resume} --for ${goal.text}`;
    throw Object.assign(error, {
      hint: `the operation continues on the service; to wait for it: ${command}`,
      next: [command],
    });
  } finally {
    progress.clear();
  }
}

/** The object as something to look at; `undefined` where the API cannot show single objects. */
export function watch(run: Run, found: Found): PolledObject | undefined {
  const { client, ids } = run;
  const { collection } = run.resolved.candidate;
  const get = collection.object ? operationNamed(collection.object, 'get') : undefined;
  if (!get) return undefined;
  const all: Ids = { ...ids, [placeholderOf(collection)]: found.id };
  return {
    label: found.label,
    resume: resumeCommand(run, found),
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

/** The command that waits for the same object, with the flags that say of which parents. */
function resumeCommand(run: Run, found: Found): string {
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
