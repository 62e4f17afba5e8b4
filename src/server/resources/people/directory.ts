/** The simulated directory, from which users and groups come: its entries, and who is in it. */

import type { RuleContext } from '../../core/context.ts';
import type { StoredObject } from '../../store/document.ts';

/** Entries of a directory are named by themselves, not by ids of the service. */
export function directoryId(name: string): string {
  return Buffer.from(name, 'utf8').toString('hex').toUpperCase();
}

/** The domain of a user or group, with its name. */
export function shownDomain(
  ctx: RuleContext,
  { domain }: { readonly domain?: { readonly id?: string } },
): StoredObject {
  const id = domain?.id ?? '';
  const name = ctx.tx.get('domain', id)?.name;
  return name === undefined ? {} : { domain: { id, name } };
}

/** A new entry of a directory. */
export function entryOf(
  kind: 'directory_user' | 'directory_group',
  name: string,
  domain: string,
  domainName: string,
): StoredObject {
  const id = directoryId(name);
  const common = { id, name, namespace: '*', domain: { id: domain }, domain_entry_id: id };
  if (kind === 'directory_group') return common;
  return { ...common, principal: name, user_name: `${name}@${domainName}`, email: '' };
}

/** Fills the directory of a new service. */
export function fillDirectory(ctx: RuleContext, domain: string, domainName: string): void {
  const add = (kind: 'directory_user' | 'directory_group', folder: string, name: string) => {
    const entry = entryOf(kind, name, domain, domainName);
    ctx.tx.insert(kind, `/domains/${domain}/${folder}`, entry);
  };
  for (const name of directoryUsers) add('directory_user', 'users', name);
  for (const name of directoryGroups) add('directory_group', 'groups', name);
}

/** Who is in the directory that comes with the server, beside the administrator. */
const directoryUsers = ['admin', 'jane', 'olaf', 'kim', 'lena', 'marco', 'nadia', 'user'] as const;
const directoryGroups = ['admins', 'auditors', 'developers', 'operators'] as const;
