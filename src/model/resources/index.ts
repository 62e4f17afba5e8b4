/** All resources of the API, one file each, and their structures. */
import type { TypeDefinition } from '../notation/attributes.ts';
import type { NounDeclaration } from '../notation/commands.ts';
import type { EventTexts } from '../notation/events.ts';
import type { FaultTexts } from '../notation/faults.ts';
import type { ResourceDefinition } from '../notation/resource.ts';
import * as affinityGroupFile from './affinity-group.ts';
import * as affinityLabelFile from './affinity-label.ts';
import * as apiFile from './api.ts';
import * as backupFile from './backup.ts';
import * as bookmarkFile from './bookmark.ts';
import * as certificateFile from './certificate.ts';
import * as clusterFile from './cluster.ts';
import * as clusterLevelFile from './cluster-level.ts';
import * as commonFile from './common.ts';
import * as cpuProfileFile from './cpu-profile.ts';
import * as dataCenterFile from './data-center.ts';
import * as diskFile from './disk.ts';
import * as diskAttachmentFile from './disk-attachment.ts';
import * as diskProfileFile from './disk-profile.ts';
import * as diskSnapshotFile from './disk-snapshot.ts';
import * as domainFile from './domain.ts';
import * as eventFile from './event.ts';
import * as externalHostProviderFile from './external-host-provider.ts';
import * as externalImportFile from './external-import.ts';
import * as fenceAgentFile from './fence-agent.ts';
import * as fileFile from './file.ts';
import * as glusterBrickFile from './gluster-brick.ts';
import * as glusterHookFile from './gluster-hook.ts';
import * as glusterVolumeFile from './gluster-volume.ts';
import * as groupFile from './group.ts';
import * as guestFile from './guest.ts';
import * as hostFile from './host.ts';
import * as hostDeviceFile from './host-device.ts';
import * as hostHardwareFile from './host-hardware.ts';
import * as hostHookFile from './host-hook.ts';
import * as hostNetworkFile from './host-network.ts';
import * as hostNicFile from './host-nic.ts';
import * as hostStorageFile from './host-storage.ts';
import * as imageTransferFile from './image-transfer.ts';
import * as initializationFile from './initialization.ts';
import * as instanceTypeFile from './instance-type.ts';
import * as ipFile from './ip.ts';
import * as iscsiBondFile from './iscsi-bond.ts';
import * as jobFile from './job.ts';
import * as katelloErratumFile from './katello-erratum.ts';
import * as macPoolFile from './mac-pool.ts';
import * as networkFile from './network.ts';
import * as networkAttachmentFile from './network-attachment.ts';
import * as networkFilterFile from './network-filter.ts';
import * as networkLabelFile from './network-label.ts';
import * as nicFile from './nic.ts';
import * as openstackImageProviderFile from './openstack-image-provider.ts';
import * as openstackNetworkProviderFile from './openstack-network-provider.ts';
import * as openstackVolumeProviderFile from './openstack-volume-provider.ts';
import * as operatingSystemFile from './operating-system.ts';
import * as permissionFile from './permission.ts';
import * as qosFile from './qos.ts';
import * as quotaFile from './quota.ts';
import * as registrationFile from './registration.ts';
import * as roleFile from './role.ts';
import * as schedulingPolicyFile from './scheduling-policy.ts';
import * as snapshotFile from './snapshot.ts';
import * as statisticFile from './statistic.ts';
import * as storageConnectionFile from './storage-connection.ts';
import * as storageDomainFile from './storage-domain.ts';
import * as tagFile from './tag.ts';
import * as templateFile from './template.ts';
import * as userFile from './user.ts';
import * as virtualNumaNodeFile from './virtual-numa-node.ts';
import * as vmFile from './vm.ts';
import * as vmBaseFile from './vm-base.ts';
import * as vmDeviceFile from './vm-device.ts';
import * as vmPoolFile from './vm-pool.ts';
import * as vnicProfileFile from './vnic-profile.ts';

/** Declarations of each file, in the display order of collections. */
const files = [
  vmBaseFile,
  initializationFile,
  vmFile,
  guestFile,
  templateFile,
  instanceTypeFile,
  vmPoolFile,
  snapshotFile,
  backupFile,
  nicFile,
  vmDeviceFile,
  virtualNumaNodeFile,
  operatingSystemFile,
  storageDomainFile,
  diskFile,
  diskAttachmentFile,
  diskSnapshotFile,
  diskProfileFile,
  fileFile,
  hostStorageFile,
  storageConnectionFile,
  iscsiBondFile,
  quotaFile,
  qosFile,
  clusterFile,
  clusterLevelFile,
  cpuProfileFile,
  affinityGroupFile,
  affinityLabelFile,
  macPoolFile,
  dataCenterFile,
  networkFile,
  vnicProfileFile,
  networkFilterFile,
  networkLabelFile,
  networkAttachmentFile,
  ipFile,
  hostFile,
  hostNicFile,
  hostDeviceFile,
  hostHardwareFile,
  hostNetworkFile,
  fenceAgentFile,
  hostHookFile,
  katelloErratumFile,
  glusterVolumeFile,
  glusterBrickFile,
  glusterHookFile,
  userFile,
  groupFile,
  domainFile,
  roleFile,
  permissionFile,
  tagFile,
  bookmarkFile,
  schedulingPolicyFile,
  eventFile,
  jobFile,
  statisticFile,
  externalHostProviderFile,
  externalImportFile,
  openstackImageProviderFile,
  openstackNetworkProviderFile,
  openstackVolumeProviderFile,
  certificateFile,
  registrationFile,
  imageTransferFile,
  apiFile,
  commonFile,
] as const;

type DeclaredIn<F> = F extends unknown ? F[keyof F] : never;

type Declaration = Extract<
  DeclaredIn<(typeof files)[number]>,
  { readonly name: string; readonly attributes: object }
>;

/** Name of a type, in snake case: `disk_attachment`. */
export type TypeName = Declaration['name'];

/** Declarations of all types, by name. */
export type Declarations = { readonly [D in Declaration as D['name']]: D };

/** Types whose objects have a path. */
export type ResourceName = Extract<Declaration, { readonly paths: object }>['name'];

/** Names of events that resources declare. */
export type DeclaredEventName = Declaration extends infer D
  ? D extends { readonly events: infer E }
    ? keyof E & string
    : never
  : never;

/** Names of faults that resources declare. */
export type DeclaredFaultKey = Declaration extends infer D
  ? D extends { readonly faults: infer F }
    ? keyof F & string
    : never
  : never;

type EnumsIn<D> = D extends { readonly enums: infer E } ? E : never;
type NamesIn<E> = E extends object ? keyof E & string : never;

/** Enums that resources declare. */
export type DeclaredEnums = {
  readonly [N in NamesIn<EnumsIn<Declaration>>]: Extract<
    EnumsIn<Declaration>,
    { readonly [_ in N]: unknown }
  >[N];
};

function isDeclaration(value: unknown): value is Declaration {
  return typeof value === 'object' && value !== null && 'attributes' in value;
}

/** Declarations of all types: resources and structures. */
export const allDeclarations: readonly (TypeDefinition & { readonly name: TypeName })[] =
  files.flatMap((file) =>
    // Sort, because the order of module exports depends on the loader.
    Object.entries(file)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([, declared]) => declared)
      .filter(isDeclaration),
  );

/** Declarations of types with a path. */
export const allResources: readonly (ResourceDefinition & { readonly name: ResourceName })[] =
  allDeclarations.filter(isResource);

/** Nouns of the command line, in the order of the resources. */
export const allNouns: readonly NounDeclaration[] = allResources.flatMap(({ commands }) =>
  commands ? [commands, ...(commands.otherNouns ?? [])] : [],
);

function isResource(
  declaration: TypeDefinition,
): declaration is ResourceDefinition & { readonly name: ResourceName } {
  return 'paths' in declaration;
}

/** Events that resources declare, by name. */
// `allResources` and the type of the keys derive from the same declarations.
export const declaredEvents = Object.fromEntries(
  allResources.flatMap(({ events }) => Object.entries(events ?? {})),
) as Readonly<Record<DeclaredEventName, EventTexts[string]>>;

/** Faults that resources declare, by name. */
// `allResources` and the type of the keys derive from the same declarations.
export const declaredFaults = Object.fromEntries(
  allResources.flatMap(({ faults }) => Object.entries(faults ?? {})),
) as Readonly<Record<DeclaredFaultKey, FaultTexts[string]>>;

/** Enums that resources declare, by name. */
// `allResources` and the type of the keys derive from the same declarations.
export const declaredEnums = Object.fromEntries(
  allResources.flatMap(({ enums }) => Object.entries(enums ?? {})),
) as DeclaredEnums;
