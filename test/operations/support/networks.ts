/** Networks and profiles of tests. */
import type { People } from './site.ts';
import { at, type Thing } from './speaker.ts';

export function addNetwork({ admin, name, path }: People, more: Thing = {}) {
  return admin.add('/networks', {
    network: { name: name('net'), data_center: { id: path('{datacenter}') }, ...more },
  });
}

/** A machine of a cluster with an interface of a profile. */
export async function plugIn({ admin, name }: People, cluster: string, profile: string) {
  const { object } = await admin.get(`/vnicprofiles/${profile}`);
  // The network may exist already.
  await admin.post(`/clusters/${cluster}/networks`, {
    network: { id: at(object, 'network.id'), required: false },
  });
  const vm = await admin.add('/vms', {
    vm: { name: name('vm'), cluster: { id: cluster }, template: { name: 'Blank' } },
  });
  await admin.add(`/vms/${vm.id}/nics`, { nic: { name: 'nic1', vnic_profile: { id: profile } } });
  return vm;
}
