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
  936: {
    name: 'TEMPLATE_NIC_ADDED',
    severity: 'normal',
    text: 'Interface {NicName} ({NicInterface}) was added to template {TemplateName} by {UserName}.',
  },
  938: {
    name: 'TEMPLATE_NIC_REMOVED',
    severity: 'normal',
    text: 'Interface {NicName} was removed from template {TemplateName} by {UserName}.',
  },
  940: {
    name: 'TEMPLATE_NIC_UPDATED',
    severity: 'normal',
    text: 'Interface {NicName} was updated for template {TemplateName} by {UserName}.',
  },
  10910: {
    name: 'NIC_FILTER_PARAMETER_REMOVED',
    severity: 'normal',
    text: 'Network filter parameter {ObjectName} was removed from interface {NicName} of VM {VmName} by {UserName}.',
  },
  10912: {
    name: 'NIC_FILTER_PARAMETER_ADDED',
    severity: 'normal',
    text: 'Network filter parameter {ObjectName} was added to interface {NicName} of VM {VmName} by {UserName}.',
  },
  10914: {
    name: 'NIC_FILTER_PARAMETER_UPDATED',
    severity: 'normal',
    text: 'Network filter parameter {ObjectName} of interface {NicName} of VM {VmName} was updated by {UserName}.',
  },
} as const satisfies EventTexts;
