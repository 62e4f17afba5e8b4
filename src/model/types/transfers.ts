/** Types of the transfers family (specification 2.4). */
import { types } from '../notation.ts';

export const transfersTypes = types({
  image_transfer: {
    doc: 'A transfer of the bytes of a disk, through the image daemon.',
    identified: true,
    attributes: {
      proxy_url: { kind: 'string', mut: 'R', doc: 'The URL through the proxy, once transferring.' },
      transfer_url: {
        kind: 'string',
        mut: 'R',
        doc: 'The URL of the image daemon, once transferring.',
      },
      phase: { kind: 'enum image_transfer_phase', mut: 'R', default: 'initializing' },
      direction: { kind: 'enum image_transfer_direction', mut: 'C', default: 'upload' },
      active: { kind: 'bool', mut: 'R' },
      transferred: { kind: 'long', mut: 'R', doc: 'Bytes.' },
      inactivity_timeout: { kind: 'int', mut: 'C', default: 60, doc: 'Seconds.' },
      timeout_policy: { kind: 'enum image_transfer_timeout_policy', mut: 'C', default: 'legacy' },
      image: { kind: 'ref image', mut: 'C', doc: 'Deprecated; shown with the id of the disk.' },
      disk: { kind: 'ref disk', mut: 'C', doc: 'By id. Either a disk or a disk snapshot.' },
      snapshot: { kind: 'ref disk_snapshot', mut: 'C', doc: 'The disk snapshot, by id.' },
      host: { kind: 'ref host', mut: 'C', doc: 'By id; chosen by the server when not given.' },
      backup: { kind: 'ref backup', mut: 'C' },
      format: {
        kind: 'enum disk_format',
        mut: 'C',
        doc: 'The format of the bytes, raw or cow; that of the disk by default.',
      },
      shallow: { kind: 'bool', mut: 'C', default: false },
    },
  },
});
