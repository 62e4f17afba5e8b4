/** Events of the service itself: its life, its log, jobs and events of others. */
import type { EventTexts } from './notation.ts';

export const serviceEvents = {
  1: { name: 'SERVICE_STARTED', severity: 'normal', text: 'Starting {Product}.' },
  2: { name: 'SERVICE_STOPPED', severity: 'normal', text: 'Stopping {Product}.' },
  1010: {
    name: 'CONFIGURATION_RELOADED',
    severity: 'normal',
    text: 'The configuration was read again, by {UserName}.',
  },
  1200: {
    name: 'OBJECT_RENAMED',
    severity: 'normal',
    text: '{EntityType} {OldName} was renamed to {NewName} by {UserName}.',
  },
  10600: {
    name: 'EVENT_REMOVED',
    severity: 'normal',
    text: 'Event {ObjectName} was removed by {UserName}.',
  },
  10608: {
    name: 'ALERTS_SHOWN_AGAIN',
    severity: 'normal',
    text: 'All removed alerts are shown again, by {UserName}.',
  },
  11000: {
    name: 'EXTERNAL_JOB_ADDED',
    severity: 'normal',
    text: 'External job {Description} was added by {UserName}.',
  },
  9801: { name: 'EXTERNAL_EVENT_NORMAL', severity: 'normal', text: '{Description}' },
  9802: { name: 'EXTERNAL_EVENT_WARNING', severity: 'warning', text: '{Description}' },
  9803: { name: 'EXTERNAL_EVENT_ERROR', severity: 'error', text: '{Description}' },
  9804: { name: 'EXTERNAL_EVENT_ALERT', severity: 'alert', text: '{Description}' },
} as const satisfies EventTexts;
