/** Events of image transfers. */
import type { EventTexts } from './notation.ts';

export const transferEvents = {
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
    text: 'Image {TransferType} with disk {DiskAlias} was stopped by the system: its image cannot be opened any more.',
  },
  UPLOAD_PAUSED_BY_TIMEOUT: {
    code: 1071,
    severity: 'error',
    text: 'The upload of disk {DiskAlias} was paused by the system: no bytes came for {Seconds} seconds.',
  },
  DOWNLOAD_CANCELLED_BY_TIMEOUT: {
    code: 1072,
    severity: 'error',
    text: 'The download of disk {DiskAlias} was cancelled by the system: no bytes were read for {Seconds} seconds.',
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
} as const satisfies EventTexts;
