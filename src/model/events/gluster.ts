/** Events about Gluster volumes, bricks and hooks. Words in `{}` are filled in. */
import type { EventTexts } from './notation.ts';

export const glusterEvents = {
  4000: {
    name: 'VOLUME_CREATED',
    severity: 'normal',
    text: 'Gluster Volume {VolumeName} was created on cluster {ClusterName}.',
  },
  4002: {
    name: 'VOLUME_OPTION_SET',
    severity: 'normal',
    text: 'Option {Key}={Value} was set on Gluster Volume {VolumeName} of cluster {ClusterName}.',
  },
  4004: {
    name: 'VOLUME_STARTED',
    severity: 'normal',
    text: 'Gluster Volume {VolumeName} of cluster {ClusterName} was started.',
  },
  4006: {
    name: 'VOLUME_STOPPED',
    severity: 'normal',
    text: 'Gluster Volume {VolumeName} of cluster {ClusterName} was stopped.',
  },
  4008: {
    name: 'VOLUME_OPTION_RESET',
    severity: 'normal',
    text: 'Option {Key} of Gluster Volume {VolumeName} of cluster {ClusterName} was reset.',
  },
  4074: {
    name: 'VOLUME_OPTIONS_RESET',
    severity: 'normal',
    text: 'All options of Gluster Volume {VolumeName} of cluster {ClusterName} were reset.',
  },
  4010: {
    name: 'VOLUME_DELETED',
    severity: 'normal',
    text: 'Gluster Volume {VolumeName} was deleted on cluster {ClusterName}.',
  },
  4012: {
    name: 'VOLUME_REBALANCE_STARTED',
    severity: 'normal',
    text: 'Rebalance of Gluster Volume {VolumeName} of cluster {ClusterName} was started.',
  },
  4078: {
    name: 'VOLUME_REBALANCE_STOPPED',
    severity: 'normal',
    text: 'Rebalance of Gluster Volume {VolumeName} of cluster {ClusterName} was stopped.',
  },
  4087: {
    name: 'VOLUME_REBALANCE_ENDED',
    severity: 'normal',
    text: 'Rebalance of Gluster Volume {VolumeName} of cluster {ClusterName}: {TaskStatus}.',
  },
  4019: {
    name: 'BRICKS_ADDED',
    severity: 'normal',
    text: '{Count} bricks were added to Gluster Volume {VolumeName} of cluster {ClusterName}.',
  },
  4014: {
    name: 'BRICKS_REMOVED',
    severity: 'normal',
    text: 'Bricks were removed from Gluster Volume {VolumeName} of cluster {ClusterName}.',
  },
  4080: {
    name: 'BRICK_REMOVAL_STARTED',
    severity: 'normal',
    text: 'Removal of bricks from Gluster Volume {VolumeName} of cluster {ClusterName} was started.',
  },
  4082: {
    name: 'BRICK_REMOVAL_STOPPED',
    severity: 'normal',
    text: 'Removal of bricks from Gluster Volume {VolumeName} of cluster {ClusterName} was stopped.',
  },
  4084: {
    name: 'BRICK_REMOVAL_COMMITTED',
    severity: 'normal',
    text: 'Removal of bricks from Gluster Volume {VolumeName} of cluster {ClusterName} was committed.',
  },
  4088: {
    name: 'BRICK_MIGRATION_ENDED',
    severity: 'normal',
    text: 'Migration of the data of bricks of Gluster Volume {VolumeName} of cluster {ClusterName}: {TaskStatus}.',
  },
  4162: {
    name: 'BRICK_REPLACED',
    severity: 'normal',
    text: 'Brick {Brick} of Gluster Volume {VolumeName} was replaced with brick {NewBrick} on cluster {ClusterName}.',
  },
  4022: {
    name: 'VOLUME_PROFILE_STARTED',
    severity: 'normal',
    text: 'Profiling of Gluster Volume {VolumeName} of cluster {ClusterName} was started.',
  },
  4024: {
    name: 'VOLUME_PROFILE_STOPPED',
    severity: 'normal',
    text: 'Profiling of Gluster Volume {VolumeName} of cluster {ClusterName} was stopped.',
  },
  4042: {
    name: 'HOOK_ENABLED',
    severity: 'normal',
    text: 'Gluster Hook {HookName} was enabled on cluster {ClusterName}.',
  },
  4045: {
    name: 'HOOK_DISABLED',
    severity: 'normal',
    text: 'Gluster Hook {HookName} was disabled on cluster {ClusterName}.',
  },
  4059: {
    name: 'HOOK_UPDATED',
    severity: 'normal',
    text: 'Gluster hook {HookName} of Cluster {ClusterName} was updated on all servers.',
  },
  4061: {
    name: 'HOOK_ADDED',
    severity: 'normal',
    text: 'Gluster hook {HookName} of Cluster {ClusterName} was added to all servers.',
  },
  4063: {
    name: 'HOOK_REMOVED',
    severity: 'normal',
    text: 'Gluster hook {HookName} was removed from Cluster {ClusterName}.',
  },
} as const satisfies EventTexts;
