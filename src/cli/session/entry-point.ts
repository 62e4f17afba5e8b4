/** The entry point of the API: who is signed in, and what the service is. */
import type { Client, Thing } from '../../client/client.ts';
import { operationsOf } from '../../model/index.ts';

/** The entry point of the API (specification 4.4). */
export async function entryPoint(client: Client): Promise<Thing> {
  const operation = operationsOf('/').find(({ name }) => name === 'get');
  if (!operation) throw new Error('The model has no entry point.');
  return await client.object({ operation, what: 'look at the entry point', isAsked: true });
}

/** Name and version of the service. */
export function productOf(api: Thing): string {
  const info = api['product_info'] as Thing | undefined;
  const version = info?.['version'] as Thing | undefined;
  const numbers = [version?.['major'], version?.['minor'], version?.['build']];
  const text =
    version?.['full_version'] ?? numbers.filter((number) => number !== undefined).join('.');
  return [info?.['name'] ?? 'unnamed product', text].filter((part) => part !== '').join(' ');
}
