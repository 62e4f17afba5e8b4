// Snapshots, templates and their versions, VMs from templates, clones, exports, pools.
import { first, named } from '../lib/session.mjs';

const unknown = '99999999-2222-3333-4444-555555555555';
const GiB = 1073741824;

export default function define(s) {
  // Snapshots of a VM that is down.
  s.both('snapshots/active', '/vms/{{vm}}/snapshots', { capture: { snapshotActive: first } });
  s.both('snapshots/active/get', '/vms/{{vm}}/snapshots/{{snapshotActive}}');
  s.post(
    'snapshots/add',
    '/vms/{{vm}}/snapshots',
    { snapshot: { description: 'dx snapshot', persist_memorystate: false } },
    { capture: { snapshot: 'id' } },
  );
  s.wait('snapshots/ok', '/vms/{{vm}}/snapshots/{{snapshot}}', 'ok', {
    field: 'snapshot_status',
    timeout: 60,
  });
  s.post(
    'snapshots/add-disks',
    '/vms/{{vm}}/snapshots',
    {
      snapshot: {
        description: 'dx snapshot of one disk',
        disk_attachments: { disk_attachment: [{ disk: { id: '{{disk}}' } }] },
      },
    },
    { as: 'json', capture: { snapshot2: 'id' } },
  );
  s.wait('snapshots/ok-2', '/vms/{{vm}}/snapshots/{{snapshot2}}', 'ok', {
    field: 'snapshot_status',
    timeout: 60,
  });
  for (const [name, body] of Object.entries({
    nothing: {},
    'empty-description': { description: '' },
    'unknown-disk': {
      description: 'x',
      disk_attachments: { disk_attachment: [{ disk: { id: unknown } }] },
    },
    memory: { description: 'dx memory of a VM that is down', persist_memorystate: true },
    long: { description: 'd'.repeat(5000) },
  })) {
    s.post(
      `snapshots/bad-${name}`,
      '/vms/{{vmJson}}/snapshots',
      { snapshot: body },
      { capture: { [`snapshot:${name}`]: 'id' } },
    );
    s.wait(`snapshots/bad-${name}/ok`, `/vms/{{vmJson}}/snapshots/{{snapshot:${name}}}`, 'ok', {
      field: 'snapshot_status',
      timeout: 30,
    });
  }
  s.both('snapshots/get', '/vms/{{vm}}/snapshots/{{snapshot}}');
  s.get('snapshots/get/all-content', '/vms/{{vm}}/snapshots/{{snapshot}}?all_content=true', {
    volatile: true,
  });
  s.get('snapshots/list/all-content', '/vms/{{vm}}/snapshots?all_content=true', { volatile: true });
  for (const part of ['cdroms', 'disks', 'nics']) {
    s.both(`snapshots/parts/${part}`, `/vms/{{vm}}/snapshots/{{snapshot}}/${part}`, {
      capture: { [`snapshot:${part}`]: first },
    });
    s.get(
      `snapshots/parts/${part}/one`,
      `/vms/{{vm}}/snapshots/{{snapshot}}/${part}/{{snapshot:${part}}}`,
    );
  }
  s.get('snapshots/follow', '/vms/{{vm}}/snapshots?follow=disks,nics,cdroms');
  s.both('snapshots/disk', '/disks/{{disk}}/disksnapshots', { capture: { diskSnapshot: first } });
  s.get('snapshots/disk/one', '/disks/{{disk}}/disksnapshots/{{diskSnapshot}}');
  s.get('snapshots/disk/of-domain', '/storagedomains/{{sd}}/disksnapshots');
  s.get('snapshots/disk/of-domain/one', '/storagedomains/{{sd}}/disksnapshots/{{diskSnapshot}}');
  s.get('snapshots/vm-disks', '/vms/{{vm}}/diskattachments?follow=disk');
  s.act('snapshots/preview', '/vms/{{vm}}/previewsnapshot', {
    snapshot: { id: '{{snapshot}}' },
    restore_memory: false,
  });
  s.wait('snapshots/preview/done', '/vms/{{vm}}', 'down', { timeout: 60 });
  s.both('snapshots/during-preview', '/vms/{{vm}}/snapshots');
  s.act('snapshots/preview-again', '/vms/{{vm}}/previewsnapshot', {
    snapshot: { id: '{{snapshot}}' },
  });
  s.post('snapshots/add-during-preview', '/vms/{{vm}}/snapshots', {
    snapshot: { description: 'dx' },
  });
  s.act('snapshots/undo', '/vms/{{vm}}/undosnapshot');
  s.wait('snapshots/undo/done', '/vms/{{vm}}', 'down', { timeout: 60 });
  s.get('snapshots/after-undo', '/vms/{{vm}}/snapshots');
  s.act('snapshots/preview-nothing', '/vms/{{vm}}/previewsnapshot');
  s.act('snapshots/preview-unknown', '/vms/{{vm}}/previewsnapshot', { snapshot: { id: unknown } });
  s.act(
    'snapshots/preview-to-commit',
    '/vms/{{vm}}/previewsnapshot',
    { snapshot: { id: '{{snapshot2}}' }, disks: { disk: [{ id: '{{disk}}' }] } },
    { as: 'json' },
  );
  s.wait('snapshots/preview-to-commit/done', '/vms/{{vm}}', 'down', { timeout: 60 });
  s.act('snapshots/commit', '/vms/{{vm}}/commitsnapshot');
  s.wait('snapshots/commit/done', '/vms/{{vm}}', 'down', { timeout: 60 });
  s.get('snapshots/after-commit', '/vms/{{vm}}/snapshots');
  s.act('snapshots/restore', '/vms/{{vm}}/snapshots/{{snapshot}}/restore', {
    restore_memory: false,
  });
  s.wait('snapshots/restore/done', '/vms/{{vm}}', 'down', { timeout: 60 });
  s.act('snapshots/restore-unknown', `/vms/{{vm}}/snapshots/${unknown}/restore`);
  s.get('snapshots/after-restore', '/vms/{{vm}}/snapshots');
  s.del('snapshots/remove-active', '/vms/{{vm}}/snapshots/{{snapshotActive}}');
  s.del('snapshots/remove', '/vms/{{vm}}/snapshots/{{snapshot}}');
  s.waitGone('snapshots/removed', '/vms/{{vm}}/snapshots/{{snapshot}}');
  s.del('snapshots/remove-again', '/vms/{{vm}}/snapshots/{{snapshot}}');
  s.post(
    'snapshots/keep',
    '/vms/{{vm}}/snapshots',
    { snapshot: { description: 'dx kept' } },
    { capture: { snapshotKept: 'id' } },
  );
  s.wait('snapshots/keep/ok', '/vms/{{vm}}/snapshots/{{snapshotKept}}', 'ok', {
    field: 'snapshot_status',
    timeout: 60,
  });
  s.post(
    'snapshots/vm-from',
    '/vms',
    {
      vm: {
        name: 'dx_vm_fromsnapshot',
        cluster: { id: '{{cluster}}' },
        snapshots: { snapshot: [{ id: '{{snapshotKept}}' }] },
      },
    },
    { capture: { vmFromSnapshot: 'id' } },
  );
  s.wait('snapshots/vm-from/down', '/vms/{{vmFromSnapshot}}', 'down', { timeout: 60 });

  // Templates.
  s.post(
    'templates/add',
    '/templates',
    { template: { name: 'dx_template', vm: { id: '{{vm}}' } } },
    { capture: { template: 'id' } },
  );
  s.wait('templates/ok', '/templates/{{template}}', 'ok', { timeout: 90 });
  s.post(
    'templates/add-full',
    '/templates?clone_permissions=true&seal=false',
    {
      template: {
        name: 'dx_template_full',
        description: 'described',
        comment: 'commented',
        vm: {
          name: 'dx_vm',
          disk_attachments: {
            disk_attachment: [
              {
                disk: {
                  id: '{{disk}}',
                  format: 'raw',
                  sparse: true,
                  storage_domains: { storage_domain: [{ id: '{{sd}}' }] },
                },
              },
            ],
          },
        },
        cluster: { id: '{{cluster}}' },
        memory: 2 * GiB,
        cpu: { topology: { cores: 2, sockets: 1, threads: 1 } },
        type: 'server',
        os: { type: 'rhel_8x64' },
        delete_protected: false,
        stateless: false,
        quota: { id: '{{quota}}' },
        cpu_profile: { id: '{{cpuProfile}}' },
      },
    },
    { as: 'json', capture: { templateFull: 'id' } },
  );
  s.wait('templates/ok-full', '/templates/{{templateFull}}', 'ok', { timeout: 90 });
  s.post(
    'templates/add-version',
    '/templates',
    {
      template: {
        name: 'dx_template',
        vm: { id: '{{vm}}' },
        version: { version_name: 'second', base_template: { id: '{{template}}' } },
      },
    },
    { capture: { templateVersion: 'id' } },
  );
  s.wait('templates/ok-version', '/templates/{{templateVersion}}', 'ok', { timeout: 90 });
  s.post(
    'templates/add-diskless',
    '/templates',
    { template: { name: 'dx_template_diskless', vm: { id: '{{vmJson}}' } } },
    { capture: { templateDiskless: 'id' } },
  );
  s.wait('templates/ok-diskless', '/templates/{{templateDiskless}}', 'ok', { timeout: 60 });
  for (const [name, body] of Object.entries({
    nothing: {},
    'no-vm': { name: 'dx_t' },
    'no-name': { vm: { id: '{{vmJson}}' } },
    'unknown-vm': { name: 'dx_t', vm: { id: unknown } },
    'unknown-vm-name': { name: 'dx_t', vm: { name: 'dx_no_vm' } },
    duplicate: { name: 'dx_template', vm: { id: '{{vmJson}}' } },
    blank: { name: 'dx template', vm: { id: '{{vmJson}}' } },
    long: { name: `dx_${'t'.repeat(300)}`, vm: { id: '{{vmJson}}' } },
    'version-no-base': { name: 'dx_t', vm: { id: '{{vmJson}}' }, version: { version_name: 'x' } },
    'version-unknown-base': {
      name: 'dx_t',
      vm: { id: '{{vmJson}}' },
      version: { version_name: 'x', base_template: { id: unknown } },
    },
    'unknown-cluster': { name: 'dx_t', vm: { id: '{{vmJson}}' }, cluster: { id: unknown } },
  }))
    s.postAndRemove(`templates/bad-${name}`, '/templates', { template: body });
  for (const name of ['template', 'templateFull', 'templateVersion', 'templateDiskless'])
    s.both(`templates/get/${name}`, `/templates/{{${name}}}`);
  s.get('templates/get/all-content', '/templates/{{templateFull}}?all_content=true');
  for (const part of [
    'permissions',
    'nics',
    'diskattachments',
    'cdroms',
    'tags',
    'graphicsconsoles',
    'watchdogs',
    'mediateddevices',
  ]) {
    s.both(`templates/parts/${part}`, `/templates/{{template}}/${part}`, {
      capture: {
        [`template:${part}`]:
          part === 'diskattachments'
            ? (root) => root.children.find((node) => node.at('bootable') === 'true')?.id
            : first,
      },
    });
    s.get(`templates/parts/${part}/one`, `/templates/{{template}}/${part}/{{template:${part}}}`);
  }
  for (const follow of [
    'nics',
    'disk_attachments.disk',
    'cdroms',
    'graphics_consoles',
    'watchdogs',
    'permissions',
    'tags',
    'cluster',
    'cpu_profile',
    'quota',
    'version.base_template',
  ])
    s.get(`templates/follow/${follow}`, `/templates/{{template}}?follow=${follow}`);
  for (const [name, body] of Object.entries({
    description: { description: 'changed' },
    comment: { comment: 'changed' },
    name: { name: 'dx_template_full2' },
    'name-back': { name: 'dx_template_full' },
    memory: { memory: GiB, memory_policy: { guaranteed: GiB, max: 4 * GiB } },
    cores: { cpu: { topology: { cores: 4 } } },
    protected: { delete_protected: true },
    'protected-off': { delete_protected: false },
    'version-name': { version: { version_name: 'renamed' } },
    os: { os: { type: 'other' } },
    ha: { high_availability: { enabled: true, priority: 1 } },
    'ha-off': { high_availability: { enabled: false } },
    cluster: { cluster: { id: '{{clusterFull}}' } },
    console: { console: { enabled: true } },
    initialization: { initialization: { host_name: 'dx' } },
    duplicate: { name: 'dx_template' },
  }))
    s.put(
      `templates/update/${name}`,
      '/templates/{{templateFull}}',
      { template: body },
      { as: name === 'comment' ? 'json' : 'xml' },
    );
  s.post(
    'templates/nics/add',
    '/templates/{{template}}/nics',
    { nic: { name: 'nic9', vnic_profile: { id: '{{profile}}' } } },
    { capture: { templateNic: 'id' } },
  );
  s.put('templates/nics/update', '/templates/{{template}}/nics/{{templateNic}}', {
    nic: { name: 'nic10' },
  });
  s.both('templates/nics', '/templates/{{template}}/nics');
  s.del('templates/nics/remove', '/templates/{{template}}/nics/{{templateNic}}');
  s.post(
    'templates/watchdogs/add',
    '/templates/{{template}}/watchdogs',
    { watchdog: { model: 'i6300esb', action: 'dump' } },
    { capture: { templateWatchdog: 'id' } },
  );
  s.put('templates/watchdogs/update', '/templates/{{template}}/watchdogs/{{templateWatchdog}}', {
    watchdog: { action: 'pause' },
  });
  s.both('templates/watchdogs', '/templates/{{template}}/watchdogs');
  s.del('templates/watchdogs/remove', '/templates/{{template}}/watchdogs/{{templateWatchdog}}');
  s.post('templates/consoles/add', '/templates/{{template}}/graphicsconsoles', {
    graphics_console: { protocol: 'vnc' },
  });
  s.post('templates/tags/add', '/templates/{{template}}/tags', { tag: { id: '{{tag}}' } });
  s.both('templates/tags', '/templates/{{template}}/tags');
  s.del('templates/tags/remove', '/templates/{{template}}/tags/{{tag}}');
  s.post(
    'templates/permissions/add',
    '/templates/{{template}}/permissions',
    { permission: { role: { name: 'UserTemplateBasedVm' }, group: { id: '{{everyone}}' } } },
    { capture: { templatePermission: 'id' } },
  );
  s.both('templates/permissions', '/templates/{{template}}/permissions');
  s.del(
    'templates/permissions/remove',
    '/templates/{{template}}/permissions/{{templatePermission}}',
  );
  s.get('templates/disks', '/templates/{{template}}/diskattachments?follow=disk', {
    capture: {
      templateDisk: (root) => root.children.find((node) => node.at('bootable') === 'true')?.id,
    },
  });
  s.act('templates/disk-copy', '/disks/{{templateDisk}}/copy', {
    storage_domain: { id: '{{sd2}}' },
  });
  s.wait('templates/disk-copy/ok', '/disks/{{templateDisk}}', 'ok', { timeout: 60 });
  s.del(
    'templates/disk-remove-from-domain',
    '/templates/{{template}}/diskattachments/{{templateDisk}}?storage_domain={{sd2}}',
  );
  s.wait('templates/disk-remove-from-domain/ok', '/disks/{{templateDisk}}', 'ok', { timeout: 60 });
  for (const search of [
    'name=dx_template',
    'name=dx*',
    'status=ok',
    'status=OK',
    'cluster=dx_cluster',
    'datacenter=dx_dc',
    'version_name=second',
    'childcount=0',
    'mem>100',
    'os=other',
    'Vms.name=dx_vm',
    'Storage.name=dx_sd',
    'sortby name desc',
    'sealed=false',
    'tag=x',
    'quota=dx_quota',
    'description=changed',
  ])
    s.get(`templates/search/${search}`, `/templates?search=${encodeURIComponent(search)}`, {
      topic: 'search of templates',
    });
  s.both('templates/list', '/templates');

  // VMs from templates.
  s.post(
    'from/thin',
    '/vms',
    {
      vm: { name: 'dx_vm_thin', cluster: { id: '{{cluster}}' }, template: { id: '{{template}}' } },
    },
    { capture: { vmThin: 'id' } },
  );
  s.wait('from/thin/down', '/vms/{{vmThin}}', 'down', { timeout: 60 });
  s.post(
    'from/clone',
    '/vms?clone=true',
    {
      vm: {
        name: 'dx_vm_clone',
        cluster: { id: '{{cluster}}' },
        template: { name: 'dx_template_full' },
        memory: GiB,
        disk_attachments: { disk_attachment: [] },
      },
    },
    { as: 'json', capture: { vmClone: 'id' } },
  );
  s.wait('from/clone/down', '/vms/{{vmClone}}', 'down', { timeout: 60 });
  s.post(
    'from/clone-to-domain',
    '/vms?clone=true',
    {
      vm: {
        name: 'dx_vm_clonesd',
        cluster: { id: '{{cluster}}' },
        template: { id: '{{template}}' },
        storage_domain: { id: '{{sd2}}' },
      },
    },
    { capture: { vmCloneSd: 'id' } },
  );
  s.wait('from/clone-to-domain/down', '/vms/{{vmCloneSd}}', 'down', { timeout: 60 });
  s.post(
    'from/version',
    '/vms',
    {
      vm: {
        name: 'dx_vm_version',
        cluster: { id: '{{cluster}}' },
        template: { id: '{{templateVersion}}' },
        use_latest_template_version: true,
        stateless: true,
      },
    },
    { capture: { vmVersion: 'id' } },
  );
  s.post(
    'from/name-with-versions',
    '/vms',
    {
      vm: {
        name: 'dx_vm_versions',
        cluster: { id: '{{cluster}}' },
        template: { name: 'dx_template' },
      },
    },
    { capture: { vmVersions: 'id' }, note: 'which version does a name mean' },
  );
  s.wait('from/versions/down', '/vms/{{vmVersions}}', 'down', { timeout: 60 });
  for (const name of ['vmThin', 'vmClone', 'vmVersion', 'vmVersions'])
    s.both(`from/get/${name}`, `/vms/{{${name}}}`);
  s.get('from/disks', '/vms/{{vmThin}}/diskattachments?follow=disk');
  s.get('from/nics', '/vms/{{vmThin}}/nics');
  s.del('from/template-in-use', '/templates/{{template}}', { requires: 'from/thin' });
  s.act('clone', '/vms/{{vm}}/clone', { vm: { name: 'dx_vm_cloned' }, discard_snapshots: true });
  s.wait('clone/done', '/vms?search=name%3Ddx_vm_cloned', 'down', {
    field: 'vm.status',
    timeout: 60,
    capture: { vmCloned: named('dx_vm_cloned') },
  });
  s.act('clone/nothing', '/vms/{{vm}}/clone');
  s.act('clone/duplicate', '/vms/{{vm}}/clone', { vm: { name: 'dx_vm_thin' } });
  s.both('clone/get', '/vms/{{vmCloned}}');

  // Exports and imports.
  s.act('export/domain', '/vms/{{vmJson}}/export', {
    storage_domain: { id: '{{exportSd}}' },
    exclusive: true,
    discard_snapshots: true,
  });
  s.wait('export/domain/down', '/vms/{{vmJson}}', 'down', { timeout: 60 });
  s.act('export/ova', '/vms/{{vmJson}}/export', {
    host: { id: '{{host}}' },
    directory: '/ova',
    filename: 'dx.ova',
  });
  s.wait('export/ova/down', '/vms/{{vmJson}}', 'down', { timeout: 60 });
  s.act('export/nothing', '/vms/{{vmJson}}/export');
  s.act('export/data-domain', '/vms/{{vmJson}}/export', { storage_domain: { id: '{{sd}}' } });
  s.act('export/unknown-domain', '/vms/{{vmJson}}/export', { storage_domain: { id: unknown } });
  s.act('export/template', '/templates/{{templateDiskless}}/export', {
    storage_domain: { id: '{{exportSd}}' },
    exclusive: true,
  });
  s.wait('export/template/ok', '/templates/{{templateDiskless}}', 'ok', { timeout: 60 });
  s.act('export/template-ova', '/templates/{{templateDiskless}}/export', {
    host: { id: '{{host}}' },
    directory: '/ova',
    filename: 'dxt.ova',
  });
  s.wait('export/template-ova/ok', '/templates/{{templateDiskless}}', 'ok', { timeout: 60 });
  for (const part of ['vms', 'templates']) {
    s.both(`export/list/${part}`, `/storagedomains/{{exportSd}}/${part}`, {
      capture: { [`exported:${part}`]: first },
    });
    s.both(`export/get/${part}`, `/storagedomains/{{exportSd}}/${part}/{{exported:${part}}}`);
  }
  s.get('export/vm-disks', '/storagedomains/{{exportSd}}/vms/{{exported:vms}}/disks');
  s.get(
    'export/vm-diskattachments',
    '/storagedomains/{{exportSd}}/vms/{{exported:vms}}/diskattachments',
  );
  s.get(
    'export/template-disks',
    '/storagedomains/{{exportSd}}/templates/{{exported:templates}}/disks',
  );
  s.act('export/import', '/storagedomains/{{exportSd}}/vms/{{exported:vms}}/import', {
    storage_domain: { id: '{{sd}}' },
    cluster: { id: '{{cluster}}' },
    clone: true,
    vm: { name: 'dx_vm_imported' },
  });
  s.wait('export/import/done', '/vms?search=name%3Ddx_vm_imported', 'down', {
    field: 'vm.status',
    timeout: 60,
  });
  s.act('export/import-nothing', '/storagedomains/{{exportSd}}/vms/{{exported:vms}}/import');
  s.act(
    'export/import-template',
    '/storagedomains/{{exportSd}}/templates/{{exported:templates}}/import',
    {
      storage_domain: { id: '{{sd}}' },
      cluster: { id: '{{cluster}}' },
      clone: true,
      template: { name: 'dx_template_imported' },
    },
  );
  s.wait('export/import-template/done', '/templates?search=name%3Ddx_template_imported', 'ok', {
    field: 'template.status',
    timeout: 60,
  });
  s.act('export/register', '/storagedomains/{{sd}}/vms/{{exported:vms}}/register', {
    cluster: { id: '{{cluster}}' },
  });
  s.get('export/unregistered', '/storagedomains/{{sd}}/vms?unregistered=true');
  s.get('export/unregistered-templates', '/storagedomains/{{sd}}/templates?unregistered=true');
  s.del('export/remove', '/storagedomains/{{exportSd}}/vms/{{exported:vms}}');
  s.post('export/external-vm', '/externalvmimports', {
    external_vm_import: {
      vm: { name: 'dx_external' },
      cluster: { id: '{{cluster}}' },
      storage_domain: { id: '{{sd}}' },
      name: 'windows',
      sparse: true,
      username: 'admin',
      password: 'secret',
      provider: 'VMWARE',
      url: 'vpx://vcenter.example.com/DC/Cluster/esx?no_verify=1',
      drivers_iso: { id: 'virtio-win.iso' },
    },
  });
  s.post('export/external-vm-nothing', '/externalvmimports', { external_vm_import: null });
  s.post('export/external-template', '/externaltemplateimports', {
    external_template_import: {
      template: { name: 'dx_external_template' },
      cluster: { id: '{{cluster}}' },
      storage_domain: { id: '{{sd}}' },
      host: { id: '{{host}}' },
      url: 'ova:///ova/dx.ova',
    },
  });
  s.post('export/external-template-nothing', '/externaltemplateimports', {
    external_template_import: null,
  });

  // Pools.
  s.post(
    'pools/add',
    '/vmpools',
    {
      vm_pool: {
        name: 'dx_pool',
        cluster: { id: '{{cluster}}' },
        template: { id: '{{templateDiskless}}' },
        size: 2,
      },
    },
    { capture: { pool: 'id' } },
  );
  s.post(
    'pools/add-full',
    '/vmpools',
    {
      vm_pool: {
        name: 'dx_poolfull-??',
        description: 'described',
        comment: 'commented',
        cluster: { name: 'dx_cluster' },
        template: { name: 'dx_template_diskless' },
        size: 1,
        max_user_vms: 2,
        prestarted_vms: 1,
        type: 'manual',
        stateful: true,
        use_latest_template_version: false,
        auto_storage_select: false,
        soundcard_enabled: true,
        tpm_enabled: false,
        display: { type: 'vnc' },
        rng_device: { source: 'urandom', rate: { bytes: 10, period: 10 } },
        vm: { memory: GiB, cpu: { topology: { cores: 2 } } },
      },
    },
    { as: 'json', capture: { poolFull: 'id' } },
  );
  for (const [name, body] of Object.entries({
    nothing: {},
    'no-name': { cluster: { id: '{{cluster}}' }, template: { id: '{{templateDiskless}}' } },
    'no-cluster': { name: 'dx_p', template: { id: '{{templateDiskless}}' } },
    'no-template': { name: 'dx_p', cluster: { id: '{{cluster}}' } },
    duplicate: {
      name: 'dx_pool',
      cluster: { id: '{{cluster}}' },
      template: { id: '{{templateDiskless}}' },
    },
    'unknown-template': { name: 'dx_p', cluster: { id: '{{cluster}}' }, template: { id: unknown } },
    'size-negative': {
      name: 'dx_p',
      cluster: { id: '{{cluster}}' },
      template: { id: '{{templateDiskless}}' },
      size: -1,
    },
    'size-huge': {
      name: 'dx_p',
      cluster: { id: '{{cluster}}' },
      template: { id: '{{templateDiskless}}' },
      size: 1001,
    },
    'prestarted-above-size': {
      name: 'dx_p',
      cluster: { id: '{{cluster}}' },
      template: { id: '{{templateDiskless}}' },
      size: 1,
      prestarted_vms: 5,
    },
    'name-illegal': {
      name: 'dx pool',
      cluster: { id: '{{cluster}}' },
      template: { id: '{{templateDiskless}}' },
    },
  }))
    s.postAndRemove(`pools/bad-${name}`, '/vmpools', { vm_pool: body });
  s.wait('pools/add/ready', '/vms?search=pool%3Ddx_pool', 'down', {
    field: 'vm.status',
    timeout: 60,
    capture: { poolVm: first },
  });
  s.both('pools/get', '/vmpools/{{pool}}');
  s.both('pools/get-full', '/vmpools/{{poolFull}}');
  s.both('pools/permissions', '/vmpools/{{pool}}/permissions');
  s.get('pools/follow', '/vmpools/{{pool}}?follow=cluster,template,vm,permissions');
  s.get('pools/vm', '/vms/{{poolVm}}');
  s.get('pools/vm/follow', '/vms/{{poolVm}}?follow=vm_pool');
  for (const [name, body] of Object.entries({
    description: { description: 'changed' },
    size: { size: 3 },
    'size-down': { size: 1 },
    prestarted: { prestarted_vms: 1 },
    'max-user': { max_user_vms: 3 },
    type: { type: 'manual' },
    name: { name: 'dx_pool_renamed' },
    cluster: { cluster: { id: '{{clusterFull}}' } },
    memory: { vm: { memory: 2 * GiB } },
  }))
    s.put(
      `pools/update/${name}`,
      '/vmpools/{{pool}}',
      { vm_pool: body },
      { as: name === 'max-user' ? 'json' : 'xml' },
    );
  s.act('pools/allocate', '/vmpools/{{pool}}/allocatevm');
  s.act('pools/allocate-json', '/vmpools/{{pool}}/allocatevm', {}, { as: 'json' });
  s.act('pools/detach', '/vms/{{poolVm}}/detach');
  for (const search of [
    'name=dx*',
    'cluster=dx_cluster',
    'type=automatic',
    'assigned_vm_count>0',
    'datacenter=dx_dc',
    'sortby name desc',
  ])
    s.get(`pools/search/${search}`, `/vmpools?search=${encodeURIComponent(search)}`, {
      topic: 'search of vmpools',
    });
  s.both('pools/list', '/vmpools');
  s.del('pools/remove', '/vmpools/{{poolFull}}');
  s.waitGone('pools/removed', '/vmpools/{{poolFull}}');

  // Backups and checkpoints.
  s.post(
    'backups/down',
    '/vms/{{vm}}/backups',
    { backup: { disks: { disk: [{ id: '{{disk}}' }] } } },
    { capture: { backupDown: 'id' } },
  );
  s.wait('backups/down/ready', '/vms/{{vm}}/backups/{{backupDown}}', 'ready', {
    field: 'phase',
    fail: ['failed', 'succeeded'],
    timeout: 40,
    volatile: true,
  });
  s.act('backups/down/finalize', '/vms/{{vm}}/backups/{{backupDown}}/finalize');
  s.wait(
    'backups/down/finalize/done',
    '/vms/{{vm}}/backups/{{backupDown}}',
    ['succeeded', 'failed', '(absent)'],
    { field: 'phase', timeout: 40, volatile: true },
  );
  s.post('backups/nothing', '/vms/{{vm}}/backups', { backup: null });
  s.act('backups/start-vm', '/vms/{{vm}}/start');
  s.wait('backups/start-vm/up', '/vms/{{vm}}', 'up', { timeout: 60 });
  s.post(
    'backups/add',
    '/vms/{{vm}}/backups',
    { backup: { description: 'dx backup', disks: { disk: [{ id: '{{disk}}' }] } } },
    { capture: { backup: 'id' }, volatile: true },
  );
  s.wait('backups/ready', '/vms/{{vm}}/backups/{{backup}}', 'ready', {
    field: 'phase',
    fail: ['failed', 'succeeded'],
    timeout: 40,
    volatile: true,
  });
  s.post('backups/second', '/vms/{{vm}}/backups', {
    backup: { disks: { disk: [{ id: '{{disk}}' }] } },
  });
  s.both('backups', '/vms/{{vm}}/backups', { volatile: true });
  s.both('backups/disks', '/vms/{{vm}}/backups/{{backup}}/disks');
  s.get('backups/disk', '/vms/{{vm}}/backups/{{backup}}/disks/{{disk}}');
  s.act('backups/finalize', '/vms/{{vm}}/backups/{{backup}}/finalize');
  s.wait('backups/finalized', '/vms/{{vm}}/backups/{{backup}}', ['succeeded', 'failed'], {
    field: 'phase',
    timeout: 40,
    volatile: true,
  });
  s.act('backups/finalize-again', '/vms/{{vm}}/backups/{{backup}}/finalize');
  s.both('checkpoints', '/vms/{{vm}}/checkpoints', {
    volatile: true,
    capture: { checkpoint: first },
  });
  s.both('checkpoints/get', '/vms/{{vm}}/checkpoints/{{checkpoint}}', { volatile: true });
  s.get('checkpoints/disks', '/vms/{{vm}}/checkpoints/{{checkpoint}}/disks');
  s.del('checkpoints/remove', '/vms/{{vm}}/checkpoints/{{checkpoint}}');
  s.post(
    'snapshots/up',
    '/vms/{{vm}}/snapshots',
    { snapshot: { description: 'dx with memory', persist_memorystate: true } },
    { capture: { snapshotMemory: 'id' } },
  );
  s.wait('snapshots/up/ok', '/vms/{{vm}}/snapshots/{{snapshotMemory}}', 'ok', {
    field: 'snapshot_status',
    timeout: 60,
  });
  s.act('snapshots/up/preview', '/vms/{{vm}}/previewsnapshot', {
    snapshot: { id: '{{snapshotMemory}}' },
  });
  s.act('backups/stop-vm', '/vms/{{vm}}/stop');
  s.wait('backups/stop-vm/down', '/vms/{{vm}}', 'down', { timeout: 60 });
  s.act('snapshots/memory/preview', '/vms/{{vm}}/previewsnapshot', {
    snapshot: { id: '{{snapshotMemory}}' },
    restore_memory: true,
  });
  s.wait('snapshots/memory/preview/done', '/vms/{{vm}}', ['down', 'suspended'], { timeout: 60 });
  s.get('snapshots/memory/during', '/vms/{{vm}}/snapshots');
  s.act('snapshots/memory/undo', '/vms/{{vm}}/undosnapshot');
  s.wait('snapshots/memory/undo/done', '/vms/{{vm}}', 'down', { timeout: 60 });

  // Removal.
  s.del('remove/vm-of-version', '/vms/{{vmVersion}}');
  s.waitGone('remove/vm-of-version/gone', '/vms/{{vmVersion}}');
  s.del('remove/version', '/templates/{{templateVersion}}');
  s.del('remove/detach-only', '/vms/{{vmThin}}?detach_only=true');
  s.waitGone('remove/detach-only/gone', '/vms/{{vmThin}}');
  s.del('remove/protected', '/vms/{{vmFull}}');
  s.put('remove/unprotect', '/vms/{{vmFull}}', { vm: { delete_protected: false } });
  s.del('remove/json', '/vms/{{vmClone}}', { as: 'json' });
  s.waitGone('remove/gone', '/vms/{{vmClone}}');
  s.del('remove/again', '/vms/{{vmClone}}');
  s.del('remove/async', '/vms/{{vmCloneSd}}?async=true');
  s.del('remove/expect-202', '/vms/{{vmVersions}}', {
    headers: { 'x-ovirt-expect': '202-accepted' },
  });
  s.del('remove/force', '/vms/{{vmCloned}}?force=true');
}
