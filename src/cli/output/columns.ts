/**
 * Which columns a table has when nobody asks for others. A column is an attribute path; `a=` in
 * front gives it another title, and `x*y` multiplies two attributes.
 */
import { attributesOf, isIdentified, parseKind } from '../../model/index.ts';
import type { Attribute } from '../../model/notation/attributes.ts';

export interface Column {
  /** Head of the column, and its name in csv. */
  readonly title: string;
  /** Attribute paths; the values of more than one are multiplied. */
  readonly paths: readonly string[];
}

interface Defaults {
  readonly columns: string;
  /** Links that have to be followed for these columns. */
  readonly follow?: string;
}

const cpus = 'cpus=cpu.topology.sockets*cpu.topology.cores*cpu.topology.threads';

/** By type, chosen for those who look after these things every day. */
const defaults: Readonly<Record<string, Defaults>> = {
  vm: { columns: `name status host.name cluster.name memory ${cpus} fqdn` },
  host: { columns: 'name status address cluster.name spm=spm.status memory vms=summary.total' },
  cluster: { columns: 'name data_center.name cpu=cpu.type version description' },
  data_center: { columns: 'name status local version description' },
  storage_domain: {
    columns:
      'name type storage=storage.type status data_center=data_centers.name available used master',
  },
  disk: {
    columns:
      'name=alias status storage_domains.name provisioned_size actual_size format content_type id',
  },
  nic: { columns: 'name mac=mac.address interface vnic_profile.name linked plugged id' },
  host_nic: { columns: 'name status mac=mac.address speed mtu network.name ip=ip.address id' },
  disk_attachment: {
    columns: 'disk=disk.alias size=disk.provisioned_size interface bootable active read_only id',
    follow: 'disk',
  },
  network: { columns: 'name data_center.name vlan=vlan.id mtu usages description' },
  event: { columns: 'id time severity code description' },
  template: {
    columns: `name version=version.version_number status cluster.name memory ${cpus}`,
  },
  user: { columns: 'user_name name last_name domain.name email id' },
  group: { columns: 'name domain.name id' },
  image_transfer: { columns: 'id phase direction disk=disk.alias transferred', follow: 'disk' },
  snapshot: { columns: 'description status=snapshot_status type=snapshot_type date id' },
  job: { columns: 'description status start_time end_time id' },
  step: { columns: 'number type status progress description id' },
  permission: {
    columns:
      'role.name user=user.user_name group.name vm.name host.name cluster.name data_center.name storage_domain.name disk=disk.alias id',
  },
  statistic: { columns: 'name value=values.datum unit type description' },
  vnic_profile: { columns: 'name network.name port_mirroring migratable id' },
  cdrom: { columns: 'id file=file.id' },
  cpu_profile: { columns: 'name cluster.name description id' },
  disk_profile: { columns: 'name storage_domain.name description id' },
  disk_snapshot: { columns: 'alias status provisioned_size actual_size format id' },
  gluster_volume: { columns: 'name volume_type status replica_count id' },
  gluster_brick: { columns: 'name status server_id brick_dir id' },
  affinity_group: {
    columns:
      'name vms_positive=vms_rule.positive vms_enforcing=vms_rule.enforcing hosts_positive=hosts_rule.positive hosts_enforcing=hosts_rule.enforcing id',
  },
  bookmark: { columns: 'name value id' },
  tag: { columns: 'name description id' },
  cluster_level: { columns: 'id' },
  domain: { columns: 'name description id' },
  role: { columns: 'name administrative mutable description id' },
  file: { columns: 'id name type' },
  host_storage: { columns: 'id type size=logical_units.size status=logical_units.status' },
  icon: { columns: 'id media_type' },
  graphics_console: { columns: 'protocol address port tls_port id' },
  instance_type: { columns: `name memory ${cpus} description id` },
  operating_system: { columns: 'name description architecture id' },
  application: { columns: 'name id' },
  storage_connection: { columns: 'type address path target port id' },
  quota: {
    columns:
      'name cluster_soft=cluster_soft_limit_pct cluster_hard=cluster_hard_limit_pct storage_soft=storage_soft_limit_pct storage_hard=storage_hard_limit_pct description id',
  },
  vm_pool: { columns: 'name size prestarted_vms max_user_vms type cluster.name' },
};

/** Members of a reference that are looked up where an answer has only its id. */
export const nameMembers = ['name', 'alias', 'user_name'] as const;

const defaultLimit = 6;

/** Reads one column: `title=path`, `path`, `path*path`. */
export function columnOf(text: string): Column {
  const at = text.indexOf('=');
  const paths = text.slice(at + 1).split('*');
  const path = paths[0] ?? '';
  return { title: at > 0 ? text.slice(0, at) : path.replace(/(.)\.name$/, '$1'), paths };
}

/** The columns that a table of this type has by itself. */
export function defaultColumns(type: string): readonly Column[] {
  const resolved = defaults[type]?.columns.split(' ') ?? ruleColumns(type);
  return resolved.map(columnOf);
}

/** What has to be followed for the columns that a table of this type has by itself. */
export function defaultFollow(type: string): string | undefined {
  return defaults[type]?.follow;
}

/** For every other type: its name, its state, the first plain attributes it has, its id. */
function ruleColumns(type: string): readonly string[] {
  const attributes = Object.entries(attributesOf(type));
  const identified = isIdentified(type);
  const plain = attributes
    .filter(([name, attribute]) => isTelling(name, attribute))
    .map(([name, attribute]) => (parseKind(attribute.kind).form === 'ref' ? `${name}.name` : name));
  const first = identified ? ['name'] : [];
  const status = attributes.some(([name]) => name === 'status') ? ['status'] : [];
  const rest = plain.filter((name) => name !== 'status').slice(0, defaultLimit - first.length);
  return [...first, ...status, ...rest, ...(identified ? ['id'] : [])];
}

function isTelling(name: string, attribute: Attribute): boolean {
  if (attribute.writeOnly || ['name', 'comment', 'password'].includes(name)) return false;
  const { form, list, of } = parseKind(attribute.kind);
  return !list && (form === 'ref' || form === 'enum' || (form === 'scalar' && of !== ''));
}
