// Floating disks of every kind, their updates, copies, moves, image transfers.
import { first, named } from '../lib/session.mjs';

const unknown = '99999999-2222-3333-4444-555555555555';
const GiB = 1073741824;

export default function define(s) {
  const on = (sd) => ({ storage_domains: { storage_domain: [{ id: `{{${sd}}}` }] } });
  const disks = {
    disk: { name: 'dx_disk', format: 'cow', provisioned_size: GiB },
    diskRaw: { alias: 'dx_disk_raw', format: 'raw', sparse: false, provisioned_size: GiB },
    diskRawSparse: {
      name: 'dx_disk_rawsparse',
      format: 'raw',
      sparse: true,
      provisioned_size: 2 * GiB,
    },
    diskFull: {
      name: 'dx_disk_full',
      description: 'described',
      format: 'cow',
      sparse: true,
      provisioned_size: GiB,
      initial_size: GiB / 2,
      shareable: false,
      wipe_after_delete: true,
      propagate_errors: true,
      backup: 'incremental',
      qcow_version: 'qcow2_v3',
      content_type: 'data',
      quota: { id: '{{quota}}' },
      disk_profile: { id: '{{diskProfile}}' },
    },
    diskShared: {
      name: 'dx_disk_shared',
      format: 'raw',
      sparse: false,
      provisioned_size: GiB,
      shareable: true,
    },
    diskIso: {
      name: 'dx_disk_iso',
      format: 'raw',
      sparse: true,
      provisioned_size: 1048576,
      content_type: 'iso',
    },
    diskOdd: { name: 'dx_disk_odd', format: 'cow', provisioned_size: 1000000001 },
  };
  for (const [at, [name, body]] of Object.entries(disks).entries())
    s.post(
      `add/${name}`,
      '/disks',
      { disk: { ...body, ...on('sd') } },
      { as: at % 2 ? 'json' : 'xml', capture: { [name]: 'id' } },
    );
  for (const name of Object.keys(disks))
    s.wait(`added/${name}`, `/disks/{{${name}}}`, ['ok', '(absent)'], { timeout: 60 });
  s.post(
    'add/expect-201',
    '/disks',
    { disk: { name: 'dx_disk_expect', format: 'cow', provisioned_size: GiB, ...on('sd') } },
    { headers: { 'x-ovirt-expect': '201-created' }, capture: { diskExpect: 'id' } },
  );
  s.get('add/expect-201/get', '/disks/{{diskExpect}}');
  s.post(
    'add/below-domain',
    '/storagedomains/{{sd2}}/disks',
    { disk: { name: 'dx_disk_below', format: 'cow', provisioned_size: GiB } },
    { capture: { diskBelow: 'id' } },
  );
  s.post(
    'add/below-attached',
    '/datacenters/{{dc}}/storagedomains/{{sd2}}/disks',
    { disk: { name: 'dx_disk_attached', format: 'raw', provisioned_size: GiB } },
    { capture: { diskAttached: 'id' } },
  );
  s.post(
    'add/with-ids',
    '/disks',
    {
      disk: {
        id: 'aaaaaaaa-2222-3333-4444-555555555555',
        image_id: 'bbbbbbbb-2222-3333-4444-555555555555',
        name: 'dx_disk_ids',
        format: 'cow',
        provisioned_size: GiB,
        ...on('sd'),
      },
    },
    { capture: { diskIds: 'id' } },
  );
  s.post(
    'add/lun',
    '/disks',
    {
      disk: {
        name: 'dx_disk_lun',
        lun_storage: {
          type: 'iscsi',
          host: { id: '{{host}}' },
          logical_units: {
            logical_unit: [
              {
                id: 'dx_lun_1',
                address: '192.0.2.30',
                port: 3260,
                target: 'iqn.2020-01.com.example:dx',
              },
            ],
          },
        },
      },
    },
    { capture: { diskLun: 'id' } },
  );
  s.post(
    'add/lun-fcp',
    '/disks',
    {
      disk: {
        name: 'dx_disk_lunfcp',
        sgio: 'unfiltered',
        lun_storage: { type: 'fcp', logical_units: { logical_unit: [{ id: 'dx_lun_2' }] } },
      },
    },
    { as: 'json', capture: { diskLunFcp: 'id' } },
  );
  for (const [name, body] of Object.entries({
    nothing: {},
    'no-size': { name: 'dx_d', format: 'cow', ...on('sd') },
    'no-format': { name: 'dx_d', provisioned_size: GiB, ...on('sd') },
    'no-domain': { name: 'dx_d', format: 'cow', provisioned_size: GiB },
    'no-name': { format: 'cow', provisioned_size: GiB, ...on('sd') },
    'unknown-domain': {
      name: 'dx_d',
      format: 'cow',
      provisioned_size: GiB,
      storage_domains: { storage_domain: [{ id: unknown }] },
    },
    'unknown-domain-name': {
      name: 'dx_d',
      format: 'cow',
      provisioned_size: GiB,
      storage_domains: { storage_domain: [{ name: 'dx_no_sd' }] },
    },
    'domain-by-name': {
      name: 'dx_d_byname',
      format: 'cow',
      provisioned_size: GiB,
      storage_domains: { storage_domain: [{ name: 'dx_sd' }] },
    },
    'cow-preallocated': {
      name: 'dx_d',
      format: 'cow',
      sparse: false,
      provisioned_size: GiB,
      ...on('sd'),
    },
    'shared-cow': {
      name: 'dx_d',
      format: 'cow',
      shareable: true,
      provisioned_size: GiB,
      ...on('sd'),
    },
    'size-zero': { name: 'dx_d', format: 'cow', provisioned_size: 0, ...on('sd') },
    'size-negative': { name: 'dx_d', format: 'cow', provisioned_size: -1, ...on('sd') },
    'size-huge': {
      name: 'dx_d_huge',
      format: 'cow',
      provisioned_size: '9000000000000000',
      ...on('sd'),
    },
    'size-text': { name: 'dx_d', format: 'cow', provisioned_size: '1GB', ...on('sd') },
    'size-overflow': {
      name: 'dx_d',
      format: 'cow',
      provisioned_size: '99999999999999999999',
      ...on('sd'),
    },
    'raw-preallocated-too-large': {
      name: 'dx_d',
      format: 'raw',
      sparse: false,
      provisioned_size: '9000000000000000',
      ...on('sd'),
    },
    'initial-larger': {
      name: 'dx_d',
      format: 'cow',
      provisioned_size: GiB,
      initial_size: 2 * GiB,
      ...on('sd'),
    },
    'format-nonsense': { name: 'dx_d', format: 'vmdk', provisioned_size: GiB, ...on('sd') },
    'two-domains': {
      name: 'dx_d_two',
      format: 'cow',
      provisioned_size: GiB,
      storage_domains: { storage_domain: [{ id: '{{sd}}' }, { id: '{{sd2}}' }] },
    },
    'on-iso': { name: 'dx_d', format: 'raw', provisioned_size: GiB, ...on('iso') },
    'active-set': {
      name: 'dx_d_active',
      format: 'cow',
      provisioned_size: GiB,
      active: true,
      bootable: true,
      interface: 'virtio',
      ...on('sd'),
    },
    'profile-of-other': {
      name: 'dx_d',
      format: 'cow',
      provisioned_size: GiB,
      disk_profile: { id: unknown },
      ...on('sd'),
    },
    'quota-unknown': {
      name: 'dx_d',
      format: 'cow',
      provisioned_size: GiB,
      quota: { id: unknown },
      ...on('sd'),
    },
    'backup-raw': {
      name: 'dx_d',
      format: 'raw',
      backup: 'incremental',
      provisioned_size: GiB,
      ...on('sd'),
    },
    'lun-no-type': {
      name: 'dx_d',
      lun_storage: { logical_units: { logical_unit: [{ id: 'x' }] } },
    },
    'lun-no-units': { name: 'dx_d', lun_storage: { type: 'iscsi' } },
    'lun-two': {
      name: 'dx_d',
      lun_storage: { type: 'fcp', logical_units: { logical_unit: [{ id: 'x' }, { id: 'y' }] } },
    },
    'name-blank': { name: 'dx disk', format: 'cow', provisioned_size: GiB, ...on('sd') },
    'name-long': {
      name: `dx_${'d'.repeat(300)}`,
      format: 'cow',
      provisioned_size: GiB,
      ...on('sd'),
    },
    'managed-block': { name: 'dx_d', external_disk: 'x', ...on('sd') },
    'openstack-volume-type': {
      name: 'dx_d',
      format: 'raw',
      provisioned_size: GiB,
      openstack_volume_type: { name: 'x' },
      ...on('sd'),
    },
  }))
    s.postAndRemove(`bad/${name}`, '/disks', { disk: body });
  for (const name of [...Object.keys(disks), 'diskBelow', 'diskIds', 'diskLun', 'diskLunFcp'])
    s.both(`get/${name}`, `/disks/{{${name}}}`);
  s.get('get/below-domain', '/storagedomains/{{sd}}/disks/{{disk}}');
  s.get('get/below-attached', '/datacenters/{{dc}}/storagedomains/{{sd}}/disks/{{disk}}');
  for (const part of ['permissions', 'disksnapshots', 'statistics'])
    s.both(`parts/${part}`, `/disks/{{disk}}/${part}`, { capture: { [`disk:${part}`]: first } });
  for (const part of ['permissions', 'disksnapshots', 'statistics'])
    s.get(`parts/${part}/one`, `/disks/{{disk}}/${part}/{{disk:${part}}}`);
  s.get('parts/disksnapshots/active', '/disks/{{disk}}/disksnapshots?include_active=true');
  s.get(
    'parts/disksnapshots/template',
    '/disks/{{disk}}/disksnapshots?include_active=true&include_template=true',
  );
  s.get('parts/of-domain', '/storagedomains/{{sd}}/disksnapshots?include_active=true');
  s.get('parts/statistics/below', '/storagedomains/{{sd}}/disks/{{disk}}/statistics');
  for (const follow of [
    'statistics',
    'permissions',
    'disk_profile',
    'quota',
    'storage_domains',
    'vms',
    'disk_snapshots',
    'template',
    'storage_domain',
  ])
    s.get(`follow/${follow}`, `/disks/{{disk}}?follow=${follow}`);
  s.get('all-content', '/disks/{{disk}}?all_content=true');
  for (const [name, body] of Object.entries({
    description: { description: 'changed' },
    name: { name: 'dx_disk_odd2' },
    alias: { alias: 'dx_disk_odd3' },
    size: { provisioned_size: 2 * GiB },
    shrink: { provisioned_size: GiB / 2 },
    qcow: { qcow_version: 'qcow2_v2' },
    'qcow-back': { qcow_version: 'qcow2_v3' },
    wipe: { wipe_after_delete: true },
    shareable: { shareable: true },
    backup: { backup: 'incremental' },
    'backup-none': { backup: 'none' },
    errors: { propagate_errors: true },
    profile: { disk_profile: { id: '{{diskProfile2}}' } },
    quota: { quota: { id: '{{quota}}' } },
    format: { format: 'raw' },
    status: { status: 'locked' },
  })) {
    s.put(
      `update/${name}`,
      '/disks/{{diskOdd}}',
      { disk: body },
      { as: name === 'alias' ? 'json' : 'xml' },
    );
    s.wait(`update/${name}/ok`, '/disks/{{diskOdd}}', 'ok', { timeout: 30 });
  }
  s.get('update/after', '/disks/{{diskOdd}}');
  s.put('update/lun', '/disks/{{diskLun}}', { disk: { sgio: 'filtered', description: 'changed' } });
  s.act('refreshlun', '/disks/{{diskLun}}/refreshlun', { host: { id: '{{host}}' } });
  s.act('refreshlun/image', '/disks/{{disk}}/refreshlun', { host: { id: '{{host}}' } });
  s.act('copy', '/disks/{{disk}}/copy', {
    disk: { name: 'dx_disk_copy' },
    storage_domain: { id: '{{sd2}}' },
  });
  s.wait('copy/done', '/disks?search=name%3Ddx_disk_copy', 'ok', {
    field: 'disk.status',
    timeout: 60,
    capture: { diskCopy: named('dx_disk_copy') },
  });
  s.wait('copy/source', '/disks/{{disk}}', 'ok', { timeout: 60 });
  s.act('copy/nothing', '/disks/{{disk}}/copy');
  s.act('copy/unknown-domain', '/disks/{{disk}}/copy', { storage_domain: { id: unknown } });
  s.act(
    'copy/by-name',
    '/disks/{{disk}}/copy',
    { disk: { alias: 'dx_disk_copy2' }, storage_domain: { name: 'dx_sd_full' } },
    { as: 'json' },
  );
  s.act('copy/wait', '/disks/{{disk}}/copy', {
    async: false,
    disk: { name: 'dx_disk_copy3' },
    storage_domain: { id: '{{sd2}}' },
  });
  s.wait('copy/by-name/done', '/disks/{{disk}}', 'ok', { timeout: 60 });
  s.act('move', '/disks/{{diskCopy}}/move', { storage_domain: { id: '{{sd}}' } });
  s.wait('move/done', '/disks/{{diskCopy}}', 'ok', { timeout: 60 });
  s.act('move/same', '/disks/{{diskCopy}}/move', { storage_domain: { id: '{{sd}}' } });
  s.act('move/nothing', '/disks/{{diskCopy}}/move');
  s.act('sparsify', '/disks/{{diskCopy}}/sparsify');
  s.wait('sparsify/done', '/disks/{{diskCopy}}', 'ok', { timeout: 60 });
  s.act('reduce', '/disks/{{diskCopy}}/reduce');
  s.wait('reduce/done', '/disks/{{diskCopy}}', 'ok', { timeout: 30 });
  s.act('convert', '/disks/{{diskCopy}}/convert', { disk: { format: 'raw', sparse: true } });
  s.wait('convert/done', '/disks/{{diskCopy}}', 'ok', { timeout: 60 });
  s.act('convert/nothing', '/disks/{{diskCopy}}/convert');
  s.act('export', '/disks/{{disk}}/export', { storage_domain: { id: '{{exportSd}}' } });
  s.act('below/copy', '/storagedomains/{{sd}}/disks/{{disk}}/copy', {
    storage_domain: { id: '{{sd2}}' },
  });
  s.wait('below/copy/done', '/disks/{{disk}}', 'ok', { timeout: 60 });
  s.act('below/sparsify', '/storagedomains/{{sd}}/disks/{{diskRawSparse}}/sparsify');
  s.wait('below/sparsify/done', '/disks/{{diskRawSparse}}', 'ok', { timeout: 60 });
  s.get('unregistered', '/storagedomains/{{sd}}/disks?unregistered=true');
  s.get(
    'unregistered/attached',
    '/datacenters/{{dc}}/storagedomains/{{sd}}/disks?unregistered=true',
  );
  s.post('unregistered/register', '/storagedomains/{{sd}}/disks?unregistered=true', {
    disk: { id: unknown },
  });
  for (const search of [
    'name=dx_disk',
    'alias=dx*',
    'disk_type=lun',
    'disk_type=image',
    'status=ok',
    'status=OK',
    'provisioned_size>1',
    'size=1',
    'shareable=true',
    'wipe_after_delete=true',
    'allocation_policy=Sparse',
    'allocation_policy=Preallocated',
    'number_of_vms=0',
    'vm_names=x',
    'quota=dx_quota',
    'disk_content_type=iso',
    'Storage.name=dx_sd',
    'datacenter=dx_dc',
    'creation_date>yesterday',
    'sortby alias desc',
    'sortby provisioned_size',
    'id={{disk}}',
    'description=described',
    'name=dx_disk and vm_names=x',
  ])
    s.get(
      `search/${search}`,
      `/disks?search=${encodeURIComponent(search).replaceAll('%7B%7B', '{{').replaceAll('%7D%7D', '}}')}`,
      { topic: 'search of disks' },
    );
  s.post(
    'permissions/add',
    '/disks/{{disk}}/permissions',
    { permission: { role: { name: 'DiskOperator' }, user: { id: '{{admin}}' } } },
    { capture: { diskPermission: 'id' } },
  );
  s.both('permissions', '/disks/{{disk}}/permissions');
  s.del('permissions/remove', '/disks/{{disk}}/permissions/{{diskPermission}}');
  s.both('list', '/disks');

  // Image transfers.
  s.post(
    'transfers/add',
    '/imagetransfers',
    {
      image_transfer: {
        disk: { id: '{{diskRawSparse}}' },
        direction: 'upload',
        timeout_policy: 'pause',
        inactivity_timeout: 120,
        format: 'raw',
      },
    },
    { capture: { transfer: 'id' }, volatile: true },
  );
  s.wait('transfers/transferring', '/imagetransfers/{{transfer}}', 'transferring', {
    field: 'phase',
    fail: ['finished_failure', 'paused_system'],
    timeout: 30,
    volatile: true,
  });
  s.get('transfers/json', '/imagetransfers/{{transfer}}', { as: 'json', volatile: true });
  s.get('transfers/disk', '/disks/{{diskRawSparse}}');
  s.get('transfers/follow', '/imagetransfers/{{transfer}}?follow=disk,host');
  s.get('transfers', '/imagetransfers', { volatile: true });
  for (const [name, body] of Object.entries({
    nothing: {},
    'unknown-disk': { disk: { id: unknown } },
    'disk-by-name': { disk: { name: 'dx_disk' } },
    both: { disk: { id: '{{disk}}' }, snapshot: { id: unknown } },
    'unknown-snapshot': { snapshot: { id: unknown } },
    direction: { disk: { id: '{{disk}}' }, direction: 'nonsense' },
    policy: { disk: { id: '{{disk}}' }, timeout_policy: 'nonsense' },
    'unknown-host': { disk: { id: '{{disk}}' }, host: { id: unknown } },
    lun: { disk: { id: '{{diskLun}}' } },
    busy: { disk: { id: '{{diskRawSparse}}' } },
    image: { image: { id: unknown } },
  }))
    s.post(`transfers/bad-${name}`, '/imagetransfers', { image_transfer: body });
  s.act('transfers/extend', '/imagetransfers/{{transfer}}/extend');
  s.act('transfers/pause', '/imagetransfers/{{transfer}}/pause');
  s.wait('transfers/paused', '/imagetransfers/{{transfer}}', 'paused_user', {
    field: 'phase',
    timeout: 20,
    volatile: true,
  });
  s.act('transfers/resume', '/imagetransfers/{{transfer}}/resume');
  s.wait('transfers/resumed', '/imagetransfers/{{transfer}}', 'transferring', {
    field: 'phase',
    timeout: 20,
    volatile: true,
  });
  s.act('transfers/finalize', '/imagetransfers/{{transfer}}/finalize');
  s.wait('transfers/disk-ok', '/disks/{{diskRawSparse}}', 'ok', { timeout: 40 });
  s.get('transfers/after', '/imagetransfers/{{transfer}}', { volatile: true });
  s.act('transfers/finalize-again', '/imagetransfers/{{transfer}}/finalize');
  s.post(
    'transfers/download',
    '/imagetransfers',
    {
      image_transfer: {
        disk: { id: '{{disk}}' },
        direction: 'download',
        format: 'raw',
        shallow: true,
      },
    },
    { as: 'json', capture: { transferDown: 'id' }, volatile: true },
  );
  s.wait('transfers/download/transferring', '/imagetransfers/{{transferDown}}', 'transferring', {
    field: 'phase',
    fail: ['finished_failure', 'paused_system'],
    timeout: 30,
    volatile: true,
  });
  s.act('transfers/cancel', '/imagetransfers/{{transferDown}}/cancel');
  s.wait('transfers/cancelled/disk-ok', '/disks/{{disk}}', 'ok', { timeout: 40 });
  s.act('transfers/cancel-again', '/imagetransfers/{{transferDown}}/cancel');
  s.act('transfers/unknown', `/imagetransfers/${unknown}/cancel`);

  // Removal.
  for (const name of ['diskExpect', 'diskBelow', 'diskAttached', 'diskIds', 'diskLunFcp'])
    s.del(`remove/${name}`, `/disks/{{${name}}}`, { as: name === 'diskBelow' ? 'json' : 'xml' });
  s.waitGone('removed', '/disks/{{diskExpect}}');
  s.del('remove/again', '/disks/{{diskExpect}}');
  s.del('remove/async', '/disks/{{diskCopy}}?async=true');
}
