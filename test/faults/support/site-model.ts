/**
 * Reference model of a site with a few VMs and disks: commands, their results and their effects.
 * Follows the specification and shares no code with the server.
 */

/** Result of a command: done, refused by a conflict (409), or missing object (404). */
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
  /** Ids of the disks. */
  readonly disks: readonly string[];
  /** For each snapshot, the ids of the disks with an image in it. */
  readonly snapshots: readonly (readonly string[])[];
  readonly permitted: boolean;
}

export interface Disk {
  readonly name: string;
  readonly domain: string;
}

/** A state between commands. `busy` has the objects of running operations. */
export interface State {
  readonly machines: Readonly<Record<string, Machine>>;
  readonly disks: Readonly<Record<string, Disk>>;
  /** Ids of the VMs and disks of running operations. */
  readonly busy: readonly string[];
}

export const nothing: State = { machines: {}, disks: {}, busy: [] };

/** The state after all running operations. */
export function settleState(state: State): State {
  return { ...state, busy: [] };
}

type Next = readonly [Outcome, State];

function without<T>(record: Readonly<Record<string, T>>, ...ids: string[]): Record<string, T> {
  return Object.fromEntries(Object.entries(record).filter(([id]) => !ids.includes(id)));
}

function findOwner(state: State, disk: string): Machine | undefined {
  return Object.values(state.machines).find(({ disks }) => disks.includes(disk));
}

/** Effect of a command on a state; `id` is the id of the created object. */
export function applyCommand(state: State, command: Command, id = ''): Next {
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
      // An existing permission is kept.
      return done({ machines: withMachine(command.vm, { permitted: true }) });
    case 'forbid':
      if (!machine?.permitted) return ['missing', state];
      return done({ machines: withMachine(command.vm, { permitted: false }) });
    case 'attach':
      if (findOwner(state, command.disk) || isBusy(command.vm, command.disk)) return refused;
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
      const owner = findOwner(state, command.disk);
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

/** A command with its result. */
export interface Answered {
  readonly command: Command;
  readonly outcome: Outcome;
  /** Id of the created object. */
  readonly id?: string;
}

/**
 * All states that concurrent commands may have produced, if some order of them explains the
 * results. Running operations may complete before any of them.
 */
export function* listExplanations(state: State, answered: readonly Answered[]): Generator<State> {
  if (answered.length === 0) {
    yield settleState(state);
    return;
  }
  for (const begin of state.busy.length === 0 ? [state] : [state, settleState(state)]) {
    for (const [index, { command, outcome, id }] of answered.entries()) {
      const [expected, next] = applyCommand(begin, command, id);
      if (expected !== outcome) continue;
      yield* listExplanations(
        next,
        answered.filter((_, place) => place !== index),
      );
    }
  }
}
