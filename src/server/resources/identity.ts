/** Users, groups, roles and tags, and the directory of users and groups. */

import type { Resource } from '../../model/resource.ts';
import { everyone } from '../../model/resources/group.ts';
import { hasPassword, setPassword } from '../auth/passwords.ts';
import { onSystem, splitUserName } from '../auth/permissions.ts';
import { defineBehavior } from '../core/behavior.ts';
import type { RuleContext } from '../core/context.ts';
import { incomplete, invalidInput } from '../core/fault.ts';
import { refuseInUse } from '../core/removal.ts';
import { defaultIds } from '../reference-data/default-ids.ts';
import { copyPassword, removePassword } from '../store/credentials.ts';
import type { StoredObject } from '../store/kinds.ts';

/** Directory ids are derived from the name of the entry. */
export function formatDirectoryId(name: string): string {
  return Buffer.from(name, 'utf8').toString('hex').toUpperCase();
}

/** The directory id of the administrator is derived from the id in the service. */
export function formatEntryId(name: string): string {
  return formatDirectoryId(name === 'admin' ? defaultIds.admin : name);
}

/** The domain of a user or group, with its name. */
function shownDomain(
  ctx: RuleContext,
  { domain }: { readonly domain?: { readonly id?: string } },
): StoredObject {
  const id = domain?.id ?? '';
  const name = ctx.tx.get('domain', id)?.name;
  return name === undefined ? {} : { domain: { id, name } };
}

/** A new directory entry. */
export function createDirectoryEntry(
  kind: 'directory_user' | 'directory_group',
  name: string,
  domain: string,
  domainName: string,
): StoredObject {
  const id = formatEntryId(name);
  const common = { id, name, namespace: '*', domain: { id: domain }, domain_entry_id: id };
  if (kind === 'directory_group') return common;
  const email = name === 'admin' ? `${name}@localhost` : '';
  return { ...common, principal: name, user_name: `${name}@${domainName}`, email };
}

/** Fills the directory of a new service. */
export function fillDirectory(ctx: RuleContext, domain: string, domainName: string): void {
  const add = (kind: 'directory_user' | 'directory_group', folder: string, name: string) => {
    const entry = createDirectoryEntry(kind, name, domain, domainName);
    ctx.tx.insert(kind, `/domains/${domain}/${folder}`, entry);
  };
  for (const name of directoryUsers) add('directory_user', 'users', name);
  for (const name of directoryGroups) add('directory_group', 'groups', name);
}

/** Users of the built-in directory, including the administrator. */
const directoryUsers = ['admin', 'jane', 'olaf', 'kim', 'lena', 'marco', 'nadia', 'user'] as const;
const directoryGroups = ['admins', 'auditors', 'developers', 'operators'] as const;

type User = Resource<'user'>;
type Group = Resource<'group'>;

const rootTag = '00000000-0000-0000-0000-000000000000';

/** Behavior of directory entries. */
function defineDirectoryKind(kind: 'directory_user' | 'directory_group') {
  return defineBehavior(kind, {
    present: (ctx, entry) => ({
      ...shownDomain(ctx, entry),
      ...(kind === 'directory_user'
        ? { department: '', last_name: '', groups: [], domain_entry_id: undefined }
        : {}),
    }),
    attach(ctx, ref, sent) {
      const domain = ref.owner?.id ?? '';
      const name = sent.name ?? ('user_name' in sent ? sent.user_name : undefined) ?? '';
      const entry = createDirectoryEntry(
        kind,
        name,
        domain,
        String(ctx.tx.get('domain', domain)?.name),
      );
      Object.assign(entry, sent, { id: entry['id'] });
      ctx.tx.insert(kind, ref.collection, entry);
      return entry;
    },
  });
}

/** The administrator, whose domain is the default domain. */
function findAdministrator(ctx: RuleContext): User {
  return ctx.tx.get('user', defaultIds.admin) ?? {};
}

/** Name and domain of a user or group to add. The text may contain the domain. */
function parsePrincipal(
  ctx: RuleContext,
  text: string,
  domain: { id?: string } | undefined,
): { name: string; domain: Resource<'domain'> | undefined } {
  const named = splitUserName(text);
  const found = domain
    ? ctx.tx.get('domain', domain.id ?? '')
    : named &&
      (ctx.tx.byName('domain', named.profile) ?? ctx.tx.byName('domain', `${named.profile}-authz`));
  const ends = [found?.name ?? '', (found?.name ?? '').replace(/-authz$/, '')];
  const name = named && ends.includes(named.profile) ? named.login : text;
  return { name, domain: found };
}

/** The directory entry of a user or group. Refuses an unknown name. */
function requireEntry(
  ctx: RuleContext,
  kind: 'directory_user' | 'directory_group',
  text: string,
  domain: { id?: string } | undefined,
): StoredObject {
  const principal = parsePrincipal(ctx, text, domain);
  const folder = kind === 'directory_user' ? 'users' : 'groups';
  const entry =
    principal.domain?.id &&
    ctx.tx.get(kind, formatEntryId(principal.name), `/domains/${principal.domain.id}/${folder}`);
  if (entry) return entry;
  if (domain && !principal.domain) ctx.refuse('DOMAIN_UNKNOWN', { action: 'add' });
  return ctx.refuse('NOT_IN_DIRECTORY', {
    action: 'add',
    type: kind === 'directory_user' ? 'User' : 'Group',
    name: principal.name,
    domain: principal.domain?.name ?? '<none>',
  });
}

/** Members that a user or group adopts from the directory entry. */
function copyEntry(entry: StoredObject): StoredObject {
  const { id: _, ...members } = entry;
  return members;
}

export const identityBehaviors = [
  defineDirectoryKind('directory_user'),
  defineDirectoryKind('directory_group'),

  defineBehavior('user', {
    present: shownDomain,
    presentChanged: (_ctx, { user_options: options }) => (options ? { user_options: options } : {}),
    events: { update: 'USER_PROFILE_UPDATED' },
    attach(ctx, ref, sent) {
      const user = sent;
      const text = user.user_name ?? user.principal ?? user.name ?? '';
      if (!sent.domain && !splitUserName(text)) throw invalidInput('User', ['domain'], 'add');
      const entry = requireEntry(ctx, 'directory_user', text, readDomain(ctx, sent));
      const present = ctx.tx.find('user', { user_name: String(entry['user_name']) });
      // Without the rules of an engine, adding a user again returns the existing user.
      if (present && ctx.site.dialect.engineRefusals) {
        ctx.refuse('USER_EXISTS', { action: 'add', name: present.user_name });
      }
      if (present) return present;
      const added: User = {
        department: '',
        last_name: '',
        ...copyEntry(entry),
        id: ctx.site.newId(),
      };
      ctx.tx.insert('user', ref.collection, added);
      givePassword(ctx, added, user.password);
      ctx.event('USER_ADDED', {}, { NewUserName: added.user_name });
      return added;
    },
    beforeUpdate(ctx, before, after) {
      if (ctx.parameters.flag('merge') !== true || !after.user_options) return;
      const options = [...(before.user_options ?? []), ...after.user_options];
      after.user_options = [...new Map(options.map((one) => [one.name, one])).values()];
    },
    beforeDelete(ctx, { object }) {
      if (object.id === defaultIds.admin) {
        ctx.refuse('USER_IS_ADMINISTRATOR', { action: 'remove' });
      }
      if (object.id === ctx.caller.userId) ctx.refuse('USER_IS_CALLER', { action: 'remove' });
      removePassword(ctx.tx, formatLogin(object));
      ctx.event('USER_REMOVED', {}, { RemovedUserName: object.user_name ?? object.name });
      forgetPermissions(ctx, 'user_id', object.id ?? '');
    },
  }),

  defineBehavior('group', {
    present: (ctx, group) =>
      shownDomain(ctx, group.id === everyone ? findAdministrator(ctx) : group),
    attach(ctx, ref, sent) {
      const group = sent;
      if (!sent.domain && !splitUserName(group.name ?? '')) {
        throw incomplete('Group', ['domain.id|name'], 'add');
      }
      const entry: Group = requireEntry(
        ctx,
        'directory_group',
        group.name ?? '',
        readDomain(ctx, sent),
      );
      const domain = entry.domain?.id ?? '';
      const present = ctx.tx.byName('group', String(entry['name']), { domain_id: domain });
      if (present) return present;
      const added: Group = { ...copyEntry(entry), id: ctx.site.newId() };
      ctx.tx.insert('group', ref.collection, added);
      ctx.event('USER_ADDED', {}, { NewUserName: added.name });
      return added;
    },
    beforeDelete(ctx, { object }) {
      if (object.id === everyone) ctx.refuse('GROUP_IS_BUILT_IN', { action: 'remove' });
      ctx.event('GROUP_REMOVED', {}, { GroupName: object.name });
      forgetPermissions(ctx, 'group_id', object.id ?? '');
    },
  }),

  defineBehavior('permit', {
    listed(ctx, { owner }) {
      if (owner?.kind !== 'role' || !ctx.site.dialect.engineAnswers) return undefined;
      const permits = ctx.tx.get('role', owner.id)?.permits ?? [];
      return permits
        .map(({ id }) => ctx.tx.get('permit', id ?? ''))
        .filter((permit) => permit !== undefined);
    },
  }),

  defineBehavior('role', {
    listed(ctx, { owner }) {
      if (!owner || !ctx.site.dialect.engineAnswers) return undefined;
      return rolesOnSystem(ctx, owner);
    },
    events: { add: 'ROLE_ADDED', update: 'ROLE_UPDATED', remove: 'ROLE_REMOVED' },
    beforeCreate(ctx, role) {
      const permits = role.permits ?? [];
      if (permits.length === 0) ctx.refuse('ROLE_WITHOUT_PERMITS', { action: 'add' });
      for (const { id } of permits) checkPermit(ctx, role, id);
      role.mutable = true;
      role.administrative ??= false;
    },
    beforeUpdate(ctx, before, after) {
      if (before.mutable === false) ctx.refuse('ROLE_IS_READ_ONLY', { action: 'edit' });
      if (before.administrative !== after.administrative) {
        ctx.refuse('ROLE_TYPE_FIXED', { action: 'edit' });
      }
    },
    onMembershipChange(ctx, before, after, { id, added }) {
      if (before.mutable === false) ctx.refuse('ROLE_IS_READ_ONLY', { action: 'edit' });
      if (added) checkPermit(ctx, after, id);
      const messageParams = { PermitName: ctx.tx.get('permit', id)?.name, RoleName: before.name };
      ctx.event(added ? 'PERMIT_ADDED_TO_ROLE' : 'PERMIT_REMOVED_FROM_ROLE', {}, messageParams);
    },
    beforeDelete(ctx, { ref, object }) {
      if (object.mutable === false) ctx.refuse('ROLE_IS_READ_ONLY', { action: 'remove' });
      const where = { role_id: object.id ?? '' };
      const permissions = ctx.tx.list('permission', { where, limit: 6 });
      refuseInUse({ ref, object: { ...object } }, permissions, 'the permissions');
    },
  }),

  defineBehavior('tag', {
    alwaysListed: rootTag,
    listed: (ctx, { owner }) =>
      owner || !ctx.site.dialect.engineAnswers ? undefined : ctx.tx.list('tag', {}),
    events: { add: 'TAG_ADDED', update: 'TAG_UPDATED', remove: 'TAG_REMOVED' },
    beforeCreate(ctx, tag, _place, sent) {
      const { parent } = sent;
      const isNamed = !parent || parent.id !== undefined || parent.name !== undefined;
      if (!isNamed && ctx.site.dialect.engineRefusals) {
        throw incomplete('Tag', ['parent.id|name'], 'add');
      }
      tag.parent ??= { id: rootTag };
      requireParent(tag);
    },
    beforeUpdate(ctx, before, after) {
      requireParent(after);
      if (before.id === rootTag) ctx.refuse('TAG_IS_ROOT', { action: 'edit' });
      for (let at = after.parent?.id; at && at !== rootTag; at = findParentId(ctx, at)) {
        if (at === after.id) ctx.refuse('TAG_BELOW_ITSELF', { action: 'edit' });
      }
    },
    beforeDelete(ctx, { object }) {
      if (object.id === rootTag) ctx.refuse('TAG_IS_ROOT', { action: 'remove' });
      removeBelow(ctx, object.id ?? '');
    },
  }),
];

/** The roles of a user or group on the system, including those of the group Everyone. */
function rolesOnSystem(
  ctx: RuleContext,
  { kind, id }: { readonly kind: string; readonly id: string },
): Resource<'role'>[] {
  const grants = [
    ...ctx.tx.list('permission', { where: { ...onSystem, [`${kind}_id`]: id } }),
    ...ctx.tx.list('permission', { where: { ...onSystem, group_id: everyone } }),
  ];
  const roles = new Set(grants.map(({ role }) => role?.id ?? ''));
  return [...roles].flatMap((role) => {
    const { name } = ctx.tx.get('role', role) ?? {};
    return name === undefined ? [] : [{ id: role, name }];
  });
}

/**
 * Sets the password of a user from the directory: the one sent with the user, or else that of the
 * administrator. Retains an existing password.
 */
function givePassword(ctx: RuleContext, user: User, sent: string | undefined): void {
  const login = formatLogin(user);
  if (hasPassword(ctx.tx, login)) return;
  if (sent) setPassword(ctx.tx, login, sent);
  else copyPassword(ctx.tx, formatLogin(ctx.tx.get('user', defaultIds.admin) ?? {}), login);
}

/** The login name of a user: `jane@internal`. */
function formatLogin({ user_name: name = '' }: User): string {
  return name.replace(/-authz$/, '');
}

function readDomain(ctx: RuleContext, sent: User | Group): { id?: string } | undefined {
  const { domain } = sent;
  if (!domain || domain.id) return domain;
  return ctx.tx.byName('domain', domain.name ?? '') ?? {};
}

function forgetPermissions(ctx: RuleContext, column: string, id: string): void {
  for (const permission of ctx.tx.list('permission', { where: { [column]: id } })) {
    if (permission.id) ctx.tx.remove('permission', permission.id);
  }
}

/** Refuses administrator permits in a role for users. */
function checkPermit(ctx: RuleContext, role: Resource<'role'>, id: string | undefined): void {
  const permit = id === undefined ? undefined : ctx.tx.get('permit', id);
  if (permit?.administrative && !role.administrative) {
    ctx.refuse('ROLE_PERMIT_OF_ADMINISTRATORS', { action: 'add', permit: permit.name ?? '' });
  }
}

function findParentId(ctx: RuleContext, id: string): string | undefined {
  return ctx.tx.get('tag', id)?.parent?.id;
}

/** Removes a tag with its descendants, and from all objects that have it. */
/** Refuses a parent without an id or name. */
function requireParent({ parent }: Resource<'tag'>): void {
  if (parent && !parent.id) throw incomplete('Tag', ['parent.id|name'], 'add');
}

function removeBelow(ctx: RuleContext, id: string): void {
  for (const child of ctx.tx.list('tag', { where: { parent_id: id } })) {
    removeBelow(ctx, child.id ?? '');
    ctx.tx.remove('tag', child.id ?? '', '/tags');
  }
  ctx.tx.remove('assigned_tag', id);
}
