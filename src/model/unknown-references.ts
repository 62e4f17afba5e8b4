/** Unknown references: status of the refusal if the object in a reference does not exist. */

/**
 * 404: the service has no such object. 400: a bad value of the attribute. 409: a conflict. `gone`: 404 like an
 * unknown id in the path.
 */
export type RefusedStatus = 400 | 404 | 409 | 'gone';

interface Statuses {
  readonly byId: RefusedStatus;
  readonly byName: RefusedStatus;
}

const badValue: Statuses = { byId: 400, byName: 400 };
const gone: Statuses = { byId: 'gone', byName: 'gone' };

/** Statuses by type and attribute. Other unknown references are refused with 404. */
const statuses: Readonly<Record<string, Statuses>> = {
  'affinity_group.hosts': badValue,
  'affinity_group.vms': badValue,
  'affinity_label.hosts': badValue,
  'affinity_label.vms': badValue,
  'balance.scheduling_policy_unit': badValue,
  'cluster.mac_pool': badValue,
  'cluster.external_network_providers': gone,
  'cluster.scheduling_policy': badValue,
  'cpu_profile.qos': badValue,
  'data_center.mac_pool': badValue,
  'disk.disk_profile': badValue,
  'disk.quota': badValue,
  'disk_attachment.disk': badValue,
  'disk_profile.qos': badValue,
  'filter.scheduling_policy_unit': badValue,
  // The engine resolves the name before the command runs.
  'host.cluster': { byId: 400, byName: 404 },
  'host.external_host_provider': { byId: 409, byName: 404 },
  'iscsi_bond.networks': badValue,
  'iscsi_bond.storage_connections': badValue,
  'network.data_center': { byId: 400, byName: 404 },
  'network.qos': badValue,
  'nic.vnic_profile': badValue,
  'permission.group': badValue,
  'permission.role': badValue,
  'permission.user': badValue,
  'role.permits': badValue,
  'storage_domain_lease.storage_domain': badValue,
  'template.cpu_profile': badValue,
  'template.quota': badValue,
  'template_version.base_template': badValue,
  'vm.cpu_profile': badValue,
  'vm.quota': badValue,
  'vm_placement_policy.hosts': { byId: 409, byName: 404 },
  'vnic_profile.network_filter': badValue,
  'vnic_profile.qos': badValue,
  'weight.scheduling_policy_unit': badValue,
};

/** Attributes of the table, as `type.attribute`. */
export const refusedReferences: readonly string[] = Object.keys(statuses);

/** Status of the refusal of an unknown reference in an attribute. */
export function getUnknownReferenceStatus(
  type: string,
  attribute: string,
  { id }: { readonly id?: unknown },
): RefusedStatus {
  const found = statuses[`${type}.${attribute}`];
  return (id === undefined ? found?.byName : found?.byId) ?? 404;
}
