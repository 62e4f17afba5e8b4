/** Network filters. */
import { owned, view } from '../notation/collections.ts';
import { resource } from '../notation/resource.ts';

export const networkFilter = resource('network_filter', {
  plural: 'network_filters',
  identified: true,
  attributes: {
    name: { kind: 'string', mut: 'R' },
    version: { kind: 'struct version', mut: 'R' },
  },
  // Lists are in order of creation.
  search: { order: [] },
  paths: {
    '/clusters/{cluster}/networkfilters/{networkfilter}': view(
      { all: true },
      { list: ['follow'], get: ['follow'] },
    ),
    '/networkfilters/{networkfilter}': owned({ list: ['follow'], get: ['follow'] }),
  },
  commands: {
    noun: 'networkfilters',
    group: 'network',
    position: 30,
    more: true,
    doc: 'Network filters',
    one: 'network filter',
    samples: { object: 'vdsm-no-mac-spoofing' },
  },
});
