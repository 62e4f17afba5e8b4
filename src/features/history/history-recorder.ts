/** Recorder of changes: writes each request before it is sent, and its result. */

import type { CommandContext } from '../../cli/session/command-context.ts';
import { maskCommandLine, maskPath } from '../../cli/session/mask-secrets.ts';
import { siteUrl } from '../../client/address.ts';
import type { ApiObject, Call, ChangeObserver, Client, RawRequest } from '../../client/client.ts';
import { UsageError } from '../../client/errors.ts';
import type { HttpResponse } from '../../client/http-message.ts';
import { errorFromResponse } from '../../client/response-errors.ts';
import { opposites } from '../../model/derive/opposites.ts';
import { isType, listOperations, parseKind } from '../../model/index.ts';
import { actionParameters, type Parameter } from '../../model/notation/parameters.ts';
import { isRecord } from '../../records.ts';
import { systemReason } from '../../system-errors.ts';
import { decodeAction, decodeObject } from '../../wire/index.ts';
import {
  addOutcome,
  addRequest,
  createEntry,
  type HistoryHead,
  type HistoryOutcome,
  type HistoryRequest,
  historyDirectory,
  type Values,
} from './history-file.ts';
import { maskSecrets, selectValues } from './history-values.ts';

const noObserver = () => undefined;

/** Numbers of a command's own entry and of the entry that it undoes. */
interface CommandHistory {
  undoes?: number;
  entry?: number;
}

const histories = new WeakMap<CommandContext, CommandHistory>();

export function getHistory(cli: CommandContext): CommandHistory {
  const history = histories.get(cli) ?? {};
  histories.set(cli, history);
  return history;
}

/** Whether the setting `history` is on. */
export function isHistoryEnabled(cli: CommandContext): boolean {
  const { value = 'on' } = cli.setting('history') ?? {};
  if (/^(on|1|true|yes)$/i.test(value)) return true;
  if (/^(off|0|false|no)$/i.test(value)) return false;
  throw new UsageError(`VMCTL_HISTORY=${value}: neither on nor off`);
}

/**
 * Observer for the requests of a command; its first change creates an entry. If the history is not
 * writable, the command continues with one warning.
 */
export function createRecorder(
  cli: CommandContext,
  username: string | undefined,
): ChangeObserver | undefined {
  if (!isHistoryEnabled(cli)) return undefined;
  const directory = historyDirectory(cli.paths.stateDirectory);
  const history = getHistory(cli);
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
    if (isBroken) return noObserver;
    const said = await describeRequest(client, request);
    const head = history.entry === undefined ? await createHead(cli, client, username) : undefined;
    const index = count;
    count += 1;
    writing(() => {
      if (head) history.entry ??= createEntry(directory, head);
      if (history.entry !== undefined) addRequest(directory, history.entry, index, said);
    });
    return (outcome) => {
      const number = history.entry;
      if (number === undefined) return;
      writing(() => addOutcome(directory, number, index, describeOutcome(request, said, outcome)));
    };
  };
}

/** First line of an entry. */
export async function createHead(
  cli: CommandContext,
  client: Client,
  username: string | undefined,
): Promise<HistoryHead> {
  const { undoes } = getHistory(cli);
  return {
    time: new Date().toISOString(),
    server: siteUrl(await client.site()),
    ...(username === undefined ? {} : { username }),
    words: maskCommandLine(cli.commandLine),
    ...(undoes === undefined ? {} : { undoes }),
  };
}

async function describeRequest(client: Client, request: RawRequest): Promise<HistoryRequest> {
  const { method, path, headers = {}, call } = request;
  const correlationId = headers['correlation-id'];
  const plain = {
    method,
    path: maskPath(path),
    ...(correlationId === undefined ? {} : { correlationId }),
  };
  if (!call) return plain;
  const recorded = call.recordedAs ?? call;
  const { operation, ids = {}, query = {}, what } = recorded;
  const before = await readReplacedValues(client, recorded);
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
    ...recordBody(recorded),
    ...(before ? { before } : {}),
  };
}

/** Body without secrets. */
function recordBody({ operation, body }: Call): { readonly body?: Values } {
  if (!isRecord(body)) return {};
  if (!operation.isAction) return { body: maskSecrets(operation.type, body) };
  const parameters: Readonly<Record<string, Parameter>> = actionParameters;
  const members = Object.entries(body).map(([name, value]) => {
    const kind = parameters[name]?.kind;
    const type = kind ? parseKind(kind).of : '';
    return [name, isRecord(value) && isType(type) ? maskSecrets(type, value) : value] as const;
  });
  return { body: maskSecrets('', Object.fromEntries(members)) };
}

/** Values that an update replaces, or the removed object if a request can restore it. */
async function readReplacedValues(client: Client, call: Call): Promise<Values | undefined> {
  const { operation, body } = call;
  if (operation.name === 'update' && isRecord(body)) {
    const object = await readObject(client, call);
    return object && maskSecrets(operation.type, selectValues(operation.type, body, object));
  }
  if (operation.name !== 'remove') return undefined;
  const opposite = opposites[operation.service]?.['remove'];
  // An object that is attached by its id alone needs no other values.
  if (!opposite || opposite.attaches?.length === 0) return undefined;
  const object = await readObject(client, call);
  return object && maskSecrets(operation.type, object);
}

/**
 * Current object; undefined if it cannot be read. If a VM has a pending configuration for its next
 * start, an update changes that one.
 */
async function readObject(client: Client, call: Call): Promise<ApiObject | undefined> {
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
      // The user may lack permission to read the object. The change reports its own errors.
      return undefined;
    }
  };
  const object = same.length === 0 && call.before ? call.before : await read({});
  const isPending = object?.['next_run_configuration_exists'] === true;
  return isPending && get?.query.includes('next_run') ? await read({ next_run: true }) : object;
}

function describeOutcome(
  { call, method, path }: RawRequest,
  { body }: HistoryRequest,
  outcome: HttpResponse | Error,
): HistoryOutcome {
  if (outcome instanceof Error) return { error: outcome.message };
  const { status } = outcome;
  if (status < 200 || status >= 300) {
    const error = errorFromResponse(outcome, {
      request: { method, origin: '', path: maskPath(path) },
    });
    return { status, error: error.message };
  }
  const answer = call && decodeAnswer(call, outcome);
  if (!call || !answer) return { status };
  const { operation } = call;
  // An action can fail although its request returns 200.
  if (answer['status'] === 'failed' || answer['fault'] !== undefined) {
    const fault = isRecord(answer['fault']) ? answer['fault'] : {};
    return { status, error: String(fault['detail'] ?? fault['reason'] ?? 'it failed') };
  }
  const { id, name, alias } = answer;
  if (operation.name === 'add' && typeof id === 'string') {
    const called = name ?? alias;
    return { status, made: { id, ...(called === undefined ? {} : { name: String(called) }) } };
  }
  const isWhole = id !== undefined && answer['next_run_configuration_exists'] !== true;
  if (operation.name !== 'update' || !isWhole || !body || call.recordedAs) return { status };
  const after = selectValues(operation.type, body, answer);
  return { status, after: maskSecrets(operation.type, after) };
}

/** Decoded response; undefined if it is empty or invalid. */
function decodeAnswer({ operation }: Call, { body, headers }: HttpResponse): ApiObject | undefined {
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
