/** Networks of hosts in tests: setup requests and the resulting state. */
import { expect } from 'vitest';
import { addHost } from './hosts.ts';
import type { People } from './site.ts';
import type { Thing } from './speaker.ts';

/** A host, and a network of its cluster that hosts need not have. */
export async function hostAndNetwork(people: People, more: Thing = {}) {
  const host = await addHost(people);
  const network = await addNetwork(people, host.cluster, more);
  return { host, network };
}

export async function addNetwork(people: People, cluster: string, more: Thing = {}) {
  const { admin, name, path } = people;
  const network = await admin.add('/networks', {
    network: { name: name('net'), data_center: { id: path('{datacenter}') }, ...more },
  });
  await admin.add(`/clusters/${cluster}/networks`, {
    network: { id: network.id, required: false },
  });
  return network;
}

export const attached = (...list: Thing[]) => ({
  modified_network_attachments: { network_attachment: list },
});

export const bonded = (...list: Thing[]) => ({ modified_bonds: { host_nic: list } });

export const bond = (name: string, slaves: readonly string[], mode = '1') => ({
  name,
  bonding: {
    options: { option: [{ name: 'mode', value: mode }] },
    slaves: { host_nic: slaves.map((slave) => ({ name: slave })) },
  },
});

export const fixed = (address: string) => ({
  ip_address_assignments: {
    ip_address_assignment: [
      { assignment_method: 'static', ip: { address, netmask: '255.255.255.0' } },
    ],
  },
});

export async function nics({ admin }: People, host: string): Promise<Map<string, Thing>> {
  const { list } = await admin.get(`${host}/nics`);
  return new Map(list.map((nic) => [String(nic['name']), nic]));
}

export async function refusedSetup({ admin }: People, host: string, action: Thing, status: number) {
  const answer = await admin.post(`${host}/setupnetworks`, { action });
  expect(answer.status, answer.text).toBe(status);
  return String(answer.fault?.detail);
}
