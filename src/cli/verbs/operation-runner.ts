/** Operations for commands made of several steps: each is sent and waited for, none printed. */
import type { ApiObject } from '../../client/client.ts';
import { listOperations } from '../../model/index.ts';
import type { Options } from '../args/command.ts';
import { Progress } from '../output/progress.ts';
import type { CommandContext } from '../session/command-context.ts';
import { add, change } from './change.ts';
import { collectionAt } from './collections.ts';
import { type Finder, type Found, finderFor, type Ids } from './references.ts';
import type { Run } from './run.ts';

/** What is to be done, and how long somebody waits for it. */
export interface Step {
  /** The path template of the operation without the word of an action: `/vms/{vm}`. */
  readonly path: string;
  /** The operation as the model names it: `add`, `start`. */
  readonly name: string;
  /** What it is called here, where that is another word: `attach`. */
  readonly verb?: string;
  /** Ids of everything above the object. */
  readonly ids?: Ids;
  readonly query?: Run['query'];
  readonly body?: Readonly<Record<string, unknown>>;
}

export class OperationRunner {
  readonly #cli: CommandContext;
  readonly #options: Options;
  readonly #progress: Progress;
  readonly finder: Finder;
  readonly #run: Pick<Run, 'client'>;

  /**
   * `options` are those of the command: `wait`, `waitTimeout`. `progress` is where it is shown, where
   * several objects are worked on.
   */
  static async begin(
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
    this.finder = finderFor(cli, run.client);
  }

  /** The object that a word names in a collection: `/vms`, or `/vms/{vm}/nics` with its ids. */
  async find(word: string, path: string, ids: Ids = {}): Promise<Found> {
    return await this.finder.find(word, collectionAt(path), ids);
  }

  /** Adds an object to a collection and waits until it is ready; `onAdded` has it before that. */
  async add(step: Step, onAdded?: (item: ApiObject) => void): Promise<ApiObject> {
    const run = this.#runOf(step, false);
    const { item } = await add(run, step.body ?? {}, this.#progress, undefined, onAdded);
    return item;
  }

  /** Does something to an object, and waits until it has come to rest. */
  async change(step: Step, target: Found): Promise<ApiObject> {
    const run = this.#runOf(step, true);
    const outcome = await change(run, target, { ...step.body }, this.#progress);
    return outcome?.item ?? {};
  }

  /** What an operation answers, as it is: nobody waits. */
  async call(step: Step): Promise<ApiObject> {
    const { resolved, ids, query } = this.#runOf(step, true);
    const { operation } = resolved.candidate;
    const call = { operation, ids, query, ...(step.body ? { body: step.body } : {}) };
    return operation.isAction || operation.name === 'remove'
      ? await this.#run.client.action(call)
      : await this.#run.client.object(call);
  }

  /** The objects of a collection. */
  async list({
    follow,
    ...step
  }: Omit<Step, 'name'> & { readonly follow?: string | undefined }): Promise<readonly ApiObject[]> {
    const { resolved, ids } = this.#runOf({ ...step, name: 'list' }, false);
    const query = follow === undefined ? {} : { follow };
    return await this.#run.client.list({ operation: resolved.candidate.operation, ids, query });
  }

  #runOf({ path, name, verb, ids = {}, query = {} }: Step, takesObject: boolean): Run {
    const operation = listOperations(path).find((one) => one.name === name);
    if (!operation) throw new Error(`The model has no operation ${name} at ${path}.`);
    const collection = collectionAt(
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
