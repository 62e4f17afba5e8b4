/** Network choice for NICs of an imported VM: networks of the document, or a given one. */

import {
  findProfile,
  listProfiles,
  type NetworkProfile,
} from '../../cli/commands/vms/create/networks.ts';
import type { CommandContext } from '../../cli/session/command-context.ts';
import type { OperationRunner } from '../../cli/verbs/operation-runner.ts';
import { AmbiguousError, NotFoundError } from '../../client/errors.ts';

export interface NetworkChoice {
  readonly profiles: readonly NetworkProfile[];
  /** Profile for NICs whose network does not exist. */
  readonly fallback?: NetworkProfile;
}

/** Profiles of a data center. Throws if `--network` matches none of them. */
export async function readNetworks(
  runner: OperationRunner,
  datacenter: string,
  word: string | undefined,
): Promise<NetworkChoice> {
  const profiles = await listProfiles(runner, datacenter);
  return word === undefined ? { profiles } : { profiles, fallback: findProfile(word, profiles) };
}

/** Profile for a NIC by the network name in the document; undefined if none is suitable. */
export function chooseProfile(
  network: string | undefined,
  { profiles, fallback }: NetworkChoice,
): NetworkProfile | undefined {
  if (!network) return fallback;
  try {
    return findProfile(network, profiles);
  } catch (error) {
    if (error instanceof NotFoundError || error instanceof AmbiguousError) return fallback;
    throw error;
  }
}

/**
 * Assigns profiles to NICs without one; `named` maps NIC names to network names of the document.
 * Reports networks that do not exist.
 */
export async function connectNics(
  cli: CommandContext,
  runner: OperationRunner,
  vm: string,
  named: ReadonlyMap<string, string | undefined>,
  networks: NetworkChoice,
): Promise<void> {
  for (const nic of await runner.list({ path: '/vms/{vm}/nics', ids: { vm } })) {
    const name = String(nic.name);
    const network = named.get(name);
    const profile = chooseProfile(network, networks);
    const own = nic.vnic_profile;
    if (profile && !own) {
      const body = { vnic_profile: { id: profile.id } };
      await runner.change(
        { path: '/vms/{vm}/nics/{nic}', name: 'update', ids: { vm }, body },
        { id: String(nic.id), label: name, item: nic },
      );
    } else if (network && !profile) {
      const given = networks.profiles.find(({ id }) => id === own?.id);
      const where = given ? `to ${given.network}` : 'to none';
      cli.note(
        `network ${network} not found: ${name} is connected ${where}; use --network for another one`,
      );
    }
  }
}
