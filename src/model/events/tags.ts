/** Events of tags on objects. */
import type { EventTexts } from './notation.ts';

export const tagEvents = {
  TAG_ATTACHED_TO_TEMPLATE: {
    code: 183,
    severity: 'normal',
    text: 'Tag {TagName} was attached to template {TemplateName} by {UserName}.',
  },
  TAG_DETACHED_FROM_TEMPLATE: {
    code: 185,
    severity: 'normal',
    text: 'Tag {TagName} was detached from template {TemplateName} by {UserName}.',
  },
  TAG_ATTACHED_TO_USER: {
    code: 436,
    severity: 'normal',
    text: 'Tag {TagName} was attached to user {TaggedName} by {UserName}.',
  },
  TAG_ATTACHED_TO_GROUP: {
    code: 438,
    severity: 'normal',
    text: 'Tag {TagName} was attached to group {TaggedName} by {UserName}.',
  },
  TAG_ATTACHED_TO_VM: {
    code: 440,
    severity: 'normal',
    text: 'Tag {TagName} was attached to VM {VmName} by {UserName}.',
  },
  TAG_ATTACHED_TO_HOST: {
    code: 442,
    severity: 'normal',
    text: 'Tag {TagName} was attached to host {HostName} by {UserName}.',
  },
  TAG_DETACHED_FROM_HOST: {
    code: 444,
    severity: 'normal',
    text: 'Tag {TagName} was detached from host {HostName} by {UserName}.',
  },
  TAG_DETACHED_FROM_VM: {
    code: 446,
    severity: 'normal',
    text: 'Tag {TagName} was detached from VM {VmName} by {UserName}.',
  },
  TAG_DETACHED_FROM_USER: {
    code: 448,
    severity: 'normal',
    text: 'Tag {TagName} was detached from user {TaggedName} by {UserName}.',
  },
  TAG_DETACHED_FROM_GROUP: {
    code: 450,
    severity: 'normal',
    text: 'Tag {TagName} was detached from group {TaggedName} by {UserName}.',
  },
  TAG_ON_USER_ALREADY: {
    code: 452,
    severity: 'warning',
    text: 'Tag {TagName} is attached to user {TaggedName} already.',
  },
  TAG_ON_GROUP_ALREADY: {
    code: 453,
    severity: 'warning',
    text: 'Tag {TagName} is attached to group {TaggedName} already.',
  },
  TAG_ON_VM_ALREADY: {
    code: 454,
    severity: 'warning',
    text: 'Tag {TagName} is attached to VM {VmName} already.',
  },
  TAG_ON_HOST_ALREADY: {
    code: 455,
    severity: 'warning',
    text: 'Tag {TagName} is attached to host {HostName} already.',
  },
  TAG_ON_TEMPLATE_ALREADY: {
    code: 460,
    severity: 'warning',
    text: 'Tag {TagName} is attached to template {TemplateName} already.',
  },
} as const satisfies EventTexts;
