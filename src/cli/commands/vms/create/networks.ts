/** NICs of a new VM, from network names to vNIC profiles. */
import { AmbiguousError, NotFoundError } from '../../../../client/errors.ts';
import type { Resource } from '../../../../model/resource.ts';
import { findCloseMatches } from '../../../text/did-you-mean.ts';
import type { OperationRunner } from '../../../verbs/operation-runner.ts';

/** NIC with its profile: one to create, or one that the VM gets from its template. */
export interface NicPlan {
  readonly name: string;
  readonly isOfTemplate: boolean;
  readonly profile: string;
}

/** vNIC profile with its network. */
export interface NetworkProfile {
  readonly id: string;
  readonly name: string;
  readonly network: string;
  readonly networkId: string;
}

/**
 * Plans the NICs of the arguments, with profiles in the data center: first those of the template,
 * in the order of their names, then new ones. Omits NICs that have the profile already.
 */
export async function planNics(
  runner: OperationRunner,
  datacenter: string,
  words: readonly string[],
  template: readonly Resource<'nic'>[],
): Promise<readonly NicPlan[]> {
  if (words.length === 0) return [];
  const profiles = await listProfiles(runner, datacenter);
  const own = template.toSorted((a, b) =>
    String(a.name).localeCompare(String(b.name), 'en', { numeric: true }),
  );
  const used = new Set(own.map(({ name }) => name));
  let number = 0;
  return words.flatMap((word, index): readonly NicPlan[] => {
    const { id: profile } = findProfile(word, profiles);
    const present = own[index];
    if (present) {
      const isOfTemplate = true;
      const hasProfile = present.vnic_profile?.id === profile;
      return hasProfile ? [] : [{ name: String(present.name), isOfTemplate, profile }];
    }
    do number += 1;
    while (used.has(`nic${number}`));
    return [{ name: `nic${number}`, isOfTemplate: false, profile }];
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
