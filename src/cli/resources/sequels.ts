/** What `create` can go on with: `vms create --start`, `storagedomains create --attach DC`. */
import type { Thing } from '../../client/client.ts';
import { UsageError } from '../../client/errors.ts';
import { Progress } from '../output/progress.ts';
import { bodiesOf } from './new-objects.ts';
import { Performer } from './perform.ts';
import { bodyOf, type Options, type Run } from './run.ts';
import { add, printOutcomes } from './run-change.ts';
import { type Sequel, sequels } from './spellings.ts';
import type { Verb } from './verbs.ts';

/** Goes on with the new object. Returns it as it is in the end. */
type Continue = (performer: Performer, made: Thing, options: Options) => Promise<Thing>;

const continuations: Readonly<Record<string, Continue>> = {
  'vms create': async (performer, made) =>
    await performer.change({ path: '/vms/{vm}', name: 'start' }, labelled('vms', made)),

  'storagedomains create': async (performer, made, options) => {
    const path = '/datacenters/{datacenter}/storagedomains';
    const { id: datacenter } = await performer.find(String(options['attach']), '/datacenters');
    const ids = { datacenter };
    const body = { id: made['id'] };
    const attached = await performer.add({ path, name: 'add', verb: 'attach', ids, body });
    if (options['activate'] !== true || attached['status'] === 'active') return attached;
    const step = { path: `${path}/{storagedomain}`, name: 'activate', ids };
    return await performer.change(step, labelled('storagedomains', made));
  },
};

function labelled(noun: string, made: Thing) {
  const id = String(made['id']);
  return { id, label: `${noun}/${String(made['name'] ?? id)}`, item: made };
}

/** The flags that were given of those that go on; checks that they can be had. */
export function sequelsIn(verb: Verb, options: Options): readonly Sequel[] {
  const all = sequels[`${verb.noun} ${verb.name}`] ?? [];
  const given = all.filter(({ flag }) => options[flag] !== undefined);
  for (const { flag, needs } of given) {
    if (needs !== undefined && options[needs] === undefined) {
      throw new UsageError(`--${flag} needs --${needs}`);
    }
  }
  if (given.length > 0 && options['wait'] === false) {
    throw new UsageError(`--${given[0]?.flag} and --no-wait contradict each other`, {
      hint: 'what comes after can only begin when the object is there',
    });
  }
  return given;
}

/** Makes one object, goes on with it, and prints what became of it. */
export async function runWithSequels(run: Run): Promise<void> {
  const { cli, verb, options } = run;
  const name = `${verb.noun} ${verb.name}`;
  if (typeof options['attach'] === 'string' && name === 'storagedomains create') {
    // A data center that does not exist is told before the domain is made.
    await run.finder.reference(options['attach'], 'data_center');
  }
  const [body] = await bodiesOf(run, await bodyOf(run));
  const made = await add(run, body ?? {}, new Progress(cli));
  const label = `${run.chosen.candidate.collection.noun}/${String(made.item['name'] ?? made.item['id'])}`;
  try {
    const performer = await Performer.begin(cli, options);
    const item = (await continuations[name]?.(performer, made.item, options)) ?? made.item;
    await printOutcomes(run, [{ item, isWhole: true }], true);
  } catch (error) {
    cli.note(`${label} was made, but not all that was asked for: it is left as it is`);
    throw error;
  }
}
