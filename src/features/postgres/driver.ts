/** Store driver of PostgreSQL. */
import type { StoreDriver } from '../../server/core/opened-site.ts';
import { openSharedSite } from './shared-site.ts';

export const postgresDriver: StoreDriver = { openSite: openSharedSite };
