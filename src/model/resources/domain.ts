/** User directories. */
import { owned } from '../notation/collections.ts';
import { resource } from '../notation/resource.ts';

export const domain = resource('domain', {
  doc: 'A directory of users and groups.',
  identified: true,
  attributes: {
    name: { kind: 'string', mut: 'R' },
    description: { kind: 'string', mut: 'R' },
    comment: { kind: 'string', mut: 'R' },
    groups: { kind: 'links group', mut: 'R' },
    users: { kind: 'links user', mut: 'R' },
  },
  paths: { '/domains/{domain}': owned({ list: ['follow', 'max'], get: ['follow'] }) },
  commands: {
    noun: 'domains',
    aliases: ['authdomains'],
    group: 'access',
    doc: 'User directories',
    columns: ['name', 'description', 'id'],
    samples: { object: 'internal-authz' },
  },
});
