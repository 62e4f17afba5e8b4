/** Registry of all behaviors beyond the generic implementation. */

import { BehaviorRegistry } from '../core/behavior.ts';
import { powerWork } from '../core/power-work.ts';
import { runningPartWork } from '../core/running-part-work.ts';
import { copyImagesWork } from '../core/transitions.ts';
import { networkRevertDeadline } from '../inventory/saved-networks.ts';
import { assignedTagBehavior } from './assigned-tag.ts';
import { clusterBehavior } from './cluster.ts';
import { clusterNetworkBehavior } from './cluster-network.ts';
import { dataCenterBehavior } from './data-center.ts';
import { diskAttachmentBehavior } from './disk/attachment.ts';
import { diskBehavior } from './disk/behavior.ts';
import { diskSnapshotBehavior } from './disk/disk-snapshot.ts';
import {
  domainAttachmentBehavior,
  domainDiskBehavior,
  domainTemplateBehavior,
  domainVmBehavior,
  unregisteredDiskBehavior,
} from './domain-contents.ts';
import { eventBehavior } from './event.ts';
import { glusterBrickBehavior } from './gluster/brick.ts';
import { glusterHookBehavior } from './gluster/hook.ts';
import { glusterTaskDeadline } from './gluster/tasks.ts';
import { glusterVolumeBehavior } from './gluster/volume.ts';
import { upgradeCheckDeadline } from './host/actions.ts';
import { hostBehavior } from './host/behavior.ts';
import {
  cpuUnitBehavior,
  erratumBehavior,
  hookBehavior,
  hostDeviceBehavior,
} from './host/devices.ts';
import { agentBehavior } from './host/fence.ts';
import { hostStorageBehavior } from './host/storage.ts';
import { attachmentBehavior, labelBehavior } from './host-network/attachments.ts';
import { allowedNetworkBehavior, hostNicBehavior, lldpBehavior } from './host-network/host-nic.ts';
import { unmanagedNetworkBehavior } from './host-network/setup.ts';
import { identityBehaviors } from './identity.ts';
import { imageTransferBehavior, preparingWork } from './image-transfer/behavior.ts';
import { jobBehavior, stepBehavior } from './job.ts';
import { macPoolBehavior } from './mac-pool.ts';
import { networkBehavior, vnicProfileBehavior } from './network.ts';
import { nicBehavior } from './nic.ts';
import { permissionBehavior } from './permission.ts';
import {
  authenticationKeyBehavior,
  certificateBehavior,
  externalHostProviderBehavior,
  externalProviderBehavior,
  imageProviderBehavior,
  networkProviderBehavior,
  volumeProviderBehavior,
  volumeTypeBehavior,
} from './provider/behavior.ts';
import {
  computeResourceBehavior,
  discoveredHostBehavior,
  externalHostBehavior,
  hostGroupBehavior,
} from './provider/contents.ts';
import {
  imageBehavior,
  openstackImageBehavior,
  openstackNetworkBehavior,
} from './provider/images.ts';
import { cpuProfileBehavior, diskProfileBehavior, qosBehavior } from './qos.ts';
import { quotaBehavior, quotaClusterLimitBehavior, quotaStorageLimitBehavior } from './quota.ts';
import { affinityGroupBehavior, affinityLabelBehavior } from './scheduling/affinity-groups.ts';
import { schedulingPolicyBehaviors } from './scheduling/policy.ts';
import { plainBehaviors } from './simple-kinds.ts';
import {
  snapshotBehavior,
  snapshotCdromBehavior,
  snapshotDiskBehavior,
  snapshotNicBehavior,
} from './snapshot.ts';
import { statisticBehavior } from './statistics/behavior.ts';
import { attachedStorageDomainBehavior } from './storage/attached-domain.ts';
import { iscsiBondBehavior, storageConnectionBehavior } from './storage/connection.ts';
import { storageDomainBehavior } from './storage/domain.ts';
import { fileBehavior } from './storage/file.ts';
import { instanceTypeBehavior, templateBehavior } from './template.ts';
import { backupBehavior, backupDiskBehavior, backupJobDeadline } from './vm/backup.ts';
import { vmBehavior } from './vm/behavior.ts';
import { checkpointBehavior, checkpointDiskBehavior } from './vm/checkpoints.ts';
import { graphicsConsoleBehavior } from './vm/console.ts';
import { deviceWork } from './vm/device-changes.ts';
import {
  cdromBehavior,
  mediatedDeviceBehavior,
  numaNodeBehavior,
  watchdogBehavior,
} from './vm/devices.ts';
import { runningExportWork } from './vm/export.ts';
import { externalTemplateImportBehavior, externalVmImportBehavior } from './vm/external-import.ts';
import { applicationBehavior, reportedDeviceBehavior } from './vm/guest.ts';
import { vmPoolBehavior } from './vm-pool.ts';

/** Behaviors of all kinds, with their deadlines and work. */
export const behaviors = new BehaviorRegistry(
  [
    affinityGroupBehavior,
    affinityLabelBehavior,
    assignedTagBehavior,
    attachedStorageDomainBehavior,
    clusterNetworkBehavior,
    clusterBehavior,
    dataCenterBehavior,
    diskAttachmentBehavior,
    cpuProfileBehavior,
    diskProfileBehavior,
    diskBehavior,
    diskSnapshotBehavior,
    iscsiBondBehavior,
    qosBehavior,
    quotaClusterLimitBehavior,
    quotaBehavior,
    quotaStorageLimitBehavior,
    eventBehavior,
    fileBehavior,
    agentBehavior,
    allowedNetworkBehavior,
    attachmentBehavior,
    cpuUnitBehavior,
    erratumBehavior,
    glusterBrickBehavior,
    glusterHookBehavior,
    glusterVolumeBehavior,
    hookBehavior,
    hostDeviceBehavior,
    hostNicBehavior,
    hostBehavior,
    hostStorageBehavior,
    labelBehavior,
    lldpBehavior,
    unmanagedNetworkBehavior,
    ...identityBehaviors,
    imageTransferBehavior,
    jobBehavior,
    stepBehavior,
    macPoolBehavior,
    networkBehavior,
    vnicProfileBehavior,
    nicBehavior,
    permissionBehavior,
    ...plainBehaviors,
    ...schedulingPolicyBehaviors,
    statisticBehavior,
    storageConnectionBehavior,
    storageDomainBehavior,
    authenticationKeyBehavior,
    certificateBehavior,
    computeResourceBehavior,
    discoveredHostBehavior,
    externalHostProviderBehavior,
    externalProviderBehavior,
    externalHostBehavior,
    hostGroupBehavior,
    imageProviderBehavior,
    imageBehavior,
    networkProviderBehavior,
    openstackImageBehavior,
    openstackNetworkBehavior,
    volumeProviderBehavior,
    volumeTypeBehavior,
    domainAttachmentBehavior,
    domainDiskBehavior,
    domainTemplateBehavior,
    domainVmBehavior,
    unregisteredDiskBehavior,
    applicationBehavior,
    backupDiskBehavior,
    backupBehavior,
    cdromBehavior,
    checkpointDiskBehavior,
    checkpointBehavior,
    externalTemplateImportBehavior,
    externalVmImportBehavior,
    graphicsConsoleBehavior,
    instanceTypeBehavior,
    mediatedDeviceBehavior,
    numaNodeBehavior,
    reportedDeviceBehavior,
    snapshotCdromBehavior,
    snapshotDiskBehavior,
    snapshotNicBehavior,
    snapshotBehavior,
    templateBehavior,
    vmPoolBehavior,
    vmBehavior,
    watchdogBehavior,
  ],
  [backupJobDeadline, glusterTaskDeadline, networkRevertDeadline, upgradeCheckDeadline],
  [copyImagesWork, deviceWork, powerWork, preparingWork, runningExportWork, runningPartWork],
);
