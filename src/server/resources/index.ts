/** The behavior of every kind that has any beyond the generic handling. */

import { BehaviorRegistry } from '../core/behavior.ts';
import { copyImagesWork } from '../core/transitions.ts';
import { affinityGroupRules, affinityLabelRules } from './affinity.ts';
import { assignedTagRules } from './assigned-tag.ts';
import { clusterRules } from './cluster.ts';
import { clusterNetworkRules } from './cluster-network.ts';
import { dataCenterRules } from './data-center/behavior.ts';
import { diskAttachmentRules } from './disk/attachment.ts';
import { diskRules } from './disk/behavior.ts';
import { diskSnapshotRules } from './disk/disk-snapshot.ts';
import {
  domainAttachmentRules,
  domainDiskRules,
  domainTemplateRules,
  domainVmRules,
  unregisteredDiskRules,
} from './domain-contents/behavior.ts';
import { eventRules } from './event.ts';
import { glusterBrickRules } from './gluster/brick.ts';
import { glusterHookRules } from './gluster/hook.ts';
import { glusterTaskDeadline } from './gluster/tasks.ts';
import { glusterVolumeRules } from './gluster/volume.ts';
import { upgradeCheckDeadline } from './host/actions.ts';
import { hostRules } from './host/behavior.ts';
import { cpuUnitRules, erratumRules, hookRules, hostDeviceRules } from './host/devices.ts';
import { agentRules } from './host/fence.ts';
import { hostStorageRules } from './host/storage.ts';
import { attachmentRules, labelRules } from './host-network/attachments.ts';
import { allowedNetworkRules, hostNicRules, lldpRules } from './host-network/host-nic.ts';
import { networkRevertDeadline } from './host-network/saved.ts';
import { unmanagedNetworkRules } from './host-network/setup.ts';
import { identityRules } from './identity.ts';
import { imageTransferRules } from './image-transfer/behavior.ts';
import { preparingWork } from './image-transfer/image.ts';
import { jobRules, stepRules } from './job.ts';
import { macPoolRules } from './mac-pool.ts';
import { networkRules, vnicProfileRules } from './network.ts';
import { nicRules } from './nic.ts';
import { permissionRules } from './permission.ts';
import {
  authenticationKeyRules,
  certificateRules,
  externalHostProviderRules,
  externalProviderRules,
  imageProviderRules,
  networkProviderRules,
  volumeProviderRules,
  volumeTypeRules,
} from './provider/behavior.ts';
import {
  computeResourceRules,
  discoveredHostRules,
  externalHostRules,
  hostGroupRules,
} from './provider/contents.ts';
import { imageRules, openstackImageRules, openstackNetworkRules } from './provider/images.ts';
import { cpuProfileRules, diskProfileRules, qosRules } from './qos.ts';
import { quotaClusterLimitRules, quotaRules, quotaStorageLimitRules } from './quota.ts';
import { schedulingPolicyRules } from './scheduling/policy.ts';
import { plainRules } from './simple-kinds.ts';
import {
  snapshotCdromRules,
  snapshotDiskRules,
  snapshotNicRules,
  snapshotRules,
} from './snapshot/behavior.ts';
import { statisticRules } from './statistics/behavior.ts';
import { attachedStorageDomainRules } from './storage/attached-domain.ts';
import { iscsiBondRules, storageConnectionRules } from './storage/connection.ts';
import { storageDomainRules } from './storage/domain.ts';
import { fileRules } from './storage/file.ts';
import { instanceTypeRules, templateRules } from './template.ts';
import { backupDiskRules, backupJobDeadline, backupRules } from './vm/backup.ts';
import { vmRules } from './vm/behavior.ts';
import { checkpointDiskRules, checkpointRules } from './vm/checkpoints.ts';
import { graphicsConsoleRules } from './vm/console.ts';
import { cdromRules, mediatedDeviceRules, numaNodeRules, watchdogRules } from './vm/devices.ts';
import { runningExportWork } from './vm/export.ts';
import { externalTemplateImportRules, externalVmImportRules } from './vm/external-import.ts';
import { applicationRules, reportedDeviceRules } from './vm/guest.ts';
import { vmPoolRules } from './vm-pool/behavior.ts';

/** The behavior of all kinds, and what it begins that ends later. */
export const behaviors = new BehaviorRegistry(
  [
    affinityGroupRules,
    affinityLabelRules,
    assignedTagRules,
    attachedStorageDomainRules,
    clusterNetworkRules,
    clusterRules,
    dataCenterRules,
    diskAttachmentRules,
    cpuProfileRules,
    diskProfileRules,
    diskRules,
    diskSnapshotRules,
    iscsiBondRules,
    qosRules,
    quotaClusterLimitRules,
    quotaRules,
    quotaStorageLimitRules,
    eventRules,
    fileRules,
    agentRules,
    allowedNetworkRules,
    attachmentRules,
    cpuUnitRules,
    erratumRules,
    glusterBrickRules,
    glusterHookRules,
    glusterVolumeRules,
    hookRules,
    hostDeviceRules,
    hostNicRules,
    hostRules,
    hostStorageRules,
    labelRules,
    lldpRules,
    unmanagedNetworkRules,
    ...identityRules,
    imageTransferRules,
    jobRules,
    stepRules,
    macPoolRules,
    networkRules,
    vnicProfileRules,
    nicRules,
    permissionRules,
    ...plainRules,
    ...schedulingPolicyRules,
    statisticRules,
    storageConnectionRules,
    storageDomainRules,
    authenticationKeyRules,
    certificateRules,
    computeResourceRules,
    discoveredHostRules,
    externalHostProviderRules,
    externalProviderRules,
    externalHostRules,
    hostGroupRules,
    imageProviderRules,
    imageRules,
    networkProviderRules,
    openstackImageRules,
    openstackNetworkRules,
    volumeProviderRules,
    volumeTypeRules,
    domainAttachmentRules,
    domainDiskRules,
    domainTemplateRules,
    domainVmRules,
    unregisteredDiskRules,
    applicationRules,
    backupDiskRules,
    backupRules,
    cdromRules,
    checkpointDiskRules,
    checkpointRules,
    externalTemplateImportRules,
    externalVmImportRules,
    graphicsConsoleRules,
    instanceTypeRules,
    mediatedDeviceRules,
    numaNodeRules,
    reportedDeviceRules,
    snapshotCdromRules,
    snapshotDiskRules,
    snapshotNicRules,
    snapshotRules,
    templateRules,
    vmPoolRules,
    vmRules,
    watchdogRules,
  ],
  [backupJobDeadline, glusterTaskDeadline, networkRevertDeadline, upgradeCheckDeadline],
  [copyImagesWork, preparingWork, runningExportWork],
);
