/** Addresses that the guests of machines report, and waiting for them. */
import { isIP } from 'node:net';
import type { ApiObject, Client } from '../../../client/client.ts';
import {
  ConflictError,
  isRetryable,
  NotFoundError,
  WaitTimeoutError,
} from '../../../client/errors.ts';
import { type Condition, waitFor } from '../../../client/poll.ts';
import type { Progress } from '../../output/progress.ts';
import type { CommandContext } from '../../session/command-context.ts';
import { commandLine } from '../../session/command-line.ts';
import { type Found, operationNamed } from '../../verbs/references.ts';

/** One address of a machine. */
export interface GuestAddress {
  readonly address: string;
  readonly version: 'v4' | 'v6';
  /** Name of the interface in the guest. */
  readonly device: string;
  /** It leads there from elsewhere: neither link-local nor loopback. */
  readonly isReachable: boolean;
}

/** A machine that runs has an address a moment later, or comes to rest as down in this time. */
const grace = 10_000;

/** The machine as it is now, and the addresses of its guest. Nothing where the machine is gone. */
export async function machineWithAddresses(
  client: Client,
  vm: string,
): Promise<
  { readonly machine: ApiObject; readonly addresses: readonly GuestAddress[] } | undefined
> {
  const get = operationNamed('/vms/{vm}', 'get');
  const list = operationNamed('/vms/{vm}/reporteddevices', 'list');
  if (!get || !list) throw new Error('The model has no reported devices.');
  const ids = { vm };
  try {
    const machine = await client.object({ operation: get, ids, what: `look at vms/${vm}` });
    if (!isRunning(machine)) return { machine, addresses: [] };
    const devices = await client.list({ operation: list, ids, what: `ask for addresses of ${vm}` });
    return { machine, addresses: addressesIn(devices) };
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}

/**
 * The addresses in what a guest reports, the most useful first: IPv4 before IPv6, reachable ones before
 * those that are not. Texts that are no addresses are left out: a guest may report anything.
 */
export function addressesIn(devices: readonly ApiObject[]): readonly GuestAddress[] {
  const all = devices.flatMap((device) =>
    ((device['ips'] ?? []) as readonly ApiObject[]).flatMap(({ address: text }) => {
      const address = String(text ?? '');
      const family = isIP(address);
      if (family === 0) return [];
      const version = family === 4 ? ('v4' as const) : ('v6' as const);
      const name = String(device['name'] ?? '');
      return [{ address, version, device: name, isReachable: !isLocal(address) }];
    }),
  );
  const unique = all.filter(
    (one, index) => all.findIndex(({ address }) => address === one.address) === index,
  );
  return unique.toSorted(
    (a, b) =>
      Number(b.isReachable) - Number(a.isReachable) || a.version.localeCompare(b.version, 'en'),
  );
}

/** Whether an address means something on its own link or machine only (RFC 3927, RFC 4291). */
function isLocal(address: string): boolean {
  return /^(127\.|169\.254\.|::1$|fe[89ab][0-9a-f]:)/i.test(address);
}

function isRunning({ status }: ApiObject): boolean {
  return !['down', 'suspended', 'image_locked'].includes(String(status));
}

export interface AddressWait {
  /** Milliseconds. */
  readonly timeout: number;
  readonly progress: Progress;
}

/**
 * The reachable addresses of a machine. With `wait` they are waited for; without, or where the machine
 * stops, their absence is an error that says why. Throws `WaitTimeoutError` when the time is up.
 * @param all also those that are link-local or loopback
 */
export async function addressesOf(
  cli: CommandContext,
  client: Client,
  vm: Found,
  { all = false, wait }: { readonly all?: boolean; readonly wait?: AddressWait | undefined },
): Promise<readonly GuestAddress[]> {
  const wanted = (addresses: readonly GuestAddress[]) =>
    addresses.filter(({ isReachable }) => all || isReachable);
  let seen = await machineWithAddresses(client, vm.id);
  if (wait) {
    const label = vm.label;
    const again = commandLine(cli, ['vms', 'ip', nameOf(vm), '--wait']);
    const fetch = async () => {
      seen = await machineWithAddresses(client, vm.id);
      return seen?.machine;
    };
    const condition = addressCondition(vm, () => wanted(seen?.addresses ?? []).length > 0);
    try {
      await waitFor({ label, resume: again, existed: true, fetch }, condition, {
        timeout: wait.timeout,
        signal: cli.signal,
        onChange: (state) => {
          if (wanted(seen?.addresses ?? []).length === 0) wait.progress.show(label, state);
        },
      });
    } catch (error) {
      // The time is up, or the server has not answered since.
      if (!(error instanceof WaitTimeoutError || isRetryable(error))) throw error;
      throw Object.assign(error, { hint: `it may get one later: ${again}`, next: [again] });
    } finally {
      wait.progress.clear();
    }
  }
  if (!seen) throw new NotFoundError(`${vm.label} was deleted`);
  const addresses = wanted(seen.addresses);
  if (addresses.length > 0) return addresses;
  throw withoutAddress(vm, seen.machine, seen.addresses.length > 0);
}

function addressCondition(vm: Found, hasAddress: () => boolean): Condition {
  const began = Date.now();
  return {
    text: 'an address',
    getState: (now) => {
      const state = String(now?.['status'] ?? 'gone');
      return state === 'up' && !hasAddress() ? 'up, no address yet' : state;
    },
    isMet: (now) => {
      if (!now || hasAddress()) return true;
      if (isRunning(now) || Date.now() - began < grace) return false;
      throw withoutAddress(vm, now, false);
    },
  };
}

/** Why a machine has no address to give, and what to do about it. */
function withoutAddress(vm: Found, machine: ApiObject, hasLocal: boolean): Error {
  const name = String(machine['name'] ?? vm.id);
  if (!isRunning(machine)) {
    return new ConflictError(`${vm.label} is ${String(machine['status'])} and has no address`, {
      code: 'not_running',
      hint: `vmctl vms start ${name}`,
    });
  }
  const why = hasLocal
    ? 'reports only link-local addresses'
    : `reports no address (status ${String(machine['status'])})`;
  return new NotFoundError(`the guest of ${vm.label} ${why}`, {
    code: 'no_address',
    hint: hasLocal
      ? 'use --all to show them'
      : 'use --wait to wait for one; the guest needs a running agent and network',
  });
}

/** What somebody would call the machine. */
export function nameOf({ id, item }: Found): string {
  return String(item?.['name'] ?? id);
}
