// Virtual machines: all forms of creation, attributes, devices, life cycle.
import { first } from '../lib/session.mjs';

const unknown = '99999999-2222-3333-4444-555555555555';
const MiB = 1048576;
const GiB = 1024 * MiB;

/** Every attribute of the model that a request may carry. */
const everything = {
  name: 'dx_vm_full',
  description: 'described',
  comment: 'commented',
  cluster: { name: 'dx_cluster' },
  template: { name: 'Blank' },
  type: 'server',
  memory: 2 * GiB,
  memory_policy: { guaranteed: GiB, max: 8 * GiB, ballooning: true },
  cpu: {
    topology: { cores: 2, sockets: 2, threads: 1 },
    mode: 'custom',
    cpu_tune: { vcpu_pins: { vcpu_pin: [] } },
  },
  cpu_shares: 1024,
  cpu_profile: { id: '{{cpuProfile}}' },
  bios: { type: 'q35_sea_bios', boot_menu: { enabled: true } },
  os: {
    type: 'rhel_8x64',
    boot: { devices: { device: ['network', 'hd', 'cdrom'] } },
    kernel: '/boot/vmlinuz',
    initrd: '/boot/initrd',
    cmdline: 'console=ttyS0',
  },
  origin: 'ovirt',
  stateless: false,
  delete_protected: true,
  high_availability: { enabled: true, priority: 50 },
  display: {
    type: 'vnc',
    monitors: 1,
    smartcard_enabled: true,
    copy_paste_enabled: false,
    file_transfer_enabled: false,
    keyboard_layout: 'de',
    disconnect_action: 'LOGOUT',
    video_type: 'vga',
    allow_override: false,
  },
  sso: { methods: { method: [] } },
  rng_device: { rate: { bytes: 1234, period: 2000 }, source: 'urandom' },
  console: { enabled: true },
  domain: { name: 'example.com' },
  usb: { enabled: true, type: 'native' },
  soundcard_enabled: true,
  tunnel_migration: false,
  migration_downtime: 300,
  virtio_scsi: { enabled: true },
  serial_number: { policy: 'custom', value: 'dx-serial' },
  start_paused: true,
  io: { threads: 2 },
  time_zone: { name: 'Europe/Berlin', utc_offset: '+01:00' },
  tpm_enabled: false,
  custom_properties: { custom_property: [{ name: 'viodiskcache', value: 'none' }] },
  custom_emulated_machine: 'pc-q35-rhel8.4.0',
  custom_cpu_model: 'Nehalem',
  migration: {
    auto_converge: 'true',
    compressed: 'false',
    encrypted: 'inherit',
    parallel_migrations_policy: 'inherit',
  },
  custom_compatibility_version: { major: '{{major}}', minor: '{{minor}}' },
  quota: { id: '{{quota}}' },
  storage_error_resume_behaviour: 'leave_paused',
  placement_policy: { affinity: 'user_migratable', hosts: { host: [{ name: 'dx_host' }] } },
  multi_queues_enabled: true,
  virtio_scsi_multi_queues: 2,
  virtio_scsi_multi_queues_enabled: true,
  auto_pinning_policy: 'disabled',
  cpu_pinning_policy: 'none',
  use_latest_template_version: false,
  payloads: {
    payload: [
      {
        type: 'cdrom',
        volume_id: 'dx_payload',
        files: { file: [{ name: 'hello.txt', content: 'hello world' }] },
      },
    ],
  },
  initialization: {
    host_name: 'dx.example.com',
    user_name: 'root',
    root_password: 'secret',
    timezone: 'Europe/Berlin',
    authorized_ssh_keys: 'ssh-rsa AAAA dx',
    regenerate_ids: false,
    regenerate_ssh_keys: true,
    dns_servers: '192.0.2.1',
    dns_search: 'example.com',
    custom_script: 'runcmd: [true]',
    cloud_init_network_protocol: 'openstack_metadata',
    nic_configurations: {
      nic_configuration: [
        {
          name: 'eth0',
          on_boot: true,
          boot_protocol: 'static',
          ip: { address: '192.0.2.50', netmask: '255.255.255.0', gateway: '192.0.2.1' },
        },
      ],
    },
    active_directory_ou: 'ou',
    domain: 'example.com',
    input_locale: 'de-DE',
    ui_language: 'de-DE',
    system_locale: 'de-DE',
    user_locale: 'de-DE',
    org_name: 'dx',
    windows_license_key: '',
  },
};

export default function define(s) {
  const base = (name, more = {}) => ({
    name,
    cluster: { id: '{{cluster}}' },
    template: { id: '00000000-0000-0000-0000-000000000000' },
    ...more,
  });
  s.post('add', '/vms', { vm: base('dx_vm') }, { capture: { vm: 'id' } });
  s.post(
    'add-json',
    '/vms',
    {
      vm: {
        name: 'dx_vm_json',
        cluster: { name: 'dx_cluster' },
        template: { name: 'Blank' },
        memory: '1073741824',
        memory_policy: { guaranteed: '536870912' },
        cpu: { topology: { cores: '2', sockets: '1' } },
        type: 'desktop',
      },
    },
    { as: 'json', capture: { vmJson: 'id' } },
  );
  s.post('add-full', '/vms', { vm: everything }, { capture: { vmFull: 'id' } });
  for (const [key, value] of Object.entries(everything)) {
    if (['name', 'cluster', 'template'].includes(key)) continue;
    s.postAndRemove(
      `add-one/${key}`,
      '/vms',
      { vm: base(`dx_vm_one_${key}`, { [key]: value, ...(key === 'delete_protected' ? {} : {}) }) },
      { topic: `POST of a VM with ${key}` },
    );
  }
  s.put(
    'add-one/unprotect',
    '/vms?search=name%3Ddx_vm_one_delete_protected',
    { vm: { delete_protected: false } },
    { note: 'PUT on a collection' },
  );
  s.post(
    'add-instance-type',
    '/vms',
    { vm: base('dx_vm_type', { instance_type: { name: 'Tiny' } }) },
    { capture: { vmType: 'id' } },
  );
  s.post(
    'add-id',
    '/vms',
    { vm: base('dx_vm_id', { id: 'cccccccc-2222-3333-4444-555555555555' }) },
    { capture: { vmId: 'id' } },
  );
  s.post(
    'add-windows',
    '/vms',
    { vm: base('dx_vm_windows', { os: { type: 'windows_2019x64' }, type: 'server' }) },
    { capture: { vmWindows: 'id' } },
  );
  s.post(
    'add-inline-devices',
    '/vms',
    {
      vm: base('dx_vm_inline', {
        disk_attachments: {
          disk_attachment: [{ disk: { id: '{{disk}}' }, interface: 'virtio', bootable: true }],
        },
        nics: { nic: [{ name: 'nic1' }] },
      }),
    },
    { capture: { vmInline: 'id' }, note: 'are devices in the body taken?' },
  );
  s.post(
    'add-pinned',
    '/vms',
    {
      vm: base('dx_vm_pinned', {
        placement_policy: { affinity: 'pinned', hosts: { host: [{ id: '{{host}}' }] } },
        cpu: { cpu_tune: { vcpu_pins: { vcpu_pin: [{ vcpu: 0, cpu_set: '0' }] } } },
        numa_tune_mode: 'strict',
      }),
    },
    { capture: { vmPinned: 'id' } },
  );
  s.post(
    'add-lease',
    '/vms',
    {
      vm: base('dx_vm_lease', {
        high_availability: { enabled: true, priority: 1 },
        lease: { storage_domain: { id: '{{sd}}' } },
        storage_error_resume_behaviour: 'kill',
      }),
    },
    { capture: { vmLease: 'id' } },
  );
  s.post(
    'add-below-filter',
    '/vms?filter=true',
    { vm: base('dx_vm_filter') },
    { capture: { vmFilter: 'id' } },
  );
  s.post('add-ovf', '/vms', {
    vm: {
      name: 'dx_vm_ovf',
      cluster: { id: '{{cluster}}' },
      initialization: { configuration: { type: 'ovf', data: '<ovf:Envelope/>' } },
    },
  });
  s.post('add-ovf-no-data', '/vms', {
    vm: { cluster: { id: '{{cluster}}' }, initialization: { configuration: { type: 'ovf' } } },
  });
  for (const [name, body] of Object.entries({
    nothing: {},
    'no-name': base(undefined),
    'no-cluster': { name: 'dx_v', template: { name: 'Blank' } },
    'no-template': { name: 'dx_v', cluster: { id: '{{cluster}}' } },
    'cluster-empty': { name: 'dx_v', cluster: {}, template: { name: 'Blank' } },
    'unknown-cluster': { ...base('dx_v'), cluster: { id: unknown } },
    'unknown-cluster-name': { ...base('dx_v'), cluster: { name: 'dx_no_cluster' } },
    'cluster-not-a-uuid': { ...base('dx_v'), cluster: { id: 'nonsense' } },
    'unknown-template': { ...base('dx_v'), template: { id: unknown } },
    'unknown-template-name': { ...base('dx_v'), template: { name: 'dx_no_template' } },
    duplicate: base('dx_vm'),
    blank: base('dx vm'),
    umlaut: base('dx_vöm'),
    empty: base(''),
    long: base(`dx_${'v'.repeat(300)}`),
    'long-64': base(`dx_${'v'.repeat(61)}`),
    dot: base('dx.vm.dot'),
    plus: base('dx+vm'),
    slash: base('dx/vm'),
    'memory-low': base('dx_v_low', { memory: MiB }),
    'memory-zero': base('dx_v', { memory: 0 }),
    'memory-negative': base('dx_v', { memory: -1 }),
    'memory-huge': base('dx_v_huge', { memory: 100000 * GiB }),
    'memory-not-mib': base('dx_v_notmib', { memory: GiB + 1 }),
    'guaranteed-above': base('dx_v', { memory: GiB, memory_policy: { guaranteed: 2 * GiB } }),
    'max-below': base('dx_v', { memory: GiB, memory_policy: { max: GiB / 2 } }),
    'cpu-zero': base('dx_v', { cpu: { topology: { cores: 0, sockets: 1, threads: 1 } } }),
    'cpu-many': base('dx_v', { cpu: { topology: { cores: 1000, sockets: 1000, threads: 1 } } }),
    'cpu-negative': base('dx_v', { cpu: { topology: { cores: -1, sockets: 1, threads: 1 } } }),
    'cpu-architecture': base('dx_v_arch', { cpu: { architecture: 'ppc64' } }),
    'os-unknown': base('dx_v', { os: { type: 'nonsense' } }),
    'os-device': base('dx_v', { os: { boot: { devices: { device: ['nonsense'] } } } }),
    'os-device-twice': base('dx_v_twice', { os: { boot: { devices: { device: ['hd', 'hd'] } } } }),
    'type-unknown': base('dx_v', { type: 'nonsense' }),
    'type-performance': base('dx_v_performance', { type: 'high_performance' }),
    'timezone-unknown': base('dx_v', { time_zone: { name: 'Mars/Olympus' } }),
    'timezone-windows-linux': base('dx_v', {
      os: { type: 'windows_2019x64' },
      time_zone: { name: 'Europe/Berlin' },
    }),
    'display-none': base('dx_v_display', { display: { type: 'nonsense' } }),
    monitors: base('dx_v', { display: { type: 'spice', monitors: 9 } }),
    'property-unknown': base('dx_v', {
      custom_properties: { custom_property: [{ name: 'nonsense', value: 'x' }] },
    }),
    'property-value': base('dx_v', {
      custom_properties: { custom_property: [{ name: 'viodiskcache', value: 'nonsense' }] },
    }),
    'ha-and-pinned': base('dx_v', {
      high_availability: { enabled: true },
      placement_policy: { affinity: 'pinned', hosts: { host: [{ id: '{{host}}' }] } },
    }),
    'pinned-without-host': base('dx_v_pin', { placement_policy: { affinity: 'pinned' } }),
    'host-unknown': base('dx_v', { placement_policy: { hosts: { host: [{ id: unknown }] } } }),
    'host-unknown-name': base('dx_v', {
      placement_policy: { hosts: { host: [{ name: 'dx_no_host' }] } },
    }),
    'stateless-ha': base('dx_v', { stateless: true, high_availability: { enabled: true } }),
    'quota-unknown': base('dx_v', { quota: { id: unknown } }),
    'cpu-profile-unknown': base('dx_v', { cpu_profile: { id: unknown } }),
    'instance-type-unknown': base('dx_v', { instance_type: { id: unknown } }),
    'instance-type-unknown-name': base('dx_v', { instance_type: { name: 'dx_no_type' } }),
    'version-custom': base('dx_v', { custom_compatibility_version: { major: 3, minor: 6 } }),
    'version-custom-high': base('dx_v', { custom_compatibility_version: { major: 9, minor: 9 } }),
    'kernel-without-path': base('dx_v', { os: { cmdline: 'x' } }),
    'serial-custom-without-value': base('dx_v', { serial_number: { policy: 'custom' } }),
    'io-threads': base('dx_v', { io: { threads: 1000 } }),
    'queues-without': base('dx_v', {
      virtio_scsi_multi_queues: 4,
      virtio_scsi_multi_queues_enabled: false,
    }),
    'downtime-negative': base('dx_v', { migration_downtime: -5 }),
    'shares-negative': base('dx_v', { cpu_shares: -5 }),
    'two-payloads-one-type': base('dx_v', {
      payloads: {
        payload: [
          { type: 'cdrom', files: { file: [{ name: 'a', content: 'b' }] } },
          { type: 'cdrom', files: { file: [{ name: 'c', content: 'd' }] } },
        ],
      },
    }),
    'payload-nonsense': base('dx_v', { payloads: { payload: [{ type: 'nonsense' }] } }),
    'icon-both': base('dx_v', {
      large_icon: { id: '{{icon}}', data: 'eA==', media_type: 'image/png' },
    }),
    'icon-unknown': base('dx_v', { small_icon: { id: unknown } }),
    'snapshot-unknown': {
      name: 'dx_v',
      cluster: { id: '{{cluster}}' },
      snapshots: { snapshot: [{ id: unknown }] },
    },
    'lease-unknown': base('dx_v', {
      lease: { storage_domain: { id: unknown } },
      high_availability: { enabled: true },
    }),
    'pins-unknown-cpu': base('dx_v_pins', {
      cpu: { cpu_tune: { vcpu_pins: { vcpu_pin: [{ vcpu: 99, cpu_set: '0' }] } } },
    }),
    'usb-type': base('dx_v_usb', { usb: { enabled: true, type: 'legacy' } }),
  }))
    s.postAndRemove(`bad/${name}`, '/vms', { vm: body });
  for (const name of ['vm', 'vmJson', 'vmFull', 'vmType', 'vmPinned', 'vmLease']) {
    s.both(`get/${name}`, `/vms/{{${name}}}`);
    s.get(`get/${name}/all-content`, `/vms/{{${name}}}?all_content=true`);
  }
  s.get('get/all-content-json', '/vms/{{vmFull}}?all_content=true', { as: 'json' });
  s.get('get/all-content-header', '/vms/{{vmFull}}', { headers: { 'all-content': 'true' } });
  s.get('get/next-run', '/vms/{{vm}}?next_run=true');
  s.get('get/ovf-as-ova', '/vms/{{vm}}?all_content=true&ovf_as_ova=true', { volatile: true });
  s.get('get/filter', '/vms/{{vm}}?filter=true');
  const parts = [
    'permissions',
    'tags',
    'graphicsconsoles',
    'katelloerrata',
    'snapshots',
    'applications',
    'cdroms',
    'hostdevices',
    'nics',
    'numanodes',
    'reporteddevices',
    'sessions',
    'watchdogs',
    'backups',
    'checkpoints',
    'diskattachments',
    'affinitylabels',
    'mediateddevices',
    'statistics',
  ];
  for (const part of parts) {
    s.both(`parts/${part}`, `/vms/{{vm}}/${part}`, {
      capture: {
        [`vm:${part}`]:
          part === 'diskattachments'
            ? (root) => root.children.find((node) => node.at('bootable') === 'true')?.id
            : first,
      },
    });
    s.get(`parts/${part}/one`, `/vms/{{vm}}/${part}/{{vm:${part}}}`);
  }
  for (const follow of [
    'nics',
    'disk_attachments',
    'disk_attachments.disk',
    'diskattachments',
    'snapshots',
    'permissions',
    'tags',
    'cdroms',
    'graphics_consoles',
    'watchdogs',
    'statistics',
    'cluster',
    'cluster.data_center',
    'template',
    'cpu_profile',
    'quota',
    'host',
    'affinity_labels',
    'host_devices',
    'numa_nodes',
    'sessions',
    'applications',
    'reported_devices',
    'original_template',
    'backups',
    'checkpoints',
    'nonsense',
    'name',
    '',
    'nics,',
    ',',
    'nics..x',
    'NICS',
    'nics, tags',
  ])
    s.get(`follow/${follow || 'empty'}`, `/vms/{{vm}}?follow=${encodeURIComponent(follow)}`);
  s.get(
    'follow/list',
    '/vms?search=name%3Ddx*&follow=nics,cdroms,snapshots,graphics_consoles,watchdogs,host_devices',
  );
  s.get('follow/list-json', '/vms?search=name%3Ddx_vm&follow=cluster,disk_attachments', {
    as: 'json',
  });

  // NICs.
  s.post(
    'nics/add',
    '/vms/{{vm}}/nics',
    { nic: { name: 'nic1', vnic_profile: { id: '{{profile}}' } } },
    { capture: { nic: 'id' } },
  );
  s.post(
    'nics/add-full',
    '/vms/{{vm}}/nics',
    {
      nic: {
        name: 'nic2',
        interface: 'e1000e',
        linked: false,
        plugged: true,
        mac: { address: '00:1a:4a:99:00:01' },
        vnic_profile: { id: '{{profileFull}}' },
        network_filter_parameters: {
          network_filter_parameter: [{ name: 'IP', value: '192.0.2.5' }],
        },
      },
    },
    { as: 'json', capture: { nic2: 'id' } },
  );
  s.post(
    'nics/add-no-profile',
    '/vms/{{vm}}/nics',
    { nic: { name: 'nic3' } },
    { capture: { nic3: 'id' } },
  );
  s.post(
    'nics/add-empty-profile',
    '/vms/{{vm}}/nics',
    { nic: { name: 'nic4', vnic_profile: null } },
    { capture: { nic4: 'id' } },
  );
  s.post(
    'nics/add-by-network',
    '/vms/{{vm}}/nics',
    { nic: { name: 'nic5', network: { name: 'dx_net' } } },
    { capture: { nic5: 'id' } },
  );
  for (const [name, body] of Object.entries({
    nothing: {},
    duplicate: { name: 'nic1' },
    'mac-taken': { name: 'nicx', mac: { address: '00:1a:4a:99:00:01' } },
    'mac-nonsense': { name: 'nicx', mac: { address: 'nonsense' } },
    'mac-multicast': { name: 'nicx', mac: { address: '01:00:5e:00:00:01' } },
    'mac-zero': { name: 'nicx', mac: { address: '00:00:00:00:00:00' } },
    'profile-unknown': { name: 'nicx', vnic_profile: { id: unknown } },
    'profile-by-name': { name: 'nicbyname', vnic_profile: { name: 'dx_net' } },
    'interface-unknown': { name: 'nicx', interface: 'nonsense' },
    'pci-passthrough': { name: 'nicx', interface: 'pci_passthrough' },
    'name-long': { name: `nic${'x'.repeat(60)}` },
    'name-blank': { name: 'nic x' },
    'network-unknown': { name: 'nicx', network: { name: 'dx_no_net' } },
    'network-of-other-cluster': { name: 'nicx', network: { id: '{{netNoProfile}}' } },
  }))
    s.postAndRemove(`nics/bad-${name}`, '/vms/{{vm}}/nics', { nic: body });
  s.both('nics', '/vms/{{vm}}/nics');
  for (const name of ['nic', 'nic2', 'nic3', 'nic4'])
    s.get(`nics/get-${name}`, `/vms/{{vm}}/nics/{{${name}}}`);
  for (const part of ['reporteddevices', 'networkfilterparameters', 'statistics'])
    s.both(`nics/parts/${part}`, `/vms/{{vm}}/nics/{{nic}}/${part}`, {
      capture: { [`nic:${part}`]: first },
    });
  s.get('nics/follow', '/vms/{{vm}}/nics?follow=vnic_profile.network,statistics');
  s.get('nics/follow-missing', '/vms/{{vm}}/nics?follow=network');
  for (const [name, body] of Object.entries({
    name: { name: 'nic1b' },
    unlinked: { linked: false },
    linked: { linked: true },
    unplugged: { plugged: false },
    plugged: { plugged: true },
    mac: { mac: { address: '00:1a:4a:99:00:02' } },
    interface: { interface: 'e1000' },
    'interface-rtl': { interface: 'rtl8139' },
    profile: { vnic_profile: { id: '{{profile2}}' } },
    'profile-off': { vnic_profile: null },
    'mac-taken': { mac: { address: '00:1a:4a:99:00:01' } },
  }))
    s.put(
      `nics/update-${name}`,
      '/vms/{{vm}}/nics/{{nic}}',
      { nic: body },
      { as: name === 'unlinked' ? 'json' : 'xml' },
    );
  s.act('nics/deactivate', '/vms/{{vm}}/nics/{{nic}}/deactivate');
  s.act('nics/deactivate-again', '/vms/{{vm}}/nics/{{nic}}/deactivate');
  s.act('nics/activate', '/vms/{{vm}}/nics/{{nic}}/activate');
  s.post(
    'nics/filterparameters/add',
    '/vms/{{vm}}/nics/{{nic2}}/networkfilterparameters',
    { network_filter_parameter: { name: 'IP', value: '192.0.2.6' } },
    { capture: { filterParameter: 'id' } },
  );
  s.post('nics/filterparameters/nothing', '/vms/{{vm}}/nics/{{nic2}}/networkfilterparameters', {
    network_filter_parameter: null,
  });
  s.both('nics/filterparameters', '/vms/{{vm}}/nics/{{nic2}}/networkfilterparameters');
  s.put(
    'nics/filterparameters/update',
    '/vms/{{vm}}/nics/{{nic2}}/networkfilterparameters/{{filterParameter}}',
    { network_filter_parameter: { value: '192.0.2.7' } },
  );
  s.del(
    'nics/filterparameters/remove',
    '/vms/{{vm}}/nics/{{nic2}}/networkfilterparameters/{{filterParameter}}',
  );
  for (const name of ['nic3', 'nic4', 'nic5'])
    s.del(`nics/remove-${name}`, `/vms/{{vm}}/nics/{{${name}}}`);
  s.del('nics/remove-again', '/vms/{{vm}}/nics/{{nic3}}');
  s.act('reordermacaddresses', '/vms/{{vm}}/reordermacaddresses');

  // Disk attachments.
  const disk = (name, more = {}) => ({
    disk: {
      name,
      format: 'cow',
      provisioned_size: GiB,
      storage_domains: { storage_domain: [{ id: '{{sd}}' }] },
      ...more,
    },
  });
  s.post(
    'disks/attach',
    '/vms/{{vm}}/diskattachments',
    {
      disk_attachment: {
        disk: { id: '{{disk}}' },
        interface: 'virtio',
        bootable: true,
        active: true,
      },
    },
    { capture: { attachmentDisk: 'id' } },
  );
  s.post(
    'disks/create',
    '/vms/{{vm}}/diskattachments',
    {
      disk_attachment: {
        ...disk('dx_vm_disk'),
        interface: 'virtio_scsi',
        bootable: false,
        active: true,
        pass_discard: true,
        read_only: false,
        uses_scsi_reservation: false,
      },
    },
    { as: 'json', capture: { diskCreated: 'id' } },
  );
  s.post(
    'disks/create-unnamed',
    '/vms/{{vm}}/diskattachments',
    {
      disk_attachment: {
        disk: {
          format: 'raw',
          provisioned_size: GiB,
          storage_domains: { storage_domain: [{ id: '{{sd}}' }] },
        },
        interface: 'virtio',
        active: false,
      },
    },
    { capture: { diskUnnamed: 'id' } },
  );
  s.post('disks/attach-shared', '/vms/{{vm}}/diskattachments', {
    disk_attachment: {
      disk: { id: '{{diskShared}}' },
      interface: 'virtio',
      bootable: false,
      active: false,
    },
  });
  for (const name of ['diskCreated', 'diskUnnamed'])
    s.wait(`disks/ok-${name}`, `/disks/{{${name}}}`, 'ok', { timeout: 60 });
  for (const [name, body] of Object.entries({
    nothing: {},
    'no-disk': { interface: 'virtio' },
    'no-interface': { disk: { id: '{{diskRaw}}' } },
    'no-bootable': { disk: { id: '{{diskRaw}}' }, interface: 'virtio' },
    'unknown-disk': { disk: { id: unknown }, interface: 'virtio' },
    'attached-already': { disk: { id: '{{disk}}' }, interface: 'virtio' },
    'second-bootable': {
      ...disk('dx_second_boot'),
      interface: 'virtio',
      bootable: true,
      active: true,
    },
    'interface-unknown': { ...disk('dx_d'), interface: 'nonsense' },
    ide: { ...disk('dx_ide'), interface: 'ide', active: false },
    sata: { ...disk('dx_sata'), interface: 'sata', active: false },
    'no-size': { disk: { format: 'cow' }, interface: 'virtio' },
    'domain-missing': {
      disk: { name: 'dx_d', format: 'cow', provisioned_size: GiB },
      interface: 'virtio',
    },
    'read-only-ide': { ...disk('dx_ide_ro'), interface: 'ide', read_only: true },
    'pass-discard': { ...disk('dx_pass'), interface: 'virtio_scsi', pass_discard: true },
    'iso-content': { disk: { id: '{{diskIso}}' }, interface: 'virtio' },
    'disk-by-name': { disk: { name: 'dx_disk_raw' }, interface: 'virtio' },
    'scsi-reservation': {
      ...disk('dx_reservation'),
      interface: 'virtio_scsi',
      uses_scsi_reservation: true,
    },
  }))
    s.postAndRemove(`disks/bad-${name}`, '/vms/{{vm}}/diskattachments', { disk_attachment: body });
  s.both('disks', '/vms/{{vm}}/diskattachments');
  s.both('disks/get', '/vms/{{vm}}/diskattachments/{{disk}}');
  s.get('disks/follow', '/vms/{{vm}}/diskattachments?follow=disk');
  s.get('disks/attached-disk', '/disks/{{disk}}');
  s.get('disks/attached-disk/follow', '/disks/{{disk}}?follow=vms');
  s.get('disks/search', '/disks?search=vm_names%3Ddx_vm');
  for (const [name, body] of Object.entries({
    inactive: { active: false },
    active: { active: true },
    interface: { interface: 'virtio_scsi' },
    'read-only': { read_only: true },
    'read-write': { read_only: false },
    'pass-discard': { pass_discard: true },
    bootable: { bootable: true },
    'bootable-off': { bootable: false },
    size: { disk: { provisioned_size: 2 * GiB } },
    alias: { disk: { alias: 'dx_vm_disk2' } },
    'other-disk': { disk: { id: '{{diskRaw}}' } },
    'logical-name': { logical_name: '/dev/vdx' },
  })) {
    s.put(
      `disks/update-${name}`,
      '/vms/{{vm}}/diskattachments/{{diskCreated}}',
      { disk_attachment: body },
      { as: name === 'interface' ? 'json' : 'xml' },
    );
    if (body.disk)
      s.wait(`disks/update-${name}/done`, '/disks/{{diskCreated}}', 'ok', { timeout: 60 });
  }
  s.wait('disks/updated', '/disks/{{diskCreated}}', 'ok', { timeout: 60 });
  s.del('disks/detach', '/vms/{{vm}}/diskattachments/{{diskShared}}');
  s.del('disks/detach-only', '/vms/{{vm}}/diskattachments/{{diskUnnamed}}?detach_only=true');
  s.get('disks/detached', '/disks/{{diskUnnamed}}');
  s.del('disks/detach-again', '/vms/{{vm}}/diskattachments/{{diskUnnamed}}');

  // Other devices.
  s.both('cdroms', '/vms/{{vm}}/cdroms', { capture: { cdrom: first } });
  s.both('cdroms/get', '/vms/{{vm}}/cdroms/{{cdrom}}');
  s.put('cdroms/insert-unknown', '/vms/{{vm}}/cdroms/{{cdrom}}', {
    cdrom: { file: { id: 'nonsense.iso' } },
  });
  s.put('cdroms/insert-disk', '/vms/{{vm}}/cdroms/{{cdrom}}', {
    cdrom: { file: { id: '{{diskIso}}' } },
  });
  s.put(
    'cdroms/insert-iso-file',
    '/vms/{{vm}}/cdroms/{{cdrom}}',
    { cdrom: { file: { id: '{{isoFile}}' } } },
    { as: 'json' },
  );
  s.put('cdroms/eject', '/vms/{{vm}}/cdroms/{{cdrom}}', { cdrom: { file: { id: '' } } });
  s.put('cdroms/current', '/vms/{{vm}}/cdroms/{{cdrom}}?current=true', {
    cdrom: { file: { id: '' } },
  });
  s.get('cdroms/current-get', '/vms/{{vm}}/cdroms/{{cdrom}}?current=true');
  s.post('cdroms/add', '/vms/{{vm}}/cdroms', { cdrom: { file: { id: 'x.iso' } } });
  s.both('consoles', '/vms/{{vm}}/graphicsconsoles', { capture: { console: first } });
  s.both('consoles/get', '/vms/{{vm}}/graphicsconsoles/{{console}}');
  s.get('consoles/current', '/vms/{{vm}}/graphicsconsoles?current=true');
  s.post(
    'consoles/add-vnc',
    '/vms/{{vm}}/graphicsconsoles',
    { graphics_console: { protocol: 'vnc' } },
    { capture: { consoleVnc: 'id' } },
  );
  s.post('consoles/add-spice', '/vms/{{vm}}/graphicsconsoles', {
    graphics_console: { protocol: 'spice' },
  });
  s.post('consoles/add-again', '/vms/{{vm}}/graphicsconsoles', {
    graphics_console: { protocol: 'vnc' },
  });
  s.post('consoles/add-nothing', '/vms/{{vm}}/graphicsconsoles', { graphics_console: null });
  s.post('consoles/add-nonsense', '/vms/{{vm}}/graphicsconsoles', {
    graphics_console: { protocol: 'nonsense' },
  });
  for (const action of ['ticket', 'proxyticket', 'remoteviewerconnectionfile'])
    s.act(
      `consoles/${action}`,
      `/vms/{{vm}}/graphicsconsoles/{{console}}/${action}`,
      {},
      { volatile: true },
    );
  s.post(
    'watchdogs/add',
    '/vms/{{vm}}/watchdogs',
    { watchdog: { model: 'i6300esb', action: 'reset' } },
    { capture: { watchdog: 'id' } },
  );
  s.post('watchdogs/second', '/vms/{{vm}}/watchdogs', {
    watchdog: { model: 'i6300esb', action: 'none' },
  });
  for (const [name, body] of Object.entries({
    nothing: {},
    'no-action': { model: 'i6300esb' },
    'no-model': { action: 'none' },
    nonsense: { model: 'nonsense', action: 'none' },
    diag: { model: 'diag288', action: 'none' },
  }))
    s.post(`watchdogs/bad-${name}`, '/vms/{{vmJson}}/watchdogs', { watchdog: body });
  s.both('watchdogs', '/vms/{{vm}}/watchdogs');
  s.both('watchdogs/get', '/vms/{{vm}}/watchdogs/{{watchdog}}');
  s.put('watchdogs/update', '/vms/{{vm}}/watchdogs/{{watchdog}}', {
    watchdog: { action: 'poweroff' },
  });
  s.del('watchdogs/remove', '/vms/{{vm}}/watchdogs/{{watchdog}}');
  s.post(
    'numanodes/add',
    '/vms/{{vmPinned}}/numanodes',
    {
      vm_numa_node: {
        index: 0,
        memory: 512,
        cpu: { cores: { core: [{ index: 0 }] } },
        numa_tune_mode: 'strict',
        numa_node_pins: { numa_node_pin: [{ index: 0 }] },
      },
    },
    { capture: { numaNode: 'id' } },
  );
  s.post('numanodes/nothing', '/vms/{{vmPinned}}/numanodes', { vm_numa_node: null });
  s.post('numanodes/not-pinned', '/vms/{{vm}}/numanodes', {
    vm_numa_node: { index: 0, memory: 256, cpu: { cores: { core: [{ index: 0 }] } } },
  });
  s.both('numanodes', '/vms/{{vmPinned}}/numanodes');
  s.both('numanodes/get', '/vms/{{vmPinned}}/numanodes/{{numaNode}}');
  s.put('numanodes/update', '/vms/{{vmPinned}}/numanodes/{{numaNode}}', {
    vm_numa_node: { memory: 256, index: 0 },
  });
  s.del('numanodes/remove', '/vms/{{vmPinned}}/numanodes/{{numaNode}}');
  s.post('hostdevices/unknown', '/vms/{{vmPinned}}/hostdevices', {
    host_device: { name: 'pci_0000_99_99_9' },
  });
  s.post('hostdevices/nothing', '/vms/{{vmPinned}}/hostdevices', { host_device: null });
  s.post(
    'hostdevices/add',
    '/vms/{{vmPinned}}/hostdevices',
    { host_device: { id: '{{host:devices}}' } },
    { capture: { hostDevice: 'id' } },
  );
  s.both('hostdevices', '/vms/{{vmPinned}}/hostdevices');
  s.del('hostdevices/remove', '/vms/{{vmPinned}}/hostdevices/{{hostDevice}}');
  s.post(
    'mediateddevices/add',
    '/vms/{{vmJson}}/mediateddevices',
    {
      vm_mediated_device: {
        spec_params: {
          property: [
            { name: 'mdevType', value: 'nvidia-11' },
            { name: 'nodisplay', value: 'true' },
          ],
        },
      },
    },
    { capture: { mdev: 'id' } },
  );
  s.both('mediateddevices', '/vms/{{vmJson}}/mediateddevices');
  s.put('mediateddevices/update', '/vms/{{vmJson}}/mediateddevices/{{mdev}}', {
    vm_mediated_device: { spec_params: { property: [{ name: 'mdevType', value: 'nvidia-12' }] } },
  });
  s.del('mediateddevices/remove', '/vms/{{vmJson}}/mediateddevices/{{mdev}}');
  s.post('tags/add', '/vms/{{vm}}/tags', { tag: { name: 'dx_tag_renamed' } });
  s.both('tags', '/vms/{{vm}}/tags');
  s.get('tags/search', '/vms?search=tag%3Ddx_tag_renamed');
  s.del('tags/remove', '/vms/{{vm}}/tags/{{tag}}');
  s.del('tags/remove-again', '/vms/{{vm}}/tags/{{tag}}');
  s.post(
    'permissions/add',
    '/vms/{{vm}}/permissions',
    { permission: { role: { name: 'UserVmManager' }, user: { id: '{{admin}}' } } },
    { capture: { vmPermission: 'id' } },
  );
  s.both('permissions', '/vms/{{vm}}/permissions');
  s.both('permissions/get', '/vms/{{vm}}/permissions/{{vmPermission}}');
  s.del('permissions/remove', '/vms/{{vm}}/permissions/{{vmPermission}}');

  // Life cycle.
  for (const action of [
    'stop',
    'shutdown',
    'suspend',
    'reboot',
    'reset',
    'migrate',
    'cancelmigration',
    'detach',
    'logon',
    'freezefilesystems',
    'thawfilesystems',
    'screenshot',
    'ticket',
    'maintenance',
    'commitsnapshot',
    'undosnapshot',
    'previewsnapshot',
    'autopincpuandnumanodes',
  ])
    s.act(`down/${action}`, `/vms/{{vm}}/${action}`, {}, { topic: 'action on a VM that is down' });
  s.act('start', '/vms/{{vm}}/start');
  s.wait('start/up', '/vms/{{vm}}', 'up', { fail: ['unknown'], timeout: 90 });
  s.both('up', '/vms/{{vm}}');
  s.get('up/all-content', '/vms/{{vm}}?all_content=true');
  for (const part of parts) s.get(`up/parts/${part}`, `/vms/{{vm}}/${part}`);
  for (const follow of [
    'host',
    'host.cluster',
    'statistics',
    'sessions',
    'graphics_consoles',
    'nics.reported_devices',
    'reported_devices',
  ])
    s.get(`up/follow/${follow}`, `/vms/{{vm}}?follow=${follow}`);
  s.act('up/start', '/vms/{{vm}}/start', {}, { topic: 'action on a VM that is up' });
  s.act('up/ticket', '/vms/{{vm}}/ticket', { ticket: { value: 'secret', expiry: 120 } });
  s.act('up/ticket-generated', '/vms/{{vm}}/ticket', {}, { as: 'json', volatile: true });
  for (const action of ['ticket', 'proxyticket', 'remoteviewerconnectionfile'])
    s.act(
      `up/consoles/${action}`,
      `/vms/{{vm}}/graphicsconsoles/{{console}}/${action}`,
      {},
      { volatile: true },
    );
  s.act('up/freezefilesystems', '/vms/{{vm}}/freezefilesystems');
  s.act('up/thawfilesystems', '/vms/{{vm}}/thawfilesystems');
  s.act('up/logon', '/vms/{{vm}}/logon');
  s.act('up/reboot', '/vms/{{vm}}/reboot');
  s.wait('up/reboot/up', '/vms/{{vm}}', 'up', { timeout: 60 });
  s.act('up/migrate', '/vms/{{vm}}/migrate', { host: { id: '{{host2}}' } });
  s.wait('up/migrate/up', '/vms/{{vm}}', 'up', { timeout: 60 });
  s.act('up/migrate-same', '/vms/{{vm}}/migrate', { host: { name: 'dx_host2' } });
  s.act('up/migrate-unknown', '/vms/{{vm}}/migrate', { host: { id: unknown } });
  s.act('up/cancelmigration', '/vms/{{vm}}/cancelmigration');
  s.del('up/remove', '/vms/{{vm}}', { requires: 'start/up' });
  s.put('up/update-memory', '/vms/{{vm}}', {
    vm: { memory: 2 * GiB, memory_policy: { max: 4 * GiB } },
  });
  s.get('up/next-run', '/vms/{{vm}}?next_run=true');
  s.put('up/update-description', '/vms/{{vm}}', { vm: { description: 'while up' } });
  s.put('up/update-next-run', '/vms/{{vm}}?next_run=true', {
    vm: { cpu: { topology: { cores: 4 } } },
  });
  s.get('up/with-next-run', '/vms/{{vm}}');
  s.act('up/hotunplug-nic', '/vms/{{vm}}/nics/{{nic}}/deactivate');
  s.del('up/nic-plugged-remove', '/vms/{{vm}}/nics/{{nic2}}');
  s.act('up/hotplug-nic', '/vms/{{vm}}/nics/{{nic}}/activate');
  s.put('up/disk-inactive', '/vms/{{vm}}/diskattachments/{{diskCreated}}', {
    disk_attachment: { active: false },
  });
  s.del('up/disk-boot-detach', '/vms/{{vm}}/diskattachments/{{disk}}');
  s.post('up/disk-attach-again', '/vms/{{vm}}/diskattachments', {
    disk_attachment: {
      disk: { id: '{{disk}}' },
      interface: 'virtio',
      bootable: true,
      active: true,
    },
  });
  s.act('up/suspend', '/vms/{{vm}}/suspend');
  s.wait('up/suspend/suspended', '/vms/{{vm}}', 'suspended', { timeout: 60 });
  s.act('suspended/start', '/vms/{{vm}}/start');
  s.wait('suspended/start/up', '/vms/{{vm}}', 'up', { timeout: 60 });
  s.act('up/reset', '/vms/{{vm}}/reset');
  s.act('up/screenshot', '/vms/{{vm}}/screenshot', {}, { volatile: true });
  s.act('up/shutdown', '/vms/{{vm}}/shutdown', { reason: 'dx reason' });
  s.wait('up/shutdown/down', '/vms/{{vm}}', 'down', { timeout: 60 });
  s.get('stopped', '/vms/{{vm}}');
  s.act('run-once', '/vms/{{vm}}/start', {
    vm: { os: { boot: { devices: { device: ['cdrom'] } } }, stateless: false },
    pause: true,
    use_cloud_init: false,
  });
  s.wait('run-once/paused', '/vms/{{vm}}', ['paused', 'up'], { timeout: 60 });
  s.act('run-once/stop', '/vms/{{vm}}/stop', { reason: 'dx reason' }, { as: 'json' });
  s.wait('run-once/down', '/vms/{{vm}}', 'down', { timeout: 60 });
  s.act('start/no-disk', '/vms/{{vmJson}}/start');
  s.wait('start/no-disk/up', '/vms/{{vmJson}}', 'up', { timeout: 40 });
  s.act('start/no-disk/stop', '/vms/{{vmJson}}/stop');
  s.wait('start/no-disk/down', '/vms/{{vmJson}}', 'down', { timeout: 40 });
  s.act('start/hd-only', '/vms/{{vmType}}/start', {
    vm: { os: { boot: { devices: { device: ['hd'] } } } },
  });
  s.act('start/stateless', '/vms/{{vmType}}/start', { vm: { stateless: true } });
  s.act('start/cloud-init', '/vms/{{vmType}}/start', {
    use_cloud_init: true,
    vm: { initialization: { host_name: 'dx', user_name: 'root' } },
  });
  s.act('start/cleanup', '/vms/{{vmType}}/stop');
  s.wait('start/cleanup/down', '/vms/{{vmType}}', 'down', { timeout: 40 });
  s.act('maintenance', '/vms/{{vm}}/maintenance', { maintenance_enabled: true });
  s.act('autopin', '/vms/{{vmPinned}}/autopincpuandnumanodes', { optimize_cpu_settings: true });

  for (const search of [
    'name=dx_vm',
    'name=dx*',
    'status=down',
    'status=Down',
    'status=image_locked',
    'status=ImageLocked',
    'cluster=dx_cluster',
    'Clusters.name=dx_cluster',
    'datacenter=dx_dc',
    'Hosts.name=dx_host',
    'Storage.name=dx_sd',
    'Templates.name=Blank',
    'os=rhel_8x64',
    'type=server',
    'memory=1024',
    'memory>512',
    'vcpus=1',
    'description=described',
    'comment=commented',
    'id={{vm}}',
    'tag=x',
    'quota=dx_quota',
    'pool=x',
    'users.name=admin',
    'users.usrname=admin',
    'creationdate>yesterday',
    'uptime>1',
    'fqdn=x',
    'ip=192.0.2.1',
    'apps=x',
    'custom_emulated_machine=*rhel*',
    'compatibility_level=4.7',
    'custom_compatibility_level=4.7',
    'next_run_config_exists=true',
    'bios_type=q35_sea_bios',
    'architecture=x86_64',
    'created_by_user_id=x',
    'domain=example.com',
    'vnic_profile.network_name=dx_net',
    'Events.type=34',
    'name=dx_vm or name=dx_vm_full',
    'name=dx_vm name=dx_vm_full',
    'name=dx_vm and status=down',
    'name!=dx_vm and name=dx*',
    'dx_vm',
    'sortby name',
    'sortby name asc',
    'sortby name desc',
    'SORTBY NAME ASC PAGE 1',
    'sortby name asc page 2',
    'sortby name page 2',
    'sortby memory',
    'sortby nonsense asc',
    'page 1',
    'page 0',
    'page x',
    'name="dx_vm"',
    'name="dx_vm',
    "name='dx_vm'",
    'name=dx_vm;',
    '(name=dx_vm)',
    'name=',
    'name',
    '=',
    'and',
    'name=dx_vm and',
    'nonsense=1',
    'memory=abc',
    'status=nonsense',
    'name>a',
    'name = dx_vm',
    'NAME=DX_VM',
    'name=null',
    'name=""',
    'name=dx_v_',
    'name=dx%',
    'name=*_vm',
    'not name=dx_vm',
  ])
    s.get(
      `search/${search}`,
      `/vms?search=${encodeURIComponent(search).replaceAll('%7B%7B', '{{').replaceAll('%7D%7D', '}}')}`,
      { topic: 'search of vms' },
    );
  for (const query of [
    'max=2',
    'max=2&search=sortby name asc page 2',
    'max=0',
    'max=-1',
    'max=-1&search=name=dx*',
    'max=abc',
    'max=99999999999',
    'case_sensitive=true&search=NAME=DX_VM',
    'case_sensitive=false&search=name=DX_VM',
    'case_sensitive=true&search=name=DX_VM',
    'case_sensitive&search=name=DX_VM',
    'filter=true',
    'filter=true&search=name=dx*',
    'filter=true&max=1&search=sortby name asc',
    'detail=size',
    'search=name=dx_vm&search=name=dx_vm_full',
    'all_content=true&search=name=dx_vm',
    'current',
  ])
    s.get(
      `list/${query}`,
      `/vms?${query
        .split('&')
        .map((pair) =>
          pair.split('=').length > 1
            ? `${pair.slice(0, pair.indexOf('='))}=${encodeURIComponent(pair.slice(pair.indexOf('=') + 1))}`
            : pair,
        )
        .join('&')}`,
    );
  s.get('list/matrix', '/vms;max=1?search=sortby%20name%20asc');
  s.get('list/matrix-search', '/vms;search=name%3Ddx_vm;max=5');
}
