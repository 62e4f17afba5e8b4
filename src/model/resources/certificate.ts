/** Certificates of providers and hosts. */
import { below, owned } from '../notation/collections.ts';
import { resource } from '../notation/resource.ts';

export const certificate = resource('certificate', {
  identified: true,
  attributes: {
    organization: { kind: 'string', mut: 'CU' },
    subject: { kind: 'string', mut: 'CU' },
    content: { kind: 'string', mut: 'CU' },
  },
  paths: {
    ...below(
      [
        '/externalhostproviders/{provider}',
        '/openstackimageproviders/{provider}',
        '/openstacknetworkproviders/{provider}',
        '/openstackvolumeproviders/{provider}',
      ],
      'certificates/{certificate}',
      owned({ list: ['follow', 'max'], get: ['follow'] }),
    ),
  },
  commands: {
    noun: 'certificates',
    group: 'providers',
    position: 90,
    more: true,
    doc: 'Certificates of an external provider',
    samples: { object: 'provider.example.com' },
  },
});
