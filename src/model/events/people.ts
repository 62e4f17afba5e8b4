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
} as const satisfies EventTexts;
