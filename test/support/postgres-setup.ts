/** A cluster of PostgreSQL for the servers of a run of tests, where `npm run test:postgres` asks for one. */
import { storeAddress } from '../../src/testkit/extensions.ts';
import { createDatabase, startCluster, storeVariable, templateName } from './postgres.ts';

export default async function setup(): Promise<(() => void) | undefined> {
  if (process.env['VMCTL_TEST_STORE'] !== 'postgres') return undefined;
  const cluster = startCluster();
  await createDatabase(cluster.folder, undefined, templateName);
  const address = `postgres://postgres@/${templateName}?host=${encodeURIComponent(cluster.folder)}`;
  const { driver } = await storeAddress(address);
  await driver.openStore(address).close();
  process.env[storeVariable] = cluster.folder;
  return () => cluster.remove();
}
