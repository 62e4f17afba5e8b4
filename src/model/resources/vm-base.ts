/** Common attributes of VMs, templates and instance types: hardware, firmware, policies. */
import { structure } from '../notation/resource.ts';

export const vmBase = structure('vm_base', {
  doc: 'Attributes of VMs, templates and instance types.',
  identified: true,
  unwritten: ['origin', 'custom_emulated_machine', 'small_icon', 'large_icon'],
  attributes: {
    name: {
      kind: 'string',
      mut: 'CU',
      doc: 'Name (at most 64 letters, digits, `.`, `_` or `-`); unique among VMs, or among templates of the data center.',
    },
    description: {
      kind: 'string',
      mut: 'CU',
      length: [0, 255],
      default: '',
      doc: 'Description (at most 255 characters).',
    },
    comment: { kind: 'string', mut: 'CU', default: '' },
    type: {
      kind: 'enum vm_type',
      mut: 'CU',
      doc: 'Workload type (default: that of the template).',
    },
    memory: {
      kind: 'long',
      unit: 'bytes',
      mut: 'CU',
      doc: 'Memory in bytes, a multiple of 1 MiB (default: that of the template).',
    },
    cpu: {
      kind: 'struct cpu',
      mut: 'CU',
      doc: 'CPU topology (default 1 socket, core and thread), mode and tuning; the cluster sets the architecture.',
    },
    cpu_shares: {
      kind: 'int',
      mut: 'CU',
      default: 0,
      doc: 'CPU shares, 0 to 262144; 0 is the default of the host.',
    },
    bios: {
      kind: 'struct bios',
      mut: 'CU',
      doc: 'Firmware (default: that of the cluster) and boot menu.',
    },
    os: {
      kind: 'struct operating_system',
      mut: 'CU',
      doc: 'Operating system and boot devices (default: hard disk).',
    },
    creation_time: { kind: 'date', mut: 'R' },
    origin: {
      kind: 'string',
      mut: 'CU',
      doc: 'Product that the VM comes from, for example vmware.',
    },
    stateless: { kind: 'bool', mut: 'CU', default: false },
    delete_protected: { kind: 'bool', mut: 'CU', default: false },
    tunnel_migration: {
      kind: 'bool',
      mut: 'CU',
      doc: 'Migration through a tunnel between the hosts.',
    },
    start_paused: { kind: 'bool', mut: 'CU', default: false },
    virtio_scsi_multi_queues_enabled: {
      kind: 'bool',
      mut: 'CU',
      default: false,
      doc: 'Several queues for each VirtIO-SCSI controller.',
    },
    tpm_enabled: { kind: 'bool', mut: 'CU', default: false, doc: 'Virtual TPM device.' },
    high_availability: {
      kind: 'struct high_availability',
      mut: 'CU',
      doc: 'Restart on another host after a failure, with a priority from 0 to 100.',
    },
    display: {
      kind: 'struct display',
      mut: 'CU',
      doc: 'Graphics console: protocol, monitors and client integration.',
    },
    sso: {
      kind: 'struct sso',
      mut: 'CU',
      doc: 'Single sign-on to the guest (default: guest agent).',
    },
    rng_device: {
      kind: 'struct rng_device',
      mut: 'CU',
      doc: 'Random number device, with all_content only.',
    },
    console: { kind: 'struct console', mut: 'CU', doc: 'Serial console, with all_content only.' },
    domain: {
      kind: 'struct domain',
      mut: 'CU',
      doc: 'Domain that the guest joins at its first start.',
    },
    usb: { kind: 'struct usb', mut: 'CU', doc: 'USB support (default disabled).' },
    soundcard_enabled: {
      kind: 'bool',
      mut: 'CU',
      doc: 'Sound card.',
    },
    migration_downtime: {
      kind: 'int',
      mut: 'CU',
      default: -1,
      doc: 'Maximum downtime of a migration in milliseconds (default -1: that of the cluster).',
    },
    virtio_scsi: {
      kind: 'struct virtio_scsi',
      mut: 'CU',
      doc: 'Virtio SCSI (default: enabled if the operating system supports it).',
    },
    serial_number: { kind: 'struct serial_number', mut: 'CU' },
    migration: {
      kind: 'struct migration_options',
      mut: 'CU',
      doc: 'Migration policy (default: that of the cluster).',
    },
    io: { kind: 'struct io', mut: 'CU', doc: 'Number of I/O threads, 0 to 127 (default 1).' },
    custom_properties: { kind: 'list struct custom_property', mut: 'CU' },
    custom_emulated_machine: {
      kind: 'string',
      mut: 'CU',
      length: [0, 30],
      doc: 'Machine type of QEMU instead of that of the cluster.',
    },
    custom_cpu_model: {
      kind: 'string',
      mut: 'CU',
      length: [0, 255],
      doc: 'CPU model instead of that of the cluster.',
    },
    time_zone: { kind: 'struct time_zone', mut: 'CU' },
    small_icon: {
      kind: 'struct icon',
      mut: 'CU',
      doc: 'Small icon (default: that of the operating system).',
    },
    large_icon: {
      kind: 'struct icon',
      mut: 'CU',
      doc: 'Large icon (default: that of the operating system).',
    },
    initialization: {
      kind: 'struct initialization',
      mut: 'CU',
      doc: 'Guest initialization; the configuration is shown with all_content.',
    },
    memory_policy: {
      kind: 'struct memory_policy',
      mut: 'CU',
      sentWith: 'memory',
      doc: 'Guaranteed memory, maximum memory and ballooning (default: derived from the memory).',
    },
    custom_compatibility_version: { kind: 'struct version', mut: 'CU' },
    cluster: { kind: 'ref cluster', mut: 'CU', doc: 'Cluster by name or id.' },
    storage_domain: {
      kind: 'ref storage_domain',
      mut: 'C',
      writeOnly: true,
      doc: 'Storage domain for new disks.',
    },
    cpu_profile: {
      kind: 'ref cpu_profile',
      mut: 'CU',
      doc: 'CPU profile (default: that of the cluster).',
    },
    quota: {
      kind: 'ref quota',
      mut: 'CU',
      withoutAddress: true,
      doc: 'Quota (default: that of the data center).',
    },
    lease: { kind: 'struct storage_domain_lease', mut: 'CU' },
    storage_error_resume_behaviour: {
      kind: 'enum vm_storage_error_resume_behaviour',
      mut: 'CU',
      default: 'auto_resume',
      doc: 'After a storage error: leave_paused, auto_resume or kill.',
    },
    placement_policy: {
      kind: 'struct vm_placement_policy',
      mut: 'CU',
      doc: 'Allowed hosts, and migration mode (default migratable).',
    },
    multi_queues_enabled: {
      kind: 'bool',
      mut: 'CU',
      default: true,
      doc: 'Several queues for each NIC.',
    },
    virtio_scsi_multi_queues: {
      kind: 'int',
      mut: 'CU',
      doc: 'Number of queues for each VirtIO-SCSI controller; enables several queues.',
    },
    auto_pinning_policy: {
      kind: 'enum auto_pinning_policy',
      mut: 'CU',
      default: 'disabled',
      doc: 'Deprecated; use cpu_pinning_policy.',
    },
    cpu_pinning_policy: {
      kind: 'enum cpu_pinning_policy',
      mut: 'CU',
      default: 'none',
      doc: 'CPU pinning: none, manual, resize_and_pin_numa, dedicated or isolate_threads.',
    },
  },
});

export const bios = structure('bios', {
  attributes: {
    boot_menu: { kind: 'struct boot_menu', mut: 'CU' },
    type: { kind: 'enum bios_type', mut: 'CU' },
  },
});

export const bootMenu = structure('boot_menu', {
  attributes: {
    enabled: { kind: 'bool', mut: 'CU' },
  },
});

export const boot = structure('boot', {
  attributes: {
    devices: { kind: 'list enum boot_device', mut: 'CU' },
  },
});

export const operatingSystem = structure('operating_system', {
  tag: 'os',
  attributes: {
    type: { kind: 'string', mut: 'CU' },
    boot: { kind: 'struct boot', mut: 'CU' },
    kernel: { kind: 'string', mut: 'CU', length: [0, 4000] },
    initrd: { kind: 'string', mut: 'CU', length: [0, 4000] },
    cmdline: { kind: 'string', mut: 'CU', length: [0, 4000] },
    reported_kernel_cmdline: { kind: 'string', mut: 'CU' },
    custom_kernel_cmdline: { kind: 'string', mut: 'CU' },
    description: { kind: 'string', mut: 'CU' },
    version: { kind: 'struct version', mut: 'CU' },
  },
});

export const console = structure('console', {
  attributes: {
    enabled: { kind: 'bool', mut: 'CU' },
  },
});

export const cpu = structure('cpu', {
  attributes: {
    type: { kind: 'string', mut: 'CU' },
    topology: { kind: 'struct cpu_topology', mut: 'CU' },
    level: { kind: 'int', mut: 'CU' },
    name: { kind: 'string', mut: 'CU' },
    speed: { kind: 'decimal', mut: 'CU' },
    cpu_tune: { kind: 'struct cpu_tune', mut: 'CU' },
    mode: { kind: 'enum cpu_mode', mut: 'CU' },
    architecture: { kind: 'enum architecture', mut: 'CU' },
    cores: { kind: 'list struct core', mut: 'CU' },
  },
});

export const cpuTopology = structure('cpu_topology', {
  attributes: {
    sockets: { kind: 'int', mut: 'CU' },
    cores: { kind: 'int', mut: 'CU' },
    threads: { kind: 'int', mut: 'CU' },
  },
});

export const cpuTune = structure('cpu_tune', {
  attributes: {
    vcpu_pins: { kind: 'list struct vcpu_pin', mut: 'CU' },
  },
});

export const vcpuPin = structure('vcpu_pin', {
  attributes: {
    vcpu: { kind: 'int', mut: 'CU' },
    cpu_set: { kind: 'string', mut: 'CU' },
  },
});

export const core = structure('core', {
  attributes: {
    index: { kind: 'int', mut: 'CU' },
    socket: { kind: 'int', mut: 'CU' },
  },
});

export const display = structure('display', {
  unwritten: ['address', 'port', 'secure_port', 'certificate'],
  attributes: {
    type: { kind: 'enum display_type', mut: 'CU' },
    // A video device without a protocol determines the protocol of the console.
    video_type: { kind: 'enum video_type', mut: 'CU', decides: 'type' },
    address: { kind: 'string', mut: 'CU' },
    port: { kind: 'int', mut: 'CU' },
    secure_port: { kind: 'int', mut: 'CU' },
    monitors: { kind: 'int', mut: 'CU' },
    single_qxl_pci: { kind: 'bool', mut: 'CU' },
    allow_override: { kind: 'bool', mut: 'CU' },
    certificate: { kind: 'struct certificate', mut: 'CU' },
    smartcard_enabled: { kind: 'bool', mut: 'CU' },
    keyboard_layout: { kind: 'string', mut: 'CU' },
    proxy: { kind: 'string', mut: 'CU', length: [0, 255] },
    file_transfer_enabled: { kind: 'bool', mut: 'CU' },
    copy_paste_enabled: { kind: 'bool', mut: 'CU' },
    disconnect_action: { kind: 'string', mut: 'CU' },
    disconnect_action_delay: { kind: 'int', mut: 'CU' },
  },
});

export const highAvailability = structure('high_availability', {
  attributes: {
    enabled: { kind: 'bool', mut: 'CU' },
    priority: { kind: 'int', mut: 'CU' },
  },
});

export const io = structure('io', {
  attributes: {
    threads: { kind: 'int', mut: 'CU' },
  },
});

export const memoryPolicy = structure('memory_policy', {
  attributes: {
    guaranteed: { kind: 'long', unit: 'bytes', mut: 'CU' },
    max: { kind: 'long', unit: 'bytes', mut: 'CU' },
    ballooning: { kind: 'bool', mut: 'CU' },
    over_commit: { kind: 'struct memory_over_commit', mut: 'CU' },
    transparent_hugepages: { kind: 'struct transparent_huge_pages', mut: 'CU' },
  },
});

export const memoryOverCommit = structure('memory_over_commit', {
  attributes: {
    percent: { kind: 'int', mut: 'CU' },
  },
});

export const transparentHugePages = structure('transparent_huge_pages', {
  tag: 'transparent_hugepages',
  attributes: {
    enabled: { kind: 'bool', mut: 'CU' },
  },
});

export const migrationOptions = structure('migration_options', {
  tag: 'migration',
  attributes: {
    auto_converge: { kind: 'enum inheritable_boolean', mut: 'CU' },
    compressed: { kind: 'enum inheritable_boolean', mut: 'CU' },
    encrypted: { kind: 'enum inheritable_boolean', mut: 'CU' },
    parallel_migrations_policy: { kind: 'enum parallel_migrations_policy', mut: 'CU' },
    custom_parallel_migrations: { kind: 'int', mut: 'CU' },
    bandwidth: { kind: 'struct migration_bandwidth', mut: 'CU' },
    policy: { kind: 'ref migration_policy', mut: 'CU' },
  },
});

export const migrationBandwidth = structure('migration_bandwidth', {
  attributes: {
    assignment_method: { kind: 'enum migration_bandwidth_assignment_method', mut: 'CU' },
    custom_value: { kind: 'int', mut: 'CU' },
  },
});

export const migrationPolicy = structure('migration_policy', {
  identified: true,
  attributes: {},
});

export const rngDevice = structure('rng_device', {
  attributes: {
    rate: { kind: 'struct rate', mut: 'CU' },
    source: { kind: 'enum rng_source', mut: 'CU' },
  },
});

export const serialNumber = structure('serial_number', {
  attributes: {
    policy: { kind: 'enum serial_number_policy', mut: 'CU' },
    value: { kind: 'string', mut: 'CU', length: [0, 255] },
  },
});

export const sso = structure('sso', {
  attributes: {
    methods: { kind: 'list struct method', mut: 'CU' },
  },
});

export const storageDomainLease = structure('storage_domain_lease', {
  attributes: {
    storage_domain: { kind: 'ref storage_domain', mut: 'CU' },
  },
});

export const timeZone = structure('time_zone', {
  attributes: {
    name: { kind: 'string', mut: 'CU' },
    utc_offset: { kind: 'string', mut: 'CU' },
  },
});

export const usb = structure('usb', {
  attributes: {
    enabled: { kind: 'bool', mut: 'CU' },
    type: { kind: 'enum usb_type', mut: 'CU' },
  },
});

export const virtioScsi = structure('virtio_scsi', {
  attributes: {
    enabled: { kind: 'bool', mut: 'CU' },
  },
});

export const vmPlacementPolicy = structure('vm_placement_policy', {
  attributes: {
    affinity: { kind: 'enum vm_affinity', mut: 'CU' },
    hosts: { kind: 'links host', mut: 'CU' },
  },
});
