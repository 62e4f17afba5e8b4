/** Events of pools of machines. */
import type { EventTexts } from './notation.ts';

export const poolEvents = {
  302: {
    name: 'POOL_ADDED',
    severity: 'normal',
    text: 'VM pool {VmPoolName} was created with its VMs by {UserName}.',
  },
  304: {
    name: 'POOL_REMOVED',
    severity: 'normal',
    text: 'VM pool {VmPoolName} was removed by {UserName}.',
  },
  321: {
    name: 'POOL_REMOVAL_STARTED',
    severity: 'normal',
    text: 'VM pool {VmPoolName} removal was initiated by {UserName}.',
  },
  308: {
    name: 'VM_DETACHED_FROM_POOL',
    severity: 'normal',
    text: 'VM {VmName} was detached from VM pool {VmPoolName} by {UserName}.',
  },
  314: {
    name: 'POOL_CHANGED',
    severity: 'normal',
    text: 'VM pool {VmPoolName} was updated by {UserName}.',
  },
} as const satisfies EventTexts;
