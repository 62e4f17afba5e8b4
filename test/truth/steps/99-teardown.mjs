// Removal of all objects, in the order of an administrator, with a check of the remaining ones each
// time.
export default function define(s) {
  for (const [name, path] of Object.entries({
    vm: '/vms/{{vm}}',
    vmJson: '/vms/{{vmJson}}',
    vmFull: '/vms/{{vmFull}}',
    vmPinned: '/vms/{{vmPinned}}',
    vmLease: '/vms/{{vmLease}}',
  }))
    s.act(`stop/${name}`, `${path}/stop`);
  s.both('vms/before', '/vms');
  for (const name of ['pool']) s.del(`remove/${name}`, `/vmpools/{{${name}}}`);
  for (const name of [
    'vm',
    'vmJson',
    'vmFull',
    'vmType',
    'vmId',
    'vmWindows',
    'vmInline',
    'vmPinned',
    'vmLease',
    'vmFilter',
    'vmFromSnapshot',
    'vmThin',
    'poolVm',
  ])
    s.del(`remove/${name}`, `/vms/{{${name}}}`);
  s.waitGone('remove/vm/gone', '/vms/{{vm}}');
  s.waitGone('remove/vmFull/gone', '/vms/{{vmFull}}');
  for (const name of ['templateFull', 'templateDiskless', 'template'])
    s.del(`remove/${name}`, `/templates/{{${name}}}`);
  s.waitGone('remove/template/gone', '/templates/{{template}}');
  for (const name of [
    'diskUnnamed',
    'diskRaw',
    'diskRawSparse',
    'diskFull',
    'diskShared',
    'diskIso',
    'diskOdd',
    'diskLun',
  ])
    s.del(`remove/${name}`, `/disks/{{${name}}}`);
  s.waitGone('remove/diskFull/gone', '/disks/{{diskFull}}');
  s.both('disks/left', '/disks');
  s.both('vms/left', '/vms');
  s.act('sd2/deactivate', '/datacenters/{{dc}}/storagedomains/{{sd2}}/deactivate', { force: true });
  s.wait(
    'sd2/deactivate/maintenance',
    '/datacenters/{{dc}}/storagedomains/{{sd2}}',
    'maintenance',
    { timeout: 60 },
  );
  s.del('sd2/detach', '/datacenters/{{dc}}/storagedomains/{{sd2}}');
  s.wait('sd2/detach/unattached', '/storagedomains/{{sd2}}', 'unattached', { timeout: 60 });
  s.del('sd2/remove-nothing', '/storagedomains/{{sd2}}', { note: 'a host is needed' });
  s.del('sd2/remove', '/storagedomains/{{sd2}}?host=dx_host&format=false');
  s.waitGone('sd2/remove/gone', '/storagedomains/{{sd2}}');
  s.del('sd/destroy', '/storagedomains/{{sd}}?destroy=true');
  s.act('host2/deactivate', '/hosts/{{host2}}/deactivate');
  s.wait('host2/deactivate/maintenance', '/hosts/{{host2}}', 'maintenance', { timeout: 60 });
  s.act('host2/fence-manual', '/hosts/{{host2}}/fence', { fence_type: 'manual' });
  s.del('host2/remove', '/hosts/{{host2}}');
  s.waitGone('host2/remove/gone', '/hosts/{{host2}}');
  s.act('host/deactivate', '/hosts/{{host}}/deactivate');
  s.wait('host/deactivate/maintenance', '/hosts/{{host}}', 'maintenance', { timeout: 60 });
  s.del('host/remove-force', '/hosts/{{host}}?force=true');
  s.waitGone('host/remove-force/gone', '/hosts/{{host}}');
  s.del('dc/remove', '/datacenters/{{dc}}');
  s.del('dc/remove-force', '/datacenters/{{dc}}?force=true');
  for (const name of ['cluster', 'clusterFull', 'clusterJson', 'clusterGluster'])
    s.del(`remove/${name}`, `/clusters/{{${name}}}`);
  for (const name of ['dcFull']) s.del(`remove/${name}`, `/datacenters/{{${name}}}`);
  for (const name of ['net', 'netFull', 'netJson'])
    s.del(`remove/${name}`, `/networks/{{${name}}}`);
  s.del('remove/macPool', '/macpools/{{macPool}}');
  s.del('remove/policy', '/schedulingpolicies/{{policy}}');
  s.del('remove/role', '/roles/{{role}}');
  s.del('remove/bookmark', '/bookmarks/{{bookmark}}');
  s.del('remove/tag', '/tags/{{tag}}');
  s.del('remove/affinityLabel', '/affinitylabels/{{affinityLabel}}');
  s.del('remove/instanceType', '/instancetypes/{{instanceType}}');
  for (const collection of [
    'externalhostproviders',
    'openstackimageproviders',
    'openstacknetworkproviders',
    'openstackvolumeproviders',
  ])
    s.del(`remove/${collection}`, `/${collection}/{{provider:${collection}}}`);
  for (const collection of [
    'datacenters',
    'clusters',
    'hosts',
    'storagedomains',
    'networks',
    'vnicprofiles',
    'vms',
    'templates',
    'disks',
    'vmpools',
    'macpools',
    'tags',
    'bookmarks',
    'roles',
    'affinitylabels',
    'storageconnections',
    'diskprofiles',
    'cpuprofiles',
    'permissions',
    'jobs',
  ])
    s.get(`left/${collection}`, `/${collection}`, { volatile: collection === 'jobs' });
  s.get('events', '/events?max=400', {
    volatile: true,
    note: 'the whole session as the audit log tells it',
  });
  s.get('root', '/');
}
