/** Working folders of VMs: the limit of their paths, and the end of a process that they show. */
import { maxSocketPathLength } from '../../images/index.ts';
import type { VmExit } from '../../server/core/hypervisor.ts';
import { FolderError } from '../../server/files/access.ts';
import { readLastMessage, readRun } from './launch.ts';

/** Longest path of a socket below the folder of all VMs: the id of a VM, and a name. */
const longestSocket = '/00000000-0000-0000-0000-000000000000/serial';

/** Throws a `FolderError` if sockets in the folders of VMs would have too long paths. */
export function requireShortPath(folder: string): void {
  const max = maxSocketPathLength - longestSocket.length;
  if (Buffer.byteLength(folder) <= max) return;
  throw new FolderError(
    `--hypervisor qemu: the path ${folder} has more than ${max} bytes, the limit of sockets.`,
    'use --data DIR with a shorter path',
  );
}

/** The end of a process that the server did not observe, from its working folder. */
export function describeEnd(folder: string): VmExit {
  if (readRun(folder) === undefined) {
    return { cause: 'unknown', message: 'Exit message: the VM has no QEMU process.' };
  }
  const message = readLastMessage(folder);
  const reason = message === undefined ? '' : `: ${message.replace(/\.$/, '')}`;
  return { cause: 'crash', message: `Exit message: the QEMU process ended unexpectedly${reason}.` };
}
