/** Empty collections in JSON, in dialects that write them without an array. */

/** Collections that keep their array nevertheless, by path template. */
export const emptyArrays: ReadonlySet<string> = new Set([
  '/diskprofiles',
  '/clusters/{cluster}/affinitygroups/{group}/hostlabels',
  '/clusters/{cluster}/affinitygroups/{group}/vmlabels',
  '/hosts/{host}/affinitylabels',
  '/hosts/{host}/hooks',
  '/users/{user}/groups',
  '/users/{user}/options',
  '/users/{user}/sshpublickeys',
  '/vms/{vm}/affinitylabels',
  '/vms/{vm}/numanodes',
]);
