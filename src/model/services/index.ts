/** All services of the API, by path. */
import type { ServiceDefinition } from '../notation.ts';
import { clusterServices } from './cluster.ts';
import { computeServices } from './compute.ts';
import { dataCenterServices } from './data-center.ts';
import { eventsServices } from './events.ts';
import { hostServices } from './host.ts';
import { identityServices } from './identity.ts';
import { networkServices } from './network.ts';
import { providersServices } from './providers.ts';
import { schedulingServices } from './scheduling.ts';
import { storageServices } from './storage.ts';
import { systemServices } from './system.ts';
import { transfersServices } from './transfers.ts';

export const services: Readonly<Record<string, ServiceDefinition>> = {
  ...computeServices,
  ...storageServices,
  ...clusterServices,
  ...dataCenterServices,
  ...networkServices,
  ...hostServices,
  ...identityServices,
  ...schedulingServices,
  ...eventsServices,
  ...providersServices,
  ...transfersServices,
  ...systemServices,
};
