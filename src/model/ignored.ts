/**
 * What the service accepts and leaves without effect, and why: `docs/coverage.md` shows it. Whatever
 * is not in these tables is read by the server, and a test has seen what it does.
 */

export interface IgnoredParameter {
  readonly in: 'query' | 'body';
  readonly parameter: string;
  /** `PUT *` for all updates, or methods and paths. */
  readonly operations: readonly string[];
  readonly why: string;
}

const volume = '/clusters/{cluster}/glustervolumes/{volume}';
const contents = '/storagedomains/{storagedomain}';

/** Operations below a data center are those below the cluster: they are not named once more. */
export const ignoredParameters: readonly IgnoredParameter[] = [
  {
    in: 'query',
    parameter: 'async',
    operations: ['PUT *'],
    why: 'a change is made when it is answered',
  },
  {
    in: 'query',
    parameter: 'case_sensitive',
    operations: [
      `GET ${contents}/templates/{template}/disks`,
      `GET ${contents}/vms/{vm}/disks`,
      'GET /datacenters/{datacenter}/iscsibonds/{iscsibond}/networks',
    ],
    why: 'it belongs to a search, and these collections have none',
  },
  {
    in: 'query',
    parameter: 'follow',
    operations: ['GET /'],
    why: 'the entry point has links to collections alone; whoever wants one asks for it',
  },
  {
    in: 'query',
    parameter: 'force',
    operations: [
      'DELETE /templates/{template}/diskattachments/{attachment}',
      'DELETE /openstackvolumeproviders/{provider}',
      'PUT /storageconnections/{storageconnection}',
      'PUT /datacenters/{datacenter}/iscsibonds/{iscsibond}/storageserverconnections/{storageconnection}',
      `POST ${volume}/glusterbricks`,
    ],
    why: 'nothing is refused that force could overcome',
  },
  {
    in: 'query',
    parameter: 'host',
    operations: [
      'DELETE /storageconnections/{storageconnection}',
      'DELETE /datacenters/{datacenter}/iscsibonds/{iscsibond}/storageserverconnections/{storageconnection}',
    ],
    why: 'no host has to log out of a connection that leads nowhere',
  },
  {
    in: 'query',
    parameter: 'unregistered',
    operations: [
      `GET ${contents}/disks/{disk}`,
      `GET /datacenters/{datacenter}${contents}/disks/{disk}`,
    ],
    why: 'an id names one disk, whether it is in the inventory or not',
  },
  {
    in: 'body',
    parameter: 'authorized_key',
    operations: ['POST /vms/{vm}/start'],
    why: 'deployed services do not read it: keys are in initialization.authorized_ssh_keys',
  },
  {
    in: 'body',
    parameter: 'filter',
    operations: [
      'POST /vms/{vm}/start',
      `POST ${contents}/disks/{disk}/move`,
      `POST /datacenters/{datacenter}${contents}/disks/{disk}/move`,
      'POST /disks/{disk}/copy',
      'POST /disks/{disk}/export',
      'POST /disks/{disk}/move',
    ],
    why: 'permits decide about what is named in an action, whichever way it is looked up',
  },
  {
    in: 'body',
    parameter: 'follow',
    operations: ['POST /disks/{disk}/convert'],
    why: 'an action has no links to follow',
  },
  {
    in: 'body',
    parameter: 'force',
    operations: [
      `POST ${volume}/rebalance`,
      `POST ${volume}/resetoption`,
      `POST ${volume}/stop`,
      `POST ${volume}/glusterbricks/{brick}/replace`,
    ],
    why: 'Gluster is simulated, and has nothing of the kind that force overcomes',
  },
  {
    in: 'body',
    parameter: 'force',
    operations: ['POST /datacenters/{datacenter}/storagedomains/{storagedomain}/deactivate'],
    why: 'it goes on when the OVF store cannot be written, which does not happen here',
  },
  {
    in: 'body',
    parameter: 'force',
    operations: ['POST /jobs/{job}/end', 'POST /jobs/{job}/steps/{step}/end'],
    why: 'clients end only jobs of their own, which they always may',
  },
  {
    in: 'body',
    parameter: 'image',
    operations: ['POST /hosts/{host}/install', 'POST /hosts/{host}/upgrade'],
    why: 'it is for nodes, and simulated hosts are none',
  },
  {
    in: 'body',
    parameter: 'timeout',
    operations: ['POST /hosts/{host}/upgrade'],
    why: 'the upgrade of a simulated host always ends, and how soon is up to --speed',
  },
  {
    in: 'body',
    parameter: 'host',
    operations: ['POST /hosts/{host}/approve', 'POST /hosts/{host}/install'],
    why: 'simulated hosts are reached without credentials',
  },
  {
    in: 'body',
    parameter: 'lease',
    operations: ['POST /vms/{vm}/previewsnapshot'],
    why: 'the lease of a machine stays where it is while a snapshot is shown',
  },
  {
    in: 'body',
    parameter: 'vm',
    operations: ['POST /vms/{vm}/previewsnapshot', `POST ${contents}/templates/{template}/import`],
    why: 'the configuration is that of the snapshot or template',
  },
  {
    in: 'body',
    parameter: 'exclusive',
    operations: [
      `POST ${contents}/templates/{template}/import`,
      `POST ${contents}/templates/{template}/register`,
      `POST ${contents}/vms/{vm}/import`,
    ],
    why: 'what is in the inventory is never replaced: such an import is refused',
  },
  {
    in: 'body',
    parameter: 'collapse_snapshots',
    operations: [`POST ${contents}/vms/{vm}/import`],
    why: 'an import always takes the disks as they are, without snapshots',
  },
  {
    in: 'body',
    parameter: 'discard_snapshots',
    operations: ['POST /vms/{vm}/export'],
    why: 'an export always takes the disks as they are, without snapshots',
  },
];

/** Actions that are accepted and change nothing that can be seen, and why. */
export const actionsWithoutEffect: Readonly<Record<string, string>> = {
  'POST /clusters/{cluster}/refreshglusterhealstatus':
    'no attribute shows what waits to be healed; it is refused where there is no Gluster',
  'POST /clusters/{cluster}/resetemulatedmachine':
    'no attribute shows the emulated machine of a cluster; it is refused while hosts are up',
  'POST /datacenters/{datacenter}/cleanfinishedtasks':
    'no task of the storage outlives its end here; an event is written',
  'POST /reloadconfigurations':
    'the command line is the configuration, and is in force already; an event is written',
};

/** Operations that this service always refuses, and why: no test can see them succeed. */
export const refusedOperations: Readonly<Record<string, string>> = {
  'DELETE /groups/{group}/roles/{role}':
    'a group has it, so it is in use; `DELETE /roles/{role}` removes others',
  'DELETE /users/{user}/roles/{role}':
    'a user has it, so it is in use; `DELETE /roles/{role}` removes others',
  'DELETE /schedulingpolicyunits/{unit}':
    'all units are a part of the service; those of a scheduler outside of it could be removed',
  'POST /vms/{vm}/cdroms': 'a machine has one drive from the beginning, and never another',
};
