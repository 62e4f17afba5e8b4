/** Empty lists in the JSON of a deployed engine: an empty object, or an object with an empty array. */

/** Collections whose empty list has an empty array. Other empty lists are empty objects. */
export const withEmptyArray: ReadonlySet<string> = new Set([
  '/clusters/{cluster}/affinitygroups/{group}/hostlabels',
  '/clusters/{cluster}/affinitygroups/{group}/vmlabels',
  '/diskprofiles',
  '/hosts/{host}/affinitylabels',
  '/hosts/{host}/hooks',
  '/users/{user}/groups',
  '/users/{user}/options',
  '/users/{user}/sshpublickeys',
  '/vms/{vm}/affinitylabels',
  '/vms/{vm}/numanodes',
]);

/** List attributes that are empty objects if they are empty. Other attributes have an empty array. */
export const emptyObjects: ReadonlySet<string> = new Set([
  'host_nic.properties',
  'network.usages',
  'power_management.pm_proxies',
  'sso.methods',
  'statistic.values',
  'vm.disk_attachments',
]);
