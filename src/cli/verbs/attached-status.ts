/**
 * The states of storage domains: a service tells them where a domain is attached, not in the list of
 * all domains. Tables show them nevertheless.
 */
import type { Client, Thing } from '../../client/client.ts';
import type { Column } from '../output/columns.ts';
import { operationNamed } from './references.ts';

const attached = '/datacenters/{datacenter}/storagedomains';

export class AttachedStatus {
  readonly #client: Client;
  readonly #isShown: boolean;
  /** States by the id of the domain, by that of the data center. */
  readonly #known = new Map<string, Promise<ReadonlyMap<string, unknown>>>();

  constructor(client: Client, type: string, columns: readonly Column[]) {
    this.#client = client;
    this.#isShown =
      type === 'storage_domain' && columns.some(({ paths }) => paths.includes('status'));
  }

  /** The domains with their states; one request for each data center that they are attached to. */
  async fill(items: readonly Thing[]): Promise<readonly Thing[]> {
    if (!this.#isShown) return items;
    return await Promise.all(items.map((item) => this.#filled(item)));
  }

  async #filled(item: Thing): Promise<Thing> {
    const [dataCenter] = (item['data_centers'] ?? []) as readonly Thing[];
    if (item['status'] !== undefined || dataCenter?.['id'] === undefined) return item;
    const status = (await this.#statesIn(String(dataCenter['id']))).get(String(item['id']));
    return status === undefined ? item : { ...item, status };
  }

  #statesIn(datacenter: string): Promise<ReadonlyMap<string, unknown>> {
    let states = this.#known.get(datacenter);
    if (!states) {
      states = this.#read(datacenter);
      this.#known.set(datacenter, states);
    }
    return states;
  }

  async #read(datacenter: string): Promise<ReadonlyMap<string, unknown>> {
    const states = new Map<string, unknown>();
    const operation = operationNamed(attached, 'list');
    if (!operation) return states;
    try {
      for await (const items of this.#client.glances({ operation, ids: { datacenter } })) {
        for (const item of items) states.set(String(item['id']), item['status']);
      }
    } catch {
      // Whoever may not see the data center does without.
    }
    return states;
  }
}
