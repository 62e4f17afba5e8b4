/**
 * Random concurrent changes by several clients to a few VMs and disks. After each step, some order
 * of the commands must explain all responses and the resulting state.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { chooseCount, recordResult } from './support/catalogue.ts';
import {
  type Answered,
  type Command,
  listExplanations,
  nothing,
  type State,
} from './support/site-model.ts';
import { requireEqual, SmallSite, unknownId } from './support/small-site.ts';

/** Total number of commands, and of commands from one empty site. */
const steps = Number(process.env['VMCTL_STEPS'] ?? chooseCount(100_000, 1_000));
const story = 100;

let site: SmallSite;
let run = 0;

beforeAll(async () => {
  site = await SmallSite.start();
});
afterAll(() => site.stop());

/** A wanted command, by index: the VM or disk may exist or not. */
interface Wish {
  readonly kind: Command['kind'];
  readonly vm: number;
  readonly disk: number;
}

interface Model {
  state: State;
}

const kinds: readonly Command['kind'][] = [
  ...(['add machine', 'add disk', 'remove machine', 'start', 'stop', 'snapshot'] as const),
  ...(['permit', 'forbid', 'attach', 'attach', 'detach', 'remove disk', 'move'] as const),
];

const wish: fc.Arbitrary<Wish> = fc.record({
  kind: fc.constantFrom(...kinds),
  vm: fc.nat(3),
  disk: fc.nat(3),
});

/** One to three concurrent commands. */
class Together implements fc.AsyncCommand<Model, SmallSite> {
  readonly #wishes: readonly Wish[];

  constructor(wishes: readonly Wish[]) {
    this.#wishes = wishes;
  }

  check(): boolean {
    return true;
  }

  async run(model: Model, real: SmallSite): Promise<void> {
    const commands = this.#wishes.map((one) => createCommand(model.state, one));
    const answered = await Promise.all(commands.map((one, client) => real.run(one, client)));
    const found = await real.read();
    model.state = findExplanation(model.state, answered, found);
    made += answered.length;
    for (const { outcome } of answered) outcomes[outcome] += 1;
  }

  toString(): string {
    return this.#wishes.map(({ kind, vm, disk }) => `${kind} ${vm} ${disk}`).join(' | ');
  }
}

let made = 0;
const outcomes = { done: 0, refused: 0, missing: 0 };

function createCommand(state: State, { kind, vm, disk }: Wish): Command {
  const byName = (of: State['machines'] | State['disks'], name: string) =>
    Object.entries(of).find(([, one]) => one.name === name)?.[0] ?? unknownId;
  const [vmName, diskName] = [`vm-m${run}-${vm}`, `m-d${run}-${disk}`];
  const ids = { vm: byName(state.machines, vmName), disk: byName(state.disks, diskName) };
  if (kind === 'add machine') return { kind, name: vmName };
  if (kind === 'add disk') return { kind, name: diskName };
  if (kind === 'move') return { kind, disk: ids.disk, to: vm % 2 === 0 ? 'data1' : 'data2' };
  if (kind === 'attach' || kind === 'detach') return { kind, ...ids };
  return kind === 'remove disk' ? { kind, disk: ids.disk } : { kind, vm: ids.vm };
}

/** Visible part of a state. */
function getVisiblePart({ machines, disks }: State): unknown {
  return {
    disks,
    machines: Object.fromEntries(
      Object.entries(machines).map(([id, { disks: own, snapshots, ...rest }]) => [
        id,
        { ...rest, disks: [...own].sort(), snapshots: snapshots.length },
      ]),
    ),
  };
}

/** Finds the state that explains all responses; throws if there is none. */
function findExplanation(before: State, answered: readonly Answered[], found: State): State {
  let closeMatches: unknown;
  for (const state of listExplanations(before, answered)) {
    try {
      requireEqual('the server and the model', getVisiblePart(found), getVisiblePart(state));
      return state;
    } catch (error) {
      closeMatches = error;
    }
  }
  throw new Error(
    `no order explains ${JSON.stringify(answered, null, 1)}\nafter ${JSON.stringify(before, null, 1)}\n${closeMatches instanceof Error ? closeMatches.message : 'answers do not fit'}`,
  );
}

it(`G4 ${steps} commands of three clients match the model, in XML and in JSON`, async () => {
  const together = fc.array(wish, { minLength: 1, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(
      fc.commands([together.map((wishes) => new Together(wishes))], {
        maxCommands: story / 2,
        size: 'max',
      }),
      async (commands) => {
        run += 1;
        await fc.asyncModelRun(() => ({ model: { state: nothing }, real: site }), commands);
        await site.clear();
      },
    ),
    { numRuns: Math.ceil(steps / (story / 2)), endOnFailure: true },
  );
  expect(Math.min(outcomes.done, outcomes.refused, outcomes.missing)).toBeGreaterThan(steps / 40);
  recordResult('G4', `${made} commands, 0 results outside of any sequential order`);
}, 7_200_000);
