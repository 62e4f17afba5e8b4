/** The behavior of every kind that has any beyond the generic handling. */

import { BehaviorRegistry } from '../core/registry.ts';
import { copyImagesWork } from '../core/transitions.ts';
import { affinityGroupRules } from './cluster/affinity-group.ts';
import { affinityLabelRules } from './cluster/affinity-label.ts';
import { clusterRules } from './cluster/rules.ts';
import { dataCenterRules } from './data-center/rules.ts';
import { diskAttachmentRules } from './disk/attachment.ts';
import { diskRules } from './disk/rules.ts';
import { diskSnapshotRules } from './disk/snapshot.ts';
import {
  domainAttachmentRules,
  domainDiskRules,
  domainTemplateRules,
  domainVmRules,
} from './domain-contents/rules.ts';
import { unregisteredDiskRules } from './domain-contents/unregistered-disk.ts';
import { eventRules } from './event.ts';
import { glusterBrickRules } from './gluster/brick.ts';
import { glusterHookRules } from './gluster/hook.ts';
import { glusterTaskDeadline } from './gluster/tasks.ts';
import { glusterVolumeRules } from './gluster/volume.ts';
import { agentRules } from './host/fence.ts';
import { hostDeviceRules } from './host/passthrough.ts';
import { cpuUnitRules, erratumRules, hookRules } from './host/reported.ts';
import { hostRules } from './host/rules.ts';
import { hostStorageRules } from './host/storage.ts';
import { upgradeCheckDeadline } from './host/upgrade-check.ts';
import { attachmentRules } from './host-network/attachments.ts';
import { labelRules } from './host-network/labels.ts';
import { networkRevertDeadline } from './host-network/saved.ts';
import { unmanagedNetworkRules } from './host-network/unmanaged.ts';
import { allowedNetworkRules, hostNicRules, lldpRules } from './host-network/virtual-functions.ts';
import { preparingWork } from './image-transfer/image.ts';
import { imageTransferRules } from './image-transfer/rules.ts';
import { jobRules, stepRules } from './job.ts';
import { cpuProfileRules, diskProfileRules } from './limits/profile.ts';
import { qosRules } from './limits/qos.ts';
import {
  quotaClusterLimitRules,
  quotaRules,
  quotaStorageLimitRules,
} from './limits/quota-rules.ts';
import { clusterNetworkRules } from './network/cluster-network.ts';
import { macPoolRules } from './network/mac-pool.ts';
import { networkRules } from './network/network.ts';
import { nicRules } from './network/nic.ts';
import { vnicProfileRules } from './network/vnic-profile.ts';
import { assignedTagRules } from './people/assigned-tag.ts';
import { identityRules } from './people/identity.ts';
import { permissionRules } from './people/permission.ts';
import { plainRules } from './plain.ts';
import { vmPoolRules } from './pool/rules.ts';
import { certificateRules } from './provider/certificate.ts';
import {
  computeResourceRules,
  discoveredHostRules,
  externalHostRules,
  hostGroupRules,
} from './provider/contents.ts';
import { imageRules, openstackImageRules, openstackNetworkRules } from './provider/images.ts';
import {
  authenticationKeyRules,
  externalHostProviderRules,
  externalProviderRules,
  imageProviderRules,
  networkProviderRules,
  volumeProviderRules,
  volumeTypeRules,
} from './provider/rules.ts';
import { schedulingPolicyRules } from './scheduling/policy.ts';
import {
  snapshotCdromRules,
  snapshotDiskRules,
  snapshotNicRules,
  snapshotRules,
} from './snapshot/rules.ts';
import { statisticRules } from './statistics/rules.ts';
import { attachedStorageDomainRules } from './storage/attached-domain.ts';
import { storageConnectionRules } from './storage/connection.ts';
import { storageDomainRules } from './storage/domain.ts';
import { fileRules } from './storage/file.ts';
import { iscsiBondRules } from './storage/iscsi-bond.ts';
import { instanceTypeRules } from './template/instance-type.ts';
import { templateRules } from './template/rules.ts';
import { backupDiskRules, backupJobDeadline, backupRules } from './vm/backup.ts';
import { checkpointDiskRules, checkpointRules } from './vm/checkpoints.ts';
import { graphicsConsoleRules } from './vm/console.ts';
import { cdromRules, mediatedDeviceRules, numaNodeRules, watchdogRules } from './vm/devices.ts';
import { runningExportWork } from './vm/export.ts';
import { externalTemplateImportRules, externalVmImportRules } from './vm/external-import.ts';
import { applicationRules, reportedDeviceRules } from './vm/reports.ts';
import { vmRules } from './vm/rules.ts';

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
