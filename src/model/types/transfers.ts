/** Types of the transfers family (specification 2.4). */
import { types } from '../notation.ts';

export const transfersTypes = types({
  image_transfer: {
    doc: 'A transfer of the bytes of a disk, through the image daemon.',
    identified: true,
    attributes: {
      proxy_url: { kind: 'string', mut: 'R', doc: 'proxy URL; present once transferring' },
      transfer_url: {
        kind: 'string',
        mut: 'R',
        doc: 'daemon URL incl. /images/<ticket id>; present once transferring',
      },
      phase: { kind: 'enum image_transfer_phase', mut: 'R', default: 'initializing' },
      direction: { kind: 'enum image_transfer_direction', mut: 'C', default: 'upload' },
      active: { kind: 'bool', mut: 'R' },
      transferred: { kind: 'long', mut: 'R', doc: 'bytes' },
      inactivity_timeout: { kind: 'int', mut: 'C', default: 60, doc: 'seconds' },
      timeout_policy: { kind: 'enum image_transfer_timeout_policy', mut: 'C', default: 'legacy' },
      image: { kind: 'ref image', mut: 'C', doc: 'deprecated; always returned with the disk id' },
      disk: { kind: 'ref disk', mut: 'C', doc: 'one of disk, snapshot, image(deprecated)' },
      snapshot: { kind: 'ref disk_snapshot', mut: 'C', doc: 'disk snapshot (image id)' },
      host: { kind: 'ref host', mut: 'C', doc: 'by id; otherwise chosen by the server' },
      backup: { kind: 'ref backup', mut: 'C' },
      format: {
        kind: 'enum disk_format',
        mut: 'C',
        doc: 'format the client uses: raw or cow; default = format of the disk',
      },
      shallow: { kind: 'bool', mut: 'C', default: false },
    },
  },
});
