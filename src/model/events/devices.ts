/** Events of VM NICs. */
import type { EventTexts } from '../notation/events.ts';

export const deviceEvents = {
  NIC_REMOVED: {
    code: 930,
    severity: 'normal',
    text: 'Interface {NicName} was removed from VM {VmName} by {UserName}.',
  },
  NIC_ADDED: {
    code: 932,
    severity: 'normal',
    text: 'Interface {NicName} ({NicInterface}) was added to VM {VmName} by {UserName}.',
  },
  NIC_UPDATED: {
    code: 934,
    severity: 'normal',
    text: 'Interface {NicName} was updated for VM {VmName} by {UserName}.',
  },
  NIC_PLUGGED: {
    code: 1012,
    severity: 'normal',
    text: 'Interface {NicName} was plugged into VM {VmName} by {UserName}.',
  },
  NIC_UNPLUGGED: {
    code: 1014,
    severity: 'normal',
    text: 'Interface {NicName} was unplugged from VM {VmName} by {UserName}.',
  },
  NIC_UPDATE_FAILED: {
    code: 935,
    severity: 'error',
    text: 'Failed to update interface {NicName} for VM {VmName}. User: {UserName}.',
  },
  NIC_PLUG_FAILED: {
    code: 1013,
    severity: 'error',
    text: 'Failed to plug interface {NicName} into VM {VmName}. User: {UserName}.',
  },
  NIC_UNPLUG_FAILED: {
    code: 1015,
    severity: 'error',
    text: 'Failed to unplug interface {NicName} from VM {VmName}. User: {UserName}.',
  },
  TEMPLATE_NIC_ADDED: {
    code: 936,
    severity: 'normal',
    text: 'Interface {NicName} ({NicInterface}) was added to template {TemplateName} by {UserName}.',
  },
  TEMPLATE_NIC_REMOVED: {
    code: 938,
    severity: 'normal',
    text: 'Interface {NicName} was removed from template {TemplateName} by {UserName}.',
  },
  TEMPLATE_NIC_UPDATED: {
    code: 940,
    severity: 'normal',
    text: 'Interface {NicName} was updated for template {TemplateName} by {UserName}.',
  },
  NIC_FILTER_PARAMETER_REMOVED: {
    code: 10910,
    severity: 'normal',
    text: 'Network filter parameter {ObjectName} was removed from interface {NicName} of VM {VmName} by {UserName}.',
  },
  NIC_FILTER_PARAMETER_ADDED: {
    code: 10912,
    severity: 'normal',
    text: 'Network filter parameter {ObjectName} was added to interface {NicName} of VM {VmName} by {UserName}.',
  },
  NIC_FILTER_PARAMETER_UPDATED: {
    code: 10914,
    severity: 'normal',
    text: 'Network filter parameter {ObjectName} of interface {NicName} of VM {VmName} was updated by {UserName}.',
  },
} as const satisfies EventTexts;
