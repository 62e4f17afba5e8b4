/** Writes what a command changes into the history: each request before it is sent, and what came of it. */

import type { CommandContext } from '../../cli/session/command-context.ts';
import { maskedPath, maskedWords } from '../../cli/session/mask-secrets.ts';
import { siteUrl } from '../../client/address.ts';
import type { ApiObject, Call, ChangeObserver, Client, RawRequest } from '../../client/client.ts';
import { UsageError } from '../../client/errors.ts';
import type { HttpResponse } from '../../client/http-message.ts';
import { errorFromResponse } from '../../client/response-errors.ts';
import { opposites } from '../../model/derive/opposites.ts';
import { isType, listOperations, parseKind } from '../../model/index.ts';
import { actionParameters, type Parameter } from '../../model/notation/parameters.ts';
import { systemReason } from '../../system-errors.ts';
import { decodeAction, decodeObject } from '../../wire/index.ts';
import {
  addOutcome,
  addRequest,
  beginEntry,
  type HistoryHead,
  type HistoryOutcome,
  type HistoryRequest,
  historyDirectory,
  type Values,
} from './history-file.ts';
import { isValues, valuesAt, withoutSecrets } from './history-values.ts';

const ignore = () => undefined;

/** Numbers of the entry that a command undoes, and of its own entry. */
interface CommandHistory {
  undoes?: number;
  entry?: number;
}

const histories = new WeakMap<CommandContext, CommandHistory>();

/** The history of a command. */
export function historyOf(cli: CommandContext): CommandHistory {
  const history = histories.get(cli) ?? {};
  histories.set(cli, history);
  return history;
}

/** Whether changes are recorded. */
export function isHistoryEnabled(cli: CommandContext): boolean {
  const { value = 'on' } = cli.setting('history') ?? {};
  if (/^(on|1|true|yes)$/i.test(value)) return true;
  if (/^(off|0|false|no)$/i.test(value)) return false;
  throw new UsageError(`VMCTL_HISTORY=${value}: neither on nor off`);
}

/**
 * The observer of one command: its first change begins an entry of the history. Where that cannot be
 * written the command goes on, and says so once.
 */
export function recorder(
  cli: CommandContext,
  username: string | undefined,
): ChangeObserver | undefined {
  if (!isHistoryEnabled(cli)) return undefined;
  const directory = historyDirectory(cli.paths.stateDirectory);
  const history = historyOf(cli);
  let isBroken = false;
  let count = 0;
  const writing = (write: () => void) => {
    if (isBroken) return;
    try {
      write();
    } catch (error) {
      isBroken = true;
      const reason = systemReason(error);
      cli.warn(`cannot record this change in the history: ${reason}`);
    }
  };
  return async (client, request) => {
    if (isBroken) return ignore;
    const said = await requestOf(client, request);
    const head = history.entry === undefined ? await headOf(cli, client, username) : undefined;
    const index = count;
    count += 1;
    writing(() => {
      if (head) history.entry ??= beginEntry(directory, head);
      if (history.entry !== undefined) addRequest(directory, history.entry, index, said);
    });
    return (outcome) => {
      const number = history.entry;
      if (number === undefined) return;
      writing(() => addOutcome(directory, number, index, outcomeOf(request, said, outcome)));
    };
  };
}

/** What is known of a command before its first request. */
export async function headOf(
  cli: CommandContext,
  client: Client,
  username: string | undefined,
): Promise<HistoryHead> {
  const { undoes } = historyOf(cli);
  return {
    time: new Date().toISOString(),
    server: siteUrl(await client.site()),
    ...(username === undefined ? {} : { username }),
    words: maskedWords(cli.words),
    ...(undoes === undefined ? {} : { undoes }),
  };
}

async function requestOf(client: Client, request: RawRequest): Promise<HistoryRequest> {
  const { method, path, headers = {}, call } = request;
  const correlationId = headers['correlation-id'];
  const plain = {
    method,
    path: maskedPath(path),
    ...(correlationId === undefined ? {} : { correlationId }),
  };
  if (!call) return plain;
  const recorded = call.recordedAs ?? call;
  const { operation, ids = {}, query = {}, what } = recorded;
  const before = await whatItReplaces(client, recorded);
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, typeof value === 'bigint' ? String(value) : value] as const],
  );
  return {
    ...plain,
    ...(what === undefined ? {} : { what }),
    service: operation.service,
    operation: operation.name,
    ids,
    ...(given.length > 0 ? { query: Object.fromEntries(given) } : {}),
    ...bodyOf(recorded),
    ...(before ? { before } : {}),
  };
}

/** The body without its secrets. */
function bodyOf({ operation, body }: Call): { readonly body?: Values } {
  if (!isValues(body)) return {};
  if (!operation.isAction) return { body: withoutSecrets(operation.type, body) };
  const parameters: Readonly<Record<string, Parameter>> = actionParameters;
  const members = Object.entries(body).map(([name, value]) => {
    const kind = parameters[name]?.kind;
    const type = kind ? parseKind(kind).of : '';
    return [name, isValues(value) && isType(type) ? withoutSecrets(type, value) : value] as const;
  });
  return { body: withoutSecrets('', Object.fromEntries(members)) };
}

/** What an update replaces, and what is removed where it could be put back. */
async function whatItReplaces(client: Client, call: Call): Promise<Values | undefined> {
  const { operation, body } = call;
  if (operation.name === 'update' && isValues(body)) {
    const object = await objectBefore(client, call);
    return object && withoutSecrets(operation.type, valuesAt(operation.type, body, object));
  }
  if (operation.name !== 'remove') return undefined;
  const opposite = opposites[operation.service]?.['remove'];
  // What is attached by its id alone is known.
  if (!opposite || opposite.attaches?.length === 0) return undefined;
  const object = await objectBefore(client, call);
  return object && withoutSecrets(operation.type, object);
}

/**
 * The object as it is; undefined where nobody can tell. What waits for the next start of a machine is
 * what an update changes.
 */
async function objectBefore(client: Client, call: Call): Promise<ApiObject | undefined> {
  const { operation, ids = {}, query = {} } = call;
  const get = listOperations(operation.service).find(({ name }) => name === 'get');
  const same = Object.entries(query).filter(
    ([name, value]) => value !== undefined && name !== 'async' && get?.query.includes(name),
  );
  const read = async (more: Call['query']) => {
    if (!get) return undefined;
    const wanted = { ...Object.fromEntries(same), ...more };
    try {
      return await client.object({
        operation: get,
        ids,
        query: wanted,
        what: 'get the current state',
      });
    } catch {
      // Whoever may change it may not be allowed to read it; the change itself says what is wrong.
      return undefined;
    }
  };
  const object = same.length === 0 && call.before ? call.before : await read({});
  const isPending = object?.['next_run_configuration_exists'] === true;
  return isPending && get?.query.includes('next_run') ? await read({ next_run: true }) : object;
}

function outcomeOf(
  { call, method, path }: RawRequest,
  { body }: HistoryRequest,
  outcome: HttpResponse | Error,
): HistoryOutcome {
  if (outcome instanceof Error) return { error: outcome.message };
  const { status } = outcome;
  if (status < 200 || status >= 300) {
    const error = errorFromResponse(outcome, {
      request: { method, origin: '', path: maskedPath(path) },
    });
    return { status, error: error.message };
  }
  const answer = call && answerOf(call, outcome);
  if (!call || !answer) return { status };
  const { operation } = call;
  // An action may fail although its request did not.
  if (answer['status'] === 'failed' || answer['fault'] !== undefined) {
    const fault = isValues(answer['fault']) ? answer['fault'] : {};
    return { status, error: String(fault['detail'] ?? fault['reason'] ?? 'it failed') };
  }
  const { id, name, alias } = answer;
  if (operation.name === 'add' && typeof id === 'string') {
    const called = name ?? alias;
    return { status, made: { id, ...(called === undefined ? {} : { name: String(called) }) } };
  }
  const isWhole = id !== undefined && answer['next_run_configuration_exists'] !== true;
  if (operation.name !== 'update' || !isWhole || !body || call.recordedAs) return { status };
  const after = valuesAt(operation.type, body, answer);
  return { status, after: withoutSecrets(operation.type, after) };
}

/** What was answered, where that can be read. */
function answerOf({ operation }: Call, { body, headers }: HttpResponse): ApiObject | undefined {
  if (body.length === 0) return undefined;
  const media = /xml/i.test(headers['content-type'] ?? '') ? 'application/xml' : 'application/json';
  const skip = { unknown: 'skip' } as const;
  try {
    return operation.isAction || operation.name === 'remove'
      ? decodeAction(media, body, undefined, skip)
      : decodeObject(media, body, operation.type, skip);
  } catch {
    return undefined;
  }
}
