/** Unknown ids in paths: the responses of a deployed engine, by operation. */

const answerNames = [
  'gone',
  'fault',
  'refused',
  'bare',
  'conflict',
  'empty',
  'listed',
  'done',
] as const;

/**
 * `gone`: 404 without a body. `fault`: 404 with a fault. `refused`: 400 with a fault; of actions inside of the
 * action. `bare`: 400 with a fault alone, of actions too. `conflict`: 409 with a fault. `empty`: 200 with an
 * empty list. `listed`: 200 with the list that rules compute from the id alone. `done`: 200 with a completed
 * action.
 */
export type UnknownIdAnswer = (typeof answerNames)[number];

const answers: Readonly<Record<UnknownIdAnswer, readonly string[]>> = {
  gone: [
    // The engine reads the parent first.
    'GET /affinitylabels/{label}/hosts',
    'GET /affinitylabels/{label}/vms',
    'GET /clusters/{cluster}/externalnetworkproviders',
    'GET /clusters/{cluster}/glustervolumes',
    'GET /clusters/{cluster}/glustervolumes/{volume}/glusterbricks',
    'GET /datacenters/{datacenter}/iscsibonds/{iscsibond}/networks',
    'GET /datacenters/{datacenter}/iscsibonds/{iscsibond}/storageserverconnections',
    'GET /domains/{domain}/groups',
    'GET /domains/{domain}/users',
    'GET /externalhostproviders/{provider}/certificates',
    'GET /externalhostproviders/{provider}/computeresources',
    'GET /externalhostproviders/{provider}/discoveredhosts',
    'GET /externalhostproviders/{provider}/hostgroups',
    'GET /hosts/{host}/externalnetworkproviderconfigurations',
    'GET /hosts/{host}/networkattachments',
    'GET /hosts/{host}/nics/{nic}/networkattachments',
    'GET /hosts/{host}/unmanagednetworks',
    'GET /instancetypes/{instancetype}/graphicsconsoles',
    'GET /openstackimageproviders/{provider}/certificates',
    'GET /openstacknetworkproviders/{provider}/certificates',
    'GET /openstackvolumeproviders/{provider}/certificates',
    'GET /storagedomains/{storagedomain}/templates/{template}/disks',
    'GET /storagedomains/{storagedomain}/vms/{vm}/diskattachments',
    'GET /storagedomains/{storagedomain}/vms/{vm}/disks',
    'GET /templates/{template}/cdroms',
    'GET /templates/{template}/graphicsconsoles',
    'GET /vms/{vm}/applications',
    'GET /vms/{vm}/backups/{backup}/disks',
    'GET /vms/{vm}/cdroms',
    'GET /vms/{vm}/checkpoints/{checkpoint}/disks',
    'GET /vms/{vm}/graphicsconsoles',
    'GET /vms/{vm}/sessions',
    // The engine reads the object of the action first.
    'POST /clusters/{cluster}/resetemulatedmachine',
    'POST /datacenters/{datacenter}/storagedomains/{storagedomain}/disks/{disk}/sparsify',
    'POST /disks/{disk}/reduce',
    'POST /disks/{disk}/sparsify',
    'POST /externalhostproviders/{provider}/testconnectivity',
    'POST /hosts/{host}/setupnetworks',
    'POST /openstackimageproviders/{provider}/testconnectivity',
    'POST /openstacknetworkproviders/{provider}/testconnectivity',
    'POST /openstackvolumeproviders/{provider}/testconnectivity',
    'POST /storagedomains/{storagedomain}/disks/{disk}/reduce',
    'POST /storagedomains/{storagedomain}/disks/{disk}/sparsify',
  ],
  fault: [
    'GET /disks/{disk}/statistics',
    'GET /hosts/{host}/nics',
    'GET /hosts/{host}/statistics',
    'GET /schedulingpolicies/{policy}/balances',
    'GET /schedulingpolicies/{policy}/filters',
    'GET /schedulingpolicies/{policy}/weights',
    'GET /storagedomains/{storagedomain}/disks/{disk}/statistics',
    'GET /datacenters/{datacenter}/storagedomains/{storagedomain}/disks/{disk}/statistics',
    'GET /storagedomains/{storagedomain}/files',
    'GET /storagedomains/{storagedomain}/templates',
    'GET /storagedomains/{storagedomain}/vms',
    'GET /vms/{vm}/nics/{nic}/statistics',
    'GET /vms/{vm}/snapshots/{snapshot}',
    'GET /vms/{vm}/snapshots/{snapshot}/cdroms',
    'GET /vms/{vm}/snapshots/{snapshot}/disks',
    'GET /vms/{vm}/snapshots/{snapshot}/nics',
    'GET /vms/{vm}/statistics',
    'PUT /vms/{vm}/diskattachments/{attachment}',
    'DELETE /vms/{vm}/snapshots/{snapshot}',
  ],
  refused: [
    'GET /clusters/{cluster}/affinitygroups/{group}',
    'GET /externalhostproviders/{provider}/hosts',
    'GET /hosts/{host}/nics/{nic}/linklayerdiscoveryprotocolelements',
    'GET /hosts/{host}/storage',
    'GET /openstackimageproviders/{provider}/images',
    'GET /openstackimageproviders/{provider}/images/{image}',
    'GET /openstacknetworkproviders/{provider}/networks/{network}',
    'GET /openstacknetworkproviders/{provider}/networks/{network}/subnets',
    'GET /storagedomains/{storagedomain}/disks',
    'GET /datacenters/{datacenter}/storagedomains/{storagedomain}/disks',
    'GET /storagedomains/{storagedomain}/images',
    'DELETE /affinitylabels/{label}',
    'DELETE /clusters/{cluster}/affinitygroups/{group}',
    'DELETE /clusters/{cluster}/affinitygroups/{group}/hostlabels/{label}',
    'DELETE /clusters/{cluster}/affinitygroups/{group}/hosts/{host}',
    'DELETE /clusters/{cluster}/affinitygroups/{group}/vmlabels/{label}',
    'DELETE /clusters/{cluster}/affinitygroups/{group}/vms/{vm}',
    'DELETE /vms/{vm}/diskattachments/{attachment}',
    'DELETE /vms/{vm}/nics/{nic}/networkfilterparameters/{parameter}',
  ],
  bare: [
    'POST /datacenters/{datacenter}/cleanfinishedtasks',
    'POST /datacenters/{datacenter}/storagedomains/{storagedomain}/disks/{disk}/register',
    'POST /storagedomains/{storagedomain}/refreshluns',
    'POST /storagedomains/{storagedomain}/updateovfstore',
  ],
  conflict: ['DELETE /clusters/{cluster}/enabledfeatures/{feature}'],
  empty: [],
  // Every user has the roles of the group Everyone.
  listed: ['GET /groups/{group}/roles', 'GET /users/{user}/roles'],
  done: [
    'POST /clusters/{cluster}/syncallnetworks',
    'POST /imagetransfers/{imagetransfer}/cancel',
    'POST /imagetransfers/{imagetransfer}/extend',
    'POST /imagetransfers/{imagetransfer}/finalize',
    'POST /imagetransfers/{imagetransfer}/pause',
    'POST /imagetransfers/{imagetransfer}/resume',
  ],
};

const exceptions = new Map<string, UnknownIdAnswer>(
  answerNames.flatMap((answer) =>
    answers[answer].map((operation): [string, UnknownIdAnswer] => [operation, answer]),
  ),
);

/** All operations of the table. */
export const namedOperations: readonly string[] = [...exceptions.keys()];

/** HTTP status of each answer. */
export const unknownIdStatuses: Readonly<Record<UnknownIdAnswer, number>> = {
  gone: 404,
  fault: 404,
  refused: 400,
  bare: 400,
  conflict: 409,
  empty: 200,
  listed: 200,
  done: 200,
};

interface Asked {
  readonly http: string;
  readonly path: string;
  readonly name: string;
  readonly isAction: boolean;
}

/** Response of an engine to a path with a valid id without an object. */
export function getUnknownIdAnswer({ http, path, name, isAction }: Asked): UnknownIdAnswer {
  const exception = exceptions.get(`${http} ${path}`);
  if (exception) return exception;
  if (isAction) return 'refused';
  if (name !== 'list') return 'gone';
  return path.endsWith('/permissions') ? 'listed' : 'empty';
}
