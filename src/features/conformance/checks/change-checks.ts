/**
 * Checks that change something: objects are made in a data center of their own, changed and removed, each by
 * the operation of its row. Machines need hosts and storage, and are not made.
 */
import { randomBytes } from 'node:crypto';
import { listOperations } from '../../../model/index.ts';
import { Difference, type Finding, finding, NotTried } from './finding.ts';
import type { Service } from './service.ts';
import { keyOf, type SpecifiedOperation } from './specified.ts';

type Item = Readonly<Record<string, unknown>>;

/** Something to make: where, what, and what to change of it. */
interface Specimen {
  /** How the rest calls it. */
  readonly name: string;
  /** Collection, as a path template with the names of others: `/clusters/{cluster}/affinitygroups`. */
  readonly collection: string;
  readonly body: (id: IdOf, label: string) => Item;
  /** Changed by an update, and read again; nothing where there is no update. */
  readonly change?: Item;
  /** Placeholder of its own in the path, where it is not the name. */
  readonly placeholder?: string;
}

/** The id of what was made before. Throws `NotTried` where it was not. */
type IdOf = (name: string) => string;

const description = { description: 'changed by vmctl conformance' };

/** In the order in which they are made; they are removed the other way round. */
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

/** Where there is no cluster to look at. */
const usualCpuType = 'Intel Nehalem Family';

export class ChangeChecks {
  readonly #service: Service;
  readonly #operations: ReadonlyMap<string, SpecifiedOperation>;
  readonly #label = `conformance-${randomBytes(3).toString('hex')}`;
  readonly #ids: Record<string, string> = {};
  readonly #made: Specimen[] = [];

  /** `operations` are those of the specification: others are not found out about. */
  constructor(service: Service, operations: readonly SpecifiedOperation[]) {
    this.#service = service;
    this.#operations = new Map(operations.map((one) => [keyOf(one), one]));
  }

  /** Makes everything, and changes it. */
  async *make(): AsyncGenerator<Finding> {
    this.#ids['cpu type'] = await this.#cpuType();
    for (const specimen of specimens) {
      yield* this.#found(`POST ${specimen.collection} add`, () => this.#make(specimen));
      if (specimen.change) {
        yield* this.#found(`PUT ${objectOf(specimen)} update`, () => this.#change(specimen));
      }
    }
  }

  /** Removes what was made, the last first. What could not be removed is told by `onLeft`. */
  async *remove(onLeft: (path: string) => void): AsyncGenerator<Finding> {
    for (const specimen of this.#made.splice(0).toReversed()) {
      const object = objectOf(specimen);
      let isGone = false;
      yield* this.#found(`DELETE ${object} remove`, async () => {
        const said = await this.#remove(specimen);
        isGone = true;
        return said;
      });
      if (!isGone) onLeft(this.#path(object));
    }
  }

  /** A type of processor that the service knows: that of a cluster that is there. */
  async #cpuType(): Promise<string> {
    const { text } = await this.#service.expect([200], 'GET', '/clusters', 'application/json');
    const clusters = parsed(text)['cluster'];
    const types = (Array.isArray(clusters) ? (clusters as Item[]) : []).flatMap(
      ({ cpu }) => (cpu as Item | undefined)?.['type'] ?? [],
    );
    return String(types[0] ?? usualCpuType);
  }

  async *#found(
    key: string,
    check: (operation: SpecifiedOperation) => Promise<string>,
  ): AsyncGenerator<Finding> {
    const operation = this.#operations.get(key);
    if (!operation) throw new Error(`The specification has no ${key}.`);
    this.#success = operation.success;
    yield await finding(operation, () => check(operation));
  }

  #success: readonly number[] = [];

  async #make(specimen: Specimen): Promise<string> {
    const path = this.#path(specimen.collection);
    const body = specimen.body((name) => this.#idOf(name), this.#label);
    const { status, text, location } = await this.#service.expect(
      ...([this.#success, 'POST', path, 'application/json', body] as const),
    );
    const made = parsed(text);
    const { id } = made;
    if (typeof id !== 'string') throw new Difference('the answer to the creation has no id');
    this.#ids[specimen.name] = id;
    this.#made.push(specimen);
    const wrong = differing(body, made);
    if (wrong !== undefined)
      throw new Difference(`${wrong} in the answer differs from the request`);
    if (status === 201 && location !== undefined && !location.endsWith(`/${id}`)) {
      throw new Difference(`header Location ${location} does not end with the id ${id}`);
    }
    await this.#service.expect([200], 'GET', `${path}/${id}`, 'application/json');
    return `${status}, created and read again`;
  }

  async #change(specimen: Specimen): Promise<string> {
    const path = this.#path(objectOf(specimen));
    const { change = {} } = specimen;
    const { status } = await this.#service.expect(
      ...([this.#success, 'PUT', path, 'application/json', change] as const),
    );
    const { text } = await this.#service.expect([200], 'GET', path, 'application/json');
    const wrong = differing(change, parsed(text));
    if (wrong !== undefined) throw new Difference(`${wrong} is unchanged`);
    return `${status}, changed and read again`;
  }

  async #remove(specimen: Specimen): Promise<string> {
    const path = this.#path(objectOf(specimen));
    const { status } = await this.#service.expect(
      ...([this.#success, 'DELETE', path, 'application/json'] as const),
    );
    const after = await this.#service.ask('GET', path, 'application/json');
    const read = listOperations(objectOf(specimen)).find(({ http }) => http === 'GET');
    const expected = read ? await this.#service.statusOfUnknown(read) : 404;
    if (after.status === expected) return `${status}, deleted`;
    if (status === 202) return `${status}, deletion in progress`;
    throw new Difference(`after the deletion, the status is ${after.status}, not ${expected}`);
  }

  /** A path with the ids of what was made. */
  #path(template: string): string {
    return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => this.#idOf(name));
  }

  #idOf(name: string): string {
    const id = this.#ids[name];
    if (id === undefined) throw new NotTried(`no ${name} to try it with`);
    return id;
  }
}

function objectOf({ collection, name, placeholder = name }: Specimen): string {
  return `${collection}/{${placeholder}}`;
}

function parsed(text: string): Item {
  try {
    return JSON.parse(text) as Item;
  } catch {
    throw new Difference('the response is not JSON');
  }
}

/** The first plain member that is not as it was sent. */
function differing(sent: Item, answered: Item): string | undefined {
  return Object.keys(sent).find(
    (name) => typeof sent[name] === 'string' && String(answered[name]) !== sent[name],
  );
}
