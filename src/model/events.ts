/**
 * What the service writes to its audit log (specification 6): code, severity, sentence, by name. Words in
 * `{}` are filled in from the objects that the event is about.
 */
import { clusterEvents } from './events/clusters.ts';
import { deviceEvents } from './events/devices.ts';
import { diskEvents } from './events/disks.ts';
import { glusterEvents } from './events/gluster.ts';
import { hostEvents } from './events/hosts.ts';
import { machineEvents } from './events/machines.ts';
import { networkEvents } from './events/networks.ts';
import { peopleEvents } from './events/people.ts';
import { poolEvents } from './events/pools.ts';
import { providerEvents } from './events/providers.ts';
import { serviceEvents } from './events/service.ts';
import { snapshotEvents } from './events/snapshots.ts';
import { storageEvents } from './events/storage.ts';
import { tagEvents } from './events/tags.ts';
import { transferEvents } from './events/transfers.ts';

export const events = {
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
  ...transferEvents,
  ...tagEvents,
  ...poolEvents,
} as const;

export type EventName = keyof typeof events;
