/** Networks for the interfaces of an imported machine: those that its document names, or a given one. */

import { type Profile, profileFor, profilesOf } from '../../cli/commands/vms/create/networks.ts';
import type { CommandContext } from '../../cli/session/command-context.ts';
import type { OperationRunner } from '../../cli/verbs/operation-runner.ts';
import type { ApiObject } from '../../client/client.ts';
import { AmbiguousError, NotFoundError } from '../../client/errors.ts';

export interface NetworkChoice {
  readonly profiles: readonly Profile[];
  /** The profile for interfaces whose own network is not here. */
  readonly fallback?: Profile;
}

/** The profiles of a data center. Throws where `--network` names none of them. */
export async function networksFor(
  runner: OperationRunner,
  datacenter: string,
  word: string | undefined,
): Promise<NetworkChoice> {
  const profiles = await profilesOf(runner, datacenter);
  return word === undefined ? { profiles } : { profiles, fallback: profileFor(word, profiles) };
}

/** The profile for an interface, by what its document calls the network; undefined where there is none. */
export function profileOf(
  network: string | undefined,
  { profiles, fallback }: NetworkChoice,
): Profile | undefined {
  if (!network) return fallback;
  try {
    return profileFor(network, profiles);
  } catch (error) {
    if (error instanceof NotFoundError || error instanceof AmbiguousError) return fallback;
    throw error;
  }
}

/**
 * Gives profiles to the interfaces of a machine that have none; `named` is what the document calls the
 * network of each. Says where the networks of the document are not here.
 */
export async function connectNics(
  cli: CommandContext,
  runner: OperationRunner,
  vm: string,
  named: ReadonlyMap<string, string | undefined>,
  networks: NetworkChoice,
): Promise<void> {
  for (const nic of await runner.list({ path: '/vms/{vm}/nics', ids: { vm } })) {
    const name = String(nic['name']);
    const network = named.get(name);
    const profile = profileOf(network, networks);
    const own = nic['vnic_profile'] as ApiObject | undefined;
    if (profile && !own) {
      const body = { vnic_profile: { id: profile.id } };
      await runner.change(
        { path: '/vms/{vm}/nics/{nic}', name: 'update', ids: { vm }, body },
        { id: String(nic['id']), label: name, item: nic },
      );
    } else if (network && !profile) {
      const given = networks.profiles.find(({ id }) => id === own?.['id']);
      const where = given ? `to ${given.network}` : 'to none';
      cli.note(
        `network ${network} not found: ${name} is connected ${where}; use --network for another one`,
      );
    }
  }
}
