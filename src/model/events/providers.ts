/** Events of external providers. */
import type { EventTexts } from '../notation/events.ts';

export const providerEvents = {
  PROVIDER_ADDED: {
    code: 205,
    severity: 'normal',
    text: 'Provider {ObjectName} was added by {UserName}.',
  },
  PROVIDER_UPDATED: {
    code: 207,
    severity: 'normal',
    text: 'Provider {ObjectName} was updated by {UserName}.',
  },
  PROVIDER_REMOVED: {
    code: 209,
    severity: 'normal',
    text: 'Provider {ObjectName} was removed by {UserName}.',
  },
  PROVIDER_CERTIFICATES_IMPORTED: {
    code: 213,
    severity: 'normal',
    text: 'The certificates of provider {ObjectName} were imported by {UserName}.',
  },
  AUTHENTICATION_KEY_ADDED: {
    code: 10754,
    severity: 'normal',
    text: 'An authentication key was added to provider {OpenstackVolumeProviderName} by {UserName}.',
  },
  AUTHENTICATION_KEY_UPDATED: {
    code: 10756,
    severity: 'normal',
    text: 'An authentication key of provider {OpenstackVolumeProviderName} was updated by {UserName}.',
  },
  AUTHENTICATION_KEY_REMOVED: {
    code: 10758,
    severity: 'normal',
    text: 'An authentication key was removed from provider {OpenstackVolumeProviderName} by {UserName}.',
  },
} as const satisfies EventTexts;
