/** Events of the network interfaces of machines. */
import type { EventTexts } from './notation.ts';

export const deviceEvents = {
  930: {
    name: 'NIC_REMOVED',
    severity: 'normal',
    text: 'Interface {NicName} was removed from VM {VmName} by {UserName}.',
  },
  932: {
    name: 'NIC_ADDED',
    severity: 'normal',
    text: 'Interface {NicName} ({NicInterface}) was added to VM {VmName} by {UserName}.',
  },
  934: {
    name: 'NIC_UPDATED',
    severity: 'normal',
    text: 'Interface {NicName} was updated for VM {VmName} by {UserName}.',
  },
  1012: {
    name: 'NIC_PLUGGED',
    severity: 'normal',
    text: 'Interface {NicName} was plugged into VM {VmName} by {UserName}.',
  },
  1014: {
    name: 'NIC_UNPLUGGED',
    severity: 'normal',
    text: 'Interface {NicName} was unplugged from VM {VmName} by {UserName}.',
  },
} as const satisfies EventTexts;
