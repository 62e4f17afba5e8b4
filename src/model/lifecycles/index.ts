/** All lifecycles, by the type of their objects. */
import { backup } from './backup.ts';
import { disk } from './disk.ts';
import { glusterVolume } from './gluster.ts';
import { host } from './host.ts';
import { imageTransfer } from './image-transfer.ts';
import type { Lifecycle } from './notation.ts';
import { snapshot } from './snapshot.ts';
import { attachedStorageDomain, dataCenter } from './storage.ts';
import { template } from './template.ts';
import { vm } from './vm.ts';

export const lifecycles: Readonly<Record<string, Lifecycle>> = {
  vm,
  snapshot,
  template,
  backup,
  disk,
  gluster_volume: glusterVolume,
  host,
  storage_domain: attachedStorageDomain,
  data_center: dataCenter,
  image_transfer: imageTransfer,
};
