/** Events of people: sign-in, users, roles, permissions, tags, bookmarks. */
import type { EventTexts } from './notation.ts';

export const peopleEvents = {
  30: {
    name: 'USER_LOGGED_IN',
    severity: 'normal',
    text: 'User {UserName} connecting from {SourceIP} logged in.',
  },
  31: {
    name: 'USER_LOGGED_OUT',
    severity: 'normal',
    text: 'User {UserName} connected from {SourceIP} logged out.',
  },
  114: {
    name: 'USER_LOGIN_FAILED',
    severity: 'error',
    text: 'User {UserName} connecting from {SourceIP} failed to log in: {Reason}.',
  },
  149: {
    name: 'USER_ADDED',
    severity: 'normal',
    text: 'User {NewUserName} was added to the system.',
  },
  850: {
    name: 'PERMISSION_ADDED',
    severity: 'normal',
    text: '{SubjectName} was granted role {RoleName} on {ObjectType} {ObjectName} by {UserName}.',
  },
  852: {
    name: 'PERMISSION_REMOVED',
    severity: 'normal',
    text: 'Role {RoleName} of {SubjectName} on {ObjectType} {ObjectName} was removed by {UserName}.',
  },
  864: {
    name: 'ROLE_ADDED',
    severity: 'normal',
    text: 'Role {ObjectName} was created by {UserName}.',
  },
  856: {
    name: 'ROLE_UPDATED',
    severity: 'normal',
    text: 'Role {ObjectName} was updated by {UserName}.',
  },
  858: {
    name: 'ROLE_REMOVED',
    severity: 'normal',
    text: 'Role {ObjectName} was removed by {UserName}.',
  },
  430: {
    name: 'TAG_UPDATED',
    severity: 'normal',
    text: 'Tag {ObjectName} configuration was updated by {UserName}.',
  },
  432: {
    name: 'TAG_ADDED',
    severity: 'normal',
    text: 'New tag {ObjectName} was created by {UserName}.',
  },
  434: {
    name: 'TAG_REMOVED',
    severity: 'normal',
    text: 'Tag {ObjectName} was removed by {UserName}.',
  },
  350: {
    name: 'BOOKMARK_ADDED',
    severity: 'normal',
    text: 'Bookmark {ObjectName} was added by {UserName}.',
  },
  352: {
    name: 'BOOKMARK_UPDATED',
    severity: 'normal',
    text: 'Bookmark {ObjectName} was updated by {UserName}.',
  },
  354: {
    name: 'BOOKMARK_REMOVED',
    severity: 'normal',
    text: 'Bookmark {ObjectName} was removed by {UserName}.',
  },
  325: {
    name: 'USER_REMOVED',
    severity: 'normal',
    text: 'User {RemovedUserName} was removed by {UserName}.',
  },
  408: {
    name: 'GROUP_REMOVED',
    severity: 'normal',
    text: 'Group {GroupName} was removed by {UserName}.',
  },
  866: {
    name: 'SYSTEM_PERMISSION_ADDED',
    severity: 'normal',
    text: '{SubjectName} was granted role {RoleName} on the whole system by {UserName}.',
  },
  868: {
    name: 'SYSTEM_PERMISSION_REMOVED',
    severity: 'normal',
    text: 'Role {RoleName} of {SubjectName} on the whole system was removed by {UserName}.',
  },
  860: {
    name: 'PERMIT_ADDED_TO_ROLE',
    severity: 'normal',
    text: 'Permit {PermitName} was added to role {RoleName} by {UserName}.',
  },
  862: {
    name: 'PERMIT_REMOVED_FROM_ROLE',
    severity: 'normal',
    text: 'Permit {PermitName} was taken from role {RoleName} by {UserName}.',
  },
  870: {
    name: 'USER_PROFILE_ADDED',
    severity: 'normal',
    text: '{ObjectName} was added to the profile of user {TheirName} by {UserName}.',
  },
  872: {
    name: 'USER_PROFILE_UPDATED',
    severity: 'normal',
    text: '{ObjectName} in the profile of user {TheirName} was updated by {UserName}.',
  },
  874: {
    name: 'USER_PROFILE_REMOVED',
    severity: 'normal',
    text: '{ObjectName} was removed from the profile of user {TheirName} by {UserName}.',
  },
} as const satisfies EventTexts;
