/** What the small inventory has to install machines from: ISO files, and images of a repository. */

import * as generic from '../api/generic.ts';
import { placeOf } from '../core/collection-ref.ts';
import type { RuleContext } from '../core/context.ts';
import { addInventory } from './file.ts';
import { defaultIds } from './fresh.ts';

const isoDomain = 'iso1';

/** Adds an ISO domain to the default data center, and a repository of images with its domain. */
export function addLibrary(ctx: RuleContext): void {
  const storage = { type: 'nfs', address: 'storage.example.com', path: `/exports/${isoDomain}` };
  addInventory(ctx, {
    storagedomains: [{ name: isoDomain, type: 'iso', storage, host: 'host1' }],
    openstackimageproviders: [{ name: 'repository', url: 'https://images.example.com:9292' }],
  });
  const attached = placeOf(ctx.tx, '/datacenters/{datacenter}/storagedomains', [
    defaultIds.dataCenter,
  ]);
  generic.add(ctx, attached, { name: isoDomain });
}
