/**
 * Runner of operations for commands with several steps. It waits for each operation and prints
 * none.
 */

import type { ApiObject } from '../../client/client.ts';
import { listOperations } from '../../model/index.ts';
import type { KnownPath, ObjectAt, OperationIn } from '../../model/paths.ts';
import type { ActionAnswer, ActionBody } from '../../model/resource.ts';
import type { Options } from '../args/command.ts';
import { Progress } from '../output/progress.ts';
import type { CommandContext } from '../session/command-context.ts';
import { addObject, changeObject } from './change.ts';
import { getCollection } from './collections.ts';
import { createFinder, type Finder, type FoundObject, type Ids } from './references.ts';
import type { Run } from './run.ts';

/** Body of an operation: the object, or the parameters of an action. */
type Body<P extends string, N extends string> = string extends P | N
  ? Readonly<Record<string, unknown>>
  : N extends 'add' | 'update'
    ? Readonly<ObjectAt<P>>
    : Readonly<ActionBody>;

/** Operation of a step. */
export interface OperationStep<P extends string = string, N extends string = string> {
  /** Path template without the action: `/vms/{vm}`. */
  readonly path: KnownPath<P>;
  /** Name of the operation in the model: `add`, `start`. */
  readonly name: N;
  /** Verb for messages, if it differs: `attach`. */
  readonly verb?: string;
  /** Ids of the parents. */
  readonly ids?: Ids;
  readonly query?: Run['query'];
  readonly body?: Body<P, N>;
}

type ListStep<P extends string = string> = Omit<OperationStep<P>, 'name' | 'body'> & {
  readonly follow?: string | undefined;
};

/** Response to an operation without a wait: the object, or the document of an action. */
type Answer<P extends string, N> = N extends 'add' | 'get' | 'update'
  ? ObjectAt<P>
  : string extends N
    ? ApiObject
    : ActionAnswer;

export class OperationRunner {
  readonly #cli: CommandContext;
  readonly #options: Options;
  readonly #progress: Progress;
  readonly finder: Finder;
  readonly #run: Pick<Run, 'client'>;

  /**
   * Creates a runner. `options` are those of the command (`wait`, `waitTimeout`); `progress` is the
   * line of the object if several are processed.
   */
  static async create(
    cli: CommandContext,
    options: Options,
    progress = new Progress(cli),
  ): Promise<OperationRunner> {
    return new OperationRunner(cli, { client: await cli.client() }, options, progress);
  }

  private constructor(
    cli: CommandContext,
    run: Pick<Run, 'client'>,
    options: Options,
    progress: Progress,
  ) {
    this.#cli = cli;
    this.#run = run;
    this.#options = options;
    this.#progress = progress;
    this.finder = createFinder(cli, run.client);
  }

  /** Finds an object in a collection: `/vms`, or `/vms/{vm}/nics` with the ids of its parents. */
  async find<P extends string>(
    word: string,
    path: KnownPath<P>,
    ids?: Ids,
  ): Promise<FoundObject<ObjectAt<P>>>;
  async find(word: string, path: string, ids: Ids = {}): Promise<FoundObject> {
    return await this.finder.find(word, getCollection(path), ids);
  }

  /**
   * Adds an object to a collection and waits until it is ready. `onAdded` receives the response
   * before the wait.
   */
  async add<P extends string>(
    step: OperationStep<P, 'add'>,
    onAdded?: (item: ObjectAt<P>) => void,
  ): Promise<ObjectAt<P>>;
  async add(step: OperationStep, onAdded?: (item: ApiObject) => void): Promise<ApiObject> {
    const run = this.#createRun(step, false);
    const { item } = await addObject(run, step.body ?? {}, this.#progress, undefined, onAdded);
    return item;
  }

  /** Runs an operation on an object and waits until it is stable. */
  async change<P extends string>(
    step: OperationStep<P, OperationIn<P>>,
    target: FoundObject,
  ): Promise<ObjectAt<P>>;
  async change(step: OperationStep, target: FoundObject): Promise<ApiObject> {
    const run = this.#createRun(step, true);
    const outcome = await changeObject(run, target, { ...step.body }, this.#progress);
    return outcome?.item ?? {};
  }

  /** Runs an operation without waiting, and returns its response. */
  async call<P extends string, N extends OperationIn<P>>(
    step: OperationStep<P, N>,
  ): Promise<Answer<P, N>>;
  async call(step: OperationStep): Promise<ApiObject> {
    const { resolved, ids, query } = this.#createRun(step, true);
    const { operation } = resolved.candidate;
    const call = { operation, ids, query, ...(step.body ? { body: step.body } : {}) };
    return operation.isAction || operation.name === 'remove'
      ? await this.#run.client.action(call)
      : await this.#run.client.object(call);
  }

  /** Lists a collection. */
  async list<P extends string>(step: ListStep<P>): Promise<readonly ObjectAt<P>[]>;
  async list({ follow, ...step }: ListStep): Promise<readonly ApiObject[]> {
    const { resolved, ids } = this.#createRun({ ...step, name: 'list' }, false);
    const query = follow === undefined ? {} : { follow };
    const { operation } = resolved.candidate;
    return await this.#run.client.list({ operation, ids, query });
  }

  #createRun({ path, name, verb, ids = {}, query = {} }: OperationStep, takesObject: boolean): Run {
    const operation = listOperations(path).find((one) => one.name === name);
    if (!operation) throw new Error(`The model has no operation ${name} at ${path}.`);
    const collection = getCollection(
      path.endsWith('}') ? path.slice(0, path.lastIndexOf('/')) : path,
    );
    const { noun, parents } = collection;
    const candidate = { operation, collection, parents, takesObject };
    const kind = name === 'add' || name === 'remove' || name === 'update' ? name : 'action';
    return {
      ...this.#run,
      cli: this.#cli,
      finder: this.finder,
      verb: {
        noun,
        name: verb ?? name.replaceAll('_', '-'),
        aliases: [],
        kind,
        candidates: [candidate],
      },
      resolved: {
        candidate,
        meanings: { parents: new Map(), fields: new Map(), queries: new Map() },
        parentWords: new Map(),
      },
      options: this.#options,
      ids,
      query,
      words: [],
      input: { shape: { action: [] }, operation: name, sets: [], jsonSets: [], fields: [] },
    };
  }
}
