/** Follow-up actions of `create`: `storagedomains create --attach DC --activate`. */
import type { ApiObject } from '../../client/client.ts';
import { UsageError } from '../../client/errors.ts';
import type { Options } from '../args/command.ts';
import { Progress } from '../output/progress.ts';
import { add, bodiesOf } from './change.ts';
import type { Verb } from './derive-verbs.ts';
import { OperationRunner } from './operation-runner.ts';
import { printOutcomes } from './outcomes.ts';
import type { Ids } from './references.ts';
import { bodyOf, type Run } from './run.ts';

/** A flag of `create` that goes on with the new object. */
export interface FollowUpFlag {
  readonly name: string;
  /** What stands behind it; absent for switches. */
  readonly value?: string;
  readonly doc: string;
  /** The flag without which it means nothing. */
  readonly needs?: string;
}

interface FollowUp {
  readonly flags: readonly FollowUpFlag[];
  /** Looks up what the flags name, before anything is made. */
  readonly prepare?: (runner: OperationRunner, options: Options) => Promise<Ids>;
  /** Goes on with the new object. Returns it as it is in the end. */
  readonly run: (
    runner: OperationRunner,
    made: ApiObject,
    options: Options,
    prepared: Ids,
  ) => Promise<ApiObject>;
}

const domainsOf = '/datacenters/{datacenter}/storagedomains';

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
      const attach = {
        path: domainsOf,
        name: 'add',
        verb: 'attach',
        ids,
        body: { id: made['id'] },
      };
      const attached = await runner.add(attach);
      if (options['activate'] !== true || attached['status'] === 'active') return attached;
      const step = { path: `${domainsOf}/{storagedomain}`, name: 'activate', ids };
      return await runner.change(step, labelled('storagedomains', made));
    },
  },
};

/** The flags of a verb that go on with what it makes. */
export function followUpFlags(verb: Verb): readonly FollowUpFlag[] {
  return followUps[`${verb.noun} ${verb.name}`]?.flags ?? [];
}

function labelled(noun: string, made: ApiObject) {
  const id = String(made['id']);
  return { id, label: `${noun}/${String(made['name'] ?? id)}`, item: made };
}

/** Whether the verb is to go on; checks that its flags can be had together. */
export function hasFollowUp(verb: Verb, options: Options): boolean {
  const given = followUpFlags(verb).filter(({ name }) => options[name] !== undefined);
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

/** Makes one object, goes on with it, and prints what became of it. */
export async function runWithFollowUp(run: Run): Promise<void> {
  const { cli, verb, options } = run;
  const followUp = followUps[`${verb.noun} ${verb.name}`];
  const runner = await OperationRunner.begin(cli, options);
  const prepared = (await followUp?.prepare?.(runner, options)) ?? {};
  const [body] = await bodiesOf(run, await bodyOf(run));
  const made = await add(run, body ?? {}, new Progress(cli));
  try {
    const item = (await followUp?.run(runner, made.item, options, prepared)) ?? made.item;
    await printOutcomes(run, [{ item, isWhole: true }], true);
  } catch (error) {
    const { label } = labelled(run.resolved.candidate.collection.noun, made.item);
    cli.note(`${label} was created, but later steps failed; it is unchanged`);
    throw error;
  }
}
