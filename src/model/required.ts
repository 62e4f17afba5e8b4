/**
 * Attributes without which an object is not added and an action is not run (specification 4.5).
 * `cluster.id|name` asks for one of the two; an alternative that begins with `/` is a member of the
 * whole object. What the path already says, such as the data center
 * of `/datacenters/{datacenter}/networks`, need not be sent.
 */

/** By type: what `add` asks for. */
export const requiredOnAdd: Readonly<Record<string, readonly string[]>> = {
  affinity_group: ['name'],
  affinity_label: ['name'],
  agent: ['address', 'order', 'type', 'username', 'password'],
  balance: ['scheduling_policy_unit.id'],
  bookmark: ['name', 'value'],
  cdrom: ['file.id'],
  cluster: ['name', 'cpu.type', 'data_center.id|name'],
  cpu_profile: ['name', 'cluster.id'],
  data_center: ['name', 'local'],
  disk: ['provisioned_size', 'format'],
  disk_profile: ['name', 'storage_domain.id'],
  event: ['origin', 'severity', 'custom_id', 'description'],
  external_host_provider: ['name', 'url'],
  external_vm_import: ['provider', 'url', 'name', 'cluster.id|name', 'storage_domain.id|name'],
  filter: ['scheduling_policy_unit.id'],
  gluster_brick: ['server_id', 'brick_dir'],
  gluster_volume: ['name', 'volume_type', 'bricks'],
  graphics_console: ['protocol'],
  group: ['name'],
  host: ['name', 'address', 'root_password|ssh.authentication_method|ssh.user.password'],
  host_device: ['id|name'],
  image_transfer: ['disk.id|image.id|snapshot.id'],
  instance_type: ['name'],
  iscsi_bond: ['name'],
  job: ['description'],
  mac_pool: ['name', 'ranges'],
  network: ['name', 'data_center.id|name'],
  network_attachment: ['network.id|name'],
  network_filter_parameter: ['name', 'value'],
  network_label: ['id'],
  nic: ['name'],
  openstack_image_provider: ['name', 'url'],
  openstack_network_provider: ['name', 'url'],
  openstack_volume_provider: ['name', 'url'],
  permission: ['role.id|name'],
  qos: ['name', 'type'],
  quota: ['name'],
  role: ['name', 'permits'],
  scheduling_policy: ['name'],
  snapshot: ['description'],
  ssh_public_key: ['content'],
  step: ['type', 'description'],
  storage_connection: ['type'],
  storage_connection_extension: ['target', 'username', 'password'],
  storage_domain: ['host.id|name', 'type', 'storage'],
  tag: ['name'],
  template: ['name', 'vm.id|name'],
  user: ['user_name'],
  virtual_numa_node: ['index', 'memory', 'cpu'],
  vm: [
    'cluster.id|name',
    'name|/initialization.configuration',
    'template.id|name|/snapshots|/initialization.configuration',
  ],
  vm_pool: ['name', 'cluster.id|name', 'template.id|name'],
  vnic_profile: ['name', 'network.id'],
  watchdog: ['action', 'model'],
  weight: ['scheduling_policy_unit.id'],
};

/** By path: collections whose `add` asks for something else, because it attaches what exists. */
export const requiredOnAttach: Readonly<Record<string, readonly string[]>> = {
  '/datacenters/{datacenter}/storagedomains': ['id|name'],
  '/clusters/{cluster}/networks': ['id|name'],
  '/storagedomains/{storagedomain}/storageconnections': ['id'],
  '/datacenters/{datacenter}/iscsibonds/{iscsibond}/storageserverconnections': ['id'],
  '/datacenters/{datacenter}/iscsibonds/{iscsibond}/networks': ['id|name'],
  '/roles/{role}/permits': ['id|name'],
};

/** By type: what `add` asks for instead where one of these members is sent. */
export const requiredOnAddWith: Readonly<
  Record<string, Readonly<Record<string, readonly string[]>>>
> = { disk: { lun_storage: ['lun_storage.type'] } };

/** By kind of stored object, where it is not that of its type. */
export const requiredOnAddOfKind: Readonly<Record<string, readonly string[]>> = {
  unregistered_disk: ['id'],
};

/** By the last segment of the path: collections of references, wherever they occur. */
export const requiredOnReference: Readonly<Record<string, readonly string[]>> = {
  affinitylabels: ['id'],
  hostlabels: ['id|name'],
  vmlabels: ['id|name'],
  hosts: ['id|name'],
  vms: ['id|name'],
  tags: ['id|name'],
  virtualfunctionallowednetworks: ['id|name'],
};

/** By service path and action: elements of the action body. */
export const requiredByAction: Readonly<Record<string, readonly string[]>> = {
  '/vms/{vm}/clone': ['vm.name'],
  '/vms/{vm}/previewsnapshot': ['snapshot.id'],
  '/vms/{vm}/maintenance': ['maintenance_enabled'],
  '/vms/{vm}/autopincpuandnumanodes': ['optimize_cpu_settings'],
  '/disks/{disk}/move': ['storage_domain.id|name'],
  '/disks/{disk}/copy': ['storage_domain.id|name'],
  '/disks/{disk}/export': ['storage_domain.id|name'],
  '/storagedomains/{storagedomain}/disks/{disk}/move': ['storage_domain.id|name'],
  '/storagedomains/{storagedomain}/disks/{disk}/copy': ['storage_domain.id|name'],
  '/storagedomains/{storagedomain}/disks/{disk}/export': ['storage_domain.id|name'],
  '/datacenters/{datacenter}/storagedomains/{storagedomain}/disks/{disk}/move': [
    'storage_domain.id|name',
  ],
  '/datacenters/{datacenter}/storagedomains/{storagedomain}/disks/{disk}/copy': [
    'storage_domain.id|name',
  ],
  '/datacenters/{datacenter}/storagedomains/{storagedomain}/disks/{disk}/export': [
    'storage_domain.id|name',
  ],
  '/hosts/{host}/fence': ['fence_type'],
  '/hosts/{host}/iscsidiscover': ['iscsi.address'],
  '/hosts/{host}/iscsilogin': ['iscsi.address', 'iscsi.target'],
  '/hosts/{host}/nics/{nic}/updatevirtualfunctionsconfiguration': [
    'virtual_functions_configuration.number_of_virtual_functions|virtual_functions_configuration.all_networks_allowed',
  ],
  '/clusters/{cluster}/glustervolumes/{volume}/setoption': ['option.name', 'option.value'],
  '/clusters/{cluster}/glustervolumes/{volume}/resetoption': ['option.name'],
  '/clusters/{cluster}/glustervolumes/{volume}/glusterbricks/migrate': ['bricks'],
  '/clusters/{cluster}/glustervolumes/{volume}/glusterbricks/stopmigrate': ['bricks'],
  '/clusters/{cluster}/glustervolumes/{volume}/glusterbricks/activate': ['bricks'],
  '/clusters/{cluster}/glusterhooks/{hook}/resolve': ['resolution_type'],
};
