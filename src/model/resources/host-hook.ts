/** Hook scripts of hosts. */
import { owned } from '../notation/collections.ts';
import { resource } from '../notation/resource.ts';

export const hook = resource('hook', {
  identified: true,
  attributes: {
    event_name: { kind: 'string', mut: 'CU' },
    md5: { kind: 'string', mut: 'CU' },
    host: { kind: 'ref host', mut: 'CU' },
  },
  paths: { '/hosts/{host}/hooks/{hook}': owned({ list: ['follow', 'max'], get: ['follow'] }) },
  commands: {
    noun: 'hosthooks',
    group: 'compute',
    position: 120,
    more: true,
    doc: 'Scripts that run around operations of a host',
    one: 'host hook',
    collections: ['/hosts/{host}/hooks'],
    samples: { object: '50_localdisk' },
  },
});
