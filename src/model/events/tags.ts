/** Events of tags on objects. */
import type { EventTexts } from './notation.ts';

export const tagEvents = {
  183: {
    name: 'TAG_ATTACHED_TO_TEMPLATE',
    severity: 'normal',
    text: 'Tag {TagName} was attached to template {TemplateName} by {UserName}.',
  },
  185: {
    name: 'TAG_DETACHED_FROM_TEMPLATE',
    severity: 'normal',
    text: 'Tag {TagName} was detached from template {TemplateName} by {UserName}.',
  },
  436: {
    name: 'TAG_ATTACHED_TO_USER',
    severity: 'normal',
    text: 'Tag {TagName} was attached to user {TaggedName} by {UserName}.',
  },
  438: {
    name: 'TAG_ATTACHED_TO_GROUP',
    severity: 'normal',
    text: 'Tag {TagName} was attached to group {TaggedName} by {UserName}.',
  },
  440: {
    name: 'TAG_ATTACHED_TO_VM',
    severity: 'normal',
    text: 'Tag {TagName} was attached to VM {VmName} by {UserName}.',
  },
  442: {
    name: 'TAG_ATTACHED_TO_HOST',
    severity: 'normal',
    text: 'Tag {TagName} was attached to host {HostName} by {UserName}.',
  },
  444: {
    name: 'TAG_DETACHED_FROM_HOST',
    severity: 'normal',
    text: 'Tag {TagName} was detached from host {HostName} by {UserName}.',
  },
  446: {
    name: 'TAG_DETACHED_FROM_VM',
    severity: 'normal',
    text: 'Tag {TagName} was detached from VM {VmName} by {UserName}.',
  },
  448: {
    name: 'TAG_DETACHED_FROM_USER',
    severity: 'normal',
    text: 'Tag {TagName} was detached from user {TaggedName} by {UserName}.',
  },
  450: {
    name: 'TAG_DETACHED_FROM_GROUP',
    severity: 'normal',
    text: 'Tag {TagName} was detached from group {TaggedName} by {UserName}.',
  },
  452: {
    name: 'TAG_ON_USER_ALREADY',
    severity: 'warning',
    text: 'Tag {TagName} is attached to user {TaggedName} already.',
  },
  453: {
    name: 'TAG_ON_GROUP_ALREADY',
    severity: 'warning',
    text: 'Tag {TagName} is attached to group {TaggedName} already.',
  },
  454: {
    name: 'TAG_ON_VM_ALREADY',
    severity: 'warning',
    text: 'Tag {TagName} is attached to VM {VmName} already.',
  },
  455: {
    name: 'TAG_ON_HOST_ALREADY',
    severity: 'warning',
    text: 'Tag {TagName} is attached to host {HostName} already.',
  },
  460: {
    name: 'TAG_ON_TEMPLATE_ALREADY',
    severity: 'warning',
    text: 'Tag {TagName} is attached to template {TemplateName} already.',
  },
} as const satisfies EventTexts;
