/** Additional arguments and preparation for a run of all operations. */
import { sampleId } from '../../../src/model/notation/commands.ts';

export interface Step {
  readonly line: string;
  /** Commands to run before; absent: those of the example. */
  readonly before?: readonly string[];
  /** A command that prints the id of the object that the step is about. */
  readonly maker?: string;
}

/** Operations that the stand-in refuses: exit code, words, and why. */
export const refusals: Readonly<
  Record<string, readonly [code: number, says: string, reason: string]>
> = {
  'POST /vms/{vm}/cdroms': [
    6,
    'Every VM has exactly one',
    'a machine has its drive from the start',
  ],
  'POST /hosts/{host}/approve': [6, 'awaits approval', 'no host asks to be approved by itself'],
  'POST /clusters/{cluster}/glustervolumes/{volume}/stoprebalance': [
    6,
    'No rebalance is in progress',
    'a rebalance ends at once here',
  ],
  'DELETE /groups/{group}/roles/{role}': [
    6,
    'Roles that come with the service do not change',
    'a role of ones own cannot be removed while the group has it',
  ],
};

const volume = 'node1.example.com:/bricks/b1 --cluster Default --volume vol1';

/** Explicit command lines: a flag would set an attribute instead of the parent, or names differ. */
const lines: Readonly<Record<string, string>> = {
  'DELETE /clusters/{cluster}/glustervolumes/{volume}/glusterbricks/{brick}': `vmctl glusterbricks delete ${volume}`,
  'POST /clusters/{cluster}/cpuprofiles':
    'vmctl cpuprofiles create --name capped --on clusters/Default',
  'POST /datacenters/{datacenter}/clusters':
    "vmctl clusters create --name test --cpu-type 'Intel Haswell Family' --on datacenters/Default",
  'POST /datacenters/{datacenter}/networks':
    'vmctl networks create --name backup --on datacenters/Default',
  'POST /networks/{network}/vnicprofiles':
    'vmctl vnicprofiles create --name visitors --on networks/frontend',
  'POST /storagedomains/{storagedomain}/diskprofiles':
    'vmctl diskprofiles create --name fast --on storagedomains/data2',
  'POST /users/{user}/permissions':
    'vmctl permissions grant --role UserVmManager --on users/jane@internal --object vms/web02',
  'POST /groups/{group}/permissions':
    'vmctl permissions grant --role UserVmManager --on groups/operators --object vms/web02',
};

/** Statistics by the prefix of their parent. */
const statistics: readonly (readonly [start: string, name: string])[] = [
  ['GET /hosts', 'memory.total'],
  ['GET /clusters', 'memory.free.size'],
];

/** Returns the command line of an operation with its preparation. */
export function createStep(operation: string, usual: string): Step {
  const line = lines[operation] ?? usual;
  if (/\/permissions\/\{permission\}$/.test(operation)) {
    const [, owner = ''] = line.split(sampleId);
    const to = owner.includes('--group') ? '' : ' --user jane@internal';
    const about = /^$|--user|--group/.test(owner) ? ' --object vms/web02' : '';
    const whose = owner.includes('--user') ? '' : owner;
    return {
      line,
      before: [],
      maker: `permissions grant --role UserTemplateBasedVm${to}${whose}${about}`,
    };
  }
  if (/\/tags\/\{tag\}$/.test(operation)) {
    const [, owner = ''] = line.split('production');
    return { line, before: [`tags assign production${owner}`] };
  }
  if (/ \/groups\/\{group\}\/roles/.test(operation)) {
    const role = operation.startsWith('PUT') ? 'Operator' : 'UserVmManager';
    return {
      line: line.replace('UserVmManager', role),
      before: [`permissions grant --role ${role} --group operators --object vms/web01`],
    };
  }
  if (operation.includes(' /disks/{disk}/disksnapshots/')) {
    return { line: line.replace('--disk root', '--disk web01_Disk1') };
  }
  const [, name] = statistics.find(([start]) => operation.startsWith(start)) ?? [];
  return { line: name === undefined ? line : line.replace('memory.used', name) };
}
