/** The certificate that every simulated provider presents (nobody has its key), and others. */

import { define } from '../../core/behavior.ts';
import { namedId } from '../../core/digest.ts';
import type { Trusting } from './reach.ts';

const content = [
  '-----BEGIN CERTIFICATE-----',
  'MIIBuTCCAV+gAwIBAgIUR1wk8gKKiz2h1e+eW9Do3V4BTsIwCgYIKoZIzj0EAwIw',
  'MTEQMA4GA1UECgwHRXhhbXBsZTEdMBsGA1UEAwwUcHJvdmlkZXIuZXhhbXBsZS5j',
  'b20wIBcNMjYxMTIxMTQyMjM3WhgPMjEyNjEwMjgxNDIyMzdaMDExEDAOBgNVBAoM',
  'B0V4YW1wbGUxHTAbBgNVBAMMFHByb3ZpZGVyLmV4YW1wbGUuY29tMFkwEwYHKoZI',
  'zj0CAQYIKoZIzj0DAQcDQgAE+eJvkB0ivJmS6w/aLjHdnzwNvrGu86xEMlKha+MS',
  'gkdzS8HLIJdgDGW1jD/0grP7C7XylKrSiPQMa8tQ9U4DIaNTMFEwHQYDVR0OBBYE',
  'FB9n5M40bZmLFrWhsA/2reeCZl/MMB8GA1UdIwQYMBaAFB9n5M40bZmLFrWhsA/2',
  'reeCZl/MMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSAAwRQIhANVuWzWa',
  'umPN+402WeVjGe00ZN6wz3eMMUFB769jqdbgAiBtokYrqGprXQ0Ecf6XYOl8rHE5',
  'Sp2zuEY8tBr1qJ05NA==',
  '-----END CERTIFICATE-----',
].join('\n');

/** What the provider presents, and what else is trusted for it. */
export const certificateRules = define('certificate', {
  compute(ctx, place) {
    const presented = {
      id: namedId(place.owner?.id ?? '', 'certificate'),
      name: 'provider.example.com',
      organization: 'Example',
      subject: 'O=Example,CN=provider.example.com',
      content,
    };
    const owner = place.owner && ctx.tx.get(place.owner.kind, place.owner.id);
    const { trusted = [] } = (owner ?? {}) as Trusting;
    return [presented, ...trusted.filter((one) => one.content !== content)];
  },
});
