/**
 * Setup of a PostgreSQL cluster for the servers of a test run, if `npm run test:postgres` requests
 * it.
 */
import { createDatabase, startCluster, storeVariable, templateName } from './postgres.ts';

/** Module of the feature. Without a static import, this file passes the type check without it. */
const openModule = new URL('../../src/features/postgres/open.ts', import.meta.url);

export default async function setup(): Promise<(() => void) | undefined> {
  if (process.env['VMCTL_TEST_STORE'] !== 'postgres') return undefined;
  const cluster = startCluster();
  await createDatabase(cluster.folder, undefined, templateName);
  const address = `postgres://postgres@/${templateName}?host=${encodeURIComponent(cluster.folder)}`;
  const { openPostgresStore } = await import(String(openModule));
  await openPostgresStore(address).close();
  process.env[storeVariable] = cluster.folder;
  return () => cluster.remove();
}
