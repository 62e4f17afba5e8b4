/** Uploads and downloads of disk images. */
import { crud, owned } from '../notation/collections.ts';
import { column } from '../notation/commands.ts';
import { lifecycle } from '../notation/lifecycle.ts';
import { referred, sent } from '../notation/permits.ts';
import { resource } from '../notation/resource.ts';

export const imageTransferLifecycle = lifecycle({
  type: 'image_transfer',
  attribute: 'phase',
  initial: 'initializing',
  settled: [
    'transferring',
    'paused_user',
    'paused_system',
    'finished_success',
    'finished_failure',
    'finished_cleanup',
  ],
  failed: ['paused_system', 'finished_failure'],
  moves: {
    add: {
      from: [],
      via: [['initializing', 500]],
      to: 'transferring',
      refusedBy: { otherwise: 'DISK_IS_LOCKED' },
      events: { begin: 'TRANSFER_STARTED' },
    },
    pause: {
      from: ['initializing', 'transferring', 'resuming'],
      to: 'paused_user',
      refusedBy: { otherwise: 'TRANSFER_IS_OVER' },
      events: { end: 'TRANSFER_PAUSED_BY_USER' },
    },
    resume: {
      from: ['paused_user', 'paused_system'],
      via: [['resuming', 200]],
      to: 'transferring',
      refusedBy: { otherwise: 'TRANSFER_CANNOT_BE_RESUMED' },
      events: { begin: 'TRANSFER_RESUMED_BY_USER' },
    },
    finalize: {
      from: ['transferring', 'paused_user', 'paused_system', 'resuming'],
      via: [['finalizing_success', 500]],
      to: 'finished_success',
      refusedBy: { otherwise: 'TRANSFER_IS_OVER' },
      events: { end: 'TRANSFER_SUCCEEDED' },
    },
    cancel: {
      from: ['initializing', 'transferring', 'paused_user', 'paused_system', 'resuming'],
      via: [
        ['cancelled_user', 200],
        ['finalizing_cleanup', 200],
      ],
      to: 'finished_cleanup',
      refusedBy: { otherwise: 'TRANSFER_IS_OVER' },
      events: { end: 'TRANSFER_CANCELLED' },
    },
    fail: {
      from: ['initializing', 'transferring', 'paused_user', 'paused_system', 'resuming'],
      via: [
        ['cancelled_system', 200],
        ['finalizing_failure', 200],
      ],
      to: 'finished_failure',
      refusedBy: { otherwise: 'TRANSFER_IS_OVER' },
      events: { end: 'TRANSFER_FAILED' },
    },
  },
});

export const imageTransfer = resource('image_transfer', {
  doc: 'An upload or download of a disk through the image daemon.',
  identified: true,
  attributes: {
    proxy_url: {
      kind: 'string',
      mut: 'R',
      confidential: true,
      doc: 'URL of the proxy, in phase transferring.',
    },
    transfer_url: {
      kind: 'string',
      mut: 'R',
      confidential: true,
      doc: 'URL of the image daemon, in phase transferring.',
    },
    phase: { kind: 'enum image_transfer_phase', mut: 'R', default: 'initializing' },
    direction: { kind: 'enum image_transfer_direction', mut: 'C', default: 'upload' },
    active: { kind: 'bool', mut: 'R' },
    transferred: { kind: 'long', unit: 'bytes', mut: 'R', doc: 'Bytes.' },
    inactivity_timeout: { kind: 'int', mut: 'C', default: 60, doc: 'Seconds.' },
    timeout_policy: { kind: 'enum image_transfer_timeout_policy', mut: 'C', default: 'legacy' },
    image: { kind: 'ref image', mut: 'C', doc: 'Deprecated: id of the disk.' },
    disk: {
      kind: 'ref disk',
      mut: 'C',
      excludes: 'snapshot',
      doc: 'Disk by id; exclusive with a disk snapshot.',
    },
    snapshot: { kind: 'ref disk_snapshot', mut: 'C', doc: 'Disk snapshot by id.' },
    host: { kind: 'ref host', mut: 'C', doc: 'Host by id (default: selected by the server).' },
    backup: { kind: 'ref backup', mut: 'C' },
    format: {
      kind: 'enum disk_format',
      mut: 'C',
      doc: 'Format of the transferred data, raw or cow (default: that of the disk).',
    },
    shallow: { kind: 'bool', mut: 'C', default: false },
  },
  required: [['disk.id', 'image.id', 'snapshot.id']],
  about: ['disk'],
  operations: {
    add: { permit: sent('edit_disk_properties', 'disk'), job: 'Transferring an image' },
    cancel: { permit: referred('create_disk', 'disk') },
    extend: { permit: referred('create_disk', 'disk'), harmless: true },
    finalize: { permit: referred('create_disk', 'disk'), harmless: true },
    pause: {
      permit: referred('create_disk', 'disk'),
      harmless: true,
      opposite: 'resume',
    },
    resume: {
      permit: referred('create_disk', 'disk'),
      harmless: true,
      opposite: 'pause',
    },
  },
  paths: {
    '/imagetransfers/{imagetransfer}': owned({
      ...crud('add', 'get'),
      list: ['follow'],
      actions: { cancel: [], extend: [], finalize: [], pause: [], resume: [] },
    }),
  },
  lifecycle: imageTransferLifecycle,
  faults: {
    TRANSFER_IS_OVER: {
      status: 409,
      text: 'Cannot {action} image transfer. It is in phase {status}.',
    },
    TRANSFER_CANNOT_BE_RESUMED: {
      status: 409,
      text: 'Cannot {action} image transfer. Only a paused transfer can be resumed; the phase is {status}.',
    },
    DOWNLOAD_CANNOT_BE_PAUSED: {
      status: 400,
      text: 'Cannot {action} image transfer. A download cannot be paused.',
    },
    TRANSFER_OF_ONE_IMAGE: {
      status: 400,
      text: 'Cannot {action} image transfer. Specify either a disk or a snapshot.',
    },
    TRANSFER_FORMAT_NOT_OF_BACKUP: {
      status: 400,
      text: 'Cannot {action} image transfer. The specified format is not applicable for VM backup.',
    },
    TRANSFER_ONLY_READS: {
      status: 409,
      text: 'Cannot {action} image transfer. The content of {what} can only be downloaded.',
    },
    TRANSFER_BACKUP_NOT_READY: {
      status: 409,
      text: 'Cannot {action} image transfer. The backup is in phase {phase}; it must be ready.',
    },
    TRANSFER_NOT_IN_BACKUP: {
      status: 400,
      text: 'Cannot {action} image transfer. Disk {name} is not part of the backup.',
    },
  },
  enums: {
    image_transfer_direction: ['upload', 'download'],
    image_transfer_phase: [
      'unknown',
      'initializing',
      'transferring',
      'resuming',
      'paused_system',
      'paused_user',
      'cancelled',
      'finalizing_success',
      'finalizing_failure',
      'finished_success',
      'finished_failure',
      'cancelled_system',
      'cancelled_user',
      'finalizing_cleanup',
      'finished_cleanup',
    ],
    image_transfer_timeout_policy: ['legacy', 'pause', 'cancel'],
  },
  events: {
    TRANSFER_STARTED: {
      code: 1031,
      severity: 'normal',
      text: 'Image {TransferType} with disk {DiskAlias} was initiated by {UserName}.',
    },
    TRANSFER_SUCCEEDED: {
      code: 1032,
      severity: 'normal',
      text: 'Image {TransferType} with disk {DiskAlias} succeeded.',
    },
    TRANSFER_CANCELLED: {
      code: 1033,
      severity: 'normal',
      text: 'Image {TransferType} with disk {DiskAlias} was cancelled.',
    },
    TRANSFER_FAILED: {
      code: 1034,
      severity: 'error',
      text: 'Image {TransferType} with disk {DiskAlias} failed.',
    },
    TRANSFER_STOPPED_TICKET_MISSING: {
      code: 1065,
      severity: 'error',
      text: 'Image {TransferType} with disk {DiskAlias} was stopped by the system: cannot open its image.',
    },
    UPLOAD_PAUSED_BY_TIMEOUT: {
      code: 1071,
      severity: 'error',
      text: 'The upload of disk {DiskAlias} was paused by the system: no data received for {Seconds} seconds.',
    },
    DOWNLOAD_CANCELLED_BY_TIMEOUT: {
      code: 1072,
      severity: 'error',
      text: 'The download of disk {DiskAlias} was cancelled by the system: no data read for {Seconds} seconds.',
    },
    TRANSFER_PAUSED_BY_USER: {
      code: 1073,
      severity: 'normal',
      text: 'Image {TransferType} with disk {DiskAlias} was paused by {UserName}.',
    },
    TRANSFER_RESUMED_BY_USER: {
      code: 1074,
      severity: 'normal',
      text: 'Image {TransferType} with disk {DiskAlias} was resumed by {UserName}.',
    },
    TRANSFER_CANCELLED_BY_POLICY: {
      code: 1076,
      severity: 'error',
      text: 'Image {TransferType} with disk {DiskAlias} was cancelled by its time-out policy after {Seconds} seconds.',
    },
    TRANSFER_PAUSED_BY_POLICY: {
      code: 1077,
      severity: 'warning',
      text: 'Image {TransferType} with disk {DiskAlias} was paused by its time-out policy after {Seconds} seconds.',
    },
  },
  definition: { leftOut: 'transfers in progress' },
  commands: {
    noun: 'imagetransfers',
    aliases: ['transfers'],
    group: 'storage',
    position: 80,
    doc: 'Uploads and downloads of disks',
    one: 'image transfer',
    columns: ['id', 'phase', 'direction', column('disk', 'disk.alias'), 'transferred'],
    follow: 'disk',
    knownBy: [],
    verbs: {
      create: { sample: { flags: '--disk root --direction download' } },
      finalize: { purpose: 'Finish {} and keep the transferred data' },
    },
  },
});
