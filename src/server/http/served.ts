/** What the model declares and no rule makes up yet: answered with 501. */
export const unservedTypes: ReadonlySet<string> = new Set([
  'gluster_brick',
  'gluster_hook',
  'gluster_volume',
  'system_option',
]);
