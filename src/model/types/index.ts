/** All types of the API, by name. */
import { clusterTypes } from './cluster.ts';
import { computeTypes } from './compute.ts';
import { eventsTypes } from './events.ts';
import { glusterTypes } from './gluster.ts';
import { hostTypes } from './host.ts';
import { identityTypes } from './identity.ts';
import { networkTypes } from './network.ts';
import { providersTypes } from './providers.ts';
import { schedulingTypes } from './scheduling.ts';
import { storageTypes } from './storage.ts';
import { systemTypes } from './system.ts';
import { transfersTypes } from './transfers.ts';
import { vmConfigurationTypes } from './vm-configuration.ts';

export const types = {
  ...computeTypes,
  ...vmConfigurationTypes,
  ...storageTypes,
  ...clusterTypes,
  ...networkTypes,
  ...hostTypes,
  ...glusterTypes,
  ...identityTypes,
  ...schedulingTypes,
  ...eventsTypes,
  ...providersTypes,
  ...transfersTypes,
  ...systemTypes,
} as const;

export type TypeName = keyof typeof types;
