/** The interfaces of a new machine: from names of networks to virtual network profiles. */
import type { ApiObject } from '../../../../client/client.ts';
import { AmbiguousError, NotFoundError } from '../../../../client/errors.ts';
import { closeMatches } from '../../../text/did-you-mean.ts';
import type { OperationRunner } from '../../../verbs/operation-runner.ts';

/** A network interface to be made. */
export interface NewNic {
  readonly name: string;
  readonly interface: 'virtio';
  readonly vnic_profile: { readonly id: string };
}

/** A profile with the network that it belongs to. */
export interface Profile {
  readonly id: string;
  readonly name: string;
  readonly network: string;
  readonly networkId: string;
}

/**
 * An interface for each word, with a profile of the networks of a data center. Names that `taken` has
 * are left out.
 */
export async function newNics(
  runner: OperationRunner,
  datacenter: string,
  words: readonly string[],
  taken: readonly string[],
): Promise<readonly NewNic[]> {
  if (words.length === 0) return [];
  const profiles = await profilesOf(runner, datacenter);
  const used = new Set(taken);
  let number = 0;
  return words.map((word) => {
    do number += 1;
    while (used.has(`nic${number}`));
    const { id } = profileFor(word, profiles);
    return { name: `nic${number}`, interface: 'virtio', vnic_profile: { id } };
  });
}

/** The profiles of the networks of a data center. */
export async function profilesOf(
  runner: OperationRunner,
  datacenter: string,
): Promise<readonly Profile[]> {
  const [networks, profiles] = await Promise.all([
    runner.list({ path: '/datacenters/{datacenter}/networks', ids: { datacenter } }),
    runner.list({ path: '/vnicprofiles' }),
  ]);
  const names = new Map(networks.map(({ id, name }) => [String(id), String(name)]));
  return profiles.flatMap(({ id, name, network }) => {
    const networkId = String((network as ApiObject | undefined)?.['id']);
    const known = names.get(networkId);
    if (known === undefined) return [];
    return [{ id: String(id), name: String(name), network: known, networkId }];
  });
}

/** The profile that a word means: `NETWORK/PROFILE`, the only one of a network, or one by its name or id. */
export function profileFor(word: string, profiles: readonly Profile[]): Profile {
  const full = (one: Profile) => `${one.network}/${one.name}`;
  const tries = [
    (one: Profile) => full(one) === word,
    (one: Profile) => one.network === word || one.networkId === word,
    (one: Profile) => one.name === word || one.id === word,
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
  const near = closeMatches(word, [...new Set(known)]);
  throw new NotFoundError(
    `--network ${word}: the data center has no such VM network with a profile`,
    {
      hint: near.length > 0 ? `did you mean ${near.join(' or ')}?` : 'vmctl vnicprofiles list',
    },
  );
}
