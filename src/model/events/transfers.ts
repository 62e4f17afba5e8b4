/** Events of image transfers. */
import type { EventTexts } from './notation.ts';

export const transferEvents = {
  1031: {
    name: 'TRANSFER_STARTED',
    severity: 'normal',
    text: 'Image {TransferType} with disk {DiskAlias} was initiated by {UserName}.',
  },
  1032: {
    name: 'TRANSFER_SUCCEEDED',
    severity: 'normal',
    text: 'Image {TransferType} with disk {DiskAlias} succeeded.',
  },
  1033: {
    name: 'TRANSFER_CANCELLED',
    severity: 'normal',
    text: 'Image {TransferType} with disk {DiskAlias} was cancelled.',
  },
  1034: {
    name: 'TRANSFER_FAILED',
    severity: 'error',
    text: 'Image {TransferType} with disk {DiskAlias} failed.',
  },
  1065: {
    name: 'TRANSFER_STOPPED_TICKET_MISSING',
    severity: 'error',
    text: 'Image {TransferType} with disk {DiskAlias} was stopped by the system: its image cannot be opened any more.',
  },
  1071: {
    name: 'UPLOAD_PAUSED_BY_TIMEOUT',
    severity: 'error',
    text: 'The upload of disk {DiskAlias} was paused by the system: no bytes came for {Seconds} seconds.',
  },
  1072: {
    name: 'DOWNLOAD_CANCELLED_BY_TIMEOUT',
    severity: 'error',
    text: 'The download of disk {DiskAlias} was cancelled by the system: no bytes were read for {Seconds} seconds.',
  },
  1073: {
    name: 'TRANSFER_PAUSED_BY_USER',
    severity: 'normal',
    text: 'Image {TransferType} with disk {DiskAlias} was paused by {UserName}.',
  },
  1074: {
    name: 'TRANSFER_RESUMED_BY_USER',
    severity: 'normal',
    text: 'Image {TransferType} with disk {DiskAlias} was resumed by {UserName}.',
  },
  1076: {
    name: 'TRANSFER_CANCELLED_BY_POLICY',
    severity: 'error',
    text: 'Image {TransferType} with disk {DiskAlias} was cancelled by its time-out policy after {Seconds} seconds.',
  },
  1077: {
    name: 'TRANSFER_PAUSED_BY_POLICY',
    severity: 'warning',
    text: 'Image {TransferType} with disk {DiskAlias} was paused by its time-out policy after {Seconds} seconds.',
  },
} as const satisfies EventTexts;
