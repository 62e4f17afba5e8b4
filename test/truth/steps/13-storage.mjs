// Storage connections, domains and their life cycle, disk profiles, quotas of storage.
import { first } from '../lib/session.mjs';

const unknown = '99999999-2222-3333-4444-555555555555';

export default function define(s) {
  // Connections.
  s.post(
    'connections/add-nfs',
    '/storageconnections',
    {
      storage_connection: {
        type: 'nfs',
        address: '{{storageAddress}}',
        path: '{{storagePath}}/connection',
        host: { id: '{{host}}' },
      },
    },
    { capture: { connection: 'id' } },
  );
  s.post(
    'connections/add-nfs-full',
    '/storageconnections',
    {
      storage_connection: {
        type: 'nfs',
        address: '{{storageAddress}}',
        path: '{{storagePath}}/full',
        nfs_version: 'v4_2',
        nfs_timeo: 600,
        nfs_retrans: 3,
        mount_options: 'soft',
      },
    },
    { as: 'json', capture: { connectionFull: 'id' } },
  );
  s.post(
    'connections/add-iscsi',
    '/storageconnections',
    {
      storage_connection: {
        type: 'iscsi',
        address: '192.0.2.30',
        port: 3260,
        target: 'iqn.2020-01.com.example:dxc',
        username: 'user',
        password: 'secret',
      },
    },
    { capture: { connectionIscsi: 'id' } },
  );
  s.post(
    'connections/add-local',
    '/storageconnections',
    { storage_connection: { type: 'localfs', path: '/data/dx' } },
    { capture: { connectionLocal: 'id' } },
  );
  s.post(
    'connections/add-posix',
    '/storageconnections',
    {
      storage_connection: {
        type: 'posixfs',
        address: '{{storageAddress}}',
        path: '{{storagePath}}/posix',
        vfs_type: 'nfs4',
        mount_options: 'rw',
      },
    },
    { capture: { connectionPosix: 'id' } },
  );
  s.post(
    'connections/add-gluster',
    '/storageconnections',
    {
      storage_connection: {
        type: 'glusterfs',
        path: '{{storageAddress}}:/volume',
        vfs_type: 'glusterfs',
      },
    },
    { capture: { connectionGluster: 'id' } },
  );
  for (const [name, body] of Object.entries({
    nothing: {},
    'no-type': { address: 'x', path: '/x' },
    'nfs-no-path': { type: 'nfs', address: 'x' },
    'nfs-no-address': { type: 'nfs', path: '/x' },
    'iscsi-no-target': { type: 'iscsi', address: 'x', port: 3260 },
    'posix-no-vfs': { type: 'posixfs', address: 'x', path: '/x' },
    duplicate: { type: 'nfs', address: '{{storageAddress}}', path: '{{storagePath}}/connection' },
    'path-relative': { type: 'nfs', address: 'x', path: 'relative' },
    nonsense: { type: 'nonsense' },
    fcp: { type: 'fcp' },
  }))
    s.postAndRemove(`connections/bad-${name}`, '/storageconnections', { storage_connection: body });
  for (const name of [
    'connection',
    'connectionFull',
    'connectionIscsi',
    'connectionLocal',
    'connectionPosix',
    'connectionGluster',
  ])
    s.get(`connections/get-${name}`, `/storageconnections/{{${name}}}`);
  s.get('connections/get-json', '/storageconnections/{{connectionIscsi}}', { as: 'json' });
  s.put('connections/update', '/storageconnections/{{connection}}', {
    storage_connection: { path: '{{storagePath}}/connection2' },
  });
  s.put('connections/update-force', '/storageconnections/{{connectionIscsi}}?force=true', {
    storage_connection: { address: '192.0.2.31' },
  });
  s.put('connections/update-type', '/storageconnections/{{connection}}', {
    storage_connection: { type: 'iscsi' },
  });
  s.both('connections', '/storageconnections');
  for (const name of [
    'connectionFull',
    'connectionIscsi',
    'connectionLocal',
    'connectionPosix',
    'connectionGluster',
  ])
    s.del(`connections/remove-${name}`, `/storageconnections/{{${name}}}`);
  s.del('connections/remove-again', '/storageconnections/{{connectionLocal}}');

  // Domains.
  const nfs = (path) => ({
    type: 'nfs',
    address: '{{storageAddress}}',
    path: `{{storagePath}}/${path}`,
  });
  for (const [name, body] of Object.entries({
    nothing: {},
    'no-host': { name: 'dx_sd_x', type: 'data', storage: nfs('x') },
    'no-type': { name: 'dx_sd_x', host: { id: '{{host}}' }, storage: nfs('x') },
    'no-storage': { name: 'dx_sd_x', type: 'data', host: { id: '{{host}}' } },
    'no-storage-type': {
      name: 'dx_sd_x',
      type: 'data',
      host: { id: '{{host}}' },
      storage: { address: 'x', path: '/x' },
    },
    'no-address': {
      name: 'dx_sd_x',
      type: 'data',
      host: { id: '{{host}}' },
      storage: { type: 'nfs', path: '/x' },
    },
    'no-path': {
      name: 'dx_sd_x',
      type: 'data',
      host: { id: '{{host}}' },
      storage: { type: 'nfs', address: 'x' },
    },
    'unknown-host': { name: 'dx_sd_x', type: 'data', host: { id: unknown }, storage: nfs('x') },
    'unknown-host-name': {
      name: 'dx_sd_x',
      type: 'data',
      host: { name: 'dx_no_host' },
      storage: nfs('x'),
    },
    'name-blank': { name: 'dx sd', type: 'data', host: { id: '{{host}}' }, storage: nfs('x') },
    'name-long': {
      name: `dx_${'s'.repeat(60)}`,
      type: 'data',
      host: { id: '{{host}}' },
      storage: nfs('x'),
    },
    'type-nonsense': {
      name: 'dx_sd_x',
      type: 'nonsense',
      host: { id: '{{host}}' },
      storage: nfs('x'),
    },
    'format-v1': {
      name: 'dx_sd_x',
      type: 'data',
      storage_format: 'v1',
      host: { id: '{{host}}' },
      storage: nfs('formatv1'),
    },
    'format-nonsense': {
      name: 'dx_sd_x',
      type: 'data',
      storage_format: 'v9',
      host: { id: '{{host}}' },
      storage: nfs('x'),
    },
    'path-relative': {
      name: 'dx_sd_x',
      type: 'data',
      host: { id: '{{host}}' },
      storage: { type: 'nfs', address: 'x', path: 'relative' },
    },
    'posix-no-vfs': {
      name: 'dx_sd_x',
      type: 'data',
      host: { id: '{{host}}' },
      storage: { type: 'posixfs', address: 'x', path: '/x' },
    },
    'posix-nfs-vfs': {
      name: 'dx_sd_x',
      type: 'data',
      host: { id: '{{host}}' },
      storage: {
        type: 'posixfs',
        path: '{{storageAddress}}:{{storagePath}}/posix',
        vfs_type: 'nfs',
      },
    },
    'local-in-shared': {
      name: 'dx_sd_x',
      type: 'data',
      host: { id: '{{host}}' },
      storage: { type: 'localfs', path: '/data/dx' },
    },
    'iscsi-no-luns': {
      name: 'dx_sd_x',
      type: 'data',
      host: { id: '{{host}}' },
      storage: { type: 'iscsi' },
    },
    'iscsi-unknown-lun': {
      name: 'dx_sd_x',
      type: 'data',
      host: { id: '{{host}}' },
      storage: {
        type: 'iscsi',
        logical_units: {
          logical_unit: [
            {
              id: 'dx_lun',
              address: '192.0.2.30',
              port: 3260,
              target: 'iqn.2020-01.com.example:dx',
            },
          ],
        },
      },
    },
    fcp: {
      name: 'dx_sd_x',
      type: 'data',
      host: { id: '{{host}}' },
      storage: { type: 'fcp', logical_units: { logical_unit: [{ id: 'dx_lun' }] } },
    },
    image: {
      name: 'dx_sd_x',
      type: 'image',
      host: { id: '{{host}}' },
      storage: { type: 'glance' },
    },
    'block-threshold': {
      name: 'dx_sd_x',
      type: 'data',
      host: { id: '{{host}}' },
      storage: nfs('x'),
      warning_low_space_indicator: 200,
    },
  }))
    s.post(`bad/${name}`, '/storagedomains', { storage_domain: body });
  s.post(
    'add',
    '/storagedomains',
    {
      storage_domain: {
        name: 'dx_sd',
        type: 'data',
        host: { id: '{{host}}' },
        storage: nfs('data1'),
      },
    },
    { capture: { sd: 'id' } },
  );
  s.post(
    'add-full',
    '/storagedomains',
    {
      storage_domain: {
        name: 'dx_sd_full',
        description: 'described',
        comment: 'commented',
        type: 'data',
        host: { name: 'dx_host' },
        storage: { ...nfs('data2'), nfs_version: 'auto', nfs_timeo: 600, nfs_retrans: 2 },
        storage_format: 'v5',
        wipe_after_delete: true,
        discard_after_delete: false,
        warning_low_space_indicator: 10,
        critical_space_action_blocker: 5,
        backup: false,
      },
    },
    { as: 'json', capture: { sd2: 'id' } },
  );
  s.post('duplicate-name', '/storagedomains', {
    storage_domain: {
      name: 'dx_sd',
      type: 'data',
      host: { id: '{{host}}' },
      storage: nfs('other'),
    },
  });
  s.post('duplicate-path', '/storagedomains', {
    storage_domain: {
      name: 'dx_sd_y',
      type: 'data',
      host: { id: '{{host}}' },
      storage: nfs('data1'),
    },
  });
  s.both('unattached', '/storagedomains/{{sd}}');
  for (const part of [
    'diskprofiles',
    'permissions',
    'disksnapshots',
    'disks',
    'files',
    'images',
    'storageconnections',
    'templates',
    'vms',
  ])
    s.get(`unattached/${part}`, `/storagedomains/{{sd}}/${part}`);
  s.act('isattached/unattached', '/storagedomains/{{sd}}/isattached', { host: { id: '{{host}}' } });
  s.put('unattached/update', '/storagedomains/{{sd}}', {
    storage_domain: { description: 'changed' },
  });
  s.post('attach/nothing', '/datacenters/{{dc}}/storagedomains', { storage_domain: null });
  s.post('attach/unknown', '/datacenters/{{dc}}/storagedomains', {
    storage_domain: { id: unknown },
  });
  s.post('attach/unknown-name', '/datacenters/{{dc}}/storagedomains', {
    storage_domain: { name: 'dx_no_sd' },
  });
  s.post('attach', '/datacenters/{{dc}}/storagedomains', { storage_domain: { id: '{{sd}}' } });
  s.wait('attach/active', '/datacenters/{{dc}}/storagedomains/{{sd}}', 'active', {
    fail: ['inactive'],
    timeout: 120,
  });
  s.wait('attach/dc-up', '/datacenters/{{dc}}', 'up', { timeout: 60 });
  s.post(
    'attach/by-name',
    '/datacenters/{{dc}}/storagedomains',
    { storage_domain: { name: 'dx_sd_full' } },
    { as: 'json' },
  );
  s.wait('attach/by-name/active', '/datacenters/{{dc}}/storagedomains/{{sd2}}', 'active', {
    fail: ['inactive'],
    timeout: 120,
  });
  s.post('attach/again', '/datacenters/{{dc}}/storagedomains', {
    storage_domain: { id: '{{sd}}' },
  });
  s.post('attach/other-dc', '/datacenters/{{dcFull}}/storagedomains', {
    storage_domain: { id: '{{sd}}' },
  });
  s.post(
    'add-iso',
    '/storagedomains',
    {
      storage_domain: {
        name: 'dx_iso',
        type: 'iso',
        host: { id: '{{host}}' },
        storage: nfs('iso'),
      },
    },
    { capture: { iso: 'id' } },
  );
  s.post('attach/iso', '/datacenters/{{dc}}/storagedomains', { storage_domain: { id: '{{iso}}' } });
  s.wait('attach/iso/active', '/datacenters/{{dc}}/storagedomains/{{iso}}', 'active', {
    fail: ['inactive', 'maintenance'],
    timeout: 60,
  });
  s.post(
    'add-export',
    '/storagedomains',
    {
      storage_domain: {
        name: 'dx_export',
        type: 'export',
        host: { id: '{{host}}' },
        storage: nfs('export'),
      },
    },
    { capture: { exportSd: 'id' } },
  );
  s.post('attach/export', '/datacenters/{{dc}}/storagedomains', {
    storage_domain: { id: '{{exportSd}}' },
  });
  s.wait('attach/export/active', '/datacenters/{{dc}}/storagedomains/{{exportSd}}', 'active', {
    fail: ['inactive', 'maintenance'],
    timeout: 60,
  });
  s.post(
    'add-third',
    '/storagedomains',
    {
      storage_domain: {
        name: 'dx_sd_third',
        type: 'data',
        data_center: { id: '{{dc}}' },
        host: { id: '{{host}}' },
        storage: {
          type: 'posixfs',
          path: '{{storageAddress}}:{{storagePath}}/posix3',
          vfs_type: 'glusterfs',
          mount_options: 'rw',
        },
      },
    },
    { capture: { sd3: 'id' } },
  );
  for (const name of ['sd', 'sd2', 'sd3', 'iso', 'exportSd']) {
    s.both(`get/${name}`, `/storagedomains/{{${name}}}`);
    s.get(`get/${name}/attached`, `/datacenters/{{dc}}/storagedomains/{{${name}}}`);
    for (const part of [
      'diskprofiles',
      'permissions',
      'disksnapshots',
      'disks',
      'files',
      'images',
      'storageconnections',
      'templates',
      'vms',
    ])
      s.get(`get/${name}/${part}`, `/storagedomains/{{${name}}}/${part}`);
  }
  s.both('attached', '/datacenters/{{dc}}/storagedomains');
  s.get('attached/json', '/datacenters/{{dc}}/storagedomains/{{sd}}', { as: 'json' });
  s.get('attached/disks', '/datacenters/{{dc}}/storagedomains/{{sd}}/disks');
  for (const follow of [
    'disks',
    'disk_profiles',
    'permissions',
    'storage_connections',
    'data_centers',
    'host',
    'files',
    'templates,vms',
  ])
    s.get(`follow/${follow}`, `/storagedomains/{{sd}}?follow=${follow}`);
  s.get('follow/attached', '/datacenters/{{dc}}/storagedomains?follow=disks');
  s.get('follow/dc', '/datacenters/{{dc}}?follow=storage_domains');
  s.act('isattached', '/storagedomains/{{sd}}/isattached', { host: { id: '{{host}}' } });
  s.act('isattached/nothing', '/storagedomains/{{sd}}/isattached');
  s.act('updateovfstore', '/storagedomains/{{sd}}/updateovfstore');
  s.act('refreshluns', '/storagedomains/{{sd}}/refreshluns', {
    logical_units: { logical_unit: [{ id: 'dx_lun' }] },
  });
  s.act('reduceluns', '/storagedomains/{{sd}}/reduceluns', {
    logical_units: { logical_unit: [{ id: 'dx_lun' }] },
  });
  for (const [name, body] of Object.entries({
    description: { description: 'changed' },
    comment: { comment: 'changed' },
    name: { name: 'dx_sd_renamed' },
    'name-back': { name: 'dx_sd' },
    duplicate: { name: 'dx_sd_full' },
    warning: { warning_low_space_indicator: 15 },
    blocker: { critical_space_action_blocker: 6 },
    wipe: { wipe_after_delete: true },
    discard: { discard_after_delete: true },
    backup: { backup: true },
    'backup-off': { backup: false },
    'external-status': { external_status: 'info' },
    'external-status-ok': { external_status: 'ok' },
    type: { type: 'iso' },
    status: { status: 'maintenance' },
    'warning-high': { warning_low_space_indicator: 500 },
  }))
    s.put(
      `update/${name}`,
      '/storagedomains/{{sd}}',
      { storage_domain: body },
      { as: name === 'comment' ? 'json' : 'xml' },
    );
  for (const search of [
    'name=dx_sd',
    'name=dx*',
    'status=active',
    'status=Active',
    'shared_status=active',
    'type=data',
    'type=iso',
    'datacenter=dx_dc',
    'free_size>0',
    'total_size>100',
    'used_size<1000',
    'committed=0',
    'wipe_after_delete=true',
    'backup=true',
    'Hosts.name=dx_host',
    'Clusters.name=dx_cluster',
    'sortby name desc',
    'sortby free_size',
    'comment=changed',
    'external_status=ok',
  ])
    s.get(`search/${search}`, `/storagedomains?search=${encodeURIComponent(search)}`, {
      volatile: /sortby free/.test(search),
      topic: 'search of storagedomains',
    });
  s.both('list', '/storagedomains');

  // Life cycle of an attached domain.
  s.act('deactivate', '/datacenters/{{dc}}/storagedomains/{{sd3}}/deactivate');
  s.act('deactivate/iso', '/datacenters/{{dc}}/storagedomains/{{iso}}/deactivate', {
    force: false,
  });
  s.wait(
    'deactivate/iso/maintenance',
    '/datacenters/{{dc}}/storagedomains/{{iso}}',
    'maintenance',
    { timeout: 60 },
  );
  s.act('deactivate/again', '/datacenters/{{dc}}/storagedomains/{{iso}}/deactivate');
  s.act('activate/iso', '/datacenters/{{dc}}/storagedomains/{{iso}}/activate');
  s.wait('activate/iso/active', '/datacenters/{{dc}}/storagedomains/{{iso}}', 'active', {
    timeout: 60,
  });
  s.act('activate/active', '/datacenters/{{dc}}/storagedomains/{{sd}}/activate');
  s.del('detach/active', '/datacenters/{{dc}}/storagedomains/{{sd2}}', {
    requires: 'attach/by-name/active',
  });
  s.del('remove/attached', '/storagedomains/{{sd2}}?host={{host}}', {
    requires: 'attach/by-name/active',
  });
  s.act('setmaster', '/datacenters/{{dc}}/setmaster', { storage_domain: { id: '{{sd2}}' } });
  s.wait('setmaster/done', '/storagedomains/{{sd2}}', 'true', { field: 'master', timeout: 60 });
  s.act(
    'setmaster/back',
    '/datacenters/{{dc}}/setmaster',
    { storage_domain: { name: 'dx_sd' } },
    { as: 'json' },
  );
  s.wait('setmaster/back-done', '/storagedomains/{{sd}}', 'true', { field: 'master', timeout: 60 });
  s.act('setmaster/already', '/datacenters/{{dc}}/setmaster', { storage_domain: { id: '{{sd}}' } });

  // Connections of a domain.
  s.both('domain-connections', '/storagedomains/{{sd}}/storageconnections', {
    capture: { sdConnection: first },
  });
  s.both('domain-connections/get', '/storagedomains/{{sd}}/storageconnections/{{sdConnection}}');
  s.post('domain-connections/attach', '/storagedomains/{{sd}}/storageconnections', {
    storage_connection: { id: '{{connection}}' },
  });
  s.post('domain-connections/attach-nothing', '/storagedomains/{{sd}}/storageconnections', {
    storage_connection: null,
  });
  s.del('domain-connections/detach', '/storagedomains/{{sd}}/storageconnections/{{sdConnection}}');
  s.put('connections/update-in-use', '/storageconnections/{{sdConnection}}', {
    storage_connection: { path: '{{storagePath}}/elsewhere' },
  });
  s.del('connections/remove-in-use', '/storageconnections/{{sdConnection}}');
  s.del('connections/remove', '/storageconnections/{{connection}}?host={{host}}');

  // Disk profiles.
  s.get('profiles/of-domain', '/storagedomains/{{sd}}/diskprofiles', {
    capture: { diskProfile: first },
  });
  s.post(
    'profiles/add',
    '/diskprofiles',
    {
      disk_profile: {
        name: 'dx_disk_profile',
        description: 'described',
        storage_domain: { id: '{{sd}}' },
        qos: { id: '{{qos:storage}}' },
      },
    },
    { capture: { diskProfile2: 'id' } },
  );
  s.post(
    'profiles/add-below',
    '/storagedomains/{{sd}}/diskprofiles',
    { disk_profile: { name: 'dx_disk_profile_below' } },
    { as: 'json', capture: { diskProfileBelow: 'id' } },
  );
  for (const [name, body] of Object.entries({
    nothing: {},
    'no-domain': { name: 'dx_dp_x' },
    'no-name': { storage_domain: { id: '{{sd}}' } },
    'domain-by-name': { name: 'dx_dp_byname', storage_domain: { name: 'dx_sd' } },
    'unknown-domain': { name: 'dx_dp_x', storage_domain: { id: unknown } },
    duplicate: { name: 'dx_disk_profile', storage_domain: { id: '{{sd}}' } },
    'wrong-qos': { name: 'dx_dp_x', storage_domain: { id: '{{sd}}' }, qos: { id: '{{qos:cpu}}' } },
  }))
    s.postAndRemove(`profiles/bad-${name}`, '/diskprofiles', { disk_profile: body });
  s.both('profiles/get', '/diskprofiles/{{diskProfile2}}');
  s.get('profiles/get-below', '/storagedomains/{{sd}}/diskprofiles/{{diskProfile}}');
  s.both('profiles/permissions', '/diskprofiles/{{diskProfile}}/permissions');
  s.put('profiles/update', '/diskprofiles/{{diskProfileBelow}}', {
    disk_profile: { description: 'changed', qos: { id: '{{qos:storage}}' } },
  });
  s.put('profiles/update-domain', '/diskprofiles/{{diskProfileBelow}}', {
    disk_profile: { storage_domain: { id: '{{sd2}}' } },
  });
  s.del('profiles/remove', '/diskprofiles/{{diskProfileBelow}}');
  s.both('profiles', '/diskprofiles');

  // Limits of a quota, permissions.
  s.post(
    'quota/add',
    '/datacenters/{{dc}}/quotas/{{quota}}/quotastoragelimits',
    { quota_storage_limit: { storage_domain: { id: '{{sd}}' }, limit: 100 } },
    { capture: { quotaStorageLimit: 'id' } },
  );
  s.post('quota/add-nothing', '/datacenters/{{dc}}/quotas/{{quota}}/quotastoragelimits', {
    quota_storage_limit: null,
  });
  s.both('quota', '/datacenters/{{dc}}/quotas/{{quota}}/quotastoragelimits');
  s.both(
    'quota/get',
    '/datacenters/{{dc}}/quotas/{{quota}}/quotastoragelimits/{{quotaStorageLimit}}',
  );
  s.del(
    'quota/remove',
    '/datacenters/{{dc}}/quotas/{{quota}}/quotastoragelimits/{{quotaStorageLimit}}',
  );
  s.post(
    'permissions/add',
    '/storagedomains/{{sd}}/permissions',
    { permission: { role: { name: 'StorageAdmin' }, user: { id: '{{admin}}' } } },
    { capture: { sdPermission: 'id' } },
  );
  s.both('permissions', '/storagedomains/{{sd}}/permissions');
  s.del('permissions/remove', '/storagedomains/{{sd}}/permissions/{{sdPermission}}');
  s.both('files', '/storagedomains/{{iso}}/files', { capture: { isoFile: first } });
  s.get('files/refresh', '/storagedomains/{{iso}}/files?refresh=true');
  s.get('files/get', '/storagedomains/{{iso}}/files/{{isoFile}}');
  s.get('files/of-data', '/storagedomains/{{sd}}/files');
}
