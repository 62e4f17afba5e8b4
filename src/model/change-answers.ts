/** Responses to POST and PUT requests in dialects that follow a deployed engine: states and attributes. */

/** Attributes that the response to an update shows if the request contains them. */
export const shownWhenSent: Readonly<Record<string, readonly string[]>> = {
  user: ['user_options'],
};

/** States that the response to a POST request shows for each new object, by collection. */
export const statesOfNew: Readonly<Record<string, string>> = {
  '/datacenters/{datacenter}/storagedomains': 'active',
  '/hosts': 'unassigned',
  '/storagedomains': 'unknown',
  '/templates': 'locked',
};

/** Attributes that the response to a POST request lacks, because the storage has not reported them, by type. */
export const absentInNew: Readonly<Record<string, readonly string[]>> = {
  disk: ['qcow_version'],
};
