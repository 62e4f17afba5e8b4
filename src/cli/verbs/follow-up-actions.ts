/** Follow-up actions of `create`: `storagedomains create --attach DC --activate`. */
import { UsageError } from '../../client/errors.ts';
import type { Resource } from '../../model/resource.ts';
import type { Options } from '../args/command.ts';
import { Progress } from '../output/progress.ts';
import { addObject, createBodies } from './change.ts';
import type { Verb } from './derive-verbs.ts';
import { OperationRunner } from './operation-runner.ts';
import { printOutcomes } from './outcomes.ts';
import type { Ids } from './references.ts';
import { buildRunBody, type Run } from './run.ts';

/** Flag of `create` for a step after the creation. */
export interface FollowUpFlag {
  readonly name: string;
  /** Placeholder of the value; absent for switches. */
  readonly value?: string;
  readonly doc: string;
  /** Flag that this one requires. */
  readonly needs?: string;
}

interface FollowUp {
  readonly flags: readonly FollowUpFlag[];
  /** Resolves the objects of the flags before the creation. */
  readonly prepare?: (runner: OperationRunner, options: Options) => Promise<Ids>;
  /** Runs the steps on the new object. Returns its final state. */
  readonly run: (
    runner: OperationRunner,
    made: Resource<'storage_domain'>,
    options: Options,
    prepared: Ids,
  ) => Promise<Resource<'storage_domain'>>;
}

const followUps: Readonly<Record<string, FollowUp>> = {
  'storagedomains create': {
    flags: [
      { name: 'attach', value: 'datacenter', doc: 'data center to attach the domain to' },
      { name: 'activate', doc: 'activate the domain afterwards', needs: 'attach' },
    ],
    prepare: async (runner, options) => {
      const { id: datacenter } = await runner.find(String(options['attach']), '/datacenters');
      return { datacenter };
    },
    run: async (runner, made, options, ids) => {
      const path = '/datacenters/{datacenter}/storagedomains';
      const body = { id: String(made.id) };
      const attached = await runner.add({ path, name: 'add', verb: 'attach', ids, body });
      if (options['activate'] !== true || attached.status === 'active') return attached;
      const target = toFoundObject('storagedomains', made);
      return await runner.change(
        { path: `${path}/{storagedomain}`, name: 'activate', ids },
        target,
      );
    },
  },
};

/** Lists the follow-up flags of a verb. */
export function listFollowUpFlags(verb: Verb): readonly FollowUpFlag[] {
  return followUps[`${verb.noun} ${verb.name}`]?.flags ?? [];
}

function toFoundObject(noun: string, made: { readonly id?: unknown; readonly name?: unknown }) {
  const id = String(made.id);
  return { id, label: `${noun}/${String(made.name ?? id)}`, item: made };
}

/** Whether follow-up flags are given. Throws `UsageError` for incompatible flags. */
export function hasFollowUp(verb: Verb, options: Options): boolean {
  const given = listFollowUpFlags(verb).filter(({ name }) => options[name] !== undefined);
  for (const { name, needs } of given) {
    if (needs !== undefined && options[needs] === undefined) {
      throw new UsageError(`--${name} needs --${needs}`);
    }
  }
  if (given.length > 0 && options['wait'] === false) {
    throw new UsageError(`--${given[0]?.name} and --no-wait exclude each other`, {
      hint: 'later steps need the created object',
    });
  }
  return given.length > 0;
}

/** Creates an object, runs the follow-up steps, and prints the result. */
export async function runWithFollowUp(run: Run): Promise<void> {
  const { cli, verb, options } = run;
  const followUp = followUps[`${verb.noun} ${verb.name}`];
  const runner = await OperationRunner.create(cli, options);
  const prepared = (await followUp?.prepare?.(runner, options)) ?? {};
  const [body] = await createBodies(run, await buildRunBody(run));
  const made = await addObject(run, body ?? {}, new Progress(cli));
  try {
    const item = (await followUp?.run(runner, made.item, options, prepared)) ?? made.item;
    await printOutcomes(run, [{ item, isWhole: true }], true);
  } catch (error) {
    const { label } = toFoundObject(run.resolved.candidate.collection.noun, made.item);
    cli.note(`${label} was created, but later steps failed; it is unchanged`);
    throw error;
  }
}
