/** Events of Gluster volumes, bricks and hooks. */
import type { EventTexts } from '../notation/events.ts';

export const glusterEvents = {
  VOLUME_CREATED: {
    code: 4000,
    severity: 'normal',
    text: 'Gluster Volume {VolumeName} was created on cluster {ClusterName}.',
  },
  VOLUME_OPTION_SET: {
    code: 4002,
    severity: 'normal',
    text: 'Option {Key}={Value} was set on Gluster Volume {VolumeName} of cluster {ClusterName}.',
  },
  VOLUME_STARTED: {
    code: 4004,
    severity: 'normal',
    text: 'Gluster Volume {VolumeName} of cluster {ClusterName} was started.',
  },
  VOLUME_STOPPED: {
    code: 4006,
    severity: 'normal',
    text: 'Gluster Volume {VolumeName} of cluster {ClusterName} was stopped.',
  },
  VOLUME_OPTION_RESET: {
    code: 4008,
    severity: 'normal',
    text: 'Option {Key} of Gluster Volume {VolumeName} of cluster {ClusterName} was reset.',
  },
  VOLUME_OPTIONS_RESET: {
    code: 4074,
    severity: 'normal',
    text: 'All options of Gluster Volume {VolumeName} of cluster {ClusterName} were reset.',
  },
  VOLUME_DELETED: {
    code: 4010,
    severity: 'normal',
    text: 'Gluster Volume {VolumeName} was deleted on cluster {ClusterName}.',
  },
  VOLUME_REBALANCE_STARTED: {
    code: 4012,
    severity: 'normal',
    text: 'Rebalance of Gluster Volume {VolumeName} of cluster {ClusterName} was started.',
  },
  VOLUME_REBALANCE_STOPPED: {
    code: 4078,
    severity: 'normal',
    text: 'Rebalance of Gluster Volume {VolumeName} of cluster {ClusterName} was stopped.',
  },
  VOLUME_REBALANCE_ENDED: {
    code: 4087,
    severity: 'normal',
    text: 'Rebalance of Gluster Volume {VolumeName} of cluster {ClusterName}: {TaskStatus}.',
  },
  BRICKS_ADDED: {
    code: 4019,
    severity: 'normal',
    text: '{Count} bricks were added to Gluster Volume {VolumeName} of cluster {ClusterName}.',
  },
  BRICKS_REMOVED: {
    code: 4014,
    severity: 'normal',
    text: 'Bricks were removed from Gluster Volume {VolumeName} of cluster {ClusterName}.',
  },
  BRICK_REMOVAL_STARTED: {
    code: 4080,
    severity: 'normal',
    text: 'Removal of bricks from Gluster Volume {VolumeName} of cluster {ClusterName} was started.',
  },
  BRICK_REMOVAL_STOPPED: {
    code: 4082,
    severity: 'normal',
    text: 'Removal of bricks from Gluster Volume {VolumeName} of cluster {ClusterName} was stopped.',
  },
  BRICK_REMOVAL_COMMITTED: {
    code: 4084,
    severity: 'normal',
    text: 'Removal of bricks from Gluster Volume {VolumeName} of cluster {ClusterName} was committed.',
  },
  BRICK_MIGRATION_ENDED: {
    code: 4088,
    severity: 'normal',
    text: 'Migration of the data of bricks of Gluster Volume {VolumeName} of cluster {ClusterName}: {TaskStatus}.',
  },
  BRICK_REPLACED: {
    code: 4162,
    severity: 'normal',
    text: 'Brick {Brick} of Gluster Volume {VolumeName} was replaced with brick {NewBrick} on cluster {ClusterName}.',
  },
  VOLUME_PROFILE_STARTED: {
    code: 4022,
    severity: 'normal',
    text: 'Profiling of Gluster Volume {VolumeName} of cluster {ClusterName} was started.',
  },
  VOLUME_PROFILE_STOPPED: {
    code: 4024,
    severity: 'normal',
    text: 'Profiling of Gluster Volume {VolumeName} of cluster {ClusterName} was stopped.',
  },
  HOOK_ENABLED: {
    code: 4042,
    severity: 'normal',
    text: 'Gluster Hook {HookName} was enabled on cluster {ClusterName}.',
  },
  HOOK_DISABLED: {
    code: 4045,
    severity: 'normal',
    text: 'Gluster Hook {HookName} was disabled on cluster {ClusterName}.',
  },
  HOOK_UPDATED: {
    code: 4059,
    severity: 'normal',
    text: 'Gluster hook {HookName} of Cluster {ClusterName} was updated on all servers.',
  },
  HOOK_ADDED: {
    code: 4061,
    severity: 'normal',
    text: 'Gluster hook {HookName} of Cluster {ClusterName} was added to all servers.',
  },
  HOOK_REMOVED: {
    code: 4063,
    severity: 'normal',
    text: 'Gluster hook {HookName} was removed from Cluster {ClusterName}.',
  },
} as const satisfies EventTexts;
