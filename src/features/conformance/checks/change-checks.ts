/**
 * Conformance checks with changes: create, update and delete objects in a separate data center. VMs
 * need hosts and storage; no check creates them.
 */

import { randomBytes } from 'node:crypto';
import { getObject, getObjects } from '../../../cli/text/objects.ts';
import { listOperations } from '../../../model/index.ts';
import { formatOperation, type SpecifiedOperation } from '../../../specification/operations.ts';
import { Difference, type Finding, NotTried, runCheck } from './finding.ts';
import type { Service } from './service.ts';

type Item = Readonly<Record<string, unknown>>;

/** An object for a check: its collection, its body and an update. */
interface Specimen {
  /** Name for references from other specimens. */
  readonly name: string;
  /**
   * Path template of the collection, with names of other specimens as placeholders:
   * `/clusters/{cluster}/affinitygroups`.
   */
  readonly collection: string;
  readonly body: (id: RequireId, label: string) => Item;
  /** Body of an update, which a read verifies; undefined if the type has no update. */
  readonly change?: Item;
  /** Placeholder in the path, if it differs from the name. */
  readonly placeholder?: string;
}

/** Id of an object that a check created. Throws `NotTried` if the creation failed. */
type RequireId = (name: string) => string;

const description = { description: 'changed by vmctl conformance' };

/** In order of creation; the checks delete them in reverse order. */
const specimens: readonly Specimen[] = [
  {
    name: 'datacenter',
    collection: '/datacenters',
    body: (_, name) => ({ name, local: false }),
    change: description,
  },
  {
    name: 'cluster',
    collection: '/clusters',
    body: (id, name) => ({
      name,
      data_center: { id: id('datacenter') },
      cpu: { type: id('cpu type') },
    }),
    change: description,
  },
  {
    name: 'network',
    collection: '/networks',
    body: (id, name) => ({ name: name.slice(0, 15), data_center: { id: id('datacenter') } }),
    change: description,
  },
  {
    name: 'profile',
    collection: '/vnicprofiles',
    body: (id, name) => ({ name, network: { id: id('network') } }),
    change: description,
  },
  {
    name: 'quota',
    collection: '/datacenters/{datacenter}/quotas',
    body: (_, name) => ({ name }),
    change: description,
  },
  {
    name: 'qos',
    collection: '/datacenters/{datacenter}/qoss',
    body: (_, name) => ({ name, type: 'cpu', cpu_limit: 50 }),
    change: description,
  },
  {
    name: 'macpool',
    collection: '/macpools',
    body: (_, name) => ({
      name,
      ranges: { range: [{ from: '02:00:5e:00:00:01', to: '02:00:5e:00:00:ff' }] },
    }),
    change: description,
  },
  { name: 'tag', collection: '/tags', body: (_, name) => ({ name }), change: description },
  {
    name: 'bookmark',
    collection: '/bookmarks',
    body: (_, name) => ({ name, value: 'Vms: status=up' }),
    change: { value: 'Vms: status=down' },
  },
  {
    name: 'role',
    collection: '/roles',
    body: (_, name) => ({ name, administrative: false, permits: { permit: [{ id: '1' }] } }),
    change: description,
  },
  { name: 'label', collection: '/affinitylabels', body: (_, name) => ({ name }) },
  {
    name: 'group',
    collection: '/clusters/{cluster}/affinitygroups',
    body: (_, name) => ({ name, positive: true, enforcing: false }),
    change: description,
  },
];

/** CPU type if the service has no cluster. */
const defaultCpuType = 'Intel Nehalem Family';

export class ChangeChecks {
  readonly #service: Service;
  readonly #operations: ReadonlyMap<string, SpecifiedOperation>;
  readonly #label = `conformance-${randomBytes(3).toString('hex')}`;
  readonly #ids: Record<string, string> = {};
  readonly #created: Specimen[] = [];

  /** `operations` are those of the specification; others are not checked. */
  constructor(service: Service, operations: readonly SpecifiedOperation[]) {
    this.#service = service;
    this.#operations = new Map(operations.map((one) => [formatOperation(one), one]));
  }

  /** Creates and updates all specimens. */
  async *createAll(): AsyncGenerator<Finding> {
    this.#ids['cpu type'] = await this.#findCpuType();
    for (const specimen of specimens) {
      yield* this.#checkOperation(`POST ${specimen.collection} add`, () => this.#create(specimen));
      if (specimen.change) {
        yield* this.#checkOperation(`PUT ${objectPath(specimen)} update`, () =>
          this.#change(specimen),
        );
      }
    }
  }

  /**
   * Deletes the created objects in reverse order. Calls `onLeft` with the path of each object that
   * cannot be deleted.
   */
  async *removeAll(onLeft: (path: string) => void): AsyncGenerator<Finding> {
    for (const specimen of this.#created.splice(0).toReversed()) {
      const object = objectPath(specimen);
      let isGone = false;
      yield* this.#checkOperation(`DELETE ${object} remove`, async () => {
        const said = await this.#remove(specimen);
        isGone = true;
        return said;
      });
      if (!isGone) onLeft(this.#path(object));
    }
  }

  /** A CPU type that the service supports: the type of an existing cluster. */
  async #findCpuType(): Promise<string> {
    const { text } = await this.#service.expect([200], 'GET', '/clusters', 'application/json');
    const clusters = parseItem(text)['cluster'];
    const types = getObjects({ clusters }, 'clusters').flatMap(
      (cluster) => getObject(cluster, 'cpu')?.['type'] ?? [],
    );
    return String(types[0] ?? defaultCpuType);
  }

  async *#checkOperation(
    key: string,
    check: (operation: SpecifiedOperation) => Promise<string>,
  ): AsyncGenerator<Finding> {
    const operation = this.#operations.get(key);
    if (!operation) throw new Error(`The specification has no ${key}.`);
    this.#success = operation.success;
    yield await runCheck(operation, () => check(operation));
  }

  #success: readonly number[] = [];

  async #create(specimen: Specimen): Promise<string> {
    const path = this.#path(specimen.collection);
    const body = specimen.body((name) => this.#requireId(name), this.#label);
    const { status, text, location } = await this.#service.expect(
      ...([this.#success, 'POST', path, 'application/json', body] as const),
    );
    const made = parseItem(text);
    const { id } = made;
    if (typeof id !== 'string') throw new Difference('the answer to the creation has no id');
    this.#ids[specimen.name] = id;
    this.#created.push(specimen);
    const wrong = findDifference(body, made);
    if (wrong !== undefined)
      throw new Difference(`${wrong} in the answer differs from the request`);
    if (status === 201 && location !== undefined && !location.endsWith(`/${id}`)) {
      throw new Difference(`header Location ${location} does not end with the id ${id}`);
    }
    await this.#service.expect([200], 'GET', `${path}/${id}`, 'application/json');
    return `${status}, created and read again`;
  }

  async #change(specimen: Specimen): Promise<string> {
    const path = this.#path(objectPath(specimen));
    const { change = {} } = specimen;
    const { status } = await this.#service.expect(
      ...([this.#success, 'PUT', path, 'application/json', change] as const),
    );
    const { text } = await this.#service.expect([200], 'GET', path, 'application/json');
    const wrong = findDifference(change, parseItem(text));
    if (wrong !== undefined) throw new Difference(`${wrong} is unchanged`);
    return `${status}, changed and read again`;
  }

  async #remove(specimen: Specimen): Promise<string> {
    const path = this.#path(objectPath(specimen));
    const { status } = await this.#service.expect(
      ...([this.#success, 'DELETE', path, 'application/json'] as const),
    );
    const after = await this.#service.send('GET', path, 'application/json');
    const read = listOperations(objectPath(specimen)).find(({ http }) => http === 'GET');
    const expected = read ? await this.#service.unknownIdStatus(read) : 404;
    if (after.status === expected) return `${status}, deleted`;
    if (status === 202) return `${status}, deletion in progress`;
    throw new Difference(`after the deletion, the status is ${after.status}, not ${expected}`);
  }

  /** Path with the ids of the created objects. */
  #path(template: string): string {
    return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => this.#requireId(name));
  }

  #requireId(name: string): string {
    const id = this.#ids[name];
    if (id === undefined) throw new NotTried(`no ${name} to try it with`);
    return id;
  }
}

function objectPath({ collection, name, placeholder = name }: Specimen): string {
  return `${collection}/{${placeholder}}`;
}

function parseItem(text: string): Item {
  try {
    return JSON.parse(text);
  } catch {
    throw new Difference('the response is not JSON');
  }
}

/** Name of the first text member whose value differs from the request. */
function findDifference(sent: Item, answered: Item): string | undefined {
  return Object.keys(sent).find(
    (name) => typeof sent[name] === 'string' && String(answered[name]) !== sent[name],
  );
}
