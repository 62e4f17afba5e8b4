/** Responses to actions in dialects that follow a deployed engine: contents, and the form of refusals. */

/** Types whose actions return their object, with the actions that do not. */
const answering: Readonly<Record<string, readonly string[]>> = {
  cluster: ['reset_emulated_machine', 'refresh_gluster_heal_status'],
  disk: [],
  host: [
    'setup_networks',
    'iscsi_discover',
    'discover_iscsi',
    'unregistered_storage_domains_discover',
  ],
  job: ['end'],
  storage_domain: ['is_attached', 'update_ovf_store', 'refresh_luns', 'reduce_luns'],
  template: [],
  vm: [],
};

/**
 * Attributes that the object of a response shows in addition to its id, actions and links, by its
 * path template.
 */
const shownAttributes: Readonly<Record<string, readonly string[]>> = {
  '/datacenters/{datacenter}/storagedomains/{storagedomain}': ['data_center', 'data_centers'],
  '/storagedomains/{storagedomain}/templates/{template}': ['storage_domain'],
  '/storagedomains/{storagedomain}/vms/{vm}': ['storage_domain'],
};

/** Members of the object in the response to an action. */
export function listShownMembers(service: string): readonly string[] {
  return ['id', 'href', 'actions', 'link', ...(shownAttributes[service] ?? [])];
}

/** Actions whose response does not repeat the request. */
const withoutSent: ReadonlySet<string> = new Set([
  'data_center.clean_finished_tasks',
  'data_center.set_master',
  'storage_domain.is_attached',
  'storage_domain.reduce_luns',
  'storage_domain.refresh_luns',
  'storage_domain.update_ovf_store',
]);

/** Actions whose response has no job, although they open one. */
const withoutJob: ReadonlySet<string> = new Set(['disk.move']);

/** Actions that continue after the response, which is 202 unless the request has `async=false`. */
const continued: ReadonlySet<string> = new Set(['vm.preview_snapshot', 'vm.undo_snapshot']);

/** More actions that are refused with a plain fault instead of an action that contains the fault. */
const refusedPlainly: ReadonlySet<string> = new Set([
  'event.undelete',
  'external_host_provider.import_certificates',
  'external_host_provider.test_connectivity',
  'graphics_console.proxy_ticket',
  'graphics_console.ticket',
  'host.discover_iscsi',
  'host.iscsi_discover',
  'host.setup_networks',
  'host.unregistered_storage_domains_discover',
  'host_nic.update_virtual_functions_configuration',
  'openstack_image_provider.import_certificates',
  'openstack_image_provider.test_connectivity',
  'openstack_network_provider.import_certificates',
  'openstack_network_provider.test_connectivity',
  'openstack_volume_provider.import_certificates',
  'openstack_volume_provider.test_connectivity',
  'vm.ticket',
]);

interface ActionName {
  readonly type: string;
  readonly name: string;
  readonly path: string;
}

/** Whether the response to an action contains its object. */
export function returnsObject({ type, name, path }: ActionName): boolean {
  const without = answering[type];
  // Objects that wait for their registration are not part of the inventory.
  return without !== undefined && !without.includes(name) && !path.endsWith('/register');
}

/** Whether the response to an action repeats the request. */
export function returnsRequest({ type, name }: ActionName): boolean {
  return !withoutSent.has(`${type}.${name}`);
}

/** Whether the response to an action refers to its job. */
export function returnsJob({ type, name }: ActionName): boolean {
  return !withoutJob.has(`${type}.${name}`);
}

/** Whether the action continues after the response. */
export function continuesAfterResponse({ type, name }: ActionName): boolean {
  return continued.has(`${type}.${name}`);
}

/** Whether the refusal of an action is a plain fault. */
export function hasPlainRefusal({ type, name }: ActionName): boolean {
  const action = `${type}.${name}`;
  return refusedPlainly.has(action) || withoutSent.has(action);
}

/** All actions of the tables, as `type.action`. */
export const namedActions: readonly string[] = [
  ...Object.entries(answering).flatMap(([type, names]) => names.map((name) => `${type}.${name}`)),
  ...withoutSent,
  ...withoutJob,
  ...continued,
  ...refusedPlainly,
];

/** Path templates of objects in the tables. */
export const namedServices: readonly string[] = Object.keys(shownAttributes);
