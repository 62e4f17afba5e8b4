/** Types of the vm configuration family (specification 2.4). */
import { types } from '../notation.ts';

export const vmConfigurationTypes = types({
  bios: {
    attributes: {
      boot_menu: { kind: 'struct boot_menu', mut: 'CU' },
      type: { kind: 'enum bios_type', mut: 'CU' },
    },
  },
  boot_menu: {
    attributes: {
      enabled: { kind: 'bool', mut: 'CU' },
    },
  },
  boot: {
    attributes: {
      devices: { kind: 'list enum boot_device', mut: 'CU' },
    },
  },
  operating_system: {
    tag: 'os',
    attributes: {
      type: { kind: 'string', mut: 'CU' },
      boot: { kind: 'struct boot', mut: 'CU' },
      kernel: { kind: 'string', mut: 'CU' },
      initrd: { kind: 'string', mut: 'CU' },
      cmdline: { kind: 'string', mut: 'CU' },
      reported_kernel_cmdline: { kind: 'string', mut: 'CU' },
      custom_kernel_cmdline: { kind: 'string', mut: 'CU' },
      description: { kind: 'string', mut: 'CU' },
      version: { kind: 'struct version', mut: 'CU' },
    },
  },
  configuration: {
    attributes: {
      type: { kind: 'enum configuration_type', mut: 'CU' },
      data: { kind: 'string', mut: 'CU' },
    },
  },
  initialization: {
    attributes: {
      configuration: { kind: 'struct configuration', mut: 'CU' },
      cloud_init: { kind: 'struct cloud_init', mut: 'CU' },
      host_name: { kind: 'string', mut: 'CU' },
      domain: { kind: 'string', mut: 'CU' },
      timezone: { kind: 'string', mut: 'CU' },
      authorized_ssh_keys: { kind: 'string', mut: 'CU' },
      regenerate_ssh_keys: { kind: 'bool', mut: 'CU' },
      regenerate_ids: { kind: 'bool', mut: 'CU' },
      dns_servers: { kind: 'string', mut: 'CU' },
      dns_search: { kind: 'string', mut: 'CU' },
      nic_configurations: { kind: 'list struct nic_configuration', mut: 'CU' },
      windows_license_key: { kind: 'string', mut: 'CU' },
      root_password: { kind: 'string', mut: 'CU' },
      custom_script: { kind: 'string', mut: 'CU' },
      input_locale: { kind: 'string', mut: 'CU' },
      ui_language: { kind: 'string', mut: 'CU' },
      system_locale: { kind: 'string', mut: 'CU' },
      user_locale: { kind: 'string', mut: 'CU' },
      user_name: { kind: 'string', mut: 'CU' },
      active_directory_ou: { kind: 'string', mut: 'CU' },
      org_name: { kind: 'string', mut: 'CU' },
      cloud_init_network_protocol: { kind: 'enum cloud_init_network_protocol', mut: 'CU' },
    },
  },
  cloud_init: {
    attributes: {
      host: { kind: 'struct host', mut: 'CU' },
      authorized_keys: { kind: 'list struct authorized_key', mut: 'CU' },
      network_configuration: { kind: 'struct network_configuration', mut: 'CU' },
      regenerate_ssh_keys: { kind: 'bool', mut: 'CU' },
      timezone: { kind: 'string', mut: 'CU' },
      users: { kind: 'list struct user', mut: 'CU' },
      files: { kind: 'list struct file', mut: 'CU' },
    },
  },
  network_configuration: {
    attributes: {
      nics: { kind: 'list struct nic', mut: 'CU' },
      dns: { kind: 'struct dns', mut: 'CU' },
    },
  },
  nic_configuration: {
    attributes: {
      name: { kind: 'string', mut: 'CU' },
      ip: { kind: 'struct ip', mut: 'CU' },
      boot_protocol: { kind: 'enum boot_protocol', mut: 'CU' },
      ipv6: { kind: 'struct ip', mut: 'CU' },
      ipv6_boot_protocol: { kind: 'enum boot_protocol', mut: 'CU' },
      on_boot: { kind: 'bool', mut: 'CU' },
    },
  },
  dns: {
    attributes: {
      servers: { kind: 'list struct host', mut: 'CU' },
      search_domains: { kind: 'list struct host', mut: 'CU' },
    },
  },
  console: {
    attributes: {
      enabled: { kind: 'bool', mut: 'CU' },
    },
  },
  cpu: {
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
  },
  cpu_topology: {
    attributes: {
      sockets: { kind: 'int', mut: 'CU' },
      cores: { kind: 'int', mut: 'CU' },
      threads: { kind: 'int', mut: 'CU' },
    },
  },
  cpu_tune: {
    attributes: {
      vcpu_pins: { kind: 'list struct vcpu_pin', mut: 'CU' },
    },
  },
  vcpu_pin: {
    attributes: {
      vcpu: { kind: 'int', mut: 'CU' },
      cpu_set: { kind: 'string', mut: 'CU' },
    },
  },
  core: {
    attributes: {
      index: { kind: 'int', mut: 'CU' },
      socket: { kind: 'int', mut: 'CU' },
    },
  },
  cpu_type: {
    attributes: {
      name: { kind: 'string', mut: 'CU' },
      level: { kind: 'int', mut: 'CU' },
      architecture: { kind: 'enum architecture', mut: 'CU' },
    },
  },
  dynamic_cpu: {
    attributes: {
      topology: { kind: 'struct cpu_topology', mut: 'CU' },
      cpu_tune: { kind: 'struct cpu_tune', mut: 'CU' },
    },
  },
  custom_property: {
    attributes: {
      name: { kind: 'string', mut: 'CU' },
      value: { kind: 'string', mut: 'CU' },
      regexp: { kind: 'string', mut: 'CU' },
    },
  },
  display: {
    attributes: {
      type: { kind: 'enum display_type', mut: 'CU' },
      video_type: { kind: 'enum video_type', mut: 'CU' },
      address: { kind: 'string', mut: 'CU' },
      port: { kind: 'int', mut: 'CU' },
      secure_port: { kind: 'int', mut: 'CU' },
      monitors: { kind: 'int', mut: 'CU' },
      single_qxl_pci: { kind: 'bool', mut: 'CU' },
      allow_override: { kind: 'bool', mut: 'CU' },
      certificate: { kind: 'struct certificate', mut: 'CU' },
      smartcard_enabled: { kind: 'bool', mut: 'CU' },
      keyboard_layout: { kind: 'string', mut: 'CU' },
      proxy: { kind: 'string', mut: 'CU' },
      file_transfer_enabled: { kind: 'bool', mut: 'CU' },
      copy_paste_enabled: { kind: 'bool', mut: 'CU' },
      disconnect_action: { kind: 'string', mut: 'CU' },
      disconnect_action_delay: { kind: 'int', mut: 'CU' },
    },
  },
  guest_operating_system: {
    attributes: {
      architecture: { kind: 'string', mut: 'CU' },
      codename: { kind: 'string', mut: 'CU' },
      distribution: { kind: 'string', mut: 'CU' },
      kernel: { kind: 'struct kernel', mut: 'CU' },
      family: { kind: 'string', mut: 'CU' },
      version: { kind: 'struct version', mut: 'CU' },
    },
  },
  kernel: {
    attributes: {
      version: { kind: 'struct version', mut: 'CU' },
    },
  },
  high_availability: {
    attributes: {
      enabled: { kind: 'bool', mut: 'CU' },
      priority: { kind: 'int', mut: 'CU' },
    },
  },
  io: {
    attributes: {
      threads: { kind: 'int', mut: 'CU' },
    },
  },
  memory_policy: {
    attributes: {
      guaranteed: { kind: 'long', mut: 'CU' },
      max: { kind: 'long', mut: 'CU' },
      ballooning: { kind: 'bool', mut: 'CU' },
      over_commit: { kind: 'struct memory_over_commit', mut: 'CU' },
      transparent_hugepages: { kind: 'struct transparent_huge_pages', mut: 'CU' },
    },
  },
  memory_over_commit: {
    attributes: {
      percent: { kind: 'int', mut: 'CU' },
    },
  },
  transparent_huge_pages: {
    tag: 'transparent_hugepages',
    attributes: {
      enabled: { kind: 'bool', mut: 'CU' },
    },
  },
  migration_options: {
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
  },
  migration_bandwidth: {
    attributes: {
      assignment_method: { kind: 'enum migration_bandwidth_assignment_method', mut: 'CU' },
      custom_value: { kind: 'int', mut: 'CU' },
    },
  },
  migration_policy: {
    identified: true,
    attributes: {},
  },
  numa_node_pin: {
    attributes: {
      host_numa_node: { kind: 'struct numa_node', mut: 'CU' },
      pinned: { kind: 'bool', mut: 'CU' },
      index: { kind: 'int', mut: 'CU' },
    },
  },
  payload: {
    attributes: {
      files: { kind: 'list struct file', mut: 'CU' },
      volume_id: { kind: 'string', mut: 'CU' },
      type: { kind: 'enum vm_device_type', mut: 'CU' },
    },
  },
  rate: {
    attributes: {
      bytes: { kind: 'int', mut: 'CU' },
      period: { kind: 'int', mut: 'CU' },
    },
  },
  rng_device: {
    attributes: {
      rate: { kind: 'struct rate', mut: 'CU' },
      source: { kind: 'enum rng_source', mut: 'CU' },
    },
  },
  serial_number: {
    attributes: {
      policy: { kind: 'enum serial_number_policy', mut: 'CU' },
      value: { kind: 'string', mut: 'CU' },
    },
  },
  sso: {
    attributes: {
      methods: { kind: 'list struct method', mut: 'CU' },
    },
  },
  method: {
    attributes: {
      id: { kind: 'enum sso_method', mut: 'CU' },
    },
  },
  storage_domain_lease: {
    attributes: {
      storage_domain: { kind: 'ref storage_domain', mut: 'CU' },
    },
  },
  template_version: {
    attributes: {
      version_number: { kind: 'int', mut: 'CU' },
      version_name: { kind: 'string', mut: 'CU' },
      base_template: { kind: 'ref template', mut: 'CU' },
    },
  },
  ticket: {
    attributes: {
      value: { kind: 'string', mut: 'CU' },
      expiry: { kind: 'int', mut: 'CU' },
    },
  },
  proxy_ticket: {
    attributes: {
      value: { kind: 'string', mut: 'CU' },
    },
  },
  time_zone: {
    attributes: {
      name: { kind: 'string', mut: 'CU' },
      utc_offset: { kind: 'string', mut: 'CU' },
    },
  },
  usb: {
    attributes: {
      enabled: { kind: 'bool', mut: 'CU' },
      type: { kind: 'enum usb_type', mut: 'CU' },
    },
  },
  virtio_scsi: {
    attributes: {
      enabled: { kind: 'bool', mut: 'CU' },
    },
  },
  vm_placement_policy: {
    attributes: {
      affinity: { kind: 'enum vm_affinity', mut: 'CU' },
      hosts: { kind: 'links host', mut: 'CU' },
    },
  },
  authorized_key: {
    identified: true,
    attributes: {
      key: { kind: 'string', mut: 'CU' },
      user: { kind: 'ref user', mut: 'CU' },
    },
  },
});
