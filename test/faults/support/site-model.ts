/**
 * What a site with a few machines and disks should do, as a model: commands, what each answers, and
 * what it leaves. Written from the specification's rules; knows nothing of the server's code.
 */

/** How a command is answered: done, in the way of something (409), or about nothing (404). */
export type Outcome = 'done' | 'refused' | 'missing';

export type Command =
  | { readonly kind: 'add machine' | 'add disk'; readonly name: string }
  | { readonly kind: 'remove machine' | 'start' | 'stop' | 'snapshot'; readonly vm: string }
  | { readonly kind: 'permit' | 'forbid'; readonly vm: string }
  | { readonly kind: 'attach' | 'detach'; readonly vm: string; readonly disk: string }
  | { readonly kind: 'remove disk'; readonly disk: string }
  | { readonly kind: 'move'; readonly disk: string; readonly to: string };

export interface Machine {
  readonly name: string;
  readonly status: 'up' | 'down';
  /** Ids. */
  readonly disks: readonly string[];
  /** For each snapshot, the ids of the disks whose images it keeps. */
  readonly snapshots: readonly (readonly string[])[];
  readonly permitted: boolean;
}

export interface Disk {
  readonly name: string;
  readonly domain: string;
}

/** A state between commands. What is under way is in `busy`, until it is settled. */
export interface State {
  readonly machines: Readonly<Record<string, Machine>>;
  readonly disks: Readonly<Record<string, Disk>>;
  /** Ids of machines and disks that something is done to. */
  readonly busy: readonly string[];
}

export const nothing: State = { machines: {}, disks: {}, busy: [] };

/** The same, when everything that was under way has come to its end. */
export function settled(state: State): State {
  return { ...state, busy: [] };
}

type Next = readonly [Outcome, State];

function without<T>(record: Readonly<Record<string, T>>, ...ids: string[]): Record<string, T> {
  return Object.fromEntries(Object.entries(record).filter(([id]) => !ids.includes(id)));
}

function ownerOf(state: State, disk: string): Machine | undefined {
  return Object.values(state.machines).find(({ disks }) => disks.includes(disk));
}

/** What a command does to a state; `id` is that of the object which it makes. */
export function after(state: State, command: Command, id = ''): Next {
  const { machines, disks, busy } = state;
  const refused: Next = ['refused', state];
  const isBusy = (...ids: string[]) => ids.some((one) => busy.includes(one));
  const done = (more: Partial<State>): Next => ['done', { ...state, ...more }];
  const withMachine = (vm: string, change: Partial<Machine>) => ({
    ...machines,
    [vm]: { ...(machines[vm] as Machine), ...change },
  });
  if (command.kind === 'add machine') {
    if (Object.values(machines).some(({ name }) => name === command.name)) return refused;
    const fresh: Machine = {
      ...{ name: command.name, status: 'down', disks: [], snapshots: [], permitted: false },
    };
    return done({ machines: { ...machines, [id]: fresh } });
  }
  if (command.kind === 'add disk') {
    return done({
      disks: { ...disks, [id]: { name: command.name, domain: 'data1' } },
      busy: [...busy, id],
    });
  }
  const machine = 'vm' in command ? machines[command.vm] : undefined;
  const disk = 'disk' in command ? disks[command.disk] : undefined;
  if (('vm' in command && !machine) || ('disk' in command && !disk)) return ['missing', state];
  switch (command.kind) {
    case 'remove machine': {
      const { status, disks: own } = machine as Machine;
      if (status === 'up' || isBusy(command.vm, ...own)) return refused;
      return done({ machines: without(machines, command.vm), disks: without(disks, ...own) });
    }
    case 'start':
      if (machine?.status === 'up' || isBusy(command.vm, ...(machine?.disks ?? []))) return refused;
      return done({ machines: withMachine(command.vm, { status: 'up' }) });
    case 'stop':
      return done({ machines: withMachine(command.vm, { status: 'down' }) });
    case 'snapshot': {
      const { disks: own, snapshots } = machine as Machine;
      if (isBusy(command.vm, ...own)) return refused;
      return done({
        machines: withMachine(command.vm, { snapshots: [...snapshots, own] }),
        busy: [...busy, command.vm, ...own],
      });
    }
    case 'permit':
      // Whoever has it already keeps it.
      return done({ machines: withMachine(command.vm, { permitted: true }) });
    case 'forbid':
      if (!machine?.permitted) return ['missing', state];
      return done({ machines: withMachine(command.vm, { permitted: false }) });
    case 'attach':
      if (ownerOf(state, command.disk) || isBusy(command.vm, command.disk)) return refused;
      return done({
        machines: withMachine(command.vm, { disks: [...(machine?.disks ?? []), command.disk] }),
      });
    case 'detach': {
      const { disks: own, snapshots } = machine as Machine;
      if (!own.includes(command.disk)) return ['missing', state];
      if (isBusy(command.vm, command.disk)) return refused;
      if (snapshots.some((kept) => kept.includes(command.disk))) return refused;
      return done({
        machines: withMachine(command.vm, { disks: own.filter((one) => one !== command.disk) }),
      });
    }
    case 'remove disk': {
      const owner = ownerOf(state, command.disk);
      if (owner?.status === 'up' || isBusy(command.disk)) return refused;
      const [vm] = Object.entries(machines).find(([, one]) => one === owner) ?? [];
      const own = owner?.disks.filter((one) => one !== command.disk) ?? [];
      return done({
        disks: without(disks, command.disk),
        ...(vm === undefined ? {} : { machines: withMachine(vm, { disks: own }) }),
      });
    }
    case 'move':
      if (disk?.domain === command.to || isBusy(command.disk)) return refused;
      return done({
        disks: { ...disks, [command.disk]: { ...(disk as Disk), domain: command.to } },
        busy: [...busy, command.disk],
      });
  }
}

/** A command as it was answered. */
export interface Answered {
  readonly command: Command;
  readonly outcome: Outcome;
  /** Of what it made. */
  readonly id?: string;
}

/**
 * Every state in which commands that ran side by side may have left a site, if one order of them
 * explains all their answers: what is under way may settle before any of them, or not.
 */
export function* explanations(state: State, answered: readonly Answered[]): Generator<State> {
  if (answered.length === 0) {
    yield settled(state);
    return;
  }
  for (const begin of state.busy.length === 0 ? [state] : [state, settled(state)]) {
    for (const [index, { command, outcome, id }] of answered.entries()) {
      const [expected, next] = after(begin, command, id);
      if (expected !== outcome) continue;
      yield* explanations(
        next,
        answered.filter((_, place) => place !== index),
      );
    }
  }
}
