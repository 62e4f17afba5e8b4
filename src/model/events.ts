/**
 * Events of the audit log (specification 6) by name: code, severity and text. Placeholders in `{}`
 * are replaced by objects of the event.
 */
import { clusterEvents } from './events/clusters.ts';
import { deviceEvents } from './events/devices.ts';
import { diskEvents } from './events/disks.ts';
import { glusterEvents } from './events/gluster.ts';
import { hostEvents } from './events/hosts.ts';
import { machineEvents } from './events/machines.ts';
import { networkEvents } from './events/networks.ts';
import { peopleEvents } from './events/people.ts';
import { providerEvents } from './events/providers.ts';
import { serviceEvents } from './events/service.ts';
import { snapshotEvents } from './events/snapshots.ts';
import { storageEvents } from './events/storage.ts';
import type { EventTexts } from './notation/events.ts';
import { type DeclaredEventName, declaredEvents } from './resources/index.ts';

const sharedEvents = {
  ...clusterEvents,
  ...deviceEvents,
  ...diskEvents,
  ...glusterEvents,
  ...hostEvents,
  ...machineEvents,
  ...networkEvents,
  ...peopleEvents,
  ...providerEvents,
  ...serviceEvents,
  ...snapshotEvents,
  ...storageEvents,
} as const satisfies EventTexts;

export type SharedEventName = keyof typeof sharedEvents;

/** Texts of the shared events. */
export type SharedEventText = (typeof sharedEvents)[SharedEventName]['text'];

export type EventName = SharedEventName | DeclaredEventName;

/** Shared events, and events of one resource. */
export const events: Readonly<Record<EventName, EventTexts[string]>> = {
  ...sharedEvents,
  ...declaredEvents,
};
