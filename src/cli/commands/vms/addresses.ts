/** Guest-reported addresses of VMs, and the wait for them. */

import { isIP } from 'node:net';
import type { Client } from '../../../client/client.ts';
import {
  ConflictError,
  isRetryable,
  NotFoundError,
  WaitTimeoutError,
} from '../../../client/errors.ts';
import { type Condition, waitFor } from '../../../client/wait-for-condition.ts';
import { requireOperation } from '../../../model/index.ts';
import type { Resource } from '../../../model/resource.ts';
import type { Progress } from '../../output/progress.ts';
import type { CommandContext } from '../../session/command-context.ts';
import { formatCommandLine } from '../../session/command-line.ts';
import type { FoundObject } from '../../verbs/references.ts';

type FoundVm = FoundObject<Resource<'vm'>>;

export interface GuestAddress {
  readonly address: string;
  readonly version: 'v4' | 'v6';
  /** Name of the NIC in the guest. */
  readonly device: string;
  /** Whether other computers can use it: neither link-local nor loopback. */
  readonly isReachable: boolean;
}

/** Milliseconds in which a starting VM may still be down. */
const startGraceMs = 10_000;

/** Reads a VM and the addresses of its guest; undefined if the VM does not exist. */
export async function readVmWithAddresses(
  client: Client,
  vm: string,
): Promise<
  { readonly current: Resource<'vm'>; readonly addresses: readonly GuestAddress[] } | undefined
> {
  const get = requireOperation('/vms/{vm}', 'get');
  const list = requireOperation('/vms/{vm}/reporteddevices', 'list');
  const ids = { vm };
  try {
    const current = await client.object({ operation: get, ids, what: `look at vms/${vm}` });
    if (!isRunning(current)) return { current, addresses: [] };
    const devices = await client.list({ operation: list, ids, what: `ask for addresses of ${vm}` });
    return { current, addresses: listAddresses(devices) };
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}

/**
 * Lists the addresses of reported devices: reachable before others, IPv4 before IPv6. Skips invalid
 * texts, because a guest may report anything.
 */
export function listAddresses(
  devices: readonly Resource<'reported_device'>[],
): readonly GuestAddress[] {
  const all = devices.flatMap((device) =>
    (device.ips ?? []).flatMap(({ address: text }) => {
      const address = String(text ?? '');
      const family = isIP(address);
      if (family === 0) return [];
      const version = family === 4 ? ('v4' as const) : ('v6' as const);
      const name = String(device.name ?? '');
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

/** Whether an address is valid only on its link or computer (RFC 3927, RFC 4291). */
function isLocal(address: string): boolean {
  return /^(127\.|169\.254\.|::1$|fe[89ab][0-9a-f]:)/i.test(address);
}

function isRunning({ status }: Resource<'vm'>): boolean {
  return !['down', 'suspended', 'image_locked'].includes(String(status));
}

export interface AddressWait {
  readonly timeout: number;
  readonly progress: Progress;
}

/**
 * Returns the reachable addresses of a VM. With `wait`, waits for one. Otherwise, or if the VM
 * stops, throws an error with the reason. Throws `WaitTimeoutError` after the timeout.
 * @param all include link-local and loopback addresses
 */
export async function findAddresses(
  cli: CommandContext,
  client: Client,
  vm: FoundVm,
  { all = false, wait }: { readonly all?: boolean; readonly wait?: AddressWait | undefined },
): Promise<readonly GuestAddress[]> {
  const wanted = (addresses: readonly GuestAddress[]) =>
    addresses.filter(({ isReachable }) => all || isReachable);
  let seen = await readVmWithAddresses(client, vm.id);
  if (wait) {
    const label = vm.label;
    const again = formatCommandLine(cli, ['vms', 'ip', getVmName(vm), '--wait']);
    const fetch = async () => {
      seen = await readVmWithAddresses(client, vm.id);
      return seen?.current;
    };
    const condition = createAddressCondition(vm, () => wanted(seen?.addresses ?? []).length > 0);
    try {
      await waitFor({ label, resume: again, existed: true, fetch }, condition, {
        timeout: wait.timeout,
        signal: cli.signal,
        onChange: (state) => {
          if (wanted(seen?.addresses ?? []).length === 0) wait.progress.show(label, state);
        },
      });
    } catch (error) {
      // After the timeout, or while the server is unreachable.
      if (!(error instanceof WaitTimeoutError || isRetryable(error))) throw error;
      throw Object.assign(error, { hint: `it may get one later: ${again}`, next: [again] });
    } finally {
      wait.progress.clear();
    }
  }
  if (!seen) throw new NotFoundError(`${vm.label} was deleted`);
  const addresses = wanted(seen.addresses);
  if (addresses.length > 0) return addresses;
  throw createNoAddressError(vm, seen.current, seen.addresses.length > 0);
}

function createAddressCondition(vm: FoundVm, hasAddress: () => boolean): Condition<Resource<'vm'>> {
  const began = Date.now();
  return {
    text: 'an address',
    getState: (now) => {
      const state = String(now?.status ?? 'gone');
      return state === 'up' && !hasAddress() ? 'up, no address yet' : state;
    },
    isMet: (now) => {
      if (!now || hasAddress()) return true;
      if (isRunning(now) || Date.now() - began < startGraceMs) return false;
      throw createNoAddressError(vm, now, false);
    },
  };
}

/** Creates the error for a VM without an address, with its reason and a hint. */
function createNoAddressError(vm: FoundVm, current: Resource<'vm'>, hasLocal: boolean): Error {
  const name = String(current.name ?? vm.id);
  if (!isRunning(current)) {
    return new ConflictError(`${vm.label} is ${String(current.status)} and has no address`, {
      code: 'not_running',
      hint: `vmctl vms start ${name}`,
    });
  }
  const why = hasLocal
    ? 'reports only link-local addresses'
    : `reports no address (status ${String(current.status)})`;
  return new NotFoundError(`the guest of ${vm.label} ${why}`, {
    code: 'no_address',
    hint: hasLocal
      ? 'use --all to show them'
      : 'use --wait to wait for one; the guest needs a running agent and network',
  });
}

/** Returns the name of a VM, or its id. */
export function getVmName({ id, item }: FoundVm): string {
  return String(item?.name ?? id);
}
