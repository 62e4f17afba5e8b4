/** Events of the service itself: start, stop, audit log, jobs, and events of other systems. */
import type { EventTexts } from '../notation/events.ts';

export const serviceEvents = {
  SERVICE_STARTED: { code: 1, severity: 'normal', text: 'Starting {Product}.' },
  SERVICE_STOPPED: { code: 2, severity: 'normal', text: 'Stopping {Product}.' },
  CONFIGURATION_RELOADED: {
    code: 1010,
    severity: 'normal',
    text: 'The configuration was read again, by {UserName}.',
  },
  OBJECT_RENAMED: {
    code: 1200,
    severity: 'normal',
    text: '{EntityType} {OldName} was renamed to {NewName} by {UserName}.',
  },
  EVENT_REMOVED: {
    code: 10600,
    severity: 'normal',
    text: 'Event {ObjectName} was removed by {UserName}.',
  },
  ALERTS_SHOWN_AGAIN: {
    code: 10608,
    severity: 'normal',
    text: 'All removed alerts are shown again, by {UserName}.',
  },
  EXTERNAL_JOB_ADDED: {
    code: 11000,
    severity: 'normal',
    text: 'External job {Description} was added by {UserName}.',
  },
  TASK_GIVEN_UP: {
    code: 20_100,
    severity: 'error',
    text: 'Task {TaskName} of {ObjectType} {ObjectName} failed: {Reason}.',
  },
  EXTERNAL_EVENT_NORMAL: { code: 9801, severity: 'normal', text: '{Description}' },
  EXTERNAL_EVENT_WARNING: { code: 9802, severity: 'warning', text: '{Description}' },
  EXTERNAL_EVENT_ERROR: { code: 9803, severity: 'error', text: '{Description}' },
  EXTERNAL_EVENT_ALERT: { code: 9804, severity: 'alert', text: '{Description}' },
} as const satisfies EventTexts;
