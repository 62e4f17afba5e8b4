/** References in a body that lead nowhere: a bad value is 400, an object that is not there 404. */
import { describe, expect } from 'vitest';
import { useSite } from './support/site.ts';
import type { Thing } from './support/speaker.ts';

const site = useSite();
const nothing = { id: '11111111-2222-3333-4444-555555555555' };
const dataCenter = { id: '{datacenter}' };

const bodies: readonly [status: number, path: string, body: Thing][] = [
  [
    400,
    '/vnicprofiles',
    { vnic_profile: { network: { id: '{network}' }, network_filter: nothing } },
  ],
  [400, '/vnicprofiles', { vnic_profile: { network: { id: '{network}' }, qos: nothing } }],
  [400, '/networks', { network: { data_center: dataCenter, qos: nothing } }],
  [400, '/cpuprofiles', { cpu_profile: { cluster: { id: '{cluster}' }, qos: nothing } }],
  [
    400,
    '/diskprofiles',
    { disk_profile: { storage_domain: { id: '{storagedomain}' }, qos: nothing } },
  ],
  [
    400,
    '/clusters',
    {
      cluster: {
        ...{ cpu: { type: 'Intel Nehalem Family' }, data_center: dataCenter },
        scheduling_policy: nothing,
      },
    },
  ],
  [
    400,
    '/datacenters/{datacenter}/iscsibonds',
    { iscsi_bond: { networks: { network: [nothing] } } },
  ],
  [
    400,
    '/templates',
    { template: { vm: { name: 'vm-02' }, version: { base_template: nothing, version_name: 'x' } } },
  ],
  [400, '/vms/{vm}/permissions', { permission: { role: { name: 'UserRole' }, user: nothing } }],
  [400, '/vms/{vm}/permissions', { permission: { role: nothing, user: { id: '{user}' } } }],
  [404, '/vms', { vm: { cluster: nothing, template: { name: 'Blank' } } }],
  [404, '/vms', { vm: { cluster: { id: '{cluster}' }, template: nothing } }],
  [400, '/networks', { network: { data_center: nothing } }],
  [400, '/hosts', { host: { address: 'a', root_password: 'x', cluster: nothing } }],
];

describe('a reference that leads nowhere', () => {
  for (const [status, template, body] of bodies) {
    site.both(`is refused with ${status}: ${template} ${JSON.stringify(body)}`, async (people) => {
      const { admin, path, name } = people;
      const [[kind, object] = ['', {}]] = Object.entries(body) as [string, Thing][];
      const filled = JSON.parse(path(JSON.stringify(object))) as Thing;
      const named = kind === 'permission' ? filled : { name: name('nowhere'), ...filled };
      const answer = await admin.post(path(template), { [kind]: named });
      expect(answer.status, answer.text).toBe(status);
      expect(answer.fault?.detail).toMatch(/^Entity not found: \w+: id=11111111/);
    });
  }
});
