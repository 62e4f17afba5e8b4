/** Events of external providers. */
import type { EventTexts } from './notation.ts';

export const providerEvents = {
  205: {
    name: 'PROVIDER_ADDED',
    severity: 'normal',
    text: 'Provider {ObjectName} was added by {UserName}.',
  },
  207: {
    name: 'PROVIDER_UPDATED',
    severity: 'normal',
    text: 'Provider {ObjectName} was updated by {UserName}.',
  },
  209: {
    name: 'PROVIDER_REMOVED',
    severity: 'normal',
    text: 'Provider {ObjectName} was removed by {UserName}.',
  },
  213: {
    name: 'PROVIDER_CERTIFICATES_IMPORTED',
    severity: 'normal',
    text: 'The certificates of provider {ObjectName} were imported by {UserName}.',
  },
  10754: {
    name: 'AUTHENTICATION_KEY_ADDED',
    severity: 'normal',
    text: 'An authentication key was added to provider {OpenstackVolumeProviderName} by {UserName}.',
  },
  10756: {
    name: 'AUTHENTICATION_KEY_UPDATED',
    severity: 'normal',
    text: 'An authentication key of provider {OpenstackVolumeProviderName} was updated by {UserName}.',
  },
  10758: {
    name: 'AUTHENTICATION_KEY_REMOVED',
    severity: 'normal',
    text: 'An authentication key was removed from provider {OpenstackVolumeProviderName} by {UserName}.',
  },
} as const satisfies EventTexts;
