/** Events of pools of machines. */
import type { EventTexts } from './notation.ts';

export const poolEvents = {
  POOL_ADDED: {
    code: 302,
    severity: 'normal',
    text: 'VM pool {VmPoolName} was created with its VMs by {UserName}.',
  },
  POOL_REMOVED: {
    code: 304,
    severity: 'normal',
    text: 'VM pool {VmPoolName} was removed by {UserName}.',
  },
  POOL_REMOVAL_STARTED: {
    code: 321,
    severity: 'normal',
    text: 'VM pool {VmPoolName} removal was initiated by {UserName}.',
  },
  VM_DETACHED_FROM_POOL: {
    code: 308,
    severity: 'normal',
    text: 'VM {VmName} was detached from VM pool {VmPoolName} by {UserName}.',
  },
  POOL_CHANGED: {
    code: 314,
    severity: 'normal',
    text: 'VM pool {VmPoolName} was updated by {UserName}.',
  },
} as const satisfies EventTexts;
