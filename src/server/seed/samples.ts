/** Sample users, ISO files and repository images of the small inventory. */

import { jsonPlace } from '../../source-place.ts';
import * as generic from '../api/generic.ts';
import { splitUserName } from '../auth/permissions.ts';
import { resolveCollection } from '../core/collection-ref.ts';
import type { RuleContext } from '../core/context.ts';
import { grantRole } from '../inventory/grants.ts';
import { defaultIds } from '../reference-data/default-ids.ts';
import { addInventory } from './from-document.ts';

/** Login names. They share the password of the administrator. */
export const sampleUsers = ['jane@internal', 'olaf@internal'] as const;

/** Jane owns the first VM, Olaf administers the cluster. */
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
  const of = (id: string | undefined) => ({ id: id ?? '' });
  grantRole(ctx, 'UserVmManager', { user: of(jane), vm: of(vm?.id) });
  grantRole(ctx, 'ClusterAdmin', { user: of(olaf), cluster: of(cluster?.id) });
}

const isoDomain = 'iso1';

/** Adds an ISO domain to the default data center, and a repository of images with its domain. */
export function addSampleImages(ctx: RuleContext): void {
  const storage = { type: 'nfs', address: 'storage.example.com', path: `/exports/${isoDomain}` };
  const definition = {
    storagedomains: [{ name: isoDomain, type: 'iso', storage, host: 'host1' }],
    openstackimageproviders: [{ name: 'repository', url: 'https://images.example.com:9292' }],
  };
  addInventory(ctx, { definition, place: jsonPlace('samples', '{}') });
  const attached = resolveCollection(ctx.tx, '/datacenters/{datacenter}/storagedomains', [
    defaultIds.dataCenter,
  ]);
  generic.add(ctx, attached, { name: isoDomain });
}
