/** Events of users: sign-in, users, permissions. */
import type { EventTexts } from '../notation/events.ts';

export const peopleEvents = {
  USER_LOGGED_IN: {
    code: 30,
    severity: 'normal',
    text: 'User {UserName} connecting from {SourceIP} logged in.',
  },
  USER_LOGGED_OUT: {
    code: 31,
    severity: 'normal',
    text: 'User {UserName} connected from {SourceIP} logged out.',
  },
  USER_LOGIN_FAILED: {
    code: 114,
    severity: 'error',
    text: 'User {UserName} connecting from {SourceIP} failed to log in: {Reason}.',
  },
  USER_ADDED: {
    code: 149,
    severity: 'normal',
    text: 'User {NewUserName} was added to the system.',
  },
  PERMISSION_ADDED: {
    code: 850,
    severity: 'normal',
    text: '{SubjectName} was granted role {RoleName} on {ObjectType} {ObjectName} by {UserName}.',
  },
  PERMISSION_REMOVED: {
    code: 852,
    severity: 'normal',
    text: 'Role {RoleName} of {SubjectName} on {ObjectType} {ObjectName} was removed by {UserName}.',
  },
  USER_REMOVED: {
    code: 325,
    severity: 'normal',
    text: 'User {RemovedUserName} was removed by {UserName}.',
  },
  GROUP_REMOVED: {
    code: 408,
    severity: 'normal',
    text: 'Group {GroupName} was removed by {UserName}.',
  },
  SYSTEM_PERMISSION_ADDED: {
    code: 866,
    severity: 'normal',
    text: '{SubjectName} was granted role {RoleName} on the whole system by {UserName}.',
  },
  SYSTEM_PERMISSION_REMOVED: {
    code: 868,
    severity: 'normal',
    text: 'Role {RoleName} of {SubjectName} on the whole system was removed by {UserName}.',
  },
  USER_PROFILE_ADDED: {
    code: 870,
    severity: 'normal',
    text: '{ObjectName} was added to the profile of user {TheirName} by {UserName}.',
  },
  USER_PROFILE_UPDATED: {
    code: 872,
    severity: 'normal',
    text: '{ObjectName} in the profile of user {TheirName} was updated by {UserName}.',
  },
  USER_PROFILE_REMOVED: {
    code: 874,
    severity: 'normal',
    text: '{ObjectName} was removed from the profile of user {TheirName} by {UserName}.',
  },
} as const satisfies EventTexts;
