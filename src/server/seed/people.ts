/** Users of the small inventory beside the administrator, to try permissions with. */
import { splitUserName } from '../auth/users.ts';
import type { RuleContext } from '../core/context.ts';

/** Login names; they sign in with the administrator's password. */
export const sampleUsers = ['jane@internal', 'olaf@internal'] as const;

/** Jane owns the first virtual machine, Olaf looks after the cluster. */
export function addSampleUsers(ctx: RuleContext, admin: string): void {
  const { tx } = ctx;
  const profile = `${splitUserName(admin)?.profile ?? 'internal'}-authz`;
  const domain = tx.byName('domain', profile)?.id ?? '';
  const [jane, olaf] = sampleUsers.map((login) => {
    const name = splitUserName(login)?.login ?? login;
    const id = ctx.site.newId();
    tx.insert('user', '/users', {
      id,
      name,
      user_name: `${name}@${profile}`,
      principal: name,
      namespace: '*',
      domain: { id: domain },
      department: '',
      email: `${name}@example.com`,
      last_name: '',
    });
    return id;
  });
  const vm = tx.list('vm', { orderBy: 'name', limit: 1 })[0];
  const cluster = tx.byName('cluster', 'Default');
  grant(ctx, jane, 'UserVmManager', { vm: { id: vm?.id ?? '' } });
  grant(ctx, olaf, 'ClusterAdmin', { cluster: { id: cluster?.id ?? '' } });
}

function grant(
  { tx, site }: RuleContext,
  user: string | undefined,
  role: string,
  on: { vm: { id: string } } | { cluster: { id: string } },
): void {
  tx.insert('permission', '/permissions', {
    id: site.newId(),
    role: { id: tx.byName('role', role)?.id ?? '' },
    user: { id: user ?? '' },
    ...on,
  });
}
