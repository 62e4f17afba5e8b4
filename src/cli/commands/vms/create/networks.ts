/** NICs of a new VM, from network names to vNIC profiles. */
import { AmbiguousError, NotFoundError } from '../../../../client/errors.ts';
import { findCloseMatches } from '../../../text/did-you-mean.ts';
import type { OperationRunner } from '../../../verbs/operation-runner.ts';

/** NIC to create. */
export interface NewNic {
  readonly name: string;
  readonly interface: 'virtio';
  readonly vnic_profile: { readonly id: string };
}

/** vNIC profile with its network. */
export interface NetworkProfile {
  readonly id: string;
  readonly name: string;
  readonly network: string;
  readonly networkId: string;
}

/**
 * Creates a NIC for each argument, with a profile in the data center. Skips the names in `taken`.
 */
export async function createNics(
  runner: OperationRunner,
  datacenter: string,
  words: readonly string[],
  taken: readonly string[],
): Promise<readonly NewNic[]> {
  if (words.length === 0) return [];
  const profiles = await listProfiles(runner, datacenter);
  const used = new Set(taken);
  let number = 0;
  return words.map((word) => {
    do number += 1;
    while (used.has(`nic${number}`));
    const { id } = findProfile(word, profiles);
    return { name: `nic${number}`, interface: 'virtio', vnic_profile: { id } };
  });
}

/** Lists the profiles of the networks of a data center. */
export async function listProfiles(
  runner: OperationRunner,
  datacenter: string,
): Promise<readonly NetworkProfile[]> {
  const [networks, profiles] = await Promise.all([
    runner.list({ path: '/datacenters/{datacenter}/networks', ids: { datacenter } }),
    runner.list({ path: '/vnicprofiles' }),
  ]);
  const names = new Map(networks.map(({ id, name }) => [String(id), String(name)]));
  return profiles.flatMap(({ id, name, network }) => {
    const networkId = String(network?.id);
    const known = names.get(networkId);
    if (known === undefined) return [];
    return [{ id: String(id), name: String(name), network: known, networkId }];
  });
}

/**
 * Finds the profile of an argument: `NETWORK/PROFILE`, the only one of a network, or one by name or
 * id. Throws if none or several match.
 */
export function findProfile(word: string, profiles: readonly NetworkProfile[]): NetworkProfile {
  const full = (one: NetworkProfile) => `${one.network}/${one.name}`;
  const tries = [
    (one: NetworkProfile) => full(one) === word,
    (one: NetworkProfile) => one.network === word || one.networkId === word,
    (one: NetworkProfile) => one.name === word || one.id === word,
  ];
  for (const isMeant of tries) {
    const found = profiles.filter(isMeant);
    const [only] = found;
    if (only && found.length === 1) return only;
    if (found.length > 1) {
      throw new AmbiguousError(
        `--network ${word} matches ${found.length} profiles:\n${found.map((one) => `  ${full(one)}`).join('\n')}`,
        { hint: 'use NETWORK/PROFILE', next: found.map(full) },
      );
    }
  }
  const known = profiles.flatMap((one) => [one.network, full(one)]);
  const near = findCloseMatches(word, [...new Set(known)]);
  throw new NotFoundError(
    `--network ${word}: the data center has no such VM network with a profile`,
    {
      hint: near.length > 0 ? `did you mean ${near.join(' or ')}?` : 'vmctl vnicprofiles list',
    },
  );
}
