/** Driver of stores in PostgreSQL. */
import type { StoreDriver } from '../../server/store/shared-store.ts';
import { maskedAddress } from './address.ts';
import { openPostgresStore } from './open.ts';

export const postgresDriver: StoreDriver = {
  maskAddress: maskedAddress,
  openStore: openPostgresStore,
};
